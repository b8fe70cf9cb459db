package driver

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// What follows asks each of some nodes for itself, all at the same time, no longer than
// [Config.AskTimeout] in all. The errors stand by the places of the nodes; that of a node without a
// connection is at hand at once.

// askEach puts a question to each of the nodes, and names the place of each.
func (s *Session) askEach(
	ctx context.Context,
	nodes []topology.Node,
	question func(ctx context.Context, at int, host string) error,
) []error {
	errs := make([]error, len(nodes))
	var at []int
	var hosts []*gocql.HostInfo
	for i, n := range nodes {
		h := s.policy.host(n.ID)
		if h == nil || !n.Up {
			errs[i] = fault.New(fault.Transient, errors.New("there is no connection to it"))
			continue
		}
		at, hosts = append(at, i), append(hosts, h)
	}
	asked, _ := s.askAll(
		ctx,
		hosts,
		func(ctx context.Context, i int) error { return question(ctx, at[i], hosts[i].HostID()) },
	)
	for i, err := range asked {
		errs[at[i]] = err
	}
	return errs
}

// PingAll says how long each of the nodes takes to give a row of its own.
func (s *Session) PingAll(ctx context.Context, nodes []topology.Node) ([]time.Duration, []error) {
	took := make([]time.Duration, len(nodes))
	return took, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) (err error) {
		if len(nodes) > manyNodes {
			took[at], err = s.askClockAndVersion(ctx, host)
			return err
		}
		took[at], err = s.pings(ctx, host, 1)
		return err
	})
}

// manyNodes is the number of nodes above which each is asked once: for its time and the version of
// the schema together, and its latency is that of the answer.
const manyNodes = 64

// nodeAnswer is what a node told once.
type nodeAnswer struct {
	clock   Clock
	version string
}

// askClockAndVersion asks a node once for what Clocks and SchemaVersions want to know, and says how long the
// answer took.
func (s *Session) askClockAndVersion(ctx context.Context, host string) (time.Duration, error) {
	var at time.Time
	var l nodeAnswer
	begin := time.Now()
	err := s.each(
		ctx,
		host,
		func() error { return nil },
		[]any{&at, &l.version},
		"SELECT toTimestamp(now()), schema_version FROM system.local",
	)
	took := time.Since(begin)
	if err == nil {
		l.clock = clockOf(at, begin, took)
		s.nodeAnswers.Store(host, l)
	}
	return took, err
}

// Clock is a node's clock beside this host's.
type Clock struct {
	Ahead time.Duration // of this host's
	Error time.Duration // by which that may be wrong: half of the time until the answer was there
}

// clockOf is the clock of a node that told a time when it was asked then and took so long.
func clockOf(told, begin time.Time, took time.Duration) Clock {
	half := took / 2
	return Clock{told.Sub(begin.Add(half)).Round(time.Millisecond), half}
}

// clockAsks is how often a node is asked for its time. The quickest answer is the most exact; the
// first has the statement prepared.
const clockAsks = 3

// Clocks asks each of the nodes for its time, which it tells in milliseconds.
func (s *Session) Clocks(ctx context.Context, nodes []topology.Node) ([]Clock, []error) {
	clocks := make([]Clock, len(nodes))
	return clocks, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) error {
		if l, ok := s.nodeAnswers.Load(host); ok {
			clocks[at] = l.(nodeAnswer).clock
			return nil
		}
		for ask := range clockAsks {
			var told time.Time
			begin := time.Now()
			err := s.each(
				ctx,
				host,
				func() error { return nil },
				[]any{&told},
				"SELECT toTimestamp(now()) FROM system.local",
			)
			if err != nil {
				return err
			}
			if c := clockOf(
				told,
				begin,
				time.Since(begin),
			); ask == 0 ||
				c.Error < clocks[at].Error {
				clocks[at] = c
			}
		}
		return nil
	})
}

