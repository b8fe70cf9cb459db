package sink

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRolling writes rows of 4 bytes after a header of 3, and checks the rows of each file. A piece
// is the number of rows of one Write.
func TestRolling(t *testing.T) {
	for name, c := range map[string]struct {
		rows, bytes int64
		pieces      []int
		want        []int64
	}{
		"no limit":                 {0, 0, []int{5, 5, 5}, []int64{15}},
		"rows fit exactly":         {10, 0, []int{5, 5, 5, 5}, []int64{10, 10}},
		"rows would pass":          {10, 0, []int{5, 4, 2, 8, 1}, []int64{9, 10, 1}},
		"one row each":             {1, 0, []int{1, 1, 1}, []int64{1, 1, 1}},
		"one piece fills a file":   {5, 0, []int{5, 5}, []int64{5, 5}},
		"bytes fit exactly":        {0, 3 + 40, []int{5, 5, 5, 5}, []int64{10, 10}},
		"one byte short":           {0, 3 + 39, []int{5, 5, 5, 5}, []int64{5, 5, 5, 5}},
		"a piece beyond the bytes": {0, 20, []int{1, 50, 1, 1}, []int64{1, 50, 2}},
		"header beyond the bytes":  {0, 1, []int{1, 2}, []int64{1, 2}},
		"rows before bytes":        {3, 3 + 40, []int{2, 2, 1, 3}, []int64{2, 3, 3}},
		"bytes before rows":        {30, 3 + 16, []int{2, 2, 1, 4}, []int64{4, 1, 4}},
		"nothing in between":       {2, 0, []int{2, 0, 0}, []int64{2}},
	} {
		for _, compression := range every() {
			t.Run(name+" "+compression, func(t *testing.T) {
				folder := t.TempDir()
				o, err := Open(Options{Path: folder, Dir: true, Base: "b", Compression: compression,
					MaxRows: c.rows, MaxBytes: c.bytes, Header: []byte("id\n")})
				require.NoError(t, err)
				w := o.Writer()
				total := 0
				for _, rows := range c.pieces {
					require.NoError(t, w.Write(rows, []byte(strings.Repeat("123\n", rows))))
					total += rows
				}
				require.NoError(t, o.Commit())
				var got []int64
				for _, f := range o.Files() {
					got = append(got, f.Rows)
					require.Equal(
						t,
						"id\n"+strings.Repeat("123\n", int(f.Rows)),
						contents(t, folder, compression, f),
					)
				}
				require.Equal(t, c.want, got)
			})
		}
	}
}

func TestTooManyRowsAtOnce(t *testing.T) {
	folder := t.TempDir()
	o, err := Open(Options{Path: folder, Dir: true, Base: "b", MaxRows: 2})
	require.NoError(t, err)
	w := o.Writer()
	require.ErrorContains(
		t,
		w.Write(3, text(0, 3)),
		"output "+folder+": 3 rows at once do not fit into a file of at most 2",
	)
	require.NoError(t, w.Write(2, text(0, 2)), "nothing was written, so the writer can continue")
	require.NoError(t, o.Commit())
	require.Equal(t, string(text(0, 2)), contents(t, folder, "", o.Files()[0]))
}

func TestFilesAreInOrderOfName(t *testing.T) {
	folder := t.TempDir()
	o, err := Open(Options{Path: folder, Dir: true, Base: "b", Ext: ".csv", MaxRows: 1})
	require.NoError(t, err)
	var writers []Writer
	for range 3 {
		writers = append(writers, o.Writer())
	}
	for range 2 {
		for i := 2; i >= 0; i-- {
			require.NoError(t, writers[i].Write(1, text(i, 1)))
		}
	}
	want := []string{
		"b-0001-0001.csv", "b-0001-0002.csv", "b-0002-0001.csv",
		"b-0002-0002.csv", "b-0003-0001.csv", "b-0003-0002.csv",
	}
	parts := o.Parts()
	require.Len(t, parts, len(want))
	require.NoError(t, o.Commit())
	for i, f := range o.Files() {
		require.Equal(t, want[i], f.Name)
		require.Equal(t, filepath.Join(folder, want[i])+".part", parts[i])
	}
}

// FuzzRolling takes the sizes of pieces from the input. Whatever they are, no limit is exceeded,
// except by one piece in a file of its own. No file could have taken the next piece as well, and
// nothing is lost.
func FuzzRolling(f *testing.F) {
	f.Add([]byte{1, 1, 1}, uint8(2), uint8(0), uint8(0))
	f.Add([]byte{9, 0, 200, 3}, uint8(0), uint8(50), uint8(1))
	f.Add([]byte{7, 7, 7, 7}, uint8(14), uint8(42), uint8(2))
	f.Fuzz(func(t *testing.T, pieces []byte, maxRows, maxBytes, kind uint8) {
		compression := every()[int(kind)%len(every())]
		folder := t.TempDir()
		o, err := Open(Options{Path: folder, Dir: true, Base: "b", Compression: compression,
			MaxRows: int64(maxRows), MaxBytes: int64(maxBytes), Header: []byte("id\n")})
		require.NoError(t, err)
		w := o.Writer()
		var all strings.Builder
		var sizes []int64
		for _, rows := range pieces[:min(len(pieces), 24)] {
			if maxRows > 0 && rows > maxRows {
				require.Error(t, w.Write(int(rows), make([]byte, rows)))
				continue
			}
			piece := strings.Repeat("1\n", int(rows))
			require.NoError(t, w.Write(int(rows), []byte(piece)))
			all.WriteString(piece)
			if rows > 0 {
				sizes = append(sizes, int64(rows))
			}
		}
		require.NoError(t, o.Commit())
		var got strings.Builder
		next := 0
		for _, file := range o.Files() {
			got.WriteString(strings.TrimPrefix(contents(t, folder, compression, file), "id\n"))
			rows, begin := int64(0), next
			for next < len(sizes) && rows < file.Rows {
				rows += sizes[next]
				next++
			}
			require.Equal(t, file.Rows, rows, "a file ends where a piece ends")
			require.Equal(t, 3+2*rows, file.TextBytes)
			if maxRows > 0 {
				require.LessOrEqual(t, rows, int64(maxRows))
			}
			if maxBytes > 0 && next-begin > 1 {
				require.LessOrEqual(t, file.TextBytes, int64(maxBytes))
			}
			if next < len(sizes) {
				require.True(t, maxRows > 0 && rows+sizes[next] > int64(maxRows) ||
					maxBytes > 0 &&
						file.TextBytes+2*sizes[next] > int64(maxBytes), "the file was full")
			}
		}
		require.Equal(t, len(sizes), next)
		require.Equal(t, all.String(), got.String())
	})
}
