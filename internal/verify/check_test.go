package verify

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/filesum"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

func TestAllAsStated(t *testing.T) {
	root := t.TempDir()
	put(t, root, "out", scanned(5, 3, 4))
	require.NoError(
		t,
		os.WriteFile(filepath.Join(root, "out", "README"), nil, 0o600),
		"other files do not matter",
	)
	require.NoError(
		t,
		os.Mkdir(filepath.Join(root, "out", "part-0001-0002.csv"), 0o700),
		"nor do folders",
	)

	r := check(t, root, "out")
	require.Empty(t, r.Findings)
	require.Empty(t, r.Notes)
	require.Equal(t, Alone, r.Verdict)
	require.Empty(t, r.Verdict.String())
	require.Equal(t, 2, r.Files)
	require.Equal(t, int64(24), r.Bytes)
	require.Len(t, r.Sets, 1)
	set := r.Sets[0]
	require.Equal(t, "out/manifest.json", set.Name)
	require.Equal(t, int64(7), set.Rows)
	require.True(t, set.Summed)
	require.Equal(t, rowsum.Sum{Lo: 5}, set.Sum)
	require.Zero(t, set.Shards)
}

// What is wrong with the files.
func TestFiles(t *testing.T) {
	const ends = " that the manifest states"
	first := scanned(0, 1).Files[0].Sum
	for _, tc := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		want   []string // with the hash
		sizes  []string // without
	}{
		{
			"missing",
			func(t *testing.T, folder string) { require.NoError(t, os.Remove(folder+"/part-0002-0001.csv")) },
			[]string{"out/part-0002-0001.csv: file is missing"},
			[]string{"out/part-0002-0001.csv: file is missing"},
		},
		{
			"cut off",
			func(t *testing.T, folder string) { require.NoError(t, os.Truncate(folder+"/part-0001-0001.csv", 11)) },
			[]string{"out/part-0001-0001.csv: file has 11 bytes, not the 12" + ends},
			[]string{"out/part-0001-0001.csv: file has 11 bytes, not the 12" + ends},
		},
		{
			"other bytes",
			func(t *testing.T, folder string) {
				require.NoError(t, os.WriteFile(folder+"/part-0001-0001.csv", []byte("id,note\n9,x\n"), 0o600))
			},
			[]string{"out/part-0001-0001.csv: file has SHA-256 *, not the " + first.String() + ends},
			nil,
		},
		{
			"two swapped",
			func(t *testing.T, folder string) {
				require.NoError(t, os.Rename(folder+"/part-0001-0001.csv", folder+"/x"))
				require.NoError(t, os.Rename(folder+"/part-0002-0001.csv", folder+"/part-0001-0001.csv"))
				require.NoError(t, os.Rename(folder+"/x", folder+"/part-0002-0001.csv"))
			},
			[]string{
				"out/part-0001-0001.csv: file has SHA-256 *, not the " + first.String() + ends,
				"out/part-0002-0001.csv: file has " + first.String() + ", not the SHA-256 *" + ends,
			},
			nil,
		},
		{
			"a folder in its place",
			func(t *testing.T, folder string) {
				require.NoError(t, os.Remove(folder+"/part-0001-0001.csv"))
				require.NoError(t, os.Mkdir(folder+"/part-0001-0001.csv", 0o700))
			},
			[]string{"out/part-0001-0001.csv: it is no plain file"},
			[]string{"out/part-0001-0001.csv: it is no plain file"},
		},
		{
			"a pipe in its place",
			func(t *testing.T, folder string) {
				require.NoError(t, os.Remove(folder+"/part-0001-0001.csv"))
				require.NoError(t, syscall.Mkfifo(folder+"/part-0001-0001.csv", 0o600))
			},
			[]string{"out/part-0001-0001.csv: it is no plain file"},
			[]string{"out/part-0001-0001.csv: it is no plain file"},
		},
		{
			"parts of others, whole or not",
			func(t *testing.T, folder string) {
				for _, name := range []string{"part-0003-0001.csv", "part-0001-0001.csv.part", "part-0001-0001.json.gz", "other-0001-0001.csv", "part-1.csv"} {
					require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
				}
			},
			[]string{
				"out/part-0001-0001.csv.part: looks like a part of the output, but is not in the manifest",
				"out/part-0001-0001.json.gz: looks like a part of the output, but is not in the manifest",
				"out/part-0003-0001.csv: looks like a part of the output, but is not in the manifest",
			},
			[]string{
				"out/part-0001-0001.csv.part: looks like a part of the output, but is not in the manifest",
				"out/part-0001-0001.json.gz: looks like a part of the output, but is not in the manifest",
				"out/part-0003-0001.csv: looks like a part of the output, but is not in the manifest",
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			tc.damage(t, put(t, root, "out", scanned(5, 3, 4)))
			requireLike(t, tc.want, check(t, root, "out").Findings)
			r, err := Check(t.Context(), Options{Paths: []string{"out"}, NoHash: true})
			require.NoError(t, err)
			requireLike(t, tc.sizes, r.Findings)
			require.Zero(t, r.Bytes)
		})
	}
}

