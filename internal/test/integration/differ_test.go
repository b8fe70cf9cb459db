//go:build integration

package integration

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// TestDiffer makes random tables, with views and indexes, and writes and deletes in them through
// CQL. It copies each to another table in every way. CQL must read the same from the copy as from
// the table. `make differ` runs many. CQLBULK_TEST_DIFFER_SEED is the first seed,
// CQLBULK_TEST_DIFFER_RUNS the number of tables. With CQLBULK_TEST_DIFFER_APART=1 the replicas of
// each table differ: the cluster has three nodes, and one at a time misses what is written.
func TestDiffer(t *testing.T) {
	number := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(text, 10, 63)
		require.NoError(t, err, name)
		return n
	}
	first := number("CQLBULK_TEST_DIFFER_SEED", 1)
	runs := number("CQLBULK_TEST_DIFFER_RUNS", either[uint64](2, 20))
	for seed := first; seed < first+runs; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := newDiffer(t, seed)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf(
						"again: %sdeploy/differ 1 %d\n%s",
						either("", "CQLBULK_TEST_LONG=1 ")+d.form(),
						seed,
						d.ddl,
					)
				}
			})
			d.fill(t)
			d.compare(t)
		})
	}
}

// differ is one table and what is done with it.
type differ struct {
	r        *rand.Rand
	ddl      string
	keyspace string
	name     string // with the keyspace
	table    *schema.Table
	counters bool
	apart    bool // replicas differ
	away     int  // the place of the writer whose node misses what is written; or -1
	through  int  // the place of the writer that is taken then
	writers  []*differWriter
	keys     [][]row.Cell // of partitions
	inside   [][]row.Cell // clusterings
	view     string       // its text behind AS SELECT, with %s for the name of the table; or empty
	indexes  []differIndex

	unfindable map[string]bool // rows that some indexes of the servers may miss
	dropped    bool            // a column was dropped, and added again
}

func newDiffer(t *testing.T, seed uint64) *differ {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 22))
	d := &differ{
		r:          r,
		keyspace:   "it1",
		away:       -1,
		unfindable: map[string]bool{},
		apart:      os.Getenv("CQLBULK_TEST_DIFFER_APART") != "",
	}
	hosts := strings.Split(testHosts(), ",")
	if d.apart {
		exec(t, "CREATE TABLE IF NOT EXISTS it3.differ_seen (k int PRIMARY KEY)")
		d.keyspace = []string{"it2", "it3"}[r.IntN(2)]
	} else {
		hosts = hosts[:1]
	}
	for _, host := range hosts {
		w := newDifferWriter(t, host)
		if d.keyspace == "it3" { // two of three replicas have each write, and any two have all
			w.conn.level = consistencyQuorum
		}
		d.writers = append(d.writers, w)
	}
	s := newDifferSchema(t, r, d.keyspace, d.apart)
	d.name, d.counters = d.keyspace+".differ", s.counters
	body := s.body()
	d.ddl = strings.Join(append(s.made, "CREATE TABLE "+d.name+" "+body), ";\n")
	d.table = s.make(t, body, "differ", "differ_copy")
	pool := func(kind schema.Kind, n int) (all [][]row.Cell) {
		for range n {
			var cells []row.Cell
			for _, c := range d.table.OfKind(kind) {
				cells = append(
					cells,
					row.Cell{State: row.Set, Bytes: differValue(t, r, c.Type, true)},
				)
			}
			all = append(all, cells)
		}
		return all
	}
	d.keys, d.inside = pool(schema.PartitionKey, 8), pool(schema.Clustering, 6)
	d.makeView(t)
	d.makeIndexes(t)
	return d
}

// form is the argument for deploy/differ that makes replicas differ.
func (d *differ) form() string {
	if d.apart {
		return "NODES=3 "
	}
	return ""
}

