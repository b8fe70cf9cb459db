package driver

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Topology reads the cluster's nodes, tokens and cores. Nodes are sorted by data center, rack and
// address, so that equal clusters give equal plans.
func (s *Session) Topology(ctx context.Context) (*topology.Cluster, error) {
	var c topology.Cluster
	var dc string
	err := s.each(ctx, "", func() error { return nil }, []any{&c.Name, &c.Partitioner, &dc},
		"SELECT cluster_name, partitioner, data_center FROM system.local")
	if err != nil {
		return nil, err
	}
	partitioner, partitionerErr := token.ByClass(c.Partitioner)
	hosts := s.hosts()
	c.Nodes = make([]topology.Node, len(hosts))
	var up []int
	var asked []*gocql.HostInfo
	for i, h := range hosts {
		node := topology.Node{
			ID:      h.HostID(),
			Address: h.ConnectAddressAndPort(),
			DC:      h.DataCenter(),
			Rack:    h.Rack(),
			Version: strings.TrimPrefix(h.Version().String(), "v"),
			Up:      s.connected(h),

			Excluded: s.filter.nodes.excludes(h),
		}
		if partitionerErr == nil {
			for _, text := range h.Tokens() {
				t, err := partitioner.Parse(text)
				if err != nil {
					return nil, err
				}
				node.Tokens = append(node.Tokens, t)
			}
		}
		if node.Up {
			up, asked = append(up, i), append(asked, h)
		}
		c.Nodes[i] = node
	}
	_, silent := s.askAll(ctx, asked, func(ctx context.Context, i int) (err error) {
		c.Nodes[up[i]].Cores, err = s.cores(ctx, asked[i])
		return err
	})
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	s.warnSilent(silent, "how many cores they have is guessed from the other nodes")
	slices.SortFunc(c.Nodes, func(a, b topology.Node) int {
		return cmp.Or(
			cmp.Compare(a.DC, b.DC),
			cmp.Compare(a.Rack, b.Rack),
			cmp.Compare(a.Address, b.Address),
		)
	})
	c.LocalDC = cmp.Or(s.cfg.DC, s.contactDC(ctx), dc)
	return &c, c.CheckDC()
}

// contactDC returns the data center of the first contact point found among the nodes; empty: none
// was found.
func (s *Session) contactDC(ctx context.Context) string {
	for _, contact := range s.cfg.Hosts {
		name := contact
		if host, _, err := net.SplitHostPort(contact); err == nil {
			name = host
		}
		addresses, err := net.DefaultResolver.LookupIP(ctx, "ip", name)
		if err != nil {
			continue
		}
		for _, h := range s.hosts() {
			if slices.ContainsFunc(addresses, h.ConnectAddress().Equal) {
				return h.DataCenter()
			}
		}
	}
	return ""
}

// cores asks a node for its number of processors. ScyllaDB reports its shards when a connection
// opens. Cassandra 4.0 and later has a virtual table of thread pools: the pool for responses has
// one thread per processor. The error is that the node did not report it.
func (s *Session) cores(ctx context.Context, h *gocql.HostInfo) (int, error) {
	if n := h.ScyllaShardCount(); n > 0 {
		return n, nil
	}
	if n, ok := s.cored.Load(h.HostID()); ok {
		return n.(int), nil
	}
	var limit int
	err := s.each(
		ctx,
		h.HostID(),
		func() error { return nil },
		[]any{&limit},
		"SELECT active_tasks_limit FROM system_views.thread_pools WHERE name = 'RequestResponseStage'",
	)
	if err == nil && limit > 0 {
		s.cored.Store(h.HostID(), limit)
	}
	return limit, err
}
