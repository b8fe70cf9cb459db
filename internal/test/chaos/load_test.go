package chaos

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// loading is a schedule of a load.
type loading struct {
	*schedule
	in       *input
	args     []string
	nulls    bool // a null deletes what is there
	limit    int  // of bad rows, that stops the run; -1: none
	poisoned bool
	begun    bool // the run directory was seen
}

// The largest number of times that a run is stopped, and the number of runs after which the faults
// end.
const (
	mostStops = 5
	mostGoes  = 9
)

// load runs the schedule.
func (s *schedule) load() {
	r := stream(s.seed, "load")
	l := s.draw(r, &shapes[r.IntN(len(shapes))])
	if chance(r, 2) {
		l.args = append(
			l.args,
			"--minbatchsize",
			fmt.Sprint(1+r.IntN(20)),
			"--maxbatchsize",
			fmt.Sprint(1+r.IntN(100)),
		)
	}
	if chance(r, 2) {
		l.args = append(l.args, "--inflight", fmt.Sprint(1+r.IntN(8)))
	}
	l.drawLimit(r)
	if len(l.in.records) > 0 && chance(r, 6) {
		l.poison(l.in.records[r.IntN(len(l.in.records))])
	}
	require.NoError(s, s.cluster.Disturb(s.weather.faults))
	defer count(s.cluster)

	last := l.untilDone()
	kept := s.keptIn(l.runDir(), l.in.places, l.in.headers)
	totals.rejected.Add(int64(kept.of(atParse, atInsert)))
	totals.doubtful.Add(int64(kept.of(inDoubt)))
	l.checkKept(kept)
	l.checkApplied(kept)
	l.checkEnd(last, l.runDir(), l.in.records, kept)
	if kept.of(atInsert) == 0 || !s.weather.hard {
		l.checkState(kept)
	}
	if kept.of(atParse, atInsert) > 0 && (s.weather.hard || chance(r, 2)) && l.retried(kept) {
		l.retry(kept)
	}
}

// draw draws an input of a shape, starts the cluster, and makes the arguments that all loads have.
func (s *schedule) draw(r *rand.Rand, of *shape) *loading {
	l := &loading{schedule: s, in: drawInput(s.T, r, s.dir, of), limit: -1}
	totals.rows.Add(int64(len(l.in.records)))
	s.start(simcluster.Table{Name: "t", Columns: l.in.shape.columns})
	l.args = append([]string{"load", table}, l.in.paths...)
	l.args = append(l.args, "--run-dir", l.runDir(), "--memory", "64MiB")
	if chance(r, 8) {
		skip, most := r.IntN(len(l.in.records)/2+1), 1+r.IntN(len(l.in.records)+1)
		l.in.choose(skip, most)
		l.args = append(l.args, "--skiprows", fmt.Sprint(skip), "--maxrows", fmt.Sprint(most))
	}
	if chance(r, 3) && !l.in.shape.counter {
		l.nulls = true
		l.args = append(l.args, "--nulls", "tombstone")
	}
	return l
}

// drawLimit has some loads be stopped by bad rows.
func (l *loading) drawLimit(r *rand.Rand) {
	if bad := l.bad(); bad > 1 && chance(r, 4) {
		l.limit = r.IntN(bad)
	}
}

func (l *loading) runDir() string { return filepath.Join(l.dir, "run") }

// bad counts the records that cannot be read.
func (l *loading) bad() int {
	n := 0
	for _, rec := range l.in.records {
		if rec.bad {
			n++
		}
	}
	return n
}

// poison has the cluster refuse a partition.
func (l *loading) poison(of *record) {
	l.poisoned = true
	at := of.token(l.in.shape)
	for _, rec := range l.in.records {
		rec.poison = !rec.bad && rec.token(l.in.shape) == at
	}
	l.cluster.Inject(simcluster.Rule{
		Match: func(r simcluster.Request) bool { return slices.Contains(r.Keys, at) },
		Fault: simcluster.Answer, Error: &message.Invalid{ErrorMessage: "simulated refusal"},
	})
	l.note("the cluster refuses token %s", token.Murmur3.Append(nil, at))
}

// writes are the requests after which a load is stopped.
func writes(r simcluster.Request) bool { return len(r.Keys) > 0 }

// untilDone runs the load, and resumes it whenever it was stopped, until it ends by itself.
func (l *loading) untilDone() exit {
	var last exit
	for goes := 0; ; goes++ {
		require.Less(l, goes, 2*mostGoes, "the load does not come to an end")
		var p stop
		if goes < mostStops {
			p = l.drawStop(l.requests())
		}
		if goes == mostGoes {
			require.NoError(l, l.cluster.Disturb(simcluster.Faults{}))
			l.ports.calm()
		}
		args := l.args
		if exists(filepath.Join(l.runDir(), "run.json")) {
			l.begun = true
			totals.resumes.Add(1)
			l.lookAt(l.runDir())
			args = []string{"resume", l.runDir()}
		} else if last.killed() && (l.begun || l.written()) {
			// It ended, and was stopped when it had taken its folder away.
			l.note("the run directory is gone")
			return last
		} else {
			l.startOver(last)
		}
		args = append(append([]string{}, args...), l.connection()...)
		if l.limit >= 0 {
			args = append(args, "--maxparseerrors", fmt.Sprint(l.limit))
		} else if l.begun {
			args = append(args, "--maxparseerrors", "-1")
		}
		last = l.run(p, writes, args...)
		if l.ended(last) {
			require.Negative(l, l.limit, "the limit of bad rows did not stop the load")
			return last
		}
	}
}

// startOver prepares a load from the beginning, if the stopped one cannot be resumed.
func (l *loading) startOver(last exit) {
	require.NotContains(l, last.output, "continue with", "there is no run directory")
	require.False(l, l.begun, "the run directory is gone, and the load is not done")
	require.NoError(l, os.RemoveAll(l.runDir()))
	if !l.in.shape.counter {
		// What was sent and not acknowledged is written again, with other timestamps.
		l.cluster.Forget()
	}
}

// ended says whether a process has done its work, and fails when it ended as it must
// not.
func (l *loading) ended(e exit) bool {
	switch {
	case e.killed() && (e.by == syscall.SIGKILL || e.by == syscall.SIGTERM) && e.asked != nil:
	case e.code == exitInterrupted && e.asked == syscall.SIGTERM:
	case e.code == exitLimit && l.limit >= 0:
		l.limit = -1
	case e.code == exitFatal && l.weather.hard:
	case e.code == exitOK || e.code == exitPartly:
		return true
	default:
		l.Fatalf("unexpected %v:\n%s", e, e.output)
	}
	return false
}

// requests is among how many requests, or steps of streams, a load is stopped.
func (l *loading) requests() int {
	if l.ports != nil {
		return stepsOfSessions
	}
	return len(l.in.records) / 4
}

// written says whether rows were written.
func (l *loading) written() bool { return len(l.cluster.Applied())+len(l.cluster.Streams()) > 0 }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