// fill writes rows and deletes some. Files are flushed now and then: a stream of a table begins
// with that.
func (d *differ) fill(t *testing.T) {
	t.Helper()
	statements, readded := either(60, 200), d.r.IntN(5) == 0
	for i := range statements {
		if i%(statements/3) == 0 {
			d.leave(t)
		}
		if readded && i == statements/2 {
			d.dropAndAdd(t)
		}
		if d.r.IntN(20) == 0 && !d.apart {
			ok(t, byStream("count", d.name)...)
			continue
		}
		d.writer().run(t, d.statement(t))
	}
	d.join(t)
	if d.counters {
		return // they do not expire
	}
	// What expires at once is gone when the last such row is.
	whole := row.Row{Timestamp: differBase, TTL: 1}
	for i := range d.table.Columns {
		whole.Cells = append(whole.Cells, row.Cell{})
		if c := d.table.Columns[i]; c.IsKey() {
			whole.Cells[i] = row.Cell{State: row.Set, Bytes: differValue(t, d.r, c.Type, true)}
		}
	}
	copied, err := session.Table(t.Context(), d.keyspace, "differ_copy")
	require.NoError(t, err)
	require.NoError(
		t,
		session.Writer(copied, copied.Columns).Write(t.Context(), "", []row.Row{whole}),
	)
	require.Eventually(
		t,
		func() bool { return len(rawRows(t, d.keyspace, "differ_copy")) == 0 },
		time.Minute,
		200*time.Millisecond,
	)
}

// compare takes the table out and into another one.
func (d *differ) compare(t *testing.T) {
	t.Helper()
	plain := "--columns=" + quoted(d.table.Names())
	// Streams come first: a read by CQL has replicas that differ repaired.
	counted := ok(t, append(byStream("count", d.name), "--quiet")...).out
	streamed := scannedLines(t, byStream(d.name, plain)...)
	streamedTimes := d.times(t, "differ", "--via", "stream", "--listen", anyPort)
	files := []string{d.name, plain, "--via", "sstables"}
	for _, node := range tablesOnDisk(t, d.keyspace, "differ") { // a stream has flushed it
		files = append(files, node.folder)
	}
	if d.dropped {
		// A flush writes nothing of a dropped column. If there is nothing else, no SSTable covers
		// those positions of the commit log.
		files = append(files, "--ignore-commitlog")
	}
	filed := scannedLines(t, files...)
	if d.apart {
		require.Equal(
			t,
			streamed,
			scannedLines(t, byStream(d.name, plain, "--consistency", "QUORUM")...),
			"at QUORUM",
		)
	}

	want := rawRows(t, d.keyspace, "differ")
	times := d.times(t, "differ")
	byCQL := scannedLines(t, d.name, plain)
	require.Len(t, times, len(want))
	require.Equal(t, fmt.Sprintln(len(want)), ok(t, "count", d.name, "--quiet").out, "count")
	require.Equal(t, fmt.Sprintln(len(want)), counted, "count by stream")
	require.Equal(t, byCQL, streamed, "scan by stream")
	require.Equal(t, times, streamedTimes, "times by stream")
	require.Equal(t, byCQL, filed, "scan of SSTables")
	d.compareView(t)

	ways := d.ways(t, plain)
	for _, i := range d.r.Perm(len(ways))[:min(len(ways), either(3, len(ways)))] {
		way := ways[i]
		exec(t, "TRUNCATE "+d.name+"_copy")
		way.carry()
		require.Equal(t, want, rawRows(t, d.keyspace, "differ_copy"), way.name)
		if way.times {
			require.Equal(t, times, d.times(t, "differ_copy"), way.name)
		}
		if !way.imported {
			d.compareCopiedView(t, way.name)
		}
		d.compareIndexes(t, way.name)
	}
	d.compareRefused(t)
}

// differWay is a way to take the table into the other one.
type differWay struct {
	name     string
	times    bool // it has the times of the columns
	imported bool // by the nodes, whose views miss that
	carry    func()
}

