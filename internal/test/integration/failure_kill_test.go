//go:build integration

package integration

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// moments are the moments at which the runs of a test are killed, each run after the one before.
// Some come after a fixed share of the whole, and a little later. The second and every third from
// it on come at the start.
type moments struct {
	*rand.Rand
	total int64
	kills int
	later time.Duration // the most that is meant by a little later
}

// newMoments draws moments from a seed that is logged.
func newMoments(t *testing.T, kills int, total int, later time.Duration) *moments {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	return &moments{rand.New(rand.NewPCG(seed, 1)), int64(total), kills, later}
}

// await waits for the moment of the kill of that number. done is how much is known
// as done.
func (m *moments) await(t *testing.T, kill int, run *child, done func() int64) {
	t.Helper()
	// in its first second, in which it connects, reads its journal and begins to work
	if kill%3 == 1 {
		<-time.After(m.duration(time.Second))
		return
	}
	// The last fifth is for the run that is not killed.
	slice := m.total * 4 / 5 / int64(m.kills)
	mark := max(slice*int64(kill)+m.Int64N(slice), done()+1)
	run.until(
		t,
		fmt.Sprintf("%d of %d rows were done", mark, m.total),
		func() bool { return done() >= mark },
	)
	<-time.After(m.duration(m.later))
}

func (m *moments) duration(most time.Duration) time.Duration {
	return time.Duration(m.Int64N(int64(most)))
}

// TestLoadKilledRepeatedly kills a load at two moments, or ten, and resumes it each time. The
// table holds every row, and each bad row is kept once.
func TestLoadKilledRepeatedly(t *testing.T) {
	t.Parallel()
	kills := either(2, 10)
	// A tenth has more rows than there are between two marks of the journal.
	rows := min(testRows(t, either(10_000, 60_000)), 300_000)
	table(t, "it3.killed", paddedBody)
	input := padded(rows, 1000)
	var good, bad []string
	for i, line := range input {
		if i%97 == 13 {
			input[i] = "x" + line
			bad = append(bad, input[i])
		} else {
			good = append(good, line)
		}
	}
	path, dir := file(t, "in.csv", paddedHeader+strings.Join(input, "")), t.TempDir()+"/run"
	when := newMoments(t, kills, rows, 300*time.Millisecond)
	args := quorum(
		"load",
		"it3.killed",
		path,
		"--run-dir",
		dir,
		"--ingestrate",
		strconv.Itoa(rows/10),
	)
	for kill := range kills {
		run := spawn(t, nil, args...)
		when.await(t, kill, run, func() int64 { return recordedRows(dir) })
		run.kill(t)
		told := status(t, dir)
		t.Logf(
			"%s kill %d: %d of %d rows are known as written",
			clock(),
			kill+1,
			recordedRows(dir),
			len(good),
		)
		require.Contains(t, told, "stopped unexpectedly")
		require.Contains(t, told, "cqlbulk resume "+dir)
		args = []string{"resume", dir}
	}
	there := counted(t, "it3.killed")
	require.GreaterOrEqual(t, int64(there), recordedRows(dir), "what is known as written is there")
	require.Less(t, there, len(good))

	r := spawn(t, nil, args...).end(t)
	require.Equal(t, 2, r.code)
	require.Contains(
		t,
		r.report,
		fmt.Sprintf("%s read, %s rejected", grouped(rows), grouped(len(bad))),
	)
	require.Equal(t, requireTable(t, "it3.killed", good), checksum(t, r))
	requireRows(t, bad, read(t, filepath.Join(dir, "rejects.csv")))
	offsets := make(map[int64]bool)
	for _, e := range rejections(t, dir) {
		offsets[e.Offset] = true
	}
	require.Len(t, offsets, len(bad), "the reason of each")
	told := status(t, dir)
	require.Contains(t, told, "done, but for what failed")
	require.Contains(
		t,
		told,
		fmt.Sprintf(
			" %s written, %s read, %s rejected\n",
			grouped(len(good)),
			grouped(rows),
			grouped(len(bad)),
		),
	)
}

