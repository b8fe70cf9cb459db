package driver

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// asksOfGossip is how many nodes are asked what they have heard by gossip, all at the same time. A node that `nodetool
// removenode` has take over ranges streams as soon as it hears of that itself, and others may hear later: that node has
// to be among those that are asked. In larger clusters it may not be, for as long as gossip takes to reach the others; a
// write by CQL misses that node for as long, as its coordinator has not heard either.
const asksOfGossip = 16

// Gossip reads what nodes have heard of each other by gossip, but for tokens, which system_views.gossip_info does not have. Up to [asksOfGossip]
// nodes are asked, and the latest word of each node counts. If none of them answers with rows, and one answers that it has no such
// table, as nodes of Cassandra 4.0 do, the error is [ErrNotFound]: what other nodes failed with says no more. Else the error is
// that of a node.
func (s *Session) Gossip(ctx context.Context) ([]topology.Endpoint, error) {
	hosts := s.ranked(asksOfGossip)
	s.hearAgain(hosts)
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
	err = s.each(ctx, host, func() error {
		e := topology.Endpoint{
			ID: valueOf(id), Address: net.JoinHostPort(address.String(), strconv.Itoa(port)), DC: valueOf(dc), Rack: valueOf(rack),
			Status: valueOf(status), Version: valueOf(version), Generation: generation,
		}
		if status == nil { // a node of Cassandra 3 in the midst of an upgrade
			e.Status, e.Version = valueOf(old), valueOf(oldVersion)
		}
		all = append(all, e)
		return nil
	}, []any{&address, &port, &generation, &id, &dc, &rack, &old, &oldVersion, &status, &version},
		"SELECT address, port, generation, host_id, dc, rack, status, status_version, status_with_port, status_with_port_version FROM system_views.gossip_info")
	return all, err
}

// valueOf is what a pointer points to, and the zero of its type where that is nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
