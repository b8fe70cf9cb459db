//go:build integration

package integration

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
)

// writeCells writes rows through CQL, each value bound as it is.
func writeCells(t *testing.T, name string, rows ...[]string) {
	t.Helper()
	keyspace, table, _ := strings.Cut(name, ".")
	described, err := session.Table(t.Context(), keyspace, table)
	require.NoError(t, err)
	w := session.Writer(described, described.Columns)
	for _, cells := range rows {
		r := row.Row{Timestamp: 1_700_000_000_000_000}
		for _, c := range cells {
			b, err := hex.DecodeString(strings.ReplaceAll(c, " ", ""))
			require.NoError(t, err)
			r.Cells = append(r.Cells, row.Cell{State: row.Set, Bytes: b})
		}
		require.NoError(t, w.Write(t.Context(), "", []row.Row{r}), cells)
	}
}

// requireCarried copies a table to another of the same columns, in each form and by each target of
// a load, and requires that each cell has the same bytes.
func requireCarried(t *testing.T, from, body string, flags ...string) {
	t.Helper()
	keyspace, name, _ := strings.Cut(from, ".")
	want := rawRows(t, keyspace, name)
	for i, format := range []string{"csv", "tsv", "json"} {
		path := t.TempDir() + "/rows." + format
		ok(t, append([]string{"scan", from, "-o", path, "--format", format}, flags...)...)
		for _, via := range []string{"cql", "stream"} {
			if via == "cql" && i > 0 && format == "tsv" { // is text as CSV is
				continue
			}
			table(t, from+"_copy", body)
			require.Contains(
				t,
				ok(t, "load", from+"_copy", path, "--via", via, "--format", format).report,
				" 0 rejected",
			)
			require.Equal(t, want, rawRows(t, keyspace, name+"_copy"), "%s, %s", format, via)
		}
	}
}

// A list of a frozen column may have null in it: drivers write one, and the servers make one of an
// int of no bytes.
func TestNullsInFrozenLists(t *testing.T) {
	t.Parallel()
	const body = "(k int PRIMARY KEY, a frozen<list<int>>, b frozen<list<text>>, c frozen<list<frozen<list<int>>>>, d frozen<list<frozen<set<int>>>>)"
	table(t, "it1.nulls", body)
	const none, set = "ffffffff", "00000014 00000002 00000004 00000002 00000004 00000001"
	rows := [][]string{
		{
			"00000001",
			"00000002 00000004 00000001" + none,
			"00000003" + none + "00000000 00000004 6e756c6c",
			"00000001" + none,
			"00000001" + none,
		},
		{
			"00000002",
			"00000002 00000000 fffffffe",
			"00000001 fffffffe",
			"00000002 00000008 00000001 00000000" + none,
			"00000002" + none + set,
		},
		{"00000003", "00000000", "00000001 00000000", "00000000", "00000001" + set},
	}
	writeCells(t, "it1.nulls", rows...)
	stored := strings.Join(rawRows(t, "it1", "nulls"), "")
	require.Contains(t, stored, "k=0x00000002 a=0x00000002ffffffffffffffff b=0x00000001ffffffff ")
	requireCarried(t, "it1.nulls", body)
	require.Equal(t, `1,"[1, null]","[null, '', 'null']",[null],[null]`+"\n",
		ok(t, "scan", "it1.nulls", "--where", "k = 1", "--header=false").out)

	// A row that is streamed is the one that CQL makes of the same input.
	raw := "k,a,b,c,d\n"
	for _, r := range rows {
		raw += fmt.Sprintf("%d", len(raw))
		for _, cell := range r[1:] {
			raw += ",0x" + strings.ReplaceAll(cell, " ", "")
		}
		raw += "\n"
	}
	table(t, "it1.nulls_cql", body)
	table(t, "it1.nulls_stream", body)
	requireStreamed(t, "it1", "nulls_cql", "nulls_stream", file(t, "raw.csv", raw))
}

// Elsewhere null is refused, whichever way the row would take.
func TestNullsInOtherCollections(t *testing.T) {
	t.Parallel()
	const body = "(k int PRIMARY KEY, s frozen<set<int>>, n frozen<list<frozen<list<int>>>>)"
	for _, via := range []string{"cql", "stream"} {
		name := "it1.nullless_" + via
		table(t, name, body)
		r := cqlbulk(
			t,
			"load",
			name,
			file(
				t,
				"rows.csv",
				"k,s,n\n1,\"{1, null}\",\n2,,\"[[1, null]]\"\n3,{1},\"[[1], null]\"\n",
			),
			"--via",
			via,
			"--run-dir",
			filepath.Join(t.TempDir(), "run"),
		)
		require.Contains(t, r.report, "2 rejected", r.report)
		require.Len(t, rawRows(t, "it1", name[4:]), 1)
	}
}

