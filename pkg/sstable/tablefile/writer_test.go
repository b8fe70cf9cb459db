package tablefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// testTable has columns of all sorts: k int; a int descending, b text; s text static; i int, l
// list<text>, v text.
func testTable(t testing.TB) *sstable.Table {
	a := columnOf(t, "a", "int")
	a.Desc = true
	return &sstable.Table{
		Key:        []sstable.Column{columnOf(t, "k", "int")},
		Clustering: []sstable.Column{a, columnOf(t, "b", "text")},
		Statics:    []sstable.Column{columnOf(t, "s", "text")},
		Regulars: []sstable.Column{
			columnOf(t, "i", "int"),
			columnOf(t, "l", "list<text>"),
			columnOf(t, "v", "text"),
		},
	}
}

// testTime is the timestamp of the first row, testSecond its second.
const (
	testTime   = 1700000000000000
	testSecond = 1700000000
)

// testMinima are those of the test tables.
var testMinima = sstable.Minima{Timestamp: testTime, Time: testSecond}

// testOptions are those of small tables.
func testOptions(c component.Compression) Options {
	return Options{ID: "1", Keys: 200, FilterChance: 0.01, IndexInterval: 16, Compression: c}
}

// create returns a writer into a folder.
func create(folder string, c *sstable.Codec, o Options) (*Writer, error) {
	return Create(&FolderOutput{Path: folder}, c, o)
}

// sortedKeys are the ints from 0 to n-1 in the order of a file.
func sortedKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = binary.BigEndian.AppendUint32(nil, uint32(i))
	}
	slices.SortFunc(keys, func(a, b []byte) int {
		return comparePartitions(token.Murmur3.Hash(a), a, token.Murmur3.Hash(b), b)
	})
	return keys
}

// fill writes 200 partitions of all sorts: without rows, with a static row only, deleted ones, and
// with ranges of deleted rows. One has some hundred kilobytes.
func fill(t testing.TB, w sstable.Sink, c *sstable.Codec) {
	t.Helper()
	ints := func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(i)) }
	for n, key := range sortedKeys(200) {
		var d sstable.Deletion
		if n%7 == 0 {
			d = sstable.Deletion{Set: true, Timestamp: testTime + 5, Time: testSecond + 7}
		}
		require.NoError(t, w.Begin(key, d))
		if n%3 == 0 {
			encoded, err := c.AppendRow(
				nil,
				&sstable.Row{
					Static: true,
					Cells:  []sstable.Cell{{Timestamp: testTime + 9, Value: []byte("static")}},
				},
			)
			require.NoError(t, err)
			require.NoError(t, w.Static(encoded))
		}
		rows := n % 5
		if n == 100 {
			rows = 900
		}
		for i := range rows {
			row := &sstable.Row{
				Clustering: [][]byte{ints(1000 - i), []byte("b")},
				Liveness:   sstable.Liveness{Set: true, Timestamp: testTime + int64(i)},
			}
			row.Cells = []sstable.Cell{{Column: 0, Timestamp: testTime + int64(i), Value: ints(i)}}
			if i%2 == 1 {
				row.Liveness.TTL, row.Liveness.Expiry = 3600, testSecond+3600
				cell := &row.Cells[0]
				cell.Kind, cell.TTL, cell.Time = sstable.Expiring, 3600, testSecond+3600
				row.Deletions = []sstable.ColumnDeletion{
					{
						Column: 2,
						Deletion: sstable.Deletion{
							Set:       true,
							Timestamp: testTime + int64(i) - 1,
							Time:      testSecond,
						},
					},
				}
				row.Cells = append(
					row.Cells,
					sstable.Cell{
						Column:    1,
						Timestamp: testTime + int64(i),
						Kind:      sstable.Tombstone,
						Time:      testSecond + int64(i),
					},
				)
				for e := range 2 {
					path := append(make([]byte, 6), 0x10, 0, 0x80, 0, 0, 0, 0, 0, 0, byte(e))
					row.Cells = append(
						row.Cells,
						sstable.Cell{
							Column:    2,
							Timestamp: testTime + int64(i),
							Path:      path,
							Value:     []byte("e"),
						},
					)
				}
			} else {
				row.Cells = append(
					row.Cells,
					sstable.Cell{
						Column:    1,
						Timestamp: testTime + int64(i),
						Value:     bytes.Repeat([]byte("v"), 400),
					},
				)
			}
			encoded, err := c.AppendRow(nil, row)
			require.NoError(t, err)
			require.NoError(t, w.Row(encoded))
		}
		if n == 100 {
			deletion := sstable.Deletion{Set: true, Timestamp: testTime, Time: testSecond + 99}
			for _, m := range []sstable.Marker{
				{Kind: sstable.InclusiveStart, Values: [][]byte{ints(99)}, Started: deletion},
				{Kind: sstable.ExclusiveEnd, Values: [][]byte{ints(90)}, Ended: deletion},
			} {
				require.NoError(t, w.Marker(&m))
			}
		}
		require.NoError(t, w.End())
	}
}