// requireLike compares texts in which a SHA-256 may be a star.
func requireLike(t *testing.T, want, got []string) {
	t.Helper()
	require.Len(t, got, len(want), "%q", got)
	for i := range want {
		before, after, star := strings.Cut(want[i], "*")
		if !star {
			require.Equal(t, want[i], got[i])
			continue
		}
		require.True(
			t,
			strings.HasPrefix(got[i], before) && strings.HasSuffix(got[i], after),
			got[i],
		)
	}
}

// A manifest may not make this program look at files outside of its folder.
func TestNamesThatLeadOut(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(root, "part-0001-0001.csv")
	require.NoError(t, os.WriteFile(outside, content(0), 0o600))
	require.NoError(t, os.MkdirAll(filepath.Join(root, "out", "inner"), 0o700))
	require.NoError(
		t,
		os.WriteFile(filepath.Join(root, "out", "inner", "a.csv"), content(0), 0o600),
	)
	m := scanned(5, 1)
	for _, name := range []string{"../part-0001-0001.csv", outside, "inner/../../part-0001-0001.csv", "", ".", "inner/..", "inner/a.csv", "./inner/a.csv"} {
		f := m.Files[0]
		f.Name = name
		m.Files = append(m.Files, f)
	}
	m.Rows = int64(len(m.Files))
	put(t, root, "out", m)
	r := check(t, root, "out")
	require.Equal(t, []string{
		`out/manifest.json: file "../part-0001-0001.csv" is not in the manifest's folder and was not looked at`,
		fmt.Sprintf(
			`out/manifest.json: file %q is not in the manifest's folder and was not looked at`,
			outside,
		),
		`out/manifest.json: file "inner/../../part-0001-0001.csv" is not in the manifest's folder and was not looked at`,
		`out/manifest.json: file "" is not in the manifest's folder and was not looked at`,
		`out/manifest.json: file "." is not in the manifest's folder and was not looked at`,
		`out/manifest.json: file "inner/.." is not in the manifest's folder and was not looked at`,
		`out/manifest.json: file ./inner/a.csv is listed twice`,
	}, r.Findings[:7])
	require.Equal(t, int64(24), r.Bytes, "the two files within were read, each once")
}

// What is wrong with the manifest by itself.
func TestStatements(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(m *manifest.Manifest)
		want   []string
	}{
		{"rows", func(m *manifest.Manifest) { m.Rows = 8 }, []string{"its files have 7 rows together, not the 8 that it states"}},
		{"rows below zero", func(m *manifest.Manifest) { m.Rows, m.Files[0].Rows = -1, -5 },
			[]string{"it states -1 rows", "file part-0001-0001.csv cannot have -5 rows"}},
		{"rows above all", func(m *manifest.Manifest) { m.Files[0].Rows = math.MaxInt64 },
			[]string{"file part-0002-0001.csv cannot have 4 rows"}},
		{"no file", func(m *manifest.Manifest) { m.Files, m.Rows = nil, 0 }, []string{"it names no file"}},
		{"no checksum of a file", func(m *manifest.Manifest) { m.Files[1].Sum = filesum.Sum{} },
			[]string{"out/part-0002-0001.csv: the manifest states no checksum of the file"}},
		{"ranges lost", func(m *manifest.Manifest) {
			m.Ranges.Failed = 2
			m.Ranges.Lost = []manifest.Range{{Start: "-5", End: "8", Error: "timed\nout"}, {Start: "8", End: "9", Error: "gone"}}
		}, []string{`token range (-5, 8] was not read: timed\nout`, "token range (8, 9] was not read: gone"}},
		{"the only range lost", func(m *manifest.Manifest) {
			m.Ranges = manifest.Ranges{Splits: 1, Failed: 1, Lost: []manifest.Range{{Error: "gone"}}}
		}, []string{"the table's only token range was not read to its end: gone"}},
		{"ranges lost and not listed", func(m *manifest.Manifest) { m.Ranges.Failed = 1 }, []string{"1 token range was not read, but it lists 0"}},
		{"ranges left out", func(m *manifest.Manifest) { m.Ranges.Done = 2 }, []string{"only 2 of 3 token ranges were read"}},
		{"ranges left out by a limit", func(m *manifest.Manifest) { m.Ranges.Done, m.Options["limit"] = 2, 7 }, nil},
		{"no checksum", func(m *manifest.Manifest) { m.Checksum = nil }, nil},
		{"another definition", func(m *manifest.Manifest) { m.Checksum.Definition = "x\x1b[1m" },
			[]string{`checksum definition x\x1b[1m is not known: this program knows cqlbulk-rowsum-1`}},
		{"no number", func(m *manifest.Manifest) { m.Checksum.Value = "12" }, []string{`checksum "12": 2 characters, not 32`}},
		{"no shard", func(m *manifest.Manifest) { m.Shard = "4/3" }, []string{`shard "4/3": the first number must be from 1 to the second`}},
		{"one of one", func(m *manifest.Manifest) { m.Shard = "1/1" }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := scanned(5, 3, 4)
			tc.damage(&m)
			root := t.TempDir()
			put(t, root, "out", m)
			for i, w := range tc.want {
				if !strings.HasPrefix(w, "out/") {
					tc.want[i] = "out/manifest.json: " + w
				}
			}
			r := check(t, root, "out")
			requireLike(t, tc.want, r.Findings)
			require.Equal(
				t,
				m.Checksum != nil && m.Checksum.Definition == rowsum.Version &&
					len(m.Checksum.Value) == 32,
				r.Sets[0].Summed,
			)
		})
	}
}

