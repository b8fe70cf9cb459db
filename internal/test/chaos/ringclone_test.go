package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// expiring is the TTL of those rows of a table that have one; 0: none has.
func expiring(r *rand.Rand) int { return r.IntN(2) * (100_000 + r.IntN(1000)) }

// ringClone runs the schedule of a clone, from one cluster to another. The rings of both change.
func (s *schedule) ringClone() {
	r := stream(s.seed, "ring clone")
	of := drawTable(r)
	empty := of
	of.TTL = expiring(r)
	empty.Partitions, empty.Largest = 0, 0

	s.openRing(true)
	s.start(of)
	s.ports.open(s.cluster)
	s.Cleanup(s.ports.close) // before the cluster is
	from := s.cluster

	target := newPorts(stream(s.seed, "target ports"), false)
	options := ringCluster(s.seed+1, stream(s.seed, "target cluster"))
	options.Storage, options.Tables = target.of, []simcluster.Table{empty}
	to, err := simcluster.Start(options)
	require.NoError(s, err)
	s.Cleanup(to.Close)
	target.open(to)
	s.Cleanup(target.close)
	s.note("target: %s", brief(options))
	rows := from.Records(table)
	totals.rows.Add(int64(len(rows)))
	rings := []*script{s.newScript(from, s.ports, "ring"), s.newScript(to, target, "target ring")}

	args := []string{
		"clone",
		table,
		"--from-hosts",
		strings.Join(from.Hosts(), ","),
		"--from-port",
		fmt.Sprint(from.Port()),
		"--hosts",
		strings.Join(to.Hosts(), ","),
		"--port",
		fmt.Sprint(to.Port()),
		"--listen",
		"127.0.0.1:0",
		"--timeout",
		"1s",
		"--connections",
		"1",
		"--stream",
		[]string{"auto", "rows", "whole"}[r.IntN(3)],
		"--patience",
		"2s",
		"--memory",
		"64MiB",
		"--consistency",
		[]string{"ONE", "QUORUM", "ALL"}[r.IntN(3)],
	}
	if chance(r, 2) {
		args = append(args, "--slice", fmt.Sprint(1<<20))
	}
	s.untilCloned(args, target)
	for _, ring := range rings {
		ring.finish()
	}
	totals.streams.Add(int64(len(to.Streams())))
	require.Equal(s, rows, from.Records(table), "what was cloned has changed")
	require.Equal(s, rows, to.Records(table), "the clone differs")
	s.checkHeld(to)
}

// untilCloned runs a clone until it says that it is done.
func (s *schedule) untilCloned(args []string, target *ports) {
	for goes := 0; ; goes++ {
		require.Less(s, goes, 2*mostGoes, "the clone does not come to an end")
		var p stop
		if goes < mostStops {
			p = s.drawStop(stepsOfSessions)
		}
		if goes == mostGoes {
			s.ports.calm()
			target.calm()
		}
		switch e := s.run(p, nil, args...); {
		case e.killed() && (e.by == syscall.SIGKILL || e.by == syscall.SIGTERM) && e.asked != nil:
		case e.code == exitInterrupted && e.asked == syscall.SIGTERM:
		case e.code == exitFatal || e.code == exitPartly:
		case e.code == exitOK:
			return
		default:
			s.Fatalf("unexpected %v:\n%s", e, e.output)
		}
	}
}
