package reconcile

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// manyRows are files with n partitions of a few rows each, which are in all of them, but for their
// columns.
func manyRows(t testing.TB, table *Table, n int) []file {
	t.Helper()
	m, u := columnAt(t, table.Schema, "m"), columnAt(t, table.Schema, "u")
	var files []file
	for i := range 3 {
		var partitions []partition
		for key := range n {
			p := partition{key: num(key), items: []any{static(cellAt(0, int64(i), num(i)))}}
			for c := range 8 {
				r := row(c, writtenAt(int64(i)), cellAt(0, int64(3-i), num(c)))
				for e := range 3 {
					element := cellAt(m, int64(i), num(e))
					element.Path = num(e * i)
					if e == 0 || i > 0 {
						r.Cells = append(r.Cells, element)
					}
				}
				field := cellAt(u, int64(i), num(i))
				field.Path = []byte{0, 0}
				r.Cells = append(r.Cells, field)
				p.items = append(p.items, r)
			}
			p.items = append(
				p.items,
				starts(sstable.InclusiveStart, deletedAt(int64(i)), 20),
				ends(sstable.InclusiveEnd, deletedAt(int64(i)), 30+i),
			)
			partitions = append(partitions, p)
		}
		files = append(files, fileOf(t, table.Schema, component.NB, partitions...))
	}
	return files
}

// TestNothingIsAllocatedForARow once the buffers have grown.
func TestNothingIsAllocatedForARow(t *testing.T) {
	table := small(t)
	files := manyRows(t, table, 100)
	for name, some := range map[string][]file{"one file": files[:1], "several": files} {
		rows := benchRows(t, table, some)
		var err error
		for range 200 {
			require.NoError(t, rows.Next())
		}
		require.Zero(t, testing.AllocsPerRun(400, func() { err = errors.Join(rows.Next()) }), name)
		require.NoError(t, err)
		require.Less(
			t,
			cap(rows.regulars.buf)+cap(rows.statics.buf),
			4096,
			"what a row has, not all of them",
		)
	}
}

// TestNothingIsAllocatedForACounter that is merged.
func TestNothingIsAllocatedForACounter(t *testing.T) {
	table := counterTable(t)
	var files []file
	for i := range 3 {
		var rows []any
		for c := range 300 {
			rows = append(
				rows,
				row(c, sstable.Liveness{}, cellAt(0, 1, context([3]int{i, 1, 1}, [3]int{9, i, i}))),
			)
		}
		files = append(files, of(t, table, sstable.Deletion{}, rows...))
	}
	rows := benchRows(t, table, files)
	var err error
	for range 20 {
		require.NoError(t, rows.Next())
	}
	require.Zero(t, testing.AllocsPerRun(200, func() { err = rows.Next() }))
	require.NoError(t, err)
}

func BenchmarkRows(b *testing.B) {
	table := small(b)
	files := manyRows(b, table, 1000)
	for _, c := range []struct {
		name  string
		files []file
	}{{"1 file", files[:1]}, {"3 files", files}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			rows := benchRows(b, table, c.files)
			for b.Loop() {
				err := rows.Next()
				if errors.Is(err, io.EOF) {
					rows = benchRows(b, table, c.files)
				} else if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchRows are all columns of files that are read by decoders alone.
func benchRows(b testing.TB, table *Table, files []file) *Rows {
	var inputs []Input
	for _, f := range files {
		inputs = append(inputs, Input{
			Source: sstable.NewDecoder(
				f.codec,
				bytes.NewReader(f.data),
				sstable.MaxRowBytes,
			),
			Schema: f.codec.Schema(),
		})
	}
	m, err := NewMerger(table, inputs)
	require.NoError(b, err)
	rows, err := NewRows(m, selectAll(table.Schema), second)
	require.NoError(b, err)
	return rows
}
