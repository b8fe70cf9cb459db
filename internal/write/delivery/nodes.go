package delivery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// IgnoreHosts finds the nodes of --ignore-hosts.
func (d *Delivery) IgnoreHosts(s *Setup) error {
	for _, name := range d.Spec.IgnoreHosts {
		found := false
		for _, n := range d.Table.Cluster.Nodes {
			if IsCalled(n, name) {
				s.Options.Ignored[n.ID], found = true, true
			}
		}
		if !found {
			return fmt.Errorf("--ignore-hosts %q: the cluster has no such node", name)
		}
	}
	for i := range s.Options.Placement.Len() {
		if !slices.ContainsFunc(
			s.Options.Placement.Replicas(i),
			func(n int) bool { return !s.Options.Ignored[s.Options.Nodes[n]] },
		) {
			return errors.New("--ignore-hosts: some rows would have no replica left")
		}
	}
	return nil
}

// IsCalled reports whether a name is a node's: its ID, or its address with or without the port.
func IsCalled(n topology.Node, name string) bool {
	host, _, err := net.SplitHostPort(n.Address)
	return name == n.ID || name == n.Address || err == nil && name == host
}

// findStorage checks that this host reaches the nodes' storage ports.
func (d *Delivery) findStorage(ctx context.Context, s *Setup, nodes []topology.Node) error {
	addresses := s.watch.ports()
	t, err := internode.ParseUUID(d.Table.Schema.ID)
	if err != nil {
		return fmt.Errorf("table %s: id: %w", d.Table.Schema, err)
	}
	var mu sync.Mutex
	err = table.TryPorts(
		nodes,
		addresses,
		s.Holders(),
		spec.StoragePortFlag,
		func(n topology.Node, address string) error {
			probed, err := s.client.Probe(ctx, address)
			if err == nil && !probed.WritesNB() {
				mu.Lock()
				defer mu.Unlock()
				s.OtherVersions = append(s.OtherVersions, n.Address)
			}
			if err != nil {
				return err
			}
			return s.client.CheckTable(ctx, address, t)
		},
	)
	slices.Sort(s.OtherVersions)
	switch internode.KindOf(err) {
	case internode.Unreachable, internode.Deadline:
		return fmt.Errorf(
			"--via %s: %w; %s, or leave the node out with --ignore-hosts and repair it later",
			spec.ViaStream,
			err,
			table.OpenPort(spec.StoragePortFlag),
		)
	}
	if err != nil {
		return fmt.Errorf("--via %s: %w", spec.ViaStream, err)
	}
	return nil
}

// Holders returns the nodes that have rows, by ID; false for one of --ignore-hosts.
func (s *Setup) Holders() map[string]bool {
	return holders(s.Options.Placement, s.Options.Nodes, s.Options.Ignored)
}

func holders(p *token.Placement, nodes []string, ignored map[string]bool) map[string]bool {
	holds := make(map[string]bool)
	for i := range p.Len() {
		for _, n := range p.Replicas(i) {
			holds[nodes[n]] = !ignored[nodes[n]]
		}
	}
	return holds
}
