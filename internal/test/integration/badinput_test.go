//go:build integration

package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrong runs the program and wants an exit code and words in what it says.
func wrong(t *testing.T, code int, words string, args ...string) {
	t.Helper()
	r := cqlbulk(t, args...)
	require.Equal(t, code, r.code, "cqlbulk %s\n%s", strings.Join(args, " "), r.report)
	require.Contains(t, r.report, words)
}

func TestBadTargets(t *testing.T) {
	t.Parallel()
	table(t, "it2.target", "(key_column int PRIMARY KEY, value_column text)")
	csv := file(t, "in.csv", "key_column,value_column\n1,a\n")
	wrong(t, 1, `keyspace "itt2" not found; did you mean "it2"?`, "scan", "itt2.target")
	wrong(
		t,
		1,
		`table "tarket" not found in keyspace "it2"; did you mean "target"?`,
		"count",
		"it2.tarket",
	)
	wrong(
		t,
		1,
		`no column "valuecolumn"; did you mean "value_column"?`,
		"scan",
		"it2.target",
		"--columns",
		"key_column,valuecolumn",
	)
	wrong(t, 1, "missing.csv: file does not exist", "load", "it2.target", "missing.csv")
	wrong(t, 1, `no column "val"`, "load", "it2.target", file(t, "h.csv", "key_column,val\n1,a\n"))
	wrong(t, 1, "--header=false", "load", "it2.target", file(t, "n.csv", "1,a\n2,b\n"))
	wrong(
		t,
		1,
		`no field for primary key column "key_column"`,
		"load",
		"it2.target",
		file(t, "k.csv", "value_column\na\n"),
	)
	wrong(
		t,
		1,
		"named twice",
		"load",
		"it2.target",
		file(t, "d.csv", "key_column,KEY_COLUMN\n1,2\n"),
	)
	wrong(
		t,
		1,
		`no node is in data center "dc9"; the cluster has dc1`,
		"scan",
		"it2.target",
		"--dc",
		"dc9",
	)
	out := file(t, "there.csv", "mine")
	wrong(t, 1, "exists already", "scan", "it2.target", "-o", out)
	require.Equal(t, "mine", read(t, out))
	other := file(t, "other.csv.manifest.json", "mine")
	for _, flag := range []string{"--quiet", "--no-manifest"} {
		wrong(
			t,
			1,
			"other.csv.manifest.json exists already",
			"scan",
			"it2.target",
			"-o",
			strings.TrimSuffix(other, ".manifest.json"),
			flag,
		)
		require.Equal(t, "mine", read(t, other))
	}

	ok(t, "load", "it2.target", csv)
	ok(t, "scan", "it2.target", "-o", out, "--force")
	require.Equal(t, "key_column,value_column\n1,a\n", read(t, out))
}

func TestEmptyInputs(t *testing.T) {
	t.Parallel()
	table(t, "it2.headers", "(k int PRIMARY KEY, v text)")
	empty, header := file(t, "empty.csv", ""), file(t, "header.csv", "k,v\n")
	r := ok(
		t,
		"load",
		"it2.headers",
		empty,
		header,
		file(t, "rows.csv", "\ufeffk,v\r\n1,bom and crlf\r\n2,last line without an end"),
	)
	require.Contains(t, r.report, empty+" is empty")
	require.Contains(t, r.report, header+" holds a header and no rows")
	require.Equal(
		t,
		[]string{
			"k=0x00000001 v=0x626f6d20616e642063726c66 ",
			"k=0x00000002 v=0x6c617374206c696e6520776974686f757420616e20656e64 ",
		},
		rawRows(t, "it2", "headers"),
	)
}

