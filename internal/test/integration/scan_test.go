//go:build integration

package integration

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/cli"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
)

// skewed returns rows for a table: a fifth of them are in one partition, and the others in three
// tenths as many partitions as there are rows.
func skewed(rows int) string {
	var b strings.Builder
	b.WriteString("p,n,note\n")
	for i := range rows {
		partition := "huge"
		if i%5 != 0 {
			partition = fmt.Sprintf("p%d", i%(rows*3/10))
		}
		fmt.Fprintf(&b, "%s,%d,\"note, %d\"\n", partition, i, i)
	}
	return b.String()
}

// seen collects the numbers of rows and refuses one that comes twice.
type seen struct {
	t    *testing.T
	rows []bool
	n    int
}

func (s *seen) add(number string) {
	i, err := strconv.Atoi(number)
	require.NoError(s.t, err)
	require.False(s.t, s.rows[i], "row %d comes twice", i)
	s.rows[i] = true
	s.n++
}

func (s *seen) csv(r io.Reader) { s.delimited(r, ',') }

func (s *seen) delimited(r io.Reader, delimiter rune) {
	c := csv.NewReader(r)
	c.Comma = delimiter
	header, err := c.Read()
	require.NoError(s.t, err)
	require.Equal(s.t, []string{"p", "n", "note"}, header)
	for {
		rec, err := c.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(s.t, err)
		require.Equal(s.t, "note, "+rec[1], rec[2])
		s.add(rec[1])
	}
}

func (s *seen) json(r io.Reader) {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var row struct {
			P, Note string
			N       json.Number
		}
		require.NoError(s.t, json.Unmarshal(lines.Bytes(), &row), lines.Text())
		require.Equal(s.t, "note, "+row.N.String(), row.Note)
		s.add(row.N.String())
	}
	require.NoError(s.t, lines.Err())
}

