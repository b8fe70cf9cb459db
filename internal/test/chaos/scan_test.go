package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// scanning is a schedule of a scan.
type scanning struct {
	*schedule
	output    string // file or folder
	folder    bool
	numbered  int64 // rows of each file of numbered ones but the last; 0: it is one file
	format    string
	journaled bool
	requests  int // about this many are needed
	args      []string
	begun     bool // the run directory was seen
}

// scan runs the schedule, by CQL or by streaming; in the second case the ring may change meanwhile.
func (s *schedule) scan(streamed, changing bool) {
	r := stream(s.seed, "scan")
	sc := &scanning{schedule: s, journaled: !chance(r, 6)}
	switch {
	case changing:
		s.openRing(true)
	case streamed:
		s.weather = s.openPorts(stream(s.seed, "brought"), true)
	}
	of := drawTable(r)
	if changing {
		of.TTL = expiring(stream(s.seed, "expiring"))
	}
	if changing && chance(stream(s.seed, "view"), 2) && mayBeView(of) {
		s.startView(of)
	} else {
		s.start(of)
	}
	if streamed {
		s.ports.open(s.cluster)
		s.Cleanup(s.ports.close) // before the cluster is
	}
	rows := len(s.cluster.Records(table))
	totals.rows.Add(int64(rows))
	sc.args = []string{"scan", table, "--run-dir", sc.runDir(), "--memory", "64MiB"}
	if !sc.journaled {
		sc.args = []string{"scan", table, "--no-journal", "--memory", "64MiB"}
	}
	sc.drawOutput(r)
	splits, page := 1+r.IntN(300), 1+r.IntN(500)
	sc.requests = splits + rows/page
	sc.args = append(sc.args, "--splits", fmt.Sprint(splits))
	if chance(r, 2) {
		sc.args = append(sc.args, "--pagesize", fmt.Sprint(page))
	}
	if chance(r, 2) {
		sc.args = append(sc.args, "--parallel", fmt.Sprint(1+r.IntN(6)))
	}
	if chance(r, 2) {
		// So slow that there are marks on the way.
		sc.args = append(sc.args, "--rate", fmt.Sprint(50+rows/(2+r.IntN(5))))
	}
	if streamed {
		sc.byStream(stream(s.seed, "brought flags"))
	}
	require.NoError(s, s.cluster.Disturb(s.weather.faults))
	defer count(s.cluster)
	if changing {
		s.newScript(s.cluster, s.ports, "ring")
	}

	last := sc.untilDone()
	sc.checkOutput(last)
}

func (sc *scanning) runDir() string { return filepath.Join(sc.dir, "run") }

// mayBeView reports whether a table has several key columns and no static one.
func mayBeView(of simcluster.Table) bool {
	keys := 0
	for _, c := range of.Columns {
		switch c.Kind {
		case simcluster.PartitionKey, simcluster.Clustering:
			keys++
		case simcluster.Static:
			return false
		}
	}
	return keys > 1
}

// startView starts the cluster with a table made a view. Its first column is the key of the base
// table.
func (s *schedule) startView(of simcluster.Table) {
	base := simcluster.Table{Name: "base", Columns: slices.Clone(of.Columns)}
	for i := range base.Columns[1:] {
		base.Columns[i+1].Kind, base.Columns[i+1].Desc = "", false
	}
	of.View = base.Name
	s.start(of, base)
	totals.views.Add(1)
}

