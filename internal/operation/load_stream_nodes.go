package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// ignoreHosts finds the nodes that are to be left out.
func (l *Load) ignoreHosts(s *streaming) error {
	for _, name := range l.spec.IgnoreHosts {
		found := false
		for _, n := range l.t.cluster.Nodes {
			host, _, err := net.SplitHostPort(n.Address)
			if name == n.ID || name == n.Address || err == nil && name == host {
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

// findStorage finds the nodes' storage ports, and whether they can be reached from here.
func (l *Load) findStorage(ctx context.Context, s *streaming) (err error) {
	s.client = &internode.Client{Limiter: pace.NewLimiter(float64(l.spec.MaxBytesPerSec))}
	if s.client.TLS, err = l.spec.Internode.config(l.env); err != nil {
		return err
	}
	s.addresses = maps.Clone(s.told)
	holds := make(map[string]bool)
	for i := range s.options.Placement.Len() {
		for _, n := range s.options.Placement.Replicas(i) {
			holds[s.options.Nodes[n]] = !s.options.Ignored[s.options.Nodes[n]]
		}
	}
	var mu sync.Mutex
	var group errgroup.Group
	for _, n := range l.t.cluster.Nodes {
		address, known := s.addresses[n.ID]
		if l.spec.StoragePort != 0 {
			host, _, err := net.SplitHostPort(cmp.Or(address, n.Address))
			if err != nil {
				return fmt.Errorf("node %s: %w", n.Address, err)
			}
			address, known = net.JoinHostPort(host, strconv.Itoa(l.spec.StoragePort)), true
			s.addresses[n.ID] = address
		}
		if !holds[n.ID] {
			continue
		}
		if !known {
			return fmt.Errorf("--via %s: node %s does not tell its storage port: name it with --storage-port", viaStream, n.Address)
		}
		group.Go(func() error {
			probed, err := s.client.Probe(ctx, address)
			mu.Lock()
			defer mu.Unlock()
			s.others = s.others || err == nil && !probed.WritesNB()
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fault.New(fault.Fatal, fmt.Errorf("--via %s: %w", viaStream, err))
	}
	return nil
}

// unmoved gives an error when rows may belong to other nodes than when the load began.
func (l *Load) unmoved(ctx context.Context) error {
	var replication, addresses, places map[string]string
	var table *schema.Table
	err := insist(ctx, func() (err error) {
		places, err = l.t.session.Places(ctx)
		return err
	}, func() (err error) {
		replication, err = l.t.session.Replication(ctx, l.t.table.Keyspace)
		return err
	}, func() (err error) {
		table, err = l.t.session.Table(ctx, l.t.table.Keyspace, l.t.table.Name)
		return err
	}, func() (err error) {
		addresses, err = l.t.session.StorageAddresses(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case table.ID != l.t.table.ID || table.Fingerprint() != l.t.table.Fingerprint():
		return fault.New(fault.Fatal, refused(errors.New("the table was changed, or made anew, meanwhile: the load cannot go on; cqlbulk load with the same inputs begins anew")))
	case !maps.Equal(addresses, l.streaming.told) || !maps.Equal(places, l.streaming.places) || !maps.Equal(replication, l.t.replication):
		return fault.New(fault.Fatal, errors.New("nodes came, went or moved meanwhile, or the keyspace's replication was changed: some rows may belong to nodes that do not have them; resume sends all of them to where they belong now"))
	}
	return nil
}
