//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// timesToo lists the columns of a table, and of those that have one time each their times.
func timesToo(table *schema.Table) string {
	var columns []string
	add := func(column string) {
		if strings.ContainsAny(column, `",`) { // the flag is a line of CSV
			column = `"` + strings.ReplaceAll(column, `"`, `""`) + `"`
		}
		columns = append(columns, column)
	}
	for _, c := range table.Columns {
		add(c.Name)
		many := slices.Contains(
			[]cqltype.Kind{cqltype.List, cqltype.Set, cqltype.Map, cqltype.UDT},
			c.Type.Kind,
		) &&
			!c.Type.Frozen
		if !c.IsKey() && !many {
			add("writetime(" + c.Name + ")")
		}
	}
	return strings.Join(columns, ",")
}

// requireStreamed loads a file into two tables, by CQL and by streaming. It requires that they are
// the same afterwards, with the times of the values.
func requireStreamed(t *testing.T, keyspace, byCQL, byStream, path string, flags ...string) {
	t.Helper()
	args := append([]string{path, "--timestamp", "1700000000000000"}, flags...)
	ok(t, append([]string{"load", keyspace + "." + byCQL}, args...)...)
	ok(t, append([]string{"load", keyspace + "." + byStream, "--via", "stream"}, args...)...)
	require.Equal(t, rawRows(t, keyspace, byCQL), rawRows(t, keyspace, byStream))
	described, err := session.Table(t.Context(), keyspace, byCQL)
	require.NoError(t, err)
	lines := func(name string) []string {
		return slices.Sorted(
			strings.Lines(ok(t, "scan", keyspace+"."+name, "--columns", timesToo(described)).out),
		)
	}
	require.Equal(t, lines(byCQL), lines(byStream))
}

// A streamed row means the same as through CQL, also when it is loaded twice: nulls that delete,
// collections that are replaced, rows of one key, static columns, rows that expire.
func TestStreamedRowsMeanWhatTheyMeanByCQL(t *testing.T) {
	t.Parallel()
	body := `(k int, "C" text, d timestamp, s text static, v text, l list<int>, m map<text, int>, f frozen<set<int>>,
		PRIMARY KEY (k, "C", d)) WITH CLUSTERING ORDER BY ("C" DESC, d ASC)`
	for _, name := range []string{"mean_cql", "mean_stream"} {
		table(t, "it2."+name, body)
	}
	var first, second strings.Builder
	for _, b := range []*strings.Builder{&first, &second} {
		b.WriteString("k,C,d,s,v,l,m,f\n")
	}
	for i := range 700 {
		fmt.Fprintf(
			&first,
			"%d,c%d,2024-01-0%d,static %d,value %d,\"[%d, 2, 3]\",\"{'a': %d, 'b': 2}\",\"{3, %d, 3}\"\n",
			i%100,
			i%50,
			1+i%7,
			i%100,
			i,
			i,
			i,
			i,
		)
		fmt.Fprintf(
			&second,
			"%d,c%d,2024-01-0%d,,%s,%s,\"{'c': %d}\",NULL\n",
			i%100,
			i%50,
			1+i%7,
			[]string{"NULL", "later", ""}[i%3],
			[]string{"NULL", "[7]", ""}[i%3],
			i%100,
		)
	}
	requireStreamed(t, "it2", "mean_cql", "mean_stream", file(t, "first.csv", first.String()))
	requireStreamed(
		t,
		"it2",
		"mean_cql",
		"mean_stream",
		file(t, "second.csv", second.String()),
		"--timestamp",
		"1700000000000100",
		"--null-string",
		"NULL",
		"--nulls",
		"tombstone",
	)
	requireStreamed(
		t,
		"it2",
		"mean_cql",
		"mean_stream",
		file(t, "first.csv", first.String()),
		"--timestamp",
		"1700000000000200",
		"--ttl",
		"100000",
	)
	require.Positive(
		t,
		strings.Count(ok(t, "scan", "it2.mean_stream", "--columns", `k,C,d,ttl(v)`).out, ",99"),
		"some expire",
	)

	// Of rows of one key the last one stays.
	updates := "k,C,d,v,l\n" + strings.Repeat(
		"1,c1,2024-01-02,first,\"[1]\"\n1,c1,2024-01-02,,\"[2, 3]\"\n1,c1,2024-01-02,last,\n",
		500,
	)
	ok(t, "load", "it2.mean_cql", file(t, "again.csv", updates))
	ok(t, "load", "it2.mean_stream", file(t, "again.csv", updates), "--via", "stream")
	require.Equal(t, rawRows(t, "it2", "mean_cql"), rawRows(t, "it2", "mean_stream"))
	require.Contains(t, strings.Join(rawRows(t, "it2", "mean_stream"), ""), "v=0x6c617374")
}

