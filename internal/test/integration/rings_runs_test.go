//go:build integration

package integration

import (
	"bytes"
	"fmt"
	"io"
	"os"
	command "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// What runs while the ring changes. Each load has partitions of its own of one table.
const (
	ringPartitions = 10_000 // of each load
	ringRowsEach   = 2      // of each partition
	acrossFrom     = 0
	wholeFrom      = ringPartitions
	rowsFrom       = 2 * ringPartitions
	ringLoads      = 3 * ringPartitions
)

// ringLines returns the rows of some partitions, each with size bytes of text.
func ringLines(from, partitions, size int) (all []string) {
	for k := from; k < from+partitions; k++ {
		for c := range ringRowsEach {
			all = append(all, fmt.Sprintf("%d,%d,s%d,%s\n", k, c, k, noise(k*ringRowsEach+c, size)))
		}
	}
	return all
}

// noise is a text that hardly compresses.
func noise(seed, size int) string {
	var text strings.Builder
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, "%016x", token.Murmur3.Hash(fmt.Appendf(nil, "%d %d", seed, i)).Lo)
	}
	return text.String()[:size]
}

const ringHeader = "k,c,s,v\n"

// runRing runs the program.
func runRing(t *testing.T, args ...string) result {
	t.Helper()
	var out bytes.Buffer
	var report reports
	code := cli.Run(t.Context(), args, strings.NewReader(""), &out, &report)
	return result{code, out.String(), report.String()}
}

// lastLine is the end of what a run said.
func lastLine(report string) string {
	lines := strings.Split(strings.TrimSpace(report), "\n")
	return lines[len(lines)-1]
}

// acrossLoad is a load that begins before a change of the ring and ends after it.
type acrossLoad struct {
	keyspace string
	*child
	dir   string
	parts []string       // of its input, that it has not been given yet
	in    io.WriteCloser // nil: the input is a file
}

// acrossLoads begins a load of each keyspace. When it returns, nodes have rows of each load, and
// more rows are to come.
func (r *rings) acrossLoads(c *ringChange) (loads []*acrossLoad) {
	r.t.Helper()
	lines := ringLines(acrossFrom, ringPartitions, 300)
	for _, keyspace := range r.names() {
		l := &acrossLoad{keyspace: keyspace, dir: filepath.Join(r.t.TempDir(), "run")}
		name := keyspace + "." + c.name
		args := byStream(
			"--slice",
			"1MiB",
			"--run-dir",
			l.dir,
			"--hosts",
			testHosts(),
			"--consistency",
			"QUORUM",
		)
		if c.lost(r.replicas(keyspace)) { // it fails, and a resume reads its input again
			input := file(r.t, "across.csv", ringHeader+strings.Join(lines, ""))
			l.child = spawn(r.t, nil, slices.Concat(
				[]string{
					"load",
					name,
					input,
					"--max-bytes-per-sec",
					"300KiB",
					"--patience",
					"10s",
				},
				args,
			)...)
		} else {
			for third := range slices.Chunk(lines, (len(lines)+2)/3) {
				l.parts = append(l.parts, strings.Join(third, ""))
			}
			l.parts[0] = ringHeader + l.parts[0]
			l.child = spawn(r.t, func(cmd *command.Cmd) {
				var err error
				l.in, err = cmd.StdinPipe()
				require.NoError(r.t, err)
			}, slices.Concat([]string{"load", name, "-"}, args)...)
			l.feed(r.t)
		}
		loads = append(loads, l)
	}
	for _, l := range loads {
		l.until(r.t, "rows are with the nodes", func() bool { return recordedRows(l.dir) > 0 })
	}
	return loads
}

// feed gives the load the next part of its input.
func (l *acrossLoad) feed(t *testing.T) {
	t.Helper()
	if l.in == nil {
		return
	}
	_, err := io.WriteString(l.in, l.parts[0])
	require.NoError(t, err, "%s: %s", l.keyspace, l.report.String())
	l.parts = l.parts[1:]
}

// finish gives the load what is left of its input, and resumes it if it failed.
func (l *acrossLoad) finish(t *testing.T) string {
	t.Helper()
	if l.in != nil {
		l.feed(t)
		require.NoError(t, l.in.Close())
		r := l.end(t)
		require.Zero(t, r.code, r.report)
		return "loaded"
	}
	r := l.end(t)
	require.Equal(t, 4, r.code, "rows of a node that is dead: %s", r.report)
	resumed := spawn(t, nil, "resume", l.dir).end(t)
	require.Zero(t, resumed.code, resumed.report)
	return "failed, and its resume loaded all"
}

// ringRun is what was run on a keyspace while the ring changed.
type ringRun struct {
	keyspace, what string
	result
	scanned string   // path of what a scan wrote
	dir     string   // its run directory; empty: it has none
	begun   []string // what was run
	mend    []string // what is run after the change if it failed
	refused bool     // it is not begun while the ring changes
	late    bool     // it began when the change was over
}