// TestScanOutputs scans one table in every form of output: each has every row
// once, and the counts, sums and manifests agree.
func TestScanOutputs(t *testing.T) {
	t.Parallel()
	rows := testRows(t, either(6_000, 60_000)) // it is meant for 1,000,000
	table(t, "it1.skewed", "(p text, n int, note text, PRIMARY KEY (p, n))")
	ok(t, "load", "it1.skewed", file(t, "skewed.csv", skewed(rows)))
	require.Equal(t, fmt.Sprintln(rows), ok(t, "count", "it1.skewed").out)
	fresh := func() *seen { return &seen{t: t, rows: make([]bool, rows)} }
	dir := t.TempDir()
	var sums []string
	account := func(path string) manifest.Manifest {
		m, err := manifest.Read(path)
		require.NoError(t, err)
		require.Zero(t, m.Ranges.Failed)
		var inFiles int64
		for _, f := range m.Files {
			inFiles += f.Rows
		}
		require.Equal(t, m.Rows, inFiles)
		return m
	}
	whole := func(path string, s *seen) {
		m := account(path)
		require.Equal(t, rows, s.n)
		require.EqualValues(t, rows, m.Rows)
		sums = append(sums, m.Checksum.Value)
	}

	s := fresh()
	s.csv(strings.NewReader(ok(t, "scan", "it1.skewed").out))
	require.Equal(t, rows, s.n, "the standard output")

	one := filepath.Join(dir, "one.csv.gz")
	ok(t, "scan", "it1.skewed", "-o", one, "--pagesize", "500")
	s = fresh()
	require.NoError(t, os.WriteFile(one+".manifest.json", []byte("of another scan"), 0o600))
	ok(t, "scan", "it1.skewed", "-o", one, "--force", "--no-manifest")
	require.NoFileExists(t, one+".manifest.json")
	ok(t, "scan", "it1.skewed", "-o", one, "--force")
	unpacked, err := gzip.NewReader(strings.NewReader(read(t, one)))
	require.NoError(t, err)
	s.csv(unpacked)
	whole(one+".manifest.json", s)

	lines := filepath.Join(dir, "one.jsonl")
	ok(t, "scan", "it1.skewed", "-o", lines, "--parallel", "64", "--splits", either("500", "5000"))
	s = fresh()
	s.json(strings.NewReader(read(t, lines)))
	whole(lines+".manifest.json", s)

	parts := filepath.Join(dir, "parts")
	ok(
		t,
		"scan",
		"it1.skewed",
		"-d",
		parts,
		"--compression",
		"zstd",
		"--maxoutputsize",
		strconv.Itoa(rows/30),
		"--memory",
		"64MiB",
	)
	s = fresh()
	files, err := filepath.Glob(parts + "/*.csv.zst")
	require.NoError(t, err)
	require.Greater(t, len(files), 29)
	for _, f := range files {
		d, err := zstd.NewReader(strings.NewReader(read(t, f)))
		require.NoError(t, err)
		before := s.n
		s.csv(d)
		require.LessOrEqual(t, s.n-before, rows/30)
		d.Close()
	}
	whole(parts+"/manifest.json", s)
	for _, sum := range sums {
		require.Equal(t, sums[0], sum, "the checksum of the same rows")
	}

	s = fresh()
	var hashes []string
	for k := 1; k <= 3; k++ {
		shard := filepath.Join(dir, fmt.Sprintf("shard%d", k))
		ok(
			t,
			"scan",
			"it1.skewed",
			"-d",
			shard,
			"--shard",
			fmt.Sprintf("%d/3", k),
			"--format",
			"tsv",
		)
		hashes = append(hashes, account(shard+"/manifest.json").PlanHash)
		files, err := filepath.Glob(shard + "/*.tsv")
		require.NoError(t, err)
		for _, f := range files {
			s.delimited(strings.NewReader(read(t, f)), '\t')
		}
	}
	require.Equal(t, rows, s.n, "the shards together")
	require.Equal(t, hashes[0], hashes[1])
	require.Equal(t, hashes[0], hashes[2])
	var out, report bytes.Buffer
	code := cli.Run(
		t.Context(),
		[]string{"verify", dir + "/shard1", dir + "/shard2", dir + "/shard3", one},
		nil,
		&out,
		&report,
	)
	require.Zero(t, code, report.String())
	require.Contains(t, out.String(), "the same rows\n")

	halves := 0
	for _, part := range [][]string{{"--endtoken", "0"}, {"--begintoken", "0"}} {
		n, err := strconv.Atoi(
			strings.TrimSpace(ok(t, append([]string{"count", "it1.skewed"}, part...)...).out),
		)
		require.NoError(t, err)
		halves += n
	}
	require.Equal(t, rows, halves)
	largest := ok(t, "count", "it1.skewed", "--by", "partition", "--top", "2").out
	require.True(t, strings.HasPrefix(largest, fmt.Sprintf("huge\t%d\n", (rows+4)/5)), largest)
	require.Equal(
		t,
		10,
		strings.Count(ok(t, "scan", "it1.skewed", "--limit", "10", "--header=false").out, "\n"),
	)
}

// TestScanChoice selects columns, times and rows.
func TestScanChoice(t *testing.T) {
	t.Parallel()
	table(t, "it1.choice", "(k int, c int, s text static, v text, PRIMARY KEY (k, c))")
	exec(t, "INSERT INTO it1.choice (k, c, s, v) VALUES (1, 1, 's', 'a') USING TIMESTAMP 1000000",
		"INSERT INTO it1.choice (k, c, v) VALUES (1, 2, 'b') USING TTL 86400",
		"INSERT INTO it1.choice (k, s) VALUES (2, 'only')")
	require.Equal(
		t,
		"writetime(v),v,k\n1000000,a,1\n",
		ok(
			t,
			"scan",
			"it1.choice",
			"--columns",
			"writetime(v),v,k",
			"--where",
			"c = 1",
			"--allow-filtering",
		).out,
	)
	ttl := ok(t, "scan", "it1.choice", "--columns", "c,TTL(v)", "--format", "json").out
	require.Contains(t, ttl, `{"c":1,"ttl(v)":null}`)
	require.Contains(t, ttl, `{"c":2,"ttl(v)":86`)
	require.Contains(t, ttl, `{"c":null,"ttl(v)":null}`, "a partition of static columns alone")
	wrong(
		t,
		1,
		`ttl(k): column "k" is part of the primary key`,
		"scan",
		"it1.choice",
		"--columns",
		"ttl(k)",
	)
	wrong(t, 1, "must be from 1 to the second", "scan", "it1.choice", "--shard", "4/3")
	wrong(
		t,
		1,
		"is not before end token",
		"scan",
		"it1.choice",
		"--begintoken",
		"5",
		"--endtoken",
		"5",
	)
	for _, command := range []string{"scan", "count"} {
		wrong(t, 1, "ALLOW FILTERING", command, "it1.choice", "--where", "v = 'a'")
		wrong(t, 1, "Undefined column name nope", command, "it1.choice", "--where", "nope = 3")
		wrong(t, 1, "cqlbulk: --where: line ", command, "it1.choice", "--where", "c = ")
		wrong(
			t,
			1,
			"Invalid STRING constant",
			command,
			"it1.choice",
			"--where",
			"c = 'one'",
			"--allow-filtering",
		)
	}
}

