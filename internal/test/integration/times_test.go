//go:build integration

package integration

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPreserveTimes writes the times of all columns, by CQL and by streaming, and loads them in
// both ways. The table has the same times then.
func TestPreserveTimes(t *testing.T) {
	t.Parallel()
	if !atLeast(t, 5) {
		t.Skip("servers report the times of elements since 5.0")
	}
	exec(t, "CREATE TYPE IF NOT EXISTS it1.timed (a int, b text)")
	const (
		name = "it1.preserved"
		body = "(k int, c int, s text static, v text, n int, m map<text, int>, e set<int>, l list<int>, " +
			"f frozen<list<int>>, u timed, PRIMARY KEY (k, c))"
		columns = "k, c, s, v, m, e, l, f, u"
		header  = "k,c,s,writetime(s),ttl(s),e,writetime(e),ttl(e),f,writetime(f),ttl(f),l,m,writetime(m),ttl(m)," +
			"n,writetime(n),ttl(n),u,writetime(u),ttl(u),v,writetime(v),ttl(v)"
	)
	fill := func() {
		table(t, name, body)
		exec(
			t,
			"INSERT INTO "+name+" ("+columns+") VALUES (1, 1, 'x', 'a', {'x': 1, 'y': 2}, {1, 2}, [1, 2], [3], {a: 1}) "+
				"USING TIMESTAMP 1700000000000000",
			"INSERT INTO "+name+" (k, c, v, n) VALUES (1, 2, 'b', 3) USING TIMESTAMP 1600000000000000",
			"UPDATE "+name+" USING TIMESTAMP 1710000000000000 SET n = 7, m['z'] = 3 WHERE k = 1 AND c = 2",
			"UPDATE "+name+" USING TIMESTAMP 1720000000000000 SET m['q'] = 3 WHERE k = 1 AND c = 2",
			"INSERT INTO "+name+" (k, c) VALUES (2, 3)",
		)
	}
	want := []string{
		`1,1,x,1700000000000000,,"{1, 2}",1700000000000000,,[3],1700000000000000,,"[1, 2]","{'x': 1, 'y': 2}",` +
			`1700000000000000,,,,,"{a: 1, b: null}",1700000000000000,,a,1700000000000000,`,
		`1,2,x,1700000000000000,,,,,,,,,"{'q': 3, 'z': 3}",1720000000000000,,7,1710000000000000,,,,,b,1600000000000000,`,
		`2,3,,,,,,,,,,,,,,,,,,,,,,`,
	}
	for _, out := range []string{"cql", "stream"} {
		for _, in := range []string{"cql", "stream"} {
			t.Run(out+" to "+in, func(t *testing.T) {
				fill()
				path := t.TempDir() + "/out.csv"
				r := ok(t, "scan", name, "--preserve-times", "--via", out, "-o", path)
				require.Contains(t, r.report, "--preserve-times: l: ")
				require.Contains(t, r.report, "column m: its elements have different times in 1 rows")
				lines := sortedLines(t, read(t, path))
				require.Equal(t, header, lines[0])
				slices.Sort(lines[1:])
				require.Equal(t, want, lines[1:])

				table(t, name, body)
				ok(t, "load", name, path, "--via", in)
				again := sortedLines(t, ok(t, "scan", name, "--preserve-times", "-q").out)
				slices.Sort(again[1:])
				require.Equal(t, lines, again)
			})
		}
	}
}

// TestWrittenSince reads the rows that were written in time, by CQL and by streaming.
func TestWrittenSince(t *testing.T) {
	t.Parallel()
	const name = "it1.written"
	table(t, name, "(k int, c int, s text static, v text, n int, PRIMARY KEY (k, c))")
	exec(
		t,
		"INSERT INTO "+name+" (k, c, v, n) VALUES (1, 1, 'old', 1) USING TIMESTAMP 1600000000000000",
		"INSERT INTO "+name+" (k, c, v) VALUES (1, 2, 'old') USING TIMESTAMP 1600000000000000",
		"UPDATE "+name+" USING TIMESTAMP 1700000000000000 SET n = 2 WHERE k = 1 AND c = 2",
		"INSERT INTO "+name+" (k, c) VALUES (2, 1) USING TIMESTAMP 1500000000000000", // it has no value
		"INSERT INTO "+name+" (k, c, v) VALUES (3, 1, 'old') USING TIMESTAMP 1600000000000000",
		"INSERT INTO "+name+" (k, s) VALUES (3, 'new') USING TIMESTAMP 1700000000000000",
		"INSERT INTO "+name+" (k, c, v) VALUES (4, 1, 'future') USING TIMESTAMP 1900000000000000",
	)
	for _, via := range []string{"cql", "stream"} {
		for _, c := range []struct {
			flags []string
			want  string
		}{
			{[]string{"--written-since", "1700000000000000"}, "1,2 2,1 3,1 4,1"},
			{[]string{"--written-since", "2023-11-14T22:13:20.000001Z"}, "2,1 4,1"},
			{[]string{"--written-until", "1600000000000001"}, "1,1 1,2 2,1 3,1"},
			{[]string{"--written-since", "1600000000000001", "--written-until", "1800000000000000"}, "1,2 2,1 3,1"},
		} {
			args := []string{"scan", name, "--columns", "k,c", "--header=false", "-q", "--via", via}
			lines := sortedLines(t, ok(t, append(args, c.flags...)...).out)
			slices.Sort(lines)
			require.Equal(t, c.want, strings.Join(lines, " "), "%s %v", via, c.flags)
		}
	}
	for _, c := range []struct{ since, until, want string }{
		{"1700000000", "", "--written-since 1700000000: "},
		{"yesterday", "", `--written-since "yesterday": must be microseconds since 1970`},
		{"1700000000000000", "1600000000000000", "no write time is between them"},
	} {
		r := cqlbulk(t, "scan", name, "--written-since", c.since, "--written-until", c.until)
		require.NotZero(t, r.code)
		require.Contains(t, r.report, c.want)
	}
	table(t, "it1.unwritten", "(k int PRIMARY KEY, n counter)")
	r := cqlbulk(t, "scan", "it1.unwritten", "--written-since", "1700000000000000")
	require.NotZero(t, r.code)
	require.Contains(t, r.report, "has counters, which have no write time")
}
