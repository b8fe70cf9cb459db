package operation

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

// ignoreHosts finds the nodes that are to be left out.
func (l *landing) ignoreHosts(s *streaming) error {
	for _, name := range l.spec.IgnoreHosts {
		found := false
		for _, n := range l.t.Cluster.Nodes {
			if isCalled(n, name) {
				s.options.Ignored[n.ID], found = true, true
			}
		}
		if !found {
			return fmt.Errorf("--ignore-hosts %q: the cluster has no such node", name)
		}
	}
	for i := range s.options.Placement.Len() {
		if !slices.ContainsFunc(
			s.options.Placement.Replicas(i),
			func(n int) bool { return !s.options.Ignored[s.options.Nodes[n]] },
		) {
			return errors.New("--ignore-hosts: some rows would have no replica left")
		}
	}
	return nil
}

// isCalled says whether a node is meant by a name: its id, or its address with a port or without.
func isCalled(n topology.Node, name string) bool {
	host, _, err := net.SplitHostPort(n.Address)
	return name == n.ID || name == n.Address || err == nil && name == host
}

// findStorage finds out whether the nodes' storage ports can be reached from here.
func (l *landing) findStorage(ctx context.Context, s *streaming, nodes []topology.Node) error {
	addresses := s.watch.ports()
	t, err := internode.ParseUUID(l.t.Schema.ID)
	if err != nil {
		return fmt.Errorf("table %s: id: %w", l.t.Schema, err)
	}
	var mu sync.Mutex
	err = table.TryPorts(
		nodes,
		addresses,
		s.holders(),
		spec.StoragePortFlag,
		func(n topology.Node, address string) error {
			probed, err := s.client.Probe(ctx, address)
			if err == nil && !probed.WritesNB() {
				mu.Lock()
				defer mu.Unlock()
				s.others = append(s.others, n.Address)
			}
			if err != nil {
				return err
			}
			return s.client.CheckTable(ctx, address, t)
		},
	)
	slices.Sort(s.others)
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

// holders are the nodes that rows are streamed to: false of one that is left out.
func (s *streaming) holders() map[string]bool {
	return holders(s.options.Placement, s.options.Nodes, s.options.Ignored)
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