func (d *differ) ways(t *testing.T, plain string) (ways []differWay) {
	if d.counters && len(d.table.OfKind(schema.Static)) > 0 {
		// loads refuse static counters beside those of rows: they would add them for each row
		return nil
	}
	loads := [][]string{{"--via", "cql"}, {"--via", "cql", "--maxbatchsize", "1"}}
	forms := []string{"rows"}
	if !d.attached() { // such indexes fail on entire SSTables
		forms = append(forms, "whole")
	}
	for _, form := range forms {
		if !d.counters { // they come by CQL alone
			loads = append(loads, []string{"--via", "stream", "--stream", form})
		}
	}
	for _, flags := range loads {
		for _, format := range []string{"csv", "json"} {
			for _, times := range []bool{false, true} {
				columns := plain
				if times {
					columns = "--columns=" + d.timed()
				}
				name := fmt.Sprintf(
					"load %s of %s, times: %t",
					strings.Join(flags, " "),
					format,
					times,
				)
				if !times || !d.counters {
					ways = append(
						ways,
						differWay{
							name:  name,
							times: times,
							carry: func() { d.load(t, format, columns, flags) },
						},
					)
				}
			}
		}
	}
	if d.counters {
		return ways
	}
	for _, form := range forms {
		ways = append(ways, differWay{name: "clone, " + form, times: true, carry: func() {
			ok(
				t,
				"clone",
				d.name+"_copy",
				"--from-hosts",
				testHosts(),
				"--listen",
				anyPort,
				"--from-table",
				d.name,
				"--stream",
				form,
			)
		}})
	}
	if d.apart && d.keyspace != "it3" { // not every node has rows to import
		return ways
	}
	return append(
		ways,
		differWay{
			name:     "load of SSTables that are imported",
			times:    true,
			imported: true,
			carry: func() {
				dir := filepath.Join(t.TempDir(), "kept")
				d.load(t, "csv", "--columns="+d.timed(), []string{"--via", "sstables", "-d", dir})
				if len(rawRows(t, d.keyspace, "differ")) > 0 {
					importKept(t, dir, "nb")
				}
			},
		},
	)
}

// load scans the table to a file, and loads that into the other one.
func (d *differ) load(t *testing.T, format, columns string, flags []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows."+format)
	ok(t, "scan", d.name, columns, "-o", path, "--format", format)
	r := ok(
		t,
		append(
			[]string{
				"load",
				d.name + "_copy",
				path,
				"--format",
				format,
				"--run-dir",
				filepath.Join(t.TempDir(), "run"),
			},
			flags...)...)
	require.Contains(t, r.report, " 0 rejected")
}

// timed lists the columns and all times that those have that have one each.
func (d *differ) timed() string {
	names := d.table.Names()
	for _, c := range d.table.Columns {
		if !c.IsKey() && !c.Type.MultiCell() && !d.counters {
			names = append(names, "writetime("+c.Name+")", "ttl("+c.Name+")")
		}
	}
	return quoted(names)
}

// times returns what CQL, or another way, reads of a table with the write times of its columns, and
// whether they have times to live.
func (d *differ) times(t *testing.T, name string, flags ...string) (lines []string) {
	t.Helper()
	r := csv.NewReader(
		strings.NewReader(
			ok(
				t,
				append(
					[]string{"scan", d.keyspace + "." + name, "--columns=" + d.timed()},
					flags...)...).out,
		),
	)
	records, err := r.ReadAll()
	require.NoError(t, err)
	for _, record := range records[1:] {
		for i, column := range records[0] {
			if strings.HasPrefix(column, "ttl(") && record[i] != "" {
				record[i] = "expires"
			}
		}
		lines = append(lines, strings.Join(record, "|"))
	}
	slices.Sort(lines)
	return lines
}

// quoted is a line of CSV, as --columns takes it.
func quoted(names []string) string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(names) // to memory
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