// SchemaVersions asks each of the nodes which version of the schema it has.
func (s *Session) SchemaVersions(ctx context.Context, nodes []topology.Node) ([]string, []error) {
	versions := make([]string, len(nodes))
	return versions, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) error {
		if l, ok := s.nodeAnswers.Load(host); ok && l.(nodeAnswer).version != "" {
			versions[at] = l.(nodeAnswer).version
			s.nodeAnswers.Store(host, nodeAnswer{clock: l.(nodeAnswer).clock}) // the next call wants to know it anew
			return nil
		}
		return s.each(
			ctx,
			host,
			func() error { return nil },
			[]any{&versions[at]},
			"SELECT schema_version FROM system.local",
		)
	})
}

// SettingsOf asks each of the nodes for its settings, by name. Nodes before Cassandra 4.0, and
// those of ScyllaDB, have no table of them.
func (s *Session) SettingsOf(
	ctx context.Context,
	nodes []topology.Node,
) ([]map[string]string, []error) {
	settings := make([]map[string]string, len(nodes))
	return settings, s.askEach(ctx, nodes, func(ctx context.Context, at int, _ string) (err error) {
		settings[at], err = s.settings(ctx, s.policy.host(nodes[at].ID))
		return err
	})
}

// Stored asks nodes how many bytes they have of a table on the disk, as they are compressed; 0 of
// one that does not tell. Nodes of Cassandra tell since 4.0, in whole MiB (system_views.disk_usage,
// TableMetricTables.java).
func (s *Session) Stored(
	ctx context.Context,
	nodes []topology.Node,
	keyspace, table string,
) ([]int64, []error) {
	stored := make([]int64, len(nodes))
	return stored, s.askEach(ctx, nodes, func(ctx context.Context, at int, id string) error {
		var mebibytes int64
		err := s.each(ctx, id, func() error {
			stored[at] += mebibytes << 20
			return nil
		}, []any{&mebibytes}, "SELECT mebibytes FROM system_views.disk_usage WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
		if refused(err) {
			return nil
		}
		return err
	})
}

// DiskUsage is what each node tells the others of how full its disk is, by host id: SPACIOUS,
// STUFFED, FULL or NOT_AVAILABLE, as Cassandra's guardrail of disk usage has it. One node is asked;
// one before 4.1 does not know.
func (s *Session) DiskUsage(ctx context.Context) (map[string]string, error) {
	all := make(map[string]string)
	var id, usage string
	err := s.each(ctx, "", func() error {
		all[strings.Clone(id)] = strings.Clone(usage)
		return nil
	}, []any{&id, &usage}, "SELECT host_id, disk_usage FROM system_views.gossip_info")
	if refused(err) {
		return nil, nil
	}
	return all, err
}

// tripAsks is how many times a node that is not near is asked for a row of its own to find its
// round-trip time, and nearTrip the time below which a node is near.
const (
	tripAsks = 2
	nearTrip = time.Millisecond
)

// Trips returns the round-trip time to each of the nodes: the shortest time in which it gave a row
// of its own.
func (s *Session) Trips(ctx context.Context, nodes []topology.Node) ([]time.Duration, []error) {
	trips := make([]time.Duration, len(nodes))
	return trips, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) (err error) {
		trips[at], err = s.pings(ctx, host, tripAsks)
		return err
	})
}

// pings asks a node for a row of its own some times, or until it shows that it is near, and returns
// the shortest time that it took. Once more is asked before, which has the statement prepared.
func (s *Session) pings(
	ctx context.Context,
	host string,
	times int,
) (least time.Duration, err error) {
	if _, err := s.Ping(ctx, host); err != nil {
		return 0, err
	}
	for range times {
		took, err := s.Ping(ctx, host)
		if err != nil {
			return least, err
		}
		if least == 0 || took < least {
			least = took
		}
		if took < nearTrip {
			break
		}
	}
	return least, nil
}
