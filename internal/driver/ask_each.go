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

// The functions below ask each of several nodes about itself, all at the same time, at most
// [Config.AskTimeout] in total. Answers and errors have the indexes of the nodes. For a node
// without a connection the error comes at once.

// askEach asks each of the nodes. It passes the index and the host id of each to question.
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

// PingAll returns how long each of the nodes takes to return a row of its own.
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

// manyNodes is the number of nodes above which each is asked only once, for its clock and its
// schema version together. Its latency is that of the answer.
const manyNodes = 64

// nodeAnswer is the answer of a node that was asked only once.
type nodeAnswer struct {
	clock   Clock
	version string
}

// askClockAndVersion asks a node for what Clocks and SchemaVersions return. It returns how long the
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

// Clock is a node's clock compared with this host's.
type Clock struct {
	Ahead time.Duration // of this host's clock
	Error time.Duration // possible error of Ahead: half of the time until the answer came
}

// clockOf returns the clock of a node that was asked at begin, and whose answer nodeTime came after
// took.
func clockOf(nodeTime, begin time.Time, took time.Duration) Clock {
	half := took / 2
	return Clock{nodeTime.Sub(begin.Add(half)).Round(time.Millisecond), half}
}

// clockAsks is how often a node is asked for its time. The quickest answer is the most exact.
// Before the first one, the statement is prepared.
const clockAsks = 3

// Clocks asks each of the nodes for its time, in milliseconds.
func (s *Session) Clocks(ctx context.Context, nodes []topology.Node) ([]Clock, []error) {
	clocks := make([]Clock, len(nodes))
	return clocks, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) error {
		if l, ok := s.nodeAnswers.Load(host); ok {
			clocks[at] = l.(nodeAnswer).clock
			return nil
		}
		for ask := range clockAsks {
			var nodeTime time.Time
			begin := time.Now()
			err := s.each(
				ctx,
				host,
				func() error { return nil },
				[]any{&nodeTime},
				"SELECT toTimestamp(now()) FROM system.local",
			)
			if err != nil {
				return err
			}
			c := clockOf(nodeTime, begin, time.Since(begin))
			if ask == 0 || c.Error < clocks[at].Error {
				clocks[at] = c
			}
		}
		return nil
	})
}

// SchemaVersions asks each of the nodes for its schema version.
func (s *Session) SchemaVersions(ctx context.Context, nodes []topology.Node) ([]string, []error) {
	versions := make([]string, len(nodes))
	return versions, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) error {
		if l, ok := s.nodeAnswers.Load(host); ok && l.(nodeAnswer).version != "" {
			versions[at] = l.(nodeAnswer).version
			// the next call reads the version again
			s.nodeAnswers.Store(host, nodeAnswer{clock: l.(nodeAnswer).clock})
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
// ScyllaDB's, have no table of them.
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

// Stored asks the nodes how many bytes of a table they have on disk, compressed; 0: the node does
// not report it. Cassandra reports it since 4.0, in whole MiB (system_views.disk_usage,
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

// DiskUsage returns how full each node's disk is, by host id: SPACIOUS, STUFFED, FULL or
// NOT_AVAILABLE, as in Cassandra's disk usage guardrail. It asks one node. Nodes before 4.1 do not
// know.
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

// To measure the round trip to a node, it is asked tripAsks times for a row of its own. If it
// answers within nearTrip, it is near, and is asked no more.
const (
	tripAsks = 2
	nearTrip = time.Millisecond
)

// Trips returns the round-trip time to each of the nodes: the shortest time in which it returned a
// row of its own.
func (s *Session) Trips(ctx context.Context, nodes []topology.Node) ([]time.Duration, []error) {
	trips := make([]time.Duration, len(nodes))
	return trips, s.askEach(ctx, nodes, func(ctx context.Context, at int, host string) (err error) {
		trips[at], err = s.pings(ctx, host, tripAsks)
		return err
	})
}

// pings asks a node for a row of its own several times, or until it shows that it is near. It
// returns the shortest time. One request before them prepares the statement.
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
