package chaos

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// retry loads what was rejected again, when all is calm. What cannot be read is
// rejected again, and the table holds the rest, each row as if it had been written
// when its turn was.
func (l *loading) retry(before *kept) {
	l.cluster.Calm()
	l.weather.attempts = enough
	l.weather.hard, l.poisoned = false, false
	require.NoError(l, l.cluster.Disturb(l.weather.without(simcluster.Storm(l.seed+1, 0.3, 100))))
	headers := make(map[string][]byte)
	var retried []*record
	for _, rec := range l.in.records {
		rec.poison = false
		if stage := before.stages[rec]; stage == atParse || stage == atInsert {
			retried = append(retried, rec)
		}
	}
	for path, rec := range l.firsts(before) {
		headers[path] = l.in.headers[rec]
	}
	last, dir, resumed := l.untilRetried(len(retried))
	after := l.keptIn(dir, before.places, headers)
	for _, rec := range retried {
		stage := after.stages[rec]
		require.Equal(l, rec.bad, stage == atParse, "record %d", rec.id)
		require.True(l, l.once(rec) || stage != inDoubt, "record %d", rec.id)
	}
	if !resumed && !last.killed() && before.of(inDoubt) > 0 &&
		after.of(atParse, atInsert, inDoubt) == 0 {
		// What was in doubt before is unchanged, and the summary has it.
		require.Equal(l, exitPartly, last.code)
		require.Contains(
			l,
			last.output,
			human.Of(
				before.of(inDoubt),
				"row",
			)+human.Verb(
				before.of(inDoubt),
				" in doubt was",
				" in doubt were",
			)+" not retried",
		)
		last.code = exitOK
	}
	l.checkEnd(last, dir, retried, after)
	for _, rec := range l.in.records {
		if before.stages[rec] == inDoubt {
			after.stages[rec] = inDoubt
		}
	}
	l.checkApplied(after)
	l.checkState(after)
}

// retried reports whether the rows of the files of rejects mean there what they meant in their
// inputs. A quote that stays open in its input may be closed by another row's quote if both are
// kept.
func (l *loading) retried(k *kept) bool {
	for at, rec := range k.places {
		if !rec.open {
			continue
		}
		for other, behind := range k.places {
			if other.path == at.path && other.offset > at.offset &&
				bytes.Contains(behind.raw, []byte{'"'}) {
				return false
			}
		}
	}
	return true
}

// firsts names for each file of rejects the input that its rows, and its header, are
// from.
func (l *loading) firsts(k *kept) map[string]string {
	from := make(map[*record]string)
	for at, rec := range l.in.places {
		from[rec] = at.path
	}
	inputs := make(map[string]string)
	for at, rec := range k.places {
		inputs[at.path] = from[rec]
	}
	return inputs
}

// untilRetried retries, and resumes the retry if it was stopped. It returns the folder of the retry
// that came to an end, and whether it was resumed.
func (l *loading) untilRetried(rows int) (last exit, folder string, resumed bool) {
	for goes := 0; ; goes++ {
		require.Less(l, goes, mostGoes, "the retry does not come to an end")
		var p stop
		if goes < 2 {
			p = l.drawStop(rows / 4)
		}
		args := []string{"retry", l.runDir()}
		dir := filepath.Join(l.runDir(), "retry-1") // which it is going to make
		for n := 2; exists(dir); n++ {
			if exists(filepath.Join(dir, "run.json")) {
				args = []string{"resume", dir}
				break
			}
			dir = filepath.Join(l.runDir(), fmt.Sprintf("retry-%d", n))
		}
		if args[0] == "retry" {
			totals.retries.Add(1)
		} else {
			totals.resumes.Add(1)
		}
		// The limit on bad rows was the first run's.
		args = append(append(args, l.connection()...), "--maxparseerrors", "-1")
		e := l.run(p, writes, args...)
		if last.killed() &&
			strings.Contains(e.output, "what was rejected was loaded again before") {
			// The try before had come to its end, and was stopped after that.
			return last, dir, resumed
		}
		last, resumed = e, args[0] == "resume"
		if l.ended(e) {
			return last, dir, resumed
		}
	}
}