func TestNotes(t *testing.T) {
	m := scanned(5, 3)
	m.Options = map[string]any{"where": "day = 3\r", "limit": 0, "begintoken": "0", "endtoken": nil}
	root := t.TempDir()
	put(t, root, "out", m)
	r := check(t, root, "out")
	require.Empty(t, r.Findings)
	require.Equal(
		t,
		[]string{
			`out/manifest.json: a part of the table was read, with --where day = 3\r, --begintoken 0`,
		},
		r.Notes,
	)

	m.Options = map[string]any{"limit": 9}
	put(t, root, "whole", m)
	require.Empty(t, check(t, root, "whole").Notes, "fewer rows than the limit are all rows")
	m.Limited = true
	put(t, root, "part", m)
	require.Equal(
		t,
		[]string{"part/manifest.json: a part of the table was read, with --limit 9"},
		check(t, root, "part").Notes,
	)
}

// More files than are read at once, some of them bad: findings keep their order.
func TestManyFiles(t *testing.T) {
	rows := make([]int64, 100)
	root := t.TempDir()
	folder := put(t, root, "out", scanned(0, rows...))
	var want []string
	for i := 0; i < len(rows); i += 7 {
		name := fmt.Sprintf("part-%04d-0001.csv", i+1)
		require.NoError(t, os.Remove(filepath.Join(folder, name)))
		want = append(want, folder+"/"+name+": file is missing")
	}
	for _, parallel := range []int{0, 1, 3, 200} {
		r, err := Check(t.Context(), Options{Paths: []string{folder}, Parallel: parallel})
		require.NoError(t, err)
		require.Equal(t, want, r.Findings)
		require.Equal(t, 100, r.Files)
	}
}

func TestInterrupted(t *testing.T) {
	folder := put(t, t.TempDir(), "out", scanned(0, 1, 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Check(ctx, Options{Paths: []string{folder}})
	require.ErrorIs(t, err, context.Canceled)

	// In the midst of a file.
	ctx, cancel = context.WithCancel(t.Context())
	h := &hasher{ctx: ctx, source: endless{cancel}}
	for range 2 {
		_, err = h.Read(make([]byte, 1))
	}
	require.ErrorIs(t, err, context.Canceled)
}

// endless is a file during whose first read the user interrupts the program.
type endless struct{ interrupt func() }

func (e endless) Read(p []byte) (int, error) {
	e.interrupt()
	return len(p), nil
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		`a "b" c\d é 漢`: `a "b" c\d é 漢`,
		"a\n\"b\"":      `a\n"b"`,
		"\x1b[31m":      `\x1b[31m`,
		"\xff":          `\xff`,
		"a\u202eb":      `a\u202eb`,
	} {
		require.Equal(t, want, plain(in))
	}
}

func BenchmarkCheck(b *testing.B) {
	m := scanned(0, 1)
	m.Files[0].Bytes = 32 << 20
	folder := put(b, b.TempDir(), "out", m)
	require.NoError(b, os.Truncate(filepath.Join(folder, m.Files[0].Name), m.Files[0].Bytes))
	b.SetBytes(m.Files[0].Bytes)
	b.ReportAllocs()
	for b.Loop() {
		r, err := Check(b.Context(), Options{Paths: []string{folder}})
		if err != nil || r.Bytes != m.Files[0].Bytes {
			b.Fatal(r, err)
		}
	}
}