// runs runs everything on all keyspaces, and requires that it succeeds, or fails because of a dead
// node. The function that it returns mends what failed.
func (r *rings) runs(c *ringChange) (mend func()) {
	r.t.Helper()
	var mu sync.Mutex
	var all []ringRun
	var running sync.WaitGroup
	for _, keyspace := range r.names() {
		running.Go(func() {
			runs := r.runsOf(c, keyspace)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, runs...)
		})
	}
	running.Wait()
	slices.SortFunc(all, func(a, b ringRun) int {
		return strings.Compare(a.keyspace+a.what, b.keyspace+b.what)
	})
	var failed []ringRun
	for _, run := range all {
		require.False(
			r.t,
			run.late,
			"%s of %s: the change was over too early",
			run.what,
			run.keyspace,
		)
		switch {
		case run.refused:
			require.NotZero(r.t, run.code, run.report)
			require.Contains(r.t, run.report, "begin when the change has ended")
			r.log(c, run.keyspace, run.what, "refused")
		case c.lost(r.replicas(run.keyspace)):
			require.Contains(
				r.t,
				[]int{2, 4},
				run.code,
				"%s of %s, whose rows only a dead node has: %s",
				run.what,
				run.keyspace,
				run.report,
			)
			failed = append(failed, run)
		default:
			require.Zero(r.t, run.code, "%s of %s: %s", run.what, run.keyspace, run.report)
			r.requireRead(run)
			r.log(c, run.keyspace, run.what, "complete")
		}
	}
	return func() {
		for _, run := range failed {
			r.mend(c, run)
		}
	}
}

// mend runs again what failed because of a dead node, when the change is over.
func (r *rings) mend(c *ringChange, run ringRun) {
	r.t.Helper()
	outcome := fmt.Sprintf("exit status %d (%s)", run.code, lastLine(run.report))
	if run.mend != nil {
		if _, err := os.Stat(run.dir); run.dir != "" && err != nil {
			run.mend = run.begun // it was refused before it had anything to resume
		}
		mended := spawn(r.t, nil, run.mend...).end(r.t)
		require.Zero(
			r.t,
			mended.code,
			"%s of %s: %s",
			strings.Join(run.mend, " "),
			run.keyspace,
			mended.report,
		)
		outcome += ", and 0 by " + run.mend[0]
	}
	if run.mend != nil && run.scanned != "" { // what the dead node alone had is gone
		left := scannedLines(r.t, run.keyspace+".before", "--consistency", "QUORUM")
		require.Equal(r.t, left, slices.Sorted(strings.Lines(read(r.t, run.scanned))), run.keyspace)
	}
	r.log(c, run.keyspace, run.what, outcome)
}

// runsOf runs everything on one keyspace.
func (r *rings) runsOf(c *ringChange, keyspace string) (all []ringRun) {
	from, to := keyspace+".before", keyspace+"."+c.name
	dir := r.t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	// Rows that only a dead node has are to be given up soon. A node of Cassandra 4 whose streams
	// are slowed sends other nodes megabytes before it sends us anything.
	patience := "2m"
	if c.lost(r.replicas(keyspace)) {
		patience = "10s"
	}
	run := func(one ringRun, args ...string) {
		one.keyspace, one.late = keyspace, !r.underWay(c)
		level := c.level(r.replicas(keyspace))
		one.begun = append(
			args,
			"--hosts",
			testHosts(),
			"--consistency",
			level,
			"--patience",
			patience,
		)
		one.result = runRing(r.t, one.begun...)
		all = append(all, one)
	}
	for _, form := range []string{"whole", "rows"} {
		at := path(form)
		run(ringRun{what: "load of " + form, dir: at, mend: []string{"resume", at}},
			byStream("load", to, r.inputs[form], "--stream", form, "--run-dir", at)...)
	}
	clone := []string{
		"clone",
		to + "_clone",
		"--from-table",
		from,
		"--from-hosts",
		testHosts(),
		"--hosts",
		testHosts(),
		"--listen",
		anyPort,
	}
	run(ringRun{what: "clone", mend: clone}, clone[:len(clone):len(clone)]...)
	scanned := path("scan.csv")
	run(
		ringRun{
			what:    "scan",
			dir:     path("scan"),
			mend:    []string{"retry", path("scan")},
			scanned: scanned,
		},
		byStream("scan", from, "--header=false", "--run-dir", path("scan"), "-o", scanned)...)
	run(ringRun{what: "count"}, byStream("count", from)...)
	scanned = path("cql.csv")
	run(ringRun{what: "scan by CQL", scanned: scanned},
		"scan", from, "--header=false", "--run-dir", path("cql"), "-o", scanned)
	if c.kind == "BOOT" && r.gossips {
		run(
			ringRun{what: "load of files", refused: true},
			"load",
			to,
			r.inputs["whole"],
			"--via",
			"sstables",
			"-d",
			path("files"),
			"--run-dir",
			path("kept"),
		)
	}
	return all
}

// requireRead requires that all rows were read that were loaded before.
func (r *rings) requireRead(run ringRun) {
	r.t.Helper()
	switch {
	case run.scanned != "":
		lines := slices.Sorted(strings.Lines(read(r.t, run.scanned)))
		require.Equal(r.t, r.before, lines, "%s of %s", run.what, run.keyspace)
	case run.what == "count":
		require.Equal(r.t, fmt.Sprintln(len(r.before)), run.out, run.keyspace)
	}
}