// TestRejects loads a file with a bad row of every kind between good ones.
func TestRejects(t *testing.T) {
	t.Parallel()
	table(t, "it2.rejects", "(k int, c text, n tinyint, d date, b blob, PRIMARY KEY (k, c))")
	header := "k,c,n,d,b\r\n"
	bad := []struct{ row, place, reason string }{
		{"2,x,5\n", ":3:1", "row has 3 fields instead of 5"},
		{"3,x,5,2020-02-29,0x00,more\n", ":4:1", "row has 6 fields instead of 5"},
		{"4,\"two\nlines\",128,,\n", ":6:8", "out of range"},
		{"5,x,,2021-02-29,\r\n", ":7:6", "2021-02-29"},
		{"6,x,,,0xzz\n", ":8:7", "0xzz"},
		{",x,,,\n", ":9:1", "must not be null"},
		{"8,,,,\n", ":10:3", "must not be null"},
		{"9,\"x\"y,,,\n", ":11:6", "quote"},
	}
	input, rejected := header+"1,first,1,2020-02-29,0x00\n", header
	for _, b := range bad {
		input += b.row
		rejected += b.row
	}
	input += "10,\"with \"\"quotes\"\"\",,,\n11,last,,,"
	dir := filepath.Join(t.TempDir(), "run")
	path := file(t, "in.csv", input)
	r := cqlbulk(t, "load", "it2.rejects", path, "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "8 rejected")
	require.Equal(t, rejected, read(t, dir+"/rejects.csv"))
	reasons := rejections(t, dir)
	require.Len(t, reasons, len(bad))
	for i, b := range bad {
		require.Equal(t, b.place, fmt.Sprintf(":%d:%d", reasons[i].Line, reasons[i].Column))
		require.Contains(t, reasons[i].Value+": "+reasons[i].Reason, b.reason)
	}
	require.Equal(t, "3\n", ok(t, "count", "it2.rejects").out)

	info, err := os.Stat(dir + "/rejects.csv")
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	reloaded := cqlbulk(t, "load", "it2.rejects", dir+"/rejects.csv", "--run-dir", dir+"-again")
	require.Equal(t, 2, reloaded.code, "the rejects load as they are, and are rejected again")
	require.Equal(t, rejected, read(t, dir+"-again/rejects.csv"))
}

// TestServerRefusals loads rows that only the server can refuse. Only those rows are rejected, and
// the rest of their batches is loaded.
func TestServerRefusals(t *testing.T) {
	t.Parallel()
	table(t, "it1.big", "(k int, c int, v blob, PRIMARY KEY (k, c))")
	var input strings.Builder
	input.WriteString("k,c,v\n")
	for i := range 40 {
		input.WriteString("1," + string(rune('0'+i%10)) + string(rune('0'+i/10)) + ",0x00\n")
	}
	input.WriteString("1,1000,0x" + strings.Repeat("00", 17<<20) + "\n")
	input.WriteString("1,1001,0x" + strings.Repeat("ab", 15<<20) + "\n")
	dir := filepath.Join(t.TempDir(), "run")
	r := cqlbulk(t, "load", "it1.big", file(t, "big.csv", input.String()), "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "max_mutation_size")
	require.Contains(t, r.report, "1 rejected")
	require.Equal(t, "41\n", ok(t, "count", "it1.big").out)
	require.Contains(t, ok(t, "scan", "it1.big").out, "1,1001,0xabab")
	exec(t, "DROP TABLE it1.big")
}

// TestLastRowWins loads each key five times, near and far.
func TestLastRowWins(t *testing.T) {
	t.Parallel()
	table(t, "it1.latest", "(k int PRIMARY KEY, v text)")
	var input strings.Builder
	input.WriteString("k,v\n")
	keys := either(4_000, 20_000)
	for round := range 5 {
		for k := range keys {
			v := "old"
			if round == 4 {
				v = "new"
			}
			input.WriteString(strings.Join([]string{strconv.Itoa(k), v}, ",") + "\n")
			if k%100 == 0 {
				input.WriteString(strconv.Itoa(k) + "," + v + "\n")
			}
		}
	}
	ok(t, "load", "it1.latest", file(t, "in.csv", input.String()))
	out := ok(t, "scan", "it1.latest").out
	require.Equal(t, keys+1, strings.Count(out, "\n"))
	require.NotContains(t, out, "old")
}

func TestAuthentication(t *testing.T) {
	secret := file(t, "password", "cassandra\n")
	scan := func(args ...string) result {
		return cqlbulkOn(
			t,
			authHost(),
			append([]string{"scan", "system_auth.roles", "--columns", "role"}, args...)...)
	}
	require.Contains(t, scan("--user", "cassandra", "--password-file", secret).out, "\ncassandra\n")
	t.Setenv("CQLBULK_PASSWORD", "cassandra")
	require.Contains(t, scan("--user", "cassandra").out, "\ncassandra\n")

	t.Setenv("CQLBULK_PASSWORD", "hunter2")
	r := scan("--user", "cassandra", "--verbose")
	require.Equal(t, 4, r.code)
	require.Contains(t, r.report, `refused user "cassandra": user name or password is wrong`)
	require.NotContains(t, r.report, "hunter2")

	t.Setenv("CQLBULK_PASSWORD", "")
	r = scan()
	require.Equal(t, 4, r.code)
	require.Contains(t, r.report, "asks for a user name and a password")
}

// TestSetThatFits loads a set whose elements take more by the bound than the servers allow, and
// less in truth. It also loads one whose bytes fit no request, which is refused without asking. The
// elements are long, and there is one replica. Hundreds of thousands of short ones are more objects
// than the heap of a small node bears.
func TestSetThatFits(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it1.longset", "(k int PRIMARY KEY, s set<text>)")
	set := func(n int) string {
		text := []byte{'{'}
		for i := range n {
			text = fmt.Appendf(text, "'%01000d',", i)
		}
		return string(text[:len(text)-1]) + "}"
	}
	input := "k,s\n1,\"" + set(16_300) + "\"\n2,{'1'}\n3,\"" + set(17_000) + "\"\n"
	dir := filepath.Join(t.TempDir(), "run")
	r := cqlbulk(
		t,
		"load",
		"it1.longset",
		file(t, "in.csv", input),
		"--run-dir",
		dir,
		"--maxattempts",
		"50",
	)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, " 2 rows into ")
	require.Contains(
		t,
		r.report,
		"row of 17068008 bytes or more does not fit the cluster's native_transport_max_frame_size of 16777216 bytes",
	)
	scanned := ok(t, "scan", "it1.longset", "--columns", "k,s").out
	require.Equal(t, 16_301, strings.Count(scanned, "'")/2, "%d bytes", len(scanned))
	require.True(
		t,
		strings.Contains(scanned, fmt.Sprintf("'%01000d'}", 16_299)),
		"%d bytes",
		len(scanned),
	)
	exec(t, "DROP TABLE it1.longset")
}