// A tuple keeps its bytes, in every kind of column and by every target. Nothing inside of it is
// sorted, and two keys that differ stay two.
func TestTuplesKeepTheirBytes(t *testing.T) {
	t.Parallel()
	const set = "frozen<tuple<frozen<set<int>>, frozen<tuple<frozen<map<int, int>>>>>>"
	const body = "(k " + set + ", c " + set + ", s " + set + " static, v " + set + ", w int, PRIMARY KEY (k, c))"
	table(t, "it1.tuples", body)
	const (
		unsorted = "({5, 1}, ({2: 1, 1: 1}))"
		sorted   = "({1, 5}, ({1: 1, 2: 1}))"
		twice    = "({1, 1}, null)"
		short    = "({2, 1})"
		nulls    = "(null, null)"
	)
	forms := []string{unsorted, sorted, twice, short, nulls}
	var in, want []string
	for i, key := range forms {
		for j, clustering := range forms {
			in = append(
				in,
				fmt.Sprintf(`"%s","%s","%s","%s",%d`, key, clustering, forms[(i+1)%5], forms[j], j),
			)
		}
	}
	want = slices.Sorted(slices.Values(in))
	path := file(t, "tuples.csv", "k,c,s,v,w\n"+strings.Join(in, "\n")+"\n")
	lines := func(name string, flags ...string) []string {
		var got []string
		for line := range strings.Lines(ok(t, append([]string{"scan", name, "--header=false"}, flags...)...).out) {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
		slices.Sort(got)
		return got
	}
	for _, via := range []string{"cql", "stream"} {
		table(t, "it1.tuples", body)
		require.Contains(
			t,
			ok(
				t,
				"load",
				"it1.tuples",
				path,
				"--via",
				via,
				"--timestamp",
				"1700000000000000",
			).report,
			" 0 rejected",
		)
		require.Equal(t, want, lines("it1.tuples", "--columns", "k,c,s,v,w"), via)
		requireCarried(t, "it1.tuples", body)
	}
	// One row a request, in batches of several, and conditionally: the bytes are the same.
	for _, flags := range [][]string{{"--maxbatchsize", "1"}, {"--if-not-exists"}} {
		table(t, "it1.tuples", body)
		ok(t, append([]string{"load", "it1.tuples", path}, flags...)...)
		require.Equal(t, want, lines("it1.tuples", "--columns", "k,c,s,v,w"), flags)
	}
	ok(t, "load", "it1.tuples", path, "--if-not-exists")
}

// Tuples are keys of counters too.
func TestTuplesAsKeysOfCounters(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it1.tuple_counters",
		"(k frozen<tuple<int, frozen<set<int>>>>, c frozen<tuple<int, text>>, n counter, PRIMARY KEY (k, c))",
	)
	counters := "k,c,n\n\"(1, {2, 1})\",\"(1, 'a')\",5\n\"(1, {1, 2})\",\"(1, null)\",7\n"
	ok(t, "load", "it1.tuple_counters", file(t, "counters.csv", counters))
	require.Equal(
		t,
		slices.Sorted(strings.Lines(counters[len("k,c,n\n"):])),
		scannedLines(t, "it1.tuple_counters"),
	)
}

// Vectors of types that are made of others are named by classes with parameters, alone and within
// other types.
func TestVectorsOfEveryType(t *testing.T) {
	if !atLeast(t, 5) {
		return // there are none
	}
	t.Parallel()
	exec(t, `CREATE TYPE IF NOT EXISTS it1.vector_of (a int, "b c" frozen<list<vector<int, 2>>>)`)
	types := []string{
		"vector<vector<int, 2>, 2>",
		"vector<vector<text, 1>, 2>",
		"vector<frozen<list<int>>, 2>",
		"vector<frozen<set<text>>, 1>",
		"vector<frozen<map<int, vector<float, 2>>>, 1>",
		"vector<frozen<tuple<int, frozen<list<text>>>>, 2>",
		"vector<frozen<vector_of>, 1>",
		"list<vector<frozen<list<int>>, 1>>",
		"map<int, vector<frozen<tuple<int>>, 1>>",
		"tuple<vector<vector<int, 1>, 1>>",
	}
	values := []string{
		"[[1, 2], [3, 4]]",
		"[['a'], ['b']]",
		"[[1], [2, 3]]",
		"[{'x', 'y'}]",
		"[{1: [1.5, 2], 2: [0, -1]}]",
		"[(1, ['a']), (null, null)]",
		`[{a: 1, "b c": [[1, 2]]}]`,
		"[[[1, 2]], [[]]]",
		"{1: [(5)]}",
		"([[7]])",
	}
	columns, names, in := []string{"k int PRIMARY KEY"}, []string{"k"}, []string{"1"}
	for i, typ := range types {
		columns = append(columns, fmt.Sprintf("v%d %s", i, typ))
		names = append(names, fmt.Sprintf("v%d", i))
		in = append(in, values[i])
	}
	body := "(" + strings.Join(columns, ", ") + ")"
	table(t, "it1.vectors", body)
	exec(
		t,
		fmt.Sprintf(
			"INSERT INTO it1.vectors (%s) VALUES (%s)",
			strings.Join(names, ", "),
			strings.Join(in, ", "),
		),
	)
	require.Equal(
		t,
		"1",
		strings.TrimSpace(ok(t, append(byStream("count", "it1.vectors"), "--quiet")...).out),
	)
	requireCarried(t, "it1.vectors", body)
}
