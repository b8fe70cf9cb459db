//go:build integration

package integration

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mostMemory is the most memory that the program may have at any time, in bytes, with the default
// settings: 256 MiB.
const mostMemory = 256 << 20

// TestInputCutOff loads a compressed file that is cut off: what is whole in it is
// loaded, and the run says that there was more.
func TestInputCutOff(t *testing.T) {
	t.Parallel()
	table(t, "it2.cut", "(k int PRIMARY KEY, v text)")
	const rows = 20_000
	path := written(t, "in.csv.gz", func(f *os.File) error {
		z := gzip.NewWriter(f)
		fmt.Fprintln(z, "k,v")
		for i := range rows {
			fmt.Fprintf(z, "%d,%x\n", i, i*i*i)
		}
		return z.Close()
	})
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(path, info.Size()/2))
	r, _ := measured(t, "load", "it2.cut", path)
	require.Equal(t, 4, r.code, r.report)
	require.Contains(t, r.report, path+": gzip data cut off after ")
	acknowledged := number(t, r, "loaded +([0-9,]+) rows?")
	require.GreaterOrEqual(t, counted(t, "it2.cut"), acknowledged)
	require.Less(t, acknowledged, rows)
}

// TestInputChanges appends to a file while it is loaded, and cuts off another.
func TestInputChanges(t *testing.T) {
	lengthy(t)
	t.Parallel()
	const rows = 10_000 // 30 MB, which takes ten seconds; at most a third is under way at once
	serial := 0
	for name, change := range map[string]func(f *os.File, size int64) error{
		"grows": func(f *os.File, size int64) error {
			_, err := f.WriteAt([]byte("1000000,more\n"), size)
			return err
		},
		"is cut off":           func(f *os.File, size int64) error { return f.Truncate(size - size/10) },
		"is written over":      func(f *os.File, size int64) error { _, err := f.WriteAt([]byte("9"), size-10); return err },
		"is shorter than ever": func(f *os.File, _ int64) error { return f.Truncate(4) },
	} {
		serial++
		into := fmt.Sprintf("it1.changing%d", serial)
		table(t, into, "(k int PRIMARY KEY, v text)")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := written(t, "in.csv", func(f *os.File) error {
				w := bufio.NewWriter(f)
				fmt.Fprintln(w, "k,v")
				for i := range rows {
					fmt.Fprintf(w, "%d,%s\n", i, strings.Repeat("x", 3000))
				}
				return w.Flush()
			})
			dir := filepath.Join(t.TempDir(), "run")
			load := start(
				t,
				nil,
				"load",
				into,
				path,
				"--ingestrate",
				"1000",
				"--memory",
				"64MiB",
				"--run-dir",
				dir,
			)
			// Of a file that is begun the end is not read yet.
			require.Eventually(
				t,
				func() bool { return noted(dir, " begin ") },
				time.Minute,
				10*time.Millisecond,
			)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			require.NoError(t, err)
			info, err := f.Stat()
			require.NoError(t, err)
			require.NoError(t, change(f, info.Size()))
			require.NoError(t, f.Close())
			r := load.end(t)
			require.Equal(t, 4, r.code, r.report)
			require.Contains(t, r.report, path+": changed while it was read")
			acknowledged := number(t, r, "loaded +([0-9,]+) rows?")
			require.Less(t, acknowledged, rows)
			require.GreaterOrEqual(t, counted(t, into), acknowledged)
		})
	}
}

// TestQuoteNeverClosed loads a file of 200 MB whose first row opens a quote that is never closed.
// That line is rejected, and the rest are rows again.
func TestQuoteNeverClosed(t *testing.T) {
	lengthy(t)
	table(t, "it1.open", "(k int PRIMARY KEY, v text)")
	rows := 0
	path := written(t, "open.csv", func(f *os.File) error {
		w := bufio.NewWriterSize(f, 1<<20)
		line := strings.Repeat("word ", 2000)
		fmt.Fprint(w, "k,v\n0,\"open\n")
		for size := 0; size < 200<<20; rows++ {
			n, _ := fmt.Fprintf(w, "%d,%s\n", rows, line)
			size += n
		}
		return w.Flush()
	})
	dir := filepath.Join(t.TempDir(), "run")
	r, peak := measured(t, "load", "it1.open", path, "--run-dir", dir)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, fmt.Sprintf("%s read, 1 rejected", grouped(rows+1)))
	bad := rejections(t, dir)
	require.Len(t, bad, 1)
	require.Equal(t, rejection{
		File: path, Line: 2, Column: 3, Offset: 4, Reason: bad[0].Reason, Stage: "parse",
	}, bad[0])
	require.Contains(t, bad[0].Reason, "quote")
	require.Equal(t, "k,v\n0,\"open\n", read(t, dir+"/rejects-broken.csv"))
	require.Equal(t, rows, counted(t, "it1.open"))
	require.Less(t, peak, int64(mostMemory))
}