// written writes the test table into a folder of its own.
func written(t testing.TB, v component.Version, o Options) (string, *Written) {
	t.Helper()
	folder := t.TempDir()
	c := codecOf(t, testTable(t), v, testMinima)
	w, err := create(folder, c, o)
	require.NoError(t, err)
	fill(t, w, c)
	done, err := w.Commit()
	require.NoError(t, err)
	require.NoError(t, w.Abort())
	return folder, done
}

// testCheck is what the test table must be like.
func testCheck(t testing.TB) Check {
	schema, err := sstable.Plan(testTable(t))
	require.NoError(t, err)
	return Check{
		Schema:        schema,
		Ranges:        []token.Range{token.Whole(token.Murmur3)},
		IndexInterval: 16,
	}
}

// compressions are those that are written.
var compressions = []component.Compression{
	{},
	{Compressor: component.LZ4Compressor, ChunkLength: 16384},
	{Compressor: component.ZstdCompressor, ChunkLength: 4096, MaxCompressedLength: 3900},
	{Compressor: component.NoopCompressor, ChunkLength: 65536},
}

func TestTablesAreRightByTheirOwnReader(t *testing.T) {
	for v := component.MD; v <= component.OA; v++ {
		for _, c := range compressions {
			folder, done := written(t, v, testOptions(c))
			verified, err := Verify(Folder(folder, done.Descriptor), testCheck(t))
			require.NoError(t, err, "%s %s", v, c.Compressor)
			require.Equal(t, done, &verified.Written)
			require.Equal(t, int64(200), done.Partitions)
			require.Equal(t, int64(testTime), verified.Stats.MinTimestamp)
			require.Equal(t, int64(testTime+899), verified.Stats.MaxTimestamp)
			require.Equal(t, int64(testSecond), verified.Stats.MinDeletion)
			require.Equal(t, int64(component.NoDeletion), verified.Stats.MaxDeletion)
			require.Equal(t, int32(3600), verified.Stats.MaxTTL)
		}
	}
}

func TestATableHasItsComponentsAndNoOthers(t *testing.T) {
	for compressor, want := range map[string]string{
		"":                      "CRC.db Data.db Digest.crc32 Filter.db Index.db Statistics.db Summary.db TOC.txt",
		component.LZ4Compressor: "CompressionInfo.db Data.db Digest.crc32 Filter.db Index.db Statistics.db Summary.db TOC.txt",
	} {
		folder, done := written(
			t,
			component.NB,
			testOptions(component.Compression{Compressor: compressor, ChunkLength: 16384}),
		)
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		var names []string
		for _, file := range files {
			names = append(names, strings.TrimPrefix(file.Name(), "nb-1-big-"))
			info, err := file.Info()
			require.NoError(t, err)
			require.Equal(t, info.Size(), done.Sizes[component.Kind(names[len(names)-1])])
		}
		require.Equal(t, want, strings.Join(names, " "))
		toc, err := os.ReadFile(filepath.Join(folder, "nb-1-big-TOC.txt"))
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(want, " ", "\n")+"\n", string(toc))
	}
}

func TestATableWithoutFilter(t *testing.T) {
	o := testOptions(component.Compression{})
	o.FilterChance = component.NoFilter
	folder, done := written(t, component.NB, o)
	require.NotContains(t, done.Sizes, component.FilterDB)
	_, err := Verify(Folder(folder, done.Descriptor), testCheck(t))
	require.NoError(t, err)
}

func TestATableThatIsDiscardedLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	c := smallCodec(t, component.NB)
	w, err := create(folder, c, testOptions(component.Compression{}))
	require.NoError(t, err)
	require.NoError(t, w.Begin(keyOne, sstable.Deletion{}))
	require.NoError(t, w.End())
	require.NoError(t, w.Abort())
	require.NoError(t, w.Abort())
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestATableIsNotWrittenOverAnother(t *testing.T) {
	folder, _ := written(t, component.NB, testOptions(component.Compression{}))
	_, err := create(folder, smallCodec(t, component.NB), testOptions(component.Compression{}))
	require.ErrorContains(t, err, "TOC.txt is there already")
}

func TestKeysOutOfOrderAreRefused(t *testing.T) {
	keys := sortedKeys(2)
	for _, second := range [][]byte{keys[0], keys[1]} {
		w, err := Create(
			&FolderOutput{Path: t.TempDir()},
			smallCodec(t, component.NB),
			testOptions(component.Compression{}),
		)
		require.NoError(t, err)
		require.NoError(t, w.Begin(keys[1], sstable.Deletion{}))
		require.NoError(t, w.End())
		require.ErrorContains(t, w.Begin(second, sstable.Deletion{}), "does not come behind")
		require.NoError(t, w.Abort())
	}
}

