package driver

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// asksOfGossip is the number of nodes that are asked, all at the same time, what they have heard by
// gossip. When nodetool removenode has a node take over ranges, that node streams them as soon as
// it hears of the removal (StorageService.handleStateRemoving), and others may hear of it later: it
// has to be among those that are asked. In larger clusters it may not be, until gossip has reached
// the others. Writes by CQL have the same gap, since their coordinators have not heard either.
const asksOfGossip = 16

// Gossip reads what nodes have heard of each other by gossip, except for tokens, which
// system_views.gossip_info does not have. It asks up to [asksOfGossip] nodes; the latest word on
// each node counts. If no node answers with rows, and one answers that it has no such table, as
// nodes of Cassandra 4.0 do, the error is [ErrNotFound], whatever the others failed with. Else the
// error is that of a node.
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

// valueOf is what a pointer points to, and the zero of its type where that is nil.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
