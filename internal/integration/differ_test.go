//go:build integration

package integration

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
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
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// TestDiffer makes tables by chance, writes and deletes in them through CQL, and takes each out and
// into another one by every way: what CQL reads of the copy is what it reads of the table. `make
// differ` runs many. CQLBULK_TEST_DIFFER_SEED is the first seed, CQLBULK_TEST_DIFFER_RUNS how many
// there are.
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
	first, runs := number("CQLBULK_TEST_DIFFER_SEED", 1), number("CQLBULK_TEST_DIFFER_RUNS", either[uint64](2, 20))
	for seed := first; seed < first+runs; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := newDiffer(t, seed)
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("again: deploy/differ 1 %d\n%s", seed, d.ddl)
				}
			})
			d.fill(t)
			d.compare(t)
		})
	}
}

// differ is one table and what is done with it.
type differ struct {
	r      *rand.Rand
	ddl    string
	body   string
	table  *schema.Table
	plain  bool         // keys are of types that CQL can write as a literal of bytes
	keys   [][]row.Cell // of partitions
	inside [][]row.Cell // clusterings
}

const differBase = 1_700_000_000_000_000 // microseconds since the epoch, before all timestamps

func newDiffer(t *testing.T, seed uint64) *differ {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 22))
	s := newDifferSchema(t, r)
	d := &differ{r: r, plain: s.plainKeys, body: s.body()}
	d.ddl = strings.Join(append(s.made, "CREATE TABLE it1.differ "+d.body), ";\n")
	d.table = s.make(t, d.body, "differ", "differ_copy")
	pool := func(kind schema.Kind, n int) (all [][]row.Cell) {
		for range n {
			var cells []row.Cell
			for _, c := range d.table.OfKind(kind) {
				cells = append(cells, row.Cell{State: row.Set, Bytes: differValue(t, r, c.Type, true)})
			}
			all = append(all, cells)
		}
		return all
	}
	d.keys, d.inside = pool(schema.PartitionKey, 8), pool(schema.Clustering, 6)
	return d
}

// fill writes rows and deletes some, few keys at few timestamps, so that statements meet. Files are
// flushed now and then: a stream of a table begins with that.
func (d *differ) fill(t *testing.T) {
	t.Helper()
	columns := d.table.Columns
	w := session.Writer(d.table, columns)
	for range either(60, 200) {
		switch n := d.r.IntN(20); {
		case n == 0:
			ok(t, byStream("count", "it1.differ")...)
		case n < 5 && d.plain:
			exec(t, d.deletion())
		default:
			r := row.Row{Cells: d.cells(t), Timestamp: d.stamp(), TTL: []int32{0, 0, 0, row.Forever, 100_000, 200_000, 1}[d.r.IntN(7)]}
			if d.r.IntN(4) == 0 && d.writesRegular(r.Cells) {
				r.Update = true
			}
			require.NoError(t, w.Write(t.Context(), "", []row.Row{r}))
		}
	}
	// What expires at once is gone when the last such row is.
	whole := row.Row{Timestamp: differBase, TTL: 1}
	for i := range columns {
		whole.Cells = append(whole.Cells, row.Cell{})
		if columns[i].IsKey() {
			whole.Cells[i] = row.Cell{State: row.Set, Bytes: differValue(t, d.r, columns[i].Type, true)}
		}
	}
	copied, err := session.Table(t.Context(), "it1", "differ_copy")
	require.NoError(t, err)
	require.NoError(t, session.Writer(copied, columns).Write(t.Context(), "", []row.Row{whole}))
	require.Eventually(t, func() bool { return len(rawRows(t, "it1", "differ_copy")) == 0 }, time.Minute, 200*time.Millisecond)
}

func (d *differ) stamp() int64 { return differBase + int64(d.r.IntN(40)) }

// cells are those of a row, or of static columns alone.
func (d *differ) cells(t *testing.T) []row.Cell {
	t.Helper()
	key, inside := d.keys[d.r.IntN(len(d.keys))], d.inside[d.r.IntN(len(d.inside))]
	alone := len(d.table.OfKind(schema.Static)) > 0 && d.r.IntN(5) == 0
	var cells []row.Cell
	for _, c := range d.table.Columns {
		switch {
		case c.Kind == schema.PartitionKey:
			cells, key = append(cells, key[0]), key[1:]
		case c.Kind == schema.Clustering && !alone:
			cells, inside = append(cells, inside[0]), inside[1:]
		case c.Kind == schema.Clustering || alone && c.Kind == schema.Regular:
			cells = append(cells, row.Cell{})
		default:
			cells = append(cells, d.cell(t, c.Type))
		}
	}
	return cells
}

func (d *differ) cell(t *testing.T, typ *cqltype.Type) row.Cell {
	t.Helper()
	switch d.r.IntN(6) {
	case 0:
		return row.Cell{}
	case 1:
		return row.Cell{State: row.Null}
	}
	value := differValue(t, d.r, typ, typ.MultiCell())
	if typ.Kind == cqltype.List && typ.Frozen && d.r.IntN(3) == 0 { // a null more
		n, _ := cqlwire.Count(value)
		cqlwire.PutCount(value, 0, n+1)
		value = cqlwire.AppendNull(value)
	}
	return row.Cell{State: row.Set, Bytes: value}
}

func (d *differ) writesRegular(cells []row.Cell) bool {
	for i, c := range d.table.Columns {
		if c.Kind == schema.Regular && cells[i].State != row.Unset {
			return true
		}
	}
	return false
}