// full is a standard output on a full disk.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(p), nil
}

func TestScanOutputFails(t *testing.T) {
	t.Parallel()
	table(t, "it1.fails", "(k int PRIMARY KEY, v text)")
	var input strings.Builder
	input.WriteString("k,v\n")
	for i := range 5000 {
		fmt.Fprintf(&input, "%d,%s\n", i, strings.Repeat("x", 100))
	}
	ok(t, "load", "it1.fails", file(t, "in.csv", input.String()))
	var report bytes.Buffer
	code := cli.Run(
		t.Context(),
		[]string{"scan", "it1.fails", "--hosts", testHosts()},
		nil,
		&full{200_000},
		&report,
	)
	require.Equal(t, 4, code)
	require.Contains(t, report.String(), "no space left on device")

	readOnly := filepath.Join(t.TempDir(), "not", "there.csv")
	wrong(t, 1, "does not exist", "scan", "it1.fails", "-o", readOnly)
}

// TestTableChangesInMidScan drops a column, then the table, under a slow scan.
func TestTableChangesInMidScan(t *testing.T) {
	t.Parallel()
	table(t, "it1.changes", "(k int PRIMARY KEY, v text, w text)")
	var input strings.Builder
	input.WriteString("k,v,w\n")
	for i := range 10_000 {
		fmt.Fprintf(&input, "%d,v%d,w\n", i, i)
	}
	ok(t, "load", "it1.changes", file(t, "in.csv", input.String()))
	for _, change := range []string{"ALTER TABLE it1.changes DROP w", "DROP TABLE it1.changes"} {
		out, dir := filepath.Join(t.TempDir(), "out.csv"), filepath.Join(t.TempDir(), "run")
		done := make(chan result, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		go func() {
			var report bytes.Buffer
			code := cli.Run(ctx, []string{
				"scan",
				"it1.changes",
				"-o",
				out,
				"--run-dir",
				dir,
				"--rate",
				"200",
				"--pagesize",
				"50",
				"--hosts",
				testHosts(),
				"--maxattempts",
				"3",
			}, nil, io.Discard, &report)
			done <- result{code: code, report: report.String()}
		}()
		require.Eventually(
			t,
			func() bool { return scanned(dir) > 0 || len(done) > 0 },
			time.Minute,
			50*time.Millisecond,
		)
		exec(t, change)
		r := <-done
		cancel()
		require.Equal(t, 4, r.code, "%s: %s", change, r.report)
		require.NoFileExists(t, out)
		require.Contains(t, r.report, "not whole")
	}
}

// TestEmptyShards shares what one split holds among three hosts.
func TestEmptyShards(t *testing.T) {
	t.Parallel()
	table(t, "it1.narrow", "(k int PRIMARY KEY)")
	ok(t, "load", "it1.narrow", file(t, "in.csv", "k\n1\n2\n3\n"))
	dir := t.TempDir()
	args := []string{"verify"}
	for k := 1; k <= 3; k++ {
		shard := fmt.Sprintf("%s/%d", dir, k)
		ok(
			t,
			"scan",
			"it1.narrow",
			"-d",
			shard,
			"--shard",
			fmt.Sprintf("%d/3", k),
			"--begintoken",
			"-4069959284402364210",
			"--endtoken",
			"-4069959284402364209",
		)
		args = append(args, shard)
	}
	var out, report bytes.Buffer
	require.Zero(t, cli.Run(t.Context(), args, nil, &out, &report), report.String())
	require.Contains(t, out.String(), "rows 1\n")
}