// All nodes have all rows once the load has ended: there is nothing to repair. What does not fit
// into memory is sorted on the disk.
func TestStreamedRowsAreOnAllReplicas(t *testing.T) {
	t.Parallel()
	rows := testRows(t, either(8_000, 200_000))
	table(t, "it3.streamed_all", "(k int, c int, pad text, PRIMARY KEY (k, c))")
	var in strings.Builder
	in.WriteString("k,c,pad\n")
	for i := range rows {
		fmt.Fprintf(&in, "%d,%d,%s\n", i*7919%rows/3, i, strings.Repeat("x", i%200))
	}
	dir := filepath.Join(t.TempDir(), "run")
	r := ok(
		t,
		"load",
		"it3.streamed_all",
		file(t, "in.csv", in.String()),
		"--via",
		"stream",
		"--memory",
		"64MiB",
		"--run-dir",
		dir,
	)
	require.Contains(t, r.report, "rows are written as SSTables")
	require.Regexp(
		t,
		`(?m)^cqlbulk: [0-9]+ SSTables landed on 3 nodes: [0-9.]+ [KM]iB by median, [0-9.]+ [KM]iB in all; \S+ took longest, `,
		r.report,
	)
	require.Regexp(
		t,
		`(?m)^cqlbulk: compaction on 3 nodes(: nothing under way or waiting|, of all tables: [0-9]+ tasks? under way, [0-9]+ waiting)`,
		r.report,
	)
	require.NoDirExists(t, dir)
	requireCopies(t, "it3", "streamed_all", (rows+2)/3, 3)
	require.Equal(
		t,
		checksum(t, ok(t, "scan", "it3.streamed_all", "-o", filepath.Join(t.TempDir(), "out.csv"))),
		checksum(t, r),
	)
}

// A load that is interrupted, and killed, while it streams sends the rows of its slice again, and
// no others. Each row is there once.
func TestStreamingLoadKilled(t *testing.T) {
	t.Parallel()
	rows := testRows(t, 6000)
	table(t, "it3.stream_killed", paddedBody)
	input := padded(rows, 500)
	dir := filepath.Join(t.TempDir(), "run")
	path := file(t, "in.csv", paddedHeader+strings.Join(input, ""))
	p := spawn(
		t,
		nil,
		"load",
		"it3.stream_killed",
		path,
		"--via",
		"stream",
		"--run-dir",
		dir,
		"--slice",
		"1MiB",
		"--max-bytes-per-sec",
		"100KiB",
		"--hosts",
		testHosts(),
	)
	underWay := func() bool { return len(opened(t, p, "-Data.db")) > 0 && connected(t, p, 7000) }
	p.until(t, "files were under way", underWay)
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	r := p.end(t)
	require.Equal(t, 130, r.code)
	require.Contains(t, r.report, "cqlbulk resume "+dir)
	p = spawn(t, nil, "resume", dir)
	p.until(
		t,
		"files of a later slice were under way",
		func() bool { return recordedRows(dir) > 0 && underWay() && len(leftOf(t, dir, "streams.json")) > 0 },
	)
	told := status(t, dir)
	for host := range strings.SplitSeq(testHosts(), ",") {
		require.Regexp(
			t,
			`(?m)^streamed +[0-9.]+ [KM]?i?B to `+regexp.QuoteMeta(
				host,
			)+`:[0-9]+, [0-9]+ sessions?$`,
			told,
		)
	}
	p.kill(t)
	require.NotContains(t, status(t, dir), "streamed ", "it is no longer under way")
	before := recordedRows(dir)
	require.Less(t, before, int64(rows))
	r = spawn(t, nil, "resume", dir, "--max-bytes-per-sec", "0").end(t)
	require.Zero(t, r.code, r.report)
	require.Contains(t, r.report, grouped(rows)+" read, 0 rejected")
	require.Contains(t, r.report, grouped(int(before))+" rows before")
	require.Equal(t, requireTable(t, "it3.stream_killed", input), checksum(t, r))
}

// opened lists the files of a process by a part of their names.
func opened(t *testing.T, p *child, part string) []string {
	t.Helper()
	folder := fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)
	links, err := os.ReadDir(folder)
	if err != nil {
		return nil // it has ended
	}
	var names []string
	for _, l := range links {
		if name, err := os.Readlink(
			filepath.Join(folder, l.Name()),
		); err == nil &&
			strings.Contains(name, part) {
			names = append(names, name)
		}
	}
	return names
}

// connected says whether a process has a connection to a port.
func connected(t *testing.T, p *child, port int) bool {
	t.Helper()
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", p.cmd.Process.Pid))
	if err != nil {
		return false // it has ended
	}
	sockets := strings.Join(opened(t, p, "socket:["), "\n")
	for line := range strings.Lines(string(table)) {
		// The remote address, the state (01: established), and the inode.
		f := strings.Fields(line)
		if len(f) > 9 && strings.HasSuffix(f[2], fmt.Sprintf(":%04X", port)) && f[3] == "01" &&
			strings.Contains(sockets, "socket:["+f[9]+"]") {
			return true
		}
	}
	return false
}

// leftOf lists what is in a folder whose name has a part.
func leftOf(t *testing.T, dir, part string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		if strings.Contains(e.Name(), part) {
			names = append(names, e.Name())
		}
	}
	return names
}