// deletion deletes a partition, a range of rows, a row, or a column of it.
func (d *differ) deletion() string {
	key, inside := d.keys[d.r.IntN(len(d.keys))], d.inside[d.r.IntN(len(d.inside))]
	var where []string
	for i, c := range d.table.OfKind(schema.PartitionKey) {
		where = append(where, cqltype.QuoteIdent(c.Name)+" = "+asLiteral(c.Type, key[i].Bytes))
	}
	clustering := d.table.OfKind(schema.Clustering)
	depth := d.r.IntN(len(clustering) + 1)
	if d.r.IntN(2) == 0 {
		depth = len(clustering)
	}
	for i, c := range clustering[:depth] {
		op := " = "
		if i == depth-1 && d.r.IntN(3) == 0 {
			op = []string{" > ", " >= ", " < ", " <= "}[d.r.IntN(4)]
			depth = -1
		}
		where = append(where, cqltype.QuoteIdent(c.Name)+op+asLiteral(c.Type, inside[i].Bytes))
	}
	of := ""
	if regular := d.table.OfKind(schema.Regular); depth == len(clustering) && len(regular) > 0 && d.r.IntN(2) == 0 {
		of = cqltype.QuoteIdent(regular[d.r.IntN(len(regular))].Name) + " "
	}
	return fmt.Sprintf("DELETE %sFROM it1.differ USING TIMESTAMP %d WHERE %s", of, d.stamp(), strings.Join(where, " AND "))
}

// asLiteral is a value of a type without elements in CQL, by its bytes.
func asLiteral(typ *cqltype.Type, wire []byte) string {
	literal := "0x" + hex.EncodeToString(wire)
	if typ.Kind == cqltype.Blob {
		return literal
	}
	return "blobas" + typ.Kind.String() + "(" + literal + ")"
}

// compare takes the table out and into another one.
func (d *differ) compare(t *testing.T) {
	t.Helper()
	want, times := rawRows(t, "it1", "differ"), d.times(t, "differ")
	plain := "--columns=" + quoted(d.table.Names())
	require.Len(t, times, len(want))
	for _, args := range [][]string{{"count", "it1.differ"}, byStream("count", "it1.differ")} {
		require.Equal(t, fmt.Sprint(len(want)), strings.TrimSpace(ok(t, append(args, "--quiet")...).out), args)
	}
	byCQL := scannedLines(t, "it1.differ", plain)
	require.Equal(t, byCQL, scannedLines(t, byStream("it1.differ", plain)...), "scan by stream")
	require.Equal(t, times, d.times(t, "differ", "--via", "stream", "--listen", anyPort), "times by stream")
	files := []string{"it1.differ", plain, "--via", "sstables"}
	for _, node := range tablesOnDisk(t, "it1", "differ") { // a stream has flushed it
		files = append(files, node.folder)
	}
	require.Equal(t, byCQL, scannedLines(t, files...), "scan of SSTables")

	ways := d.ways(t, plain)
	for _, i := range d.r.Perm(len(ways))[:either(3, len(ways))] {
		exec(t, "TRUNCATE it1.differ_copy")
		ways[i].carry()
		require.Equal(t, want, rawRows(t, "it1", "differ_copy"), ways[i].name)
		if ways[i].times {
			require.Equal(t, times, d.times(t, "differ_copy"), ways[i].name)
		}
	}
}

// differWay is a way to take the table into the other one.
type differWay struct {
	name  string
	times bool // it has the times of the columns
	carry func()
}

func (d *differ) ways(t *testing.T, plain string) (ways []differWay) {
	for _, flags := range [][]string{
		{"--via", "cql"}, {"--via", "cql", "--maxbatchsize", "1"}, {"--via", "stream", "--stream", "rows"}, {"--via", "stream", "--stream", "whole"},
	} {
		for _, format := range []string{"csv", "json"} {
			for i, columns := range []string{plain, "--columns=" + d.timed()} {
				times := i == 1
				name := fmt.Sprintf("load %s of %s, times: %t", strings.Join(flags, " "), format, times)
				ways = append(ways, differWay{name, times, func() { d.load(t, format, columns, flags) }})
			}
		}
	}
	for _, form := range []string{"rows", "whole"} {
		ways = append(ways, differWay{"clone, " + form, true, func() {
			ok(t, "clone", "it1.differ_copy", "--from-hosts", testHosts(), "--listen", anyPort, "--from-table", "it1.differ", "--stream", form)
		}})
	}
	return append(ways, differWay{"load of SSTables that are imported", true, func() {
		dir := filepath.Join(t.TempDir(), "kept")
		d.load(t, "csv", "--columns="+d.timed(), []string{"--via", "sstables", "-d", dir})
		if len(rawRows(t, "it1", "differ")) > 0 {
			importKept(t, dir, "nb")
		}
	}})
}

// load scans the table to a file, and loads that into the other one.
func (d *differ) load(t *testing.T, format, columns string, flags []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows."+format)
	ok(t, "scan", "it1.differ", columns, "-o", path, "--format", format)
	r := ok(t, append([]string{"load", "it1.differ_copy", path, "--format", format, "--run-dir", filepath.Join(t.TempDir(), "run")}, flags...)...)
	require.Contains(t, r.report, " 0 rejected")
}

// timed lists the columns and all times that those have that have one each.
func (d *differ) timed() string {
	names := d.table.Names()
	for _, c := range d.table.Columns {
		if !c.IsKey() && !c.Type.MultiCell() {
			names = append(names, "writetime("+c.Name+")", "ttl("+c.Name+")")
		}
	}
	return quoted(names)
}

// times is what CQL, or another way, reads of a table with the times of its columns, of the times to
// live whether there are any.
func (d *differ) times(t *testing.T, name string, flags ...string) (lines []string) {
	t.Helper()
	r := csv.NewReader(strings.NewReader(ok(t, append([]string{"scan", "it1." + name, "--columns=" + d.timed()}, flags...)...).out))
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