// TestCountersKilled kills a load of counters twice. The table has each increment once, and one
// that is in doubt at most once.
func TestCountersKilled(t *testing.T) {
	t.Parallel()
	const kills = 2
	rows := min(testRows(t, 6_000), 100_000) / 4 * 4
	input := increments(t, "it3.counted", rows)
	path, dir := file(t, "in.csv", "k,n\n"+strings.Join(input, "")), t.TempDir()+"/run"
	when := newMoments(t, kills, rows, 300*time.Millisecond)
	args := quorum(
		"load",
		"it3.counted",
		path,
		"--run-dir",
		dir,
		"--ingestrate",
		strconv.Itoa(rows/10),
	)
	for kill := range kills {
		run := spawn(t, nil, args...)
		when.await(t, kill, run, func() int64 { return recordedRows(dir) })
		run.kill(t)
		t.Logf(
			"%s kill %d: %d of %d rows are known as written",
			clock(),
			kill+1,
			recordedRows(dir),
			rows,
		)
		args = []string{"resume", dir}
	}
	r := spawn(t, nil, args...).end(t)
	require.Equal(t, 2, r.code, "there are rows in doubt")
	require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")

	doubtful := make(map[string]bool)
	for line := range strings.Lines(strings.TrimPrefix(read(t, filepath.Join(dir, "in-doubt.csv")), "k,n\n")) {
		require.False(t, doubtful[line], "listed twice: %s", line[:20])
		doubtful[line] = true
	}
	require.Equal(t, len(doubtful), number(t, r, "([0-9,]+) in doubt"))
	applied := requireIncrements(t, "it3.counted", input, doubtful)
	t.Logf(
		"%d increments were in doubt, and %d of them are in the table",
		number(t, r, "([0-9,]+) in doubt"),
		applied,
	)
}

// TestCountersInterrupted interrupts a load of counters as Ctrl-C does: it writes what
// it has read, so that nothing is in doubt.
func TestCountersInterrupted(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 6_000
	input := increments(t, "it1.interrupted", rows)
	path, dir := file(t, "in.csv", "k,n\n"+strings.Join(input, "")), t.TempDir()+"/run"
	run := spawn(t, nil, "load", "it1.interrupted", path, "--run-dir", dir, "--hosts", testHosts(),
		"--consistency", "QUORUM", "--timeout", "60s", "--ingestrate", "1000")
	run.until(t, "some rows are written", func() bool { return recordedRows(dir) > 0 })
	require.NoError(t, run.cmd.Process.Signal(os.Interrupt))
	r := run.end(t)
	require.Equal(t, 130, r.code)
	require.Contains(t, r.report, "interrupted: what has been read is written first")
	require.Less(t, recordedRows(dir), int64(rows))
	require.NotContains(t, status(t, dir), "begun  ", "no piece is under way")

	r = spawn(t, nil, "resume", dir).end(t)
	require.Zero(t, r.code)
	require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
	requireIncrements(t, "it1.interrupted", input, nil)
}

// increments makes a table of counters, and rows for it. The increments of a key are powers of
// four, so its sum shows how often each was added, up to three times.
func increments(t *testing.T, name string, rows int) []string {
	table(t, name, "(k text PRIMARY KEY, n counter)")
	input := make([]string, rows)
	for i := range input {
		input[i] = fmt.Sprintf("key %d %s,%d\n", i/4, strings.Repeat("x", 2000), 1<<(2*(i%4)))
	}
	return input
}

// requireIncrements requires that each row was added once, and one in doubt at most once. It logs
// how many of those were.
func requireIncrements(
	t *testing.T,
	name string,
	input []string,
	doubtful map[string]bool,
) (applied int) {
	sums := make(map[string]int)
	scanned := ok(t, "scan", name, "--consistency", "QUORUM", "--header=false").out
	for line := range strings.Lines(scanned) {
		key, sum, _ := strings.Cut(strings.TrimSpace(line), ",")
		n, err := strconv.Atoi(sum)
		require.NoError(t, err)
		require.LessOrEqual(t, n, 1+4+16+64)
		sums[key] = n
	}
	seen := 0
	for i, line := range input {
		key, _, _ := strings.Cut(line, ",")
		times := sums[key] >> (2 * (i % 4)) & 3
		if !doubtful[line] {
			require.Equal(t, 1, times, "row %d", i)
			continue
		}
		require.LessOrEqual(t, times, 1, "row %d", i)
		applied += times
		seen++
	}
	require.Equal(t, len(doubtful), seen, "rows in doubt that are not in the input")
	return applied
}
