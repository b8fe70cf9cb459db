//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScanByQuery scans by a SELECT: names and types of the output are those that the servers have
// for it. Each row is there once.
func TestScanByQuery(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it1.byquery",
		"(p int, c int, at timestamp, m map<text, int>, u frozen<tuple<int, text>>, v float, "+
			"PRIMARY KEY (p, c))",
	)
	rows := 1_000
	input := "p,c,at,m,u,v\n"
	var want strings.Builder
	want.WriteString("key,at day,m['k'],u,p,cast(c as text)\n")
	for i := range rows {
		input += fmt.Sprintf("%d,%d,2024-02-%02dT10:00:00Z,{'k': %d},\"(%d, 'x')\",0.5\n",
			i/10, i%10, i%28+1, i, i)
		if i%10 > 3 {
			fmt.Fprintf(&want, "%d,2024-02-%02d,%d,\"(%d, 'x')\",%d,%d\n",
				i/10, i%28+1, i, i, i/10, i%10)
		}
	}
	ok(t, "load", "it1.byquery", file(t, "in.csv", input))
	out := t.TempDir() + "/out.csv"
	ok(t, "scan", "-o", out, "--query", `SELECT p AS key, toDate(at) AS "at day", m['k'], u, p, `+
		"CAST(c AS text) FROM it1.byquery WHERE c > 3 ALLOW FILTERING;")
	require.Equal(t, sortedLines(t, want.String()), sortedLines(t, read(t, out)))
	manifest := read(t, out+".manifest.json")
	require.Contains(t, manifest, `"query": "SELECT p AS key`)
	require.Contains(t, manifest, `"where": "c > 3"`)

	r := ok(t, "scan", "--query", "SELECT DISTINCT p FROM it1.byquery", "--format", "json")
	require.Len(t, sortedLines(t, r.out), rows/10)
	r = ok(t, "scan", "--query", "SELECT c FROM it1.byquery PER PARTITION LIMIT 3 LIMIT 20")
	require.Len(t, sortedLines(t, r.out), 21, "a header, and what LIMIT lets through")
	r = ok(t, "scan", "--query", "SELECT * FROM it1.byquery PER PARTITION LIMIT 1")
	require.Len(t, sortedLines(t, r.out), 1+rows/10)
	r = ok(t, "scan", "--query", "SELECT at AS seen FROM it1.byquery WHERE p = 3 AND c = 0",
		"--datetimeformat", "%d.%m.%Y", "--header=false")
	require.Equal(t, "03.02.2024\n", r.out, "30 % 28 + 1")
	require.Equal(
		t,
		checksum(t, ok(t, "scan", "it1.byquery", "-o", t.TempDir()+"/a.csv")),
		checksum(t, ok(t, "scan", "--query", "SELECT * FROM it1.byquery", "-o", t.TempDir()+"/b.csv")),
	)

	for query, want := range map[string]string{
		"SELECT max(c) FROM it1.byquery":             "MAX is an aggregate",
		"SELECT p, p FROM it1.byquery":               `two of its columns are called "p"`,
		"SELECT x FROM it1.byquery":                  "--query: Undefined column name x",
		"SELECT p FROM byquery":                      "names no keyspace",
		"SELECT p FROM it1.byquery WHERE token(p)>1": "line 1, column 33: a range of tokens",
		"SELECT p FROM it1.byquery WHERE c = ?":      "a scan has no values for it",
	} {
		r := cqlbulk(t, "scan", "--query", query)
		require.Equal(t, 1, r.code, query)
		require.Contains(t, r.report, want, query)
	}
	r = cqlbulk(t, "scan", "--query", "SELECT p FROM it1.byquery", "--where", "c = 1")
	require.Equal(t, 1, r.code)
	require.Contains(t, r.report, "--where and --query: write it in the statement")
}
