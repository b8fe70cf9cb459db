//go:build integration

package integration

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sortedLines are the lines of a text in order, the first, which is its header, first.
func sortedLines(t *testing.T, text string) []string {
	t.Helper()
	return lines(t, file(t, "text", text))
}

// number finds a number in a run's summary by a pattern with one group.
func number(t *testing.T, r result, pattern string) int {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(r.report)
	require.NotNil(t, found, "%s in %s", pattern, r.report)
	n, err := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
	require.NoError(t, err)
	return n
}

// TestIfNotExists loads keys twice: the second time writes nothing and counts them.
func TestIfNotExists(t *testing.T) {
	t.Parallel()
	table(
		t,
		"it1.once",
		"(k int, c int, v text, t tuple<int, text>, s text static, PRIMARY KEY (k, c))",
	)
	var first, second strings.Builder
	first.WriteString("k,c,v,t\n")
	second.WriteString("k,c,v,t\n")
	for i := range 400 {
		fmt.Fprintf(&first, "%d,%d,first,\"(%d, 'x')\"\n", i/4, i, i)
		fmt.Fprintf(&second, "%d,%d,second,\n", i/4, i)
	}
	r := ok(t, "load", "it1.once", file(t, "first.csv", first.String()), "--if-not-exists",
		"--run-dir", t.TempDir()+"/first")
	require.Contains(t, r.report, "400 read, 0 rejected")
	// A request that was carried out without an answer, and is sent again, finds its own row.
	existing := number(t, r, "([0-9,]+) were there already")
	require.Equal(t, 400, existing+number(t, r, "loaded +([0-9,]+) rows?"))
	if existing > 0 {
		require.LessOrEqual(t, existing, number(t, r, "([0-9,]+) retr"))
	}
	before := rawRows(t, "it1", "once")
	require.Len(t, before, 400)

	second.WriteString("100,1,new,\n100,2,new,\n")
	dir := t.TempDir() + "/second"
	r = ok(t, "load", "it1.once", file(t, "second.csv", second.String()), "--if-not-exists",
		"--run-dir", dir)
	require.Contains(t, r.report, "402 read, 0 rejected")
	existing = number(t, r, "([0-9,]+) were there already")
	require.GreaterOrEqual(t, existing, 400)
	require.Equal(t, 402, existing+number(t, r, "loaded +([0-9,]+) rows?"))
	kept := strings.Count(read(t, dir+"/not-applied.csv"), "\n") - 1
	require.Equal(t, existing, kept, "rows that exist are kept")
	after := ok(t, "scan", "it1.once", "--columns", "k,c,v").out
	require.Equal(t, 400, strings.Count(after, ",first\n"))
	require.Equal(t, 2, strings.Count(after, ",new\n"))
	require.NotContains(t, after, "second")
	require.Subset(t, rawRows(t, "it1", "once"), before, "every cell of what was there stays")
	wrong(
		t,
		1,
		"--timestamp and --if-not-exists",
		"load",
		"it1.once",
		file(t, "in.csv", "k\n1\n"),
		"--if-not-exists",
		"--timestamp",
		"1",
	)
	wrong(
		t,
		1,
		"writetime(v)",
		"load",
		"it1.once",
		file(t, "timed.csv", "k,c,writetime(v),v\n1,1,1,v\n"),
		"--if-not-exists",
	)
}

// TestTimestamp loads at given times: a later one wins whatever comes first, and a
// time in the past does not write over what is there.
func TestTimestamp(t *testing.T) {
	t.Parallel()
	table(t, "it1.stamped", "(k int PRIMARY KEY, v text, w text)")
	load := func(text, stamp string) {
		t.Helper()
		ok(t, "load", "it1.stamped", file(t, "in.csv", text), "--timestamp", stamp)
	}
	load("k,v,w\n1,middle,middle\n2,middle,middle\n", "2020-01-01T00:00:00.000001Z")
	load("k,v\n1,old\n3,old\n", "1500000000000000")
	load("k,w\n2,new\n", "2030-01-01T00:00:00Z")
	ok(t, "load", "it1.stamped", file(t, "now.csv", "k,v,w\n2,now,now\n"))
	const at = "1577836800000001"
	require.Equal(t, []string{
		"k,v,writetime(v),w,writetime(w)",
		"1,middle," + at + ",middle," + at,
		"3,old,1500000000000000,,",
	}, sortedLines(t, ok(t, "scan", "it1.stamped", "--columns", "k,v,writetime(v),w,writetime(w)", "--where", "k IN (1, 3)", "--allow-filtering").out))
	out := ok(t, "scan", "it1.stamped", "--columns", "k,v,w,writetime(w)").out
	require.Contains(
		t,
		out,
		"\n2,now,new,1893456000000000\n",
		"what was written for the future stands",
	)
	load("k,v\n1,a\n1,c\n1,b\n", "9000000000000000000")
	require.Contains(
		t,
		ok(t, "scan", "it1.stamped", "--columns", "k,v").out,
		"\n1,c\n",
		"the greater value of one time",
	)
	wrong(
		t,
		1,
		`--timestamp "yesterday"`,
		"load",
		"it1.stamped",
		file(t, "in.csv", "k\n1\n"),
		"--timestamp",
		"yesterday",
	)
}

