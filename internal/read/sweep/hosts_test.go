package sweep

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// downHosts fails the requests to some hosts.
func downHosts(hosts ...string) func(context.Context, sweeptest.Request) error {
	return func(_ context.Context, r sweeptest.Request) error {
		if slices.Contains(hosts, r.Host) {
			return errTransient
		}
		return nil
	}
}

// many returns a plan of n splits of one vnode range.
func many(n int) []token.Split {
	splits := make([]token.Split, n)
	for i := range splits {
		splits[i].Range = sweeptest.Between(i*1000/n, (i+1)*1000/n)
	}
	return splits
}

func TestReplicasTakeTurns(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(6)}
	_, err := Run(bg(), many(6), table, Options{Hosts: fixed("a", "b", "c")}, blind().consumer)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c", "a", "b", "c", "a"}, hostsOf(table.Requests()))
}

// Hosts is called with the vnode range of the split.
func TestHostsOfTheVnode(t *testing.T) {
	table := &sweeptest.Table{}
	splits := many(3)
	for i := range splits {
		splits[i].Set = 7 + i
	}
	_, err := Run(bg(), splits, table, Options{Hosts: func(vnode int) []string {
		return []string{string(rune('a' + vnode))}
	}}, blind().consumer)
	require.NoError(t, err)
	require.Equal(t, []string{"h", "i", "j"}, hostsOf(table.Requests()))
}

// The other replicas are asked without a wait. With a wait, this test would not end.
func TestFailoverDoesNotWait(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(4), Fail: downHosts("b", "c")}
	k := take(table)
	result, err := Run(
		bg(),
		many(1),
		table,
		Options{Hosts: fixed("a", "b", "c"), Backoff: forever, PageRows: 32},
		k.consumer,
	)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c", "a"}, hostsOf(table.Requests()))
	k.requireRows(t, table, result)
}

// When all replicas have failed, there is a wait.
func TestWaitAfterAllReplicas(t *testing.T) {
	for _, hosts := range [][]string{{"a", "b", "c"}, {"a"}, nil} {
		ctx, cancel := context.WithCancel(bg())
		table := &sweeptest.Table{Fail: func(_ context.Context, r sweeptest.Request) error {
			if r.Number == max(len(hosts), 1)-1 {
				cancel()
			}
			return errOverloaded
		}}
		_, err := Run(
			ctx,
			many(1),
			table,
			Options{Hosts: fixed(hosts...), Backoff: forever},
			blind().consumer,
		)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, table.Requests(), max(len(hosts), 1))
	}
}

// All replicas are asked in rounds until the attempts are used up.
func TestRoundsOverReplicas(t *testing.T) {
	table := &sweeptest.Table{Fail: downHosts("a", "b", "c")}
	result, err := Run(
		bg(),
		many(1),
		table,
		Options{Hosts: fixed("a", "b", "c"), Backoff: brief, MaxAttempts: 7},
		blind().consumer,
	)
	require.NoError(t, err)
	require.Len(t, result.Failed, 1)
	require.Equal(t, []string{"b", "c", "a", "b", "c", "a", "b"}, hostsOf(table.Requests()))
}

// The pages after a failover go to the replica that answered.
func TestPagesStayWithTheReplicaThatAnswered(t *testing.T) {
	table := &sweeptest.Table{Rows: sweeptest.Numbered(8), Fail: downHosts("b")}
	_, err := Run(
		bg(),
		many(1),
		table,
		Options{Hosts: fixed("a", "b", "c"), PageRows: 2, Backoff: forever},
		blind().consumer,
	)
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c", "c", "c", "c"}, hostsOf(table.Requests()))
}

// A host that is down is asked once, and then rarely. When it is back, it has its turn again.
func TestFailedHostStandsBack(t *testing.T) {
	const ranges = 8 * pace.RestTurns
	var up bool
	table := &sweeptest.Table{}
	table.Fail = func(_ context.Context, r sweeptest.Request) error {
		up = r.Number > 4*pace.RestTurns
		if r.Host == "b" && !up {
			return errTransient
		}
		return nil
	}
	result, err := Run(
		bg(),
		many(ranges),
		table,
		Options{Hosts: fixed("a", "b"), Backoff: forever},
		blind().consumer,
	)
	require.NoError(t, err)
	require.Len(t, result.Done, ranges)
	early, late := 0, 0
	for _, r := range table.Requests() {
		if r.Host != "b" {
			continue
		}
		if r.Number <= 4*pace.RestTurns {
			early++
		} else {
			late++
		}
	}
	require.Equal(t, 2, early)
	require.Greater(t, late, pace.RestTurns)
}
