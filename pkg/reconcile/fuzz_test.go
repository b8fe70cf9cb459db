package reconcile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// fuzzTables are the tables that FuzzMerge chooses from by number, with a file of each as a seed.
// New ones go to the end, so that the saved inputs keep their meaning.
func fuzzTables(t testing.TB) ([]*Table, []file) {
	var tables []*Table
	var files []file
	for _, name := range []string{"deletions", "elements", "statics", "empties", "counters", "oa/deletions", "oa/statics"} {
		table, f := golden(t, name, "")
		tables, files = append(tables, table), append(files, f)
	}
	table := small(t)
	stored := schemaOf(t, "k int", "c int", "s int", "gone int; m map<int, int>; v int")
	table.Dropped = []Dropped{{"gone", stamp + 5}, {"m", stamp + 5}}
	m := columnAt(t, stored, "m")
	element := cellAt(m, 6, num(4))
	element.Path = num(3)
	tables = append(tables, table)
	files = append(
		files,
		fileOf(t, stored, component.NB, partition{key: num(1), deletion: deletedAt(1), items: []any{
			static(cellAt(0, 2, num(1))),
			starts(
				sstable.InclusiveStart,
				deletedAt(3),
				0,
			),
			row(1, writtenAt(6), cellAt(columnAt(t, stored, "gone"), 6, num(1)), element),
			ends(sstable.ExclusiveEnd, deletedAt(3), 2),
		}}),
	)
	view := small(t)
	view.StrictLiveness = true
	over := sstable.Liveness{Set: true, Timestamp: stamp, TTL: expiredTTL, Expiry: second}
	tables = append(tables, view)
	files = append(files, fileOf(t, view.Schema, component.NB, partition{key: num(1), items: []any{
		static(
			cellAt(0, 2, num(1)),
		),
		row(1, over, cellAt(0, 2, num(1))),
		row(2, writtenAt(2), cellAt(0, 2, num(1))),
	}}))
	return tables, files
}

// fuzzSeed is the largest size of a seed, in bytes: the fuzzer is slow with long ones.
const fuzzSeed = 700

// FuzzMerge merges any bytes as two files. The merge ends, and its output is well formed. Written
// as one file, and merged alone or with itself, it does not change. The rows of it are read at a
// moment.
func FuzzMerge(f *testing.F) {
	tables, files := fuzzTables(f)
	for i, seed := range files {
		if len(seed.data) <= fuzzSeed {
			f.Add(byte(i), seed.data, seed.data)
			f.Add(byte(i), seed.data, seed.data[:len(seed.data)/2])
		}
	}
	f.Fuzz(func(t *testing.T, number byte, a, b []byte) {
		n := int(number) % len(tables)
		table, codec := tables[n], files[n].codec
		two := []file{{codec, a}, {codec, b}}
		if rows, err := NewRows(
			mergerOf(t, table, two...),
			selectAll(table.Schema),
			second,
		); err == nil {
			for rows.Next() == nil {
			}
		}
		if !errors.Is(drain(mergerOf(t, table, two...)), io.EOF) {
			return
		}
		requireWellFormed(t, mergerOf(t, table, two...))
		once, ok := tryWrite(mergerOf(t, table, two...), codec)
		if !ok {
			return // times that the version cannot keep
		}
		items := texts(t, once.input().Source)
		require.Equal(t, items, texts(t, mergerOf(t, table, once)))
		require.Equal(t, items, texts(t, mergerOf(t, table, once, once)))
	})
}

// tryWrite makes one file of what a merger gives, where that can be written.
func tryWrite(m *Merger, like *sstable.Codec) (file, bool) {
	codec, err := sstable.NewCodec(
		m.Schema(),
		like.Version(),
		sstable.Minima{Timestamp: stamp, Time: second},
	)
	if err != nil {
		return file{}, false
	}
	var out writer
	w, err := sstable.NewPartitionWriter(codec, &out, nil)
	if err != nil || sstable.Copy(w, codec, m) != nil || w.Flush() != nil {
		return file{}, false
	}
	return file{codec: codec, data: out}, true
}

type writer []byte

func (w *writer) Write(b []byte) (int, error) {
	*w = append(*w, b...)
	return len(b), nil
}

// TestCorpusIsThere: the saved inputs are run by every test run.
func TestCorpusIsThere(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", "FuzzMerge"))
	require.NoError(t, err)
	require.NotEmpty(t, entries)
}