// TestLatin1 loads a file in ISO 8859-1, with its letters in names, texts, collections
// and rejected rows.
func TestLatin1(t *testing.T) {
	t.Parallel()
	table(t, "it1.latin", `(k text PRIMARY KEY, "Größe é" text, l list<text>, n int)`)
	var all []byte
	for b := 0xa0; b <= 0xff; b++ {
		all = append(all, byte(b))
	}
	input := "k,Gr\xf6\xdfe \xe9,l,n\n" +
		"caf\xe9,\"\xfcber, \"\"\xe4\"\"\",\"['\xe9t\xe9', '\xff']\",1\n" +
		"all," + string(all) + ",,2\n" +
		"bad \xe9,x,,\xe9\n"
	path, dir := file(t, "latin1.csv", input), t.TempDir()+"/run"
	r := cqlbulk(t, "load", "it1.latin", path, "--encoding", "latin1", "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, " 2 rows into ")
	out := ok(t, "scan", "it1.latin", "--columns", `k,"Größe é",l,n`).out
	var decoded strings.Builder
	for _, b := range all {
		decoded.WriteRune(rune(b))
	}
	require.Equal(t, []string{
		"k,Größe é,l,n",
		"all," + decoded.String() + ",,2",
		`café,"über, ""ä""","['été', 'ÿ']",1`,
	}, sortedLines(t, out))

	require.Equal(
		t,
		"k,Gr\xf6\xdfe \xe9,l,n\nbad \xe9,x,,\xe9\n",
		read(t, dir+"/rejects.csv"),
		"in the bytes of the input",
	)
	bad := rejections(t, dir)
	require.Len(t, bad, 1)
	require.Equal(t, "é", bad[0].Value)
	require.Equal(t, 10, bad[0].Column, "in bytes")
	mended := strings.Replace(read(t, dir+"/rejects.csv"), ",\xe9\n", ",3\n", 1)
	ok(t, "load", "it1.latin", file(t, "mended.csv", mended), "--encoding", "ISO-8859-1")
	require.Contains(t, ok(t, "scan", "it1.latin", "--columns", "n,k").out, "3,bad é\n")

	r = cqlbulk(t, "load", "it1.latin", path, "--columns", `k,"Größe é",l,n`, "--run-dir", dir+"2")
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, "3 rejected", "the same in UTF-8")
}

// TestBatchSizes loads with other sizes of batches, which show in the number of requests.
func TestBatchSizes(t *testing.T) {
	lengthy(t)
	t.Parallel()
	table(t, "it1.batched", "(k int, c int, v text, PRIMARY KEY (k, c))")
	var ordered, mixed strings.Builder
	ordered.WriteString("k,c,v\n")
	mixed.WriteString("k,c,v\n")
	const partitions, rows = 50, 40
	for i := range partitions * rows {
		fmt.Fprintf(&ordered, "%d,%d,v\n", i/rows, i%rows)
		fmt.Fprintf(&mixed, "%d,%d,v\n", i%partitions, i/partitions)
	}
	requests := func(input string, flags ...string) int {
		t.Helper()
		exec(t, "TRUNCATE it1.batched")
		r := ok(t, append([]string{"load", "it1.batched", file(t, "in.csv", input)}, flags...)...)
		require.Contains(t, r.report, "2,000 read, 0 rejected")
		require.Equal(t, "2000\n", ok(t, "count", "it1.batched").out)
		return number(t, r, "requests +([0-9,]+) of")
	}
	for name, input := range map[string]string{"partition by partition": ordered.String(), "mixed": mixed.String()} {
		require.Equal(t, 2000, requests(input, "--maxbatchsize", "1"), name)
		require.Equal(
			t,
			200,
			requests(input, "--maxbatchsize", "10"),
			"%s: forty rows of a partition make four batches",
			name,
		)
		require.Equal(
			t,
			50,
			requests(input, "--maxbatchsize", "40"),
			"%s: a batch for each partition",
			name,
		)
		require.LessOrEqual(
			t,
			requests(input),
			50,
			"%s: no fewer rows a request than in a partition",
			name,
		)
	}
	// Single rows: those of a batch that is not full wait for others of their replicas, or do not.
	var single strings.Builder
	single.WriteString("k,c,v\n")
	for i := range 2000 {
		fmt.Fprintf(&single, "%d,0,%s\n", i, strings.Repeat("x", 2000))
	}
	hasty := requests(single.String(), "--minbatchsize", "1")
	patient := requests(single.String(), "--minbatchsize", "10")
	require.LessOrEqual(t, patient, hasty)
	require.GreaterOrEqual(
		t,
		patient,
		1000,
		"two rows of 2 kB stay below the 5 KiB of a batch, three do not",
	)
	wrong(t, 1, "--maxbatchsize 0", "load", "it1.batched", "x.csv", "--maxbatchsize", "0")
	wrong(t, 1, "--minbatchsize 0", "load", "it1.batched", "x.csv", "--minbatchsize", "0")
}
