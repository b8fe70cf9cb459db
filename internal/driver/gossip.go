package driver

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// asksOfGossip is the number of nodes asked, at the same time, for their gossip. If nodetool
// removenode makes a node take over ranges, that node streams them as soon as it learns of the
// removal (StorageService.handleStateRemoving). Others may learn of it later, so that node has to
// be among those asked. In larger clusters it may not be, until gossip has reached the others.
// Writes by CQL have the same gap, since their coordinators do not know either.
const asksOfGossip = 16

// Gossip reads what nodes know of each other by gossip, except for tokens, which
// system_views.gossip_info does not have. It asks up to [asksOfGossip] nodes, and keeps the newest
// state of each node. If no node answers with rows, and one has no such table, as in Cassandra 4.0,
// the error is [ErrNotFound], whatever the other errors are. Otherwise the error is that of a node.
func (s *Session) Gossip(ctx context.Context) ([]topology.Endpoint, error) {
	hosts := s.ranked(asksOfGossip)
	s.forgetSilent(hosts)
	heard := make([][]topology.Endpoint, len(hosts))
	errs, _ := s.askAll(ctx, hosts, func(ctx context.Context, i int) (err error) {
		heard[i], err = s.gossipOf(ctx, hosts[i].HostID())
		return err
	})
	var without, failed error
	answers := 0
	for _, err := range errs {
		switch {
		case err == nil:
			answers++
		case refused(err):
			without = fmt.Errorf("%w: nodes have no table system_views.gossip_info", ErrNotFound)
		default:
			failed = err
		}
	}
	switch {
	case answers > 0:
		return topology.MergeEndpoints(heard...), nil
	case without != nil:
		return nil, without
	default:
		return nil, failed
	}
}

// gossipOf asks one node.
func (s *Session) gossipOf(ctx context.Context, host string) (all []topology.Endpoint, err error) {
	var address net.IP
	var port, generation int
	var id, dc, rack, old, status *string
	var oldVersion, version *int
	err = s.each(
		ctx,
		host,
		func() error {
			e := topology.Endpoint{
				ID: valueOf(
					id,
				),
				Address:    net.JoinHostPort(address.String(), strconv.Itoa(port)),
				DC:         valueOf(dc),
				Rack:       valueOf(rack),
				Status:     valueOf(status),
				Version:    valueOf(version),
				Generation: generation,
			}
			if status == nil { // a node of Cassandra 3, during an upgrade
				e.Status, e.Version = valueOf(old), valueOf(oldVersion)
			}
			all = append(all, e)
			return nil
		},
		[]any{&address, &port, &generation, &id, &dc, &rack, &old, &oldVersion, &status, &version},
		"SELECT address, port, generation, host_id, dc, rack, status, status_version, status_with_port, status_with_port_version FROM system_views.gossip_info",
	)
	return all, err
}

// valueOf returns what a pointer points to, or zero for nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
