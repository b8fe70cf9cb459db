package operation

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// ignoreHosts finds the nodes that are to be left out.
func (l *landing) ignoreHosts(s *streaming) error {
	for _, name := range l.spec.IgnoreHosts {
		found := false
		for _, n := range l.t.cluster.Nodes {
			if isCalled(n, name) {
				s.options.Ignored[n.ID], found = true, true
			}
		}
		if !found {
			return fmt.Errorf("--ignore-hosts %q: the cluster has no such node", name)
		}
	}
	for i := range s.options.Placement.Len() {
		if !slices.ContainsFunc(s.options.Placement.Replicas(i), func(n int) bool { return !s.options.Ignored[s.options.Nodes[n]] }) {
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

// findStorage finds the nodes' storage ports, and whether they can be reached from here.
func (l *landing) findStorage(ctx context.Context, s *streaming) (err error) {
	s.client = &internode.Client{Limiter: pace.NewLimiter(float64(l.spec.MaxBytesPerSec))}
	if s.client.TLS, err = l.spec.Internode.config(l.env); err != nil {
		return err
	}
	nodes := l.t.cluster.Nodes
	if s.addresses, err = s.standing.storagePorts(nodes, l.spec.StoragePort); err != nil {
		return err
	}
	table, err := internode.ParseUUID(l.t.table.ID)
	if err != nil {
		return fmt.Errorf("table %s: id: %w", l.t.table, err)
	}
	var mu sync.Mutex
	err = tryPorts(nodes, s.addresses, s.holders(), storagePortSetting, func(n topology.Node, address string) error {
		probed, err := s.client.Probe(ctx, address)
		if err == nil && !probed.WritesNB() {
			mu.Lock()
			defer mu.Unlock()
			s.others = append(s.others, n.Address)
		}
		if err != nil {
			return err
		}
		return s.client.CheckTable(ctx, address, table)
	})
	slices.Sort(s.others)
	if err != nil {
		return fmt.Errorf("--via %s: %w", viaStream, err)
	}
	return nil
}

// holders are the nodes that rows are streamed to: false of one that is left out.
func (s *streaming) holders() map[string]bool {
	holds := make(map[string]bool)
	for i := range s.options.Placement.Len() {
		for _, n := range s.options.Placement.Replicas(i) {
			holds[s.options.Nodes[n]] = !s.options.Ignored[s.options.Nodes[n]]
		}
	}
	return holds
}

// unmoved gives an error when rows may belong to other nodes than when the load began.
func (l *Load) unmoved(ctx context.Context) error {
	switch change, err := l.t.changed(ctx, l.streaming.standing, l.t.replication); {
	case err != nil:
		return err
	case change == altered:
		return fault.New(fault.Fatal, refused(errors.New("the table was changed, or made anew, meanwhile: the load cannot go on; cqlbulk load with the same inputs begins anew")))
	case change == moved:
		return fault.New(fault.Fatal, errors.New("nodes came, went or moved meanwhile, or the keyspace's replication was changed: some rows may belong to nodes that do not have them; resume sends all of them to where they belong now"))
	}
	return nil
}