// drawTable makes a table with rows.
func drawTable(r *rand.Rand) simcluster.Table {
	t := simcluster.Table{
		Name:       "t",
		Partitions: r.IntN(10 << r.IntN(9)),
		Nulls:      0.2 * r.Float64(),
		Text:       1 + r.IntN(60),
		Columns: []simcluster.Column{
			{
				Name: "k",
				Kind: simcluster.PartitionKey,
				Type: []string{"bigint", "text", "int"}[r.IntN(3)],
			},
		},
	}
	if chance(r, 3) {
		t.Text = 4000 // more than is held back before it goes to a file
	}
	if chance(r, 3) {
		t.Columns = append(
			t.Columns,
			simcluster.Column{Name: "l", Kind: simcluster.PartitionKey, Type: "boolean"},
		)
	}
	if chance(r, 2) {
		t.Columns = append(
			t.Columns,
			simcluster.Column{
				Name: "c",
				Kind: simcluster.Clustering,
				Type: "bigint",
				Desc: chance(r, 2),
			},
		)
		t.Rows = 1 + r.IntN(5)
		if chance(r, 2) {
			t.Largest = r.IntN(2000)
		}
		if chance(r, 2) {
			t.Columns = append(
				t.Columns,
				simcluster.Column{Name: "s", Kind: simcluster.Static, Type: "text"},
			)
		}
	}
	for i := range r.IntN(5) {
		t.Columns = append(t.Columns, simcluster.Column{
			Name: fmt.Sprint(
				"v",
				i,
			),
			Type: []string{"text", "blob", "int", "bigint", "boolean"}[r.IntN(5)],
		})
	}
	return t
}

// drawOutput says where the rows go.
func (sc *scanning) drawOutput(r *rand.Rand) {
	sc.format = []string{"csv", "csv", "json", "tsv"}[r.IntN(4)]
	sc.folder = chance(r, 2)
	compression := []string{"none", "gzip", "zstd", "lz4"}[r.IntN(4)]
	sc.output = filepath.Join(sc.dir, "out")
	if sc.folder {
		sc.args = append(
			sc.args,
			"--dir",
			sc.output,
			"--format",
			sc.format,
			"--compression",
			compression,
		)
		if chance(r, 2) {
			sc.args = append(sc.args, "--maxoutputsize", fmt.Sprint(1+r.IntN(1000)))
		}
		return
	}
	sc.output += "." + sc.format + map[string]string{"none": "", "gzip": ".gz", "zstd": ".zst", "lz4": ".lz4"}[compression]
	sc.args = append(sc.args, "--output", sc.output)
	if r := stream(sc.seed, "numbered files"); chance(r, 2) {
		sc.numbered = 1 + r.Int64N(1000)
		sc.args = append(sc.args, "--maxoutputsize", fmt.Sprint(sc.numbered))
	}
}

// reads are the requests after which a scan is stopped.
func reads(r simcluster.Request) bool { return r.Table == table && len(r.Keys) == 0 }

// untilDone runs the scan, and resumes it whenever it was stopped, or ranges have failed, until it
// ends by itself.
func (sc *scanning) untilDone() exit {
	for goes := 0; ; goes++ {
		require.Less(sc, goes, 2*mostGoes, "the scan does not come to an end")
		var p stop
		if goes < mostStops {
			p = sc.drawStop(sc.requests)
		}
		if goes == mostGoes {
			require.NoError(sc, sc.cluster.Disturb(simcluster.Faults{}))
			sc.ports.calm()
		}
		args := sc.args
		switch {
		case exists(filepath.Join(sc.runDir(), "run.json")):
			sc.begun = true
			totals.resumes.Add(1)
			sc.lookAt(sc.runDir())
			args = []string{[]string{"resume", "retry"}[sc.signals.IntN(2)], sc.runDir()}
		case sc.begun:
			sc.note("the run directory is gone")
			return exit{code: -1}
		case goes > 0:
			// What there is was left before there was a journal.
			require.NoError(sc, os.RemoveAll(sc.runDir()))
			args = append(append([]string{}, args...), "--force")
		}
		e := sc.run(p, reads, append(append([]string{}, args...), sc.connection()...)...)
		if sc.ended(e) {
			return e
		}
	}
}

// ended says whether a process has done its work, and fails when it ended as it must
// not.
func (sc *scanning) ended(e exit) bool {
	switch {
	case e.killed() && (e.by == syscall.SIGKILL || e.by == syscall.SIGTERM) && e.asked != nil:
	case e.code == exitInterrupted && e.asked == syscall.SIGTERM:
	case strings.Contains(e.output, "before its output was begun: run the command again"):
		require.NoError(sc, os.RemoveAll(sc.runDir()))
		sc.begun = false
	case e.code == exitFatal && sc.weather.hard:
	case e.code == exitPartly && sc.weather.hard:
		return !sc.journaled
	case e.code == exitOK:
		return true
	default:
		sc.Fatalf("unexpected %v:\n%s", e, e.output)
	}
	return false
}
