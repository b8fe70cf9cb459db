//go:build integration

package integration

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checksum finds the checksum in a run's summary.
func checksum(t *testing.T, r result) string {
	t.Helper()
	found := regexp.MustCompile(`checksum +([0-9a-f]{32})`).FindStringSubmatch(r.report)
	require.NotNil(t, found, r.report)
	return found[1]
}

// TestLoadChecksum loads rows with collections and nulls: the checksum of what was
// acknowledged is that of a scan.
func TestLoadChecksum(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it1.sums",
		"(k text, c int, tags set<text>, m map<int, text>, s text static, v frozen<list<int>>, PRIMARY KEY (k, c))",
	)
	var input strings.Builder
	input.WriteString("c,v,k,tags,m\n")
	for i := range 3000 {
		fmt.Fprintf(
			&input,
			"%d,\"[%d, 1]\",p%d,\"{'z', 'a%d'}\",\"{2: 'b', 1: ''}\"\n",
			i,
			i,
			i%37,
			i,
		)
		fmt.Fprintf(&input, "%d,,q%d,,\n", i, i)
	}
	path := file(t, "in.csv", input.String())
	dry := ok(t, "load", "it1.sums", path, "--dry-run")
	require.Contains(t, dry.report, "would load")
	require.Contains(t, dry.report, "6,000 read, 0 would be rejected")
	require.Contains(t, dry.report, "nothing was written")
	require.Equal(t, "0\n", ok(t, "count", "it1.sums").out)

	loaded := ok(t, "load", "it1.sums", path)
	require.Equal(
		t,
		checksum(t, loaded),
		checksum(t, ok(t, "scan", "it1.sums", "--columns", "tags,m,v,c,k")),
	)
}

// TestChecksumOfEmptyValues loads collections and user types with nothing in them, or
// with some fields alone: the checksum is that of a scan, frozen or not.
func TestChecksumOfEmptyValues(t *testing.T) {
	t.Parallel()
	exec(t, "CREATE TYPE IF NOT EXISTS it1.sumpair (a int, b int)")
	table(
		t,
		"it1.emptysums",
		"(k int PRIMARY KEY, l list<int>, s set<int>, m map<int, int>, u sumpair, "+
			"fl frozen<list<int>>, fs frozen<set<int>>, fm frozen<map<int, int>>, fu frozen<sumpair>)",
	)
	for i, values := range []string{
		"[],{},{},,[],{},{},",
		",,,{},,,,{}",
		`,,,"{a: null, b: null}",,,,"{a: null, b: null}"`,
		",,,{a: 1},,,,{a: 1}",
		",,,{b: 1},,,,{b: 1}",
		`[1],{1},{1: 1},"{a: 1, b: 2}",[1],{1},{1: 1},"{a: 1, b: 2}"`,
	} {
		exec(t, "TRUNCATE it1.emptysums")
		loaded := ok(
			t,
			"load",
			"it1.emptysums",
			file(t, "in.csv", "k,l,s,m,u,fl,fs,fm,fu\n"+fmt.Sprint(i)+","+values+"\n"),
		)
		require.Equal(t, checksum(t, ok(t, "scan", "it1.emptysums")), checksum(t, loaded), values)
	}
}

// TestLoadMeaning loads rows over others, with nulls that delete and with a time
// to live.
func TestLoadMeaning(t *testing.T) {
	t.Parallel()
	table(t, "it1.meaning", "(k int PRIMARY KEY, a text, b text)")
	ok(t, "load", "it1.meaning", file(t, "one.csv", "k,a,b\n1,x,y\n2,x,y\n"))
	ok(t, "load", "it1.meaning", file(t, "two.csv", "k,a,b\n1,,z\n"))
	ok(t, "load", "it1.meaning", file(t, "three.csv", "k,a,b\n2,,z\n"), "--nulls", "tombstone")
	ok(t, "load", "it1.meaning", file(t, "four.csv", "k,a,b\n3,x,y\n"), "--ttl", "86400")
	out := ok(t, "scan", "it1.meaning", "--columns", "k,a,b,ttl(b)").out
	require.Contains(t, out, "\n1,x,z,\n", "unset leaves what was there")
	require.Contains(t, out, "\n2,,z,\n", "a tombstone deletes it")
	require.Regexp(t, `\n3,x,y,86[0-9]{3}\n`, out)
	wrong(
		t,
		1,
		`--nulls "delete": must be unset or tombstone`,
		"load",
		"it1.meaning",
		"x.csv",
		"--nulls",
		"delete",
	)
	wrong(t, 1, "--ttl -1", "load", "it1.meaning", "x.csv", "--ttl", "-1")
}

