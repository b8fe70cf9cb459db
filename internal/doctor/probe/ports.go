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
)

// StoragePorts are what nodes answered at their storage ports.
type StoragePorts struct {
	// Ports has each node that was tried, ordered by address.
	Ports []doctor.Port
	// WritesNB has the nodes that answered, by ID: whether they write SSTables of version nb.
	WritesNB map[string]bool
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