func TestATableOfNoPartitionsIsRefused(t *testing.T) {
	w, err := create(t.TempDir(), smallCodec(t, component.NB), testOptions(component.Compression{}))
	require.NoError(t, err)
	_, err = w.Commit()
	require.ErrorContains(t, err, "no partitions")
	require.NoError(t, w.Abort())
}

func TestOptionsThatMakeNoTableAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"sstable id":             func(o *Options) { o.ID = "../1" },
		"keys are expected":      func(o *Options) { o.Keys = -1 },
		"bloom_filter_fp_chance": func(o *Options) { o.FilterChance = 0 },
		"min_index_interval":     func(o *Options) { o.IndexInterval = 0 },
		"power of two": func(o *Options) {
			o.Compression = component.Compression{
				Compressor:  component.LZ4Compressor,
				ChunkLength: 5000,
			}
		},
		`"SnappyCompressor"`: func(o *Options) {
			o.Compression = component.Compression{
				Compressor:  component.SnappyCompressor,
				ChunkLength: 4096,
			}
		},
		"compression_level": func(o *Options) {
			o.Compression = component.Compression{
				Compressor:  component.ZstdCompressor,
				ChunkLength: 4096,
				Options:     [][2]string{{"compression_level", "x"}},
			}
		},
	} {
		folder := t.TempDir()
		o := testOptions(component.Compression{})
		change(&o)
		_, err := create(folder, smallCodec(t, component.NB), o)
		require.ErrorContains(t, err, name)
		files, err := os.ReadDir(folder)
		require.NoError(t, err)
		require.Empty(t, files, name)
	}
}

func TestRowsOfATableDoNotAllocate(t *testing.T) {
	c := smallCodec(t, component.NB)
	w, err := Create(
		&FolderOutput{Path: t.TempDir()},
		c,
		testOptions(component.Compression{Compressor: component.LZ4Compressor, ChunkLength: 16384}),
	)
	require.NoError(t, err)
	keys := sortedKeys(3000)
	next, clustering := 0, []byte{0, 0, 0, 1}
	row := &sstable.Row{
		Clustering: [][]byte{clustering},
		Liveness:   sstable.Liveness{Set: true, Timestamp: testTime},
		Cells:      []sstable.Cell{{Timestamp: testTime, Value: []byte("value")}},
	}
	encoded, err := c.AppendRow(nil, row)
	require.NoError(t, err)
	partition := func() {
		err := errors.Join(w.Begin(keys[next], sstable.Deletion{}), w.Row(encoded), w.End())
		if err != nil {
			panic(fmt.Sprint(err))
		}
		next++
	}
	for range 1000 {
		partition()
	}
	// One key of 16 is kept for the summary.
	require.LessOrEqual(t, testing.AllocsPerRun(1600, partition), 1.0)
	require.NoError(t, w.Abort())
}

// BenchmarkWriter writes partitions of one row of three columns.
func BenchmarkWriter(b *testing.B) {
	c := codecOf(b, &sstable.Table{
		Key: []sstable.Column{
			columnOf(b, "id", "int"),
		},
		Regulars: []sstable.Column{columnOf(b, "name", "text"), columnOf(b, "salary", "bigint")},
	}, component.NB, testMinima)
	keys := sortedKeys(100_000)
	row := &sstable.Row{
		Liveness: sstable.Liveness{Set: true, Timestamp: testTime},
		Cells: []sstable.Cell{
			{Timestamp: testTime, Value: []byte("name of an employee")},
			{Column: 1, Timestamp: testTime, Value: make([]byte, 8)},
		},
	}
	encoded, err := c.AppendRow(nil, row)
	require.NoError(b, err)
	for _, compression := range compressions[:3] {
		b.Run("compressor="+compression.Compressor, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w, err := Create(
					&FolderOutput{Path: b.TempDir()},
					c,
					Options{
						ID:            "1",
						Keys:          int64(len(keys)),
						FilterChance:  0.01,
						IndexInterval: 128,
						Compression:   compression,
					},
				)
				require.NoError(b, err)
				for _, key := range keys {
					if w.Begin(key, sstable.Deletion{}) != nil ||
						w.Row(encoded) != nil || w.End() != nil {
						b.Fatal("not written")
					}
				}
				_, err = w.Commit()
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.N*len(keys))/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkVerify verifies such a table.
func BenchmarkVerify(b *testing.B) {
	folder, done := written(b, component.NB, testOptions(compressions[1]))
	check := testCheck(b)
	b.SetBytes(done.DataLength)
	b.ReportAllocs()
	for b.Loop() {
		_, err := Verify(Folder(folder, done.Descriptor), check)
		require.NoError(b, err)
	}
	b.ReportMetric(float64(int64(b.N)*done.Rows)/b.Elapsed().Seconds(), "rows/s")
}
