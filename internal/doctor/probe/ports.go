// Package probe asks a cluster for the facts that package doctor judges.
package probe

import (
	"context"
	"crypto/tls"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
)

// StoragePorts are what nodes answered at their storage ports.
type StoragePorts struct {
	// Ports has each node that was tried, ordered by address.
	Ports []doctor.Port
	// WritesNB has the nodes that answered, by ID: whether they write SSTables of version nb.
	WritesNB map[string]bool
}

// storagePorts are the answers of a cluster's storage ports.
type storagePorts struct {
	StoragePorts
	failed *doctor.Finding // why no port was tried; nil: ports were tried
}

// StoragePorts judges whether the nodes' storage ports can be reached. It tries them once.
func (c *Cluster) StoragePorts(ctx context.Context) doctor.Finding {
	p := c.ports(ctx)
	if p.failed != nil {
		return *p.failed
	}
	return doctor.Ports(p.Ports, c.command.via() == spec.ViaStream)
}

// tryStoragePorts tries the storage ports that a load or a scan by streaming would need.
func (c *Cluster) tryStoragePorts(ctx context.Context) storagePorts {
	failed := func(f doctor.Finding) storagePorts { return storagePorts{failed: &f} }
	port, security := c.command.storage()
	config, err := security.Config(c.command.Env)
	if err != nil {
		return failed(doctor.Fail("", "%v", err))
	}
	t := c.Table
	var s table.Placement
	if s.Told, err = t.Session.StorageAddresses(ctx); err != nil {
		return failed(doctor.Warn("see whether the nodes hang", "not reported: %v", err))
	}
	addresses, err := s.StoragePorts(t.Cluster.Nodes, port)
	if err != nil {
		return failed(doctor.Fail("", "%v", err))
	}
	wanted := make(map[string]bool)
	for _, a := range c.Answers {
		// A load waits for nodes that are down, except for those that it ignores. A scan reads
		// other replicas.
		wanted[a.ID] = addresses[a.ID] != "" && (a.Err == nil || c.waitsFor(a.Node))
	}
	return storagePorts{
		StoragePorts: TryStoragePorts(ctx, config, t.Cluster.Nodes, addresses, wanted),
	}
}

// waitsFor reports whether the command needs a node even if it is down: a load by streaming does,
// unless --ignore-hosts names the node.
func (c *Cluster) waitsFor(n topology.Node) bool {
	load := c.command.Load
	return load != nil && load.Via == spec.ViaStream &&
		!slices.ContainsFunc(
			load.IgnoreHosts,
			func(name string) bool { return delivery.IsCalled(n, name) },
		)
}

// TryStoragePorts connects to the storage ports of the wanted nodes, by ID, as a load or a scan by
// streaming does. The addresses of the ports are by node ID, too. Without a config there is no TLS.
func TryStoragePorts(
	ctx context.Context,
	config *tls.Config,
	nodes []topology.Node,
	addresses map[string]string,
	wanted map[string]bool,
) StoragePorts {
	client := &internode.Client{TLS: config}
	p := StoragePorts{WritesNB: make(map[string]bool)}
	var mu sync.Mutex
	try := func(n topology.Node, address string) error {
		answer, err := client.Probe(ctx, address)
		mu.Lock()
		defer mu.Unlock()
		p.Ports = append(p.Ports, doctor.Port{Node: address, Err: err})
		if err == nil {
			p.WritesNB[n.ID] = answer.WritesNB()
		}
		return nil // a port without an answer is a finding, and the others are tried, too
	}
	_ = table.TryPorts(nodes, addresses, wanted, spec.StoragePortFlag, try)
	slices.SortFunc(p.Ports, func(a, b doctor.Port) int { return strings.Compare(a.Node, b.Node) })
	return p
}