// TestRowsTooLarge loads rows that are larger than there is memory for, and than
// the cluster takes, among others.
func TestRowsTooLarge(t *testing.T) {
	lengthy(t)
	table(t, "it1.large", "(k int PRIMARY KEY, v text)")
	mb := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		megabytes      int
		quoted         string
		rejects, words string
	}{
		"long field":                  {100, "", "rejects-long-1.csv", "longer than"},
		"long field in quotes":        {100, `"`, "rejects-long-1.csv", "longer than"},
		"row above max_mutation_size": {17, `"`, "rejects.csv", "max_mutation_size"},
	} {
		t.Run(name, func(t *testing.T) {
			exec(t, "TRUNCATE it1.large")
			path := written(t, "large.csv", func(f *os.File) error {
				w := bufio.NewWriterSize(f, 1<<20)
				fmt.Fprint(w, "k,v\n0,first\n1,"+c.quoted)
				for range c.megabytes {
					fmt.Fprint(w, mb)
				}
				fmt.Fprint(w, c.quoted+"\n")
				for k := 2; k < 1000; k++ {
					fmt.Fprintf(w, "%d,%s\n", k, mb[:1000])
				}
				return w.Flush()
			})
			dir := filepath.Join(t.TempDir(), "run")
			r, peak := measured(t, "load", "it1.large", path, "--run-dir", dir)
			require.Equal(t, 2, r.code, r.report)
			require.Contains(t, r.report, "1,000 read, 1 rejected")
			require.Equal(t, 999, counted(t, "it1.large"))
			bad := rejections(t, dir)
			require.Len(t, bad, 1)
			require.EqualValues(t, 3, bad[0].Line)
			require.EqualValues(t, len("k,v\n0,first\n"), bad[0].Offset)
			require.Contains(t, bad[0].Reason, c.words)
			info, err := os.Stat(filepath.Join(dir, c.rejects))
			require.NoError(t, err)
			require.EqualValues(
				t,
				len("k,v\n1,\n")+2*len(c.quoted)+c.megabytes<<20,
				info.Size(),
				"the row is kept whole",
			)
			require.Less(t, peak, int64(mostMemory))
		})
	}
}

// TestBadJSON loads objects, and lines that are none.
func TestBadJSON(t *testing.T) {
	t.Parallel()
	table(t, "it2.badjson", "(k int PRIMARY KEY, v text)")
	bad := []struct{ line, reason string }{
		{`{"k": 2, "v": "open`, ""},
		{`{"k": 3, "v": }`, ""},
		{`{"k": 4} {"k": 5}`, ""},
		{`[1, 2]`, ""},
		{`{"k": 6, "v": "\ud800"}`, ""},
		{`{"k": 7, "k": 8}`, "twice"},
		{`{"k": 1e99}`, ""},
		{`{"v": "no key"}`, "must not be null"},
		{"{\"k\": 9, \"v\": \"\xff\"}", "UTF-8"},
		{`nothing`, ""},
		{strings.Repeat("[", 100_000), ""},
	}
	var input, rejected strings.Builder
	for i, b := range bad {
		fmt.Fprintf(&input, "{\"k\": %d, \"v\": \"good\"}\n%s\n", 100+i, b.line)
		rejected.WriteString(b.line + "\n")
	}
	dir := filepath.Join(t.TempDir(), "run")
	r, peak := measured(
		t,
		"load",
		"it2.badjson",
		file(t, "in.jsonl", input.String()),
		"--run-dir",
		dir,
	)
	require.Equal(t, 2, r.code, r.report)
	require.Contains(t, r.report, fmt.Sprintf("%d read, %d rejected", 2*len(bad), len(bad)))
	require.Equal(t, rejected.String(), read(t, dir+"/rejects.json"))
	told := rejections(t, dir)
	require.Len(t, told, len(bad))
	for i, b := range bad {
		require.EqualValues(t, 2*i+2, told[i].Line)
		require.NotEmpty(t, told[i].Reason)
		require.Contains(t, told[i].Reason, b.reason, b.line)
		t.Logf("%.60s: column %d, %s", b.line, told[i].Column, told[i].Reason)
	}
	require.Equal(t, len(bad), counted(t, "it2.badjson"))
	require.Less(t, peak, int64(mostMemory))
}