// TestCausesAreGrouped rejects rows for two reasons and sees both in the summary.
func TestCausesAreGrouped(t *testing.T) {
	t.Parallel()
	table(t, "it1.causes", "(k int PRIMARY KEY, n int)")
	input := "k,n\n1,1\n"
	for i := range 50 {
		input += fmt.Sprintf("%d,x%d\n", i+2, i)
	}
	r := cqlbulk(
		t,
		"load",
		"it1.causes",
		file(t, "in.csv", input+"99\n"),
		"--run-dir",
		t.TempDir()+"/run",
	)
	require.Equal(t, 2, r.code)
	require.Contains(
		t,
		r.report,
		`:3:3: column "n", value "x0": invalid int: not an integer (and 49 more rows like it)`,
	)
	require.Contains(t, r.report, ":53:1: row has 1 field instead of 2\n")

	stopped := cqlbulk(
		t,
		"load",
		"it1.causes",
		file(t, "in.csv", input),
		"--run-dir",
		t.TempDir()+"/run",
		"--maxparseerrors",
		"10",
	)
	require.Equal(t, 3, stopped.code)
	require.Contains(t, stopped.report, "stopped: more than 10 parse errors")
}

// TestJSONRoundTrip takes a table of many types out as JSON lines, compressed, and
// in again, and compares the raw bytes of every cell.
func TestJSONRoundTrip(t *testing.T) {
	t.Parallel()
	body := `(k text, c decimal, s text static, i inet, ts timestamp, d double, b blob, u frozen<map<text, frozen<list<int>>>>,
		t tuple<int, text>, v vector<float, 2>, st set<uuid>, "Mixed" bigint, du duration, PRIMARY KEY (k, c))`
	table(t, "it1.json", body)
	table(t, "it1.json_copy", body)
	exec(
		t,
		`INSERT INTO it1.json (k, c, s, i, ts, d, b, u, t, v, st, "Mixed", du) VALUES ('it''s "k"', 1.10, 'stat
ic', '::1', '1969-12-31T23:59:59.999Z', -0.0, 0x00ff, {'a': [1, 2], '': []}, (1, null), [1.5, -2], {550e8400-e29b-41d4-a716-446655440000}, 9223372036854775807, 1mo2d3ns)`,
		`INSERT INTO it1.json (k, c, d, t) VALUES ('\u00e9 \\ /', 1E+40, NaN, (null, 'x'))`,
		`INSERT INTO it1.json (k, s) VALUES ('only static', '')`,
	)
	out := t.TempDir() + "/rows.jsonl.zst"
	scanned := ok(t, "scan", "it1.json", "-o", out)
	loaded := ok(t, "load", "it1.json_copy", out)
	want := rawRows(t, "it1", "json")
	require.Len(t, want, 3)
	require.Equal(t, want, rawRows(t, "it1", "json_copy"))
	require.Equal(t, checksum(t, scanned), checksum(t, loaded))

	dir := t.TempDir() + "/run"
	bad := "{\"k\":\"a\",\"c\":1,\"mixed\":7}\n{\"k\":\"b\",\"c\":\"x\"}\nnot json\n{\"k\":\"c\",\"c\":2,\"nope\":1}\n{\"c\":3}\n"
	r := cqlbulk(t, "load", "it1.json_copy", file(t, "bad.json", bad), "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "5 read, 4 rejected")
	_, rejected, _ := strings.Cut(bad, "\n")
	require.Equal(t, rejected, read(t, dir+"/rejects.json"))
	require.Contains(t, r.report, `:2:14: column "c", value "\"x\"": `)
	require.Contains(t, r.report, `no column "nope"`)
}

// TestLoadCompressedFolder loads a scan's own folder of compressed parts.
func TestLoadCompressedFolder(t *testing.T) {
	lengthy(t)
	t.Parallel()
	body := "(k int PRIMARY KEY, v text)"
	table(t, "it1.parts", body)
	table(t, "it1.parts_copy", body)
	var input strings.Builder
	input.WriteString("k,v\n")
	for i := range 5000 {
		fmt.Fprintf(&input, "%d,\"value\n%d\"\n", i, i)
	}
	ok(t, "load", "it1.parts", file(t, "in.csv", input.String()))
	for _, compression := range []string{"gzip", "zstd", "lz4", "snappy"} {
		dir := t.TempDir() + "/parts"
		scanned := ok(
			t,
			"scan",
			"it1.parts",
			"-d",
			dir,
			"--compression",
			compression,
			"--maxoutputsize",
			"700",
		)
		exec(t, "TRUNCATE it1.parts_copy")
		loaded := ok(t, "load", "it1.parts_copy", dir)
		require.Contains(t, loaded.report, "5,000 read, 0 rejected", compression)
		require.Equal(t, checksum(t, scanned), checksum(t, loaded))
	}
}
