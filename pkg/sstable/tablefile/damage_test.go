package tablefile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// damaged is an SSTable whose components are changed, one at a time.
type damaged struct {
	folder string
	all    []readPartition
	ranges [][]token.Range
}

// damagedOf copies an SSTable that is right.
func damagedOf(t testing.TB, folder string, without ...component.Kind) *damaged {
	t.Helper()
	r := opened(t, folder)
	all, err := partitionsOf(r.Decoder())
	require.NoError(t, err)
	d := &damaged{
		folder: copied(t, folder, without...),
		all:    all,
		ranges: [][]token.Range{{token.Whole(token.Murmur3)}},
	}
	// One in the midst, one at the begin, and one at the end.
	for _, c := range [][2]int{
		{len(all) / 3, len(all)/3 + 9},
		{5, 7},
		{len(all) - 3, len(all) - 1},
	} {
		d.ranges = append(d.ranges, []token.Range{{Start: all[c[0]].token, End: all[c[1]].token}})
	}
	return d
}

// components are the files that a reader may read.
func (d *damaged) components(t testing.TB) map[component.Kind]string {
	t.Helper()
	files, err := os.ReadDir(d.folder)
	require.NoError(t, err)
	components := make(map[component.Kind]string)
	for _, file := range files {
		_, c, err := component.ParseName(file.Name())
		require.NoError(t, err)
		switch c {
		case component.DataDB, component.StatisticsDB, component.IndexDB, component.SummaryDB,
			component.CompressionInfoDB, component.CRCDB, component.DigestCRC32:
			components[c] = filepath.Join(d.folder, file.Name())
		}
	}
	return components
}

// requireFound reads all ranges. Each must give an error or what is right. It reports whether there
// was an error.
func (d *damaged) requireFound(t testing.TB, what string, args ...any) (found bool) {
	t.Helper()
	r, err := openIn(d.folder)
	if err != nil {
		return true
	}
	defer func() { require.NoError(t, r.Close()) }()
	if first, last, err := r.Bounds(); err == nil {
		require.Equal(t, d.all[0].key, string(first.Key), append([]any{what}, args...)...)
		require.Equal(t, d.all[len(d.all)-1].key, string(last.Key), append([]any{what}, args...)...)
	} else {
		found = true
	}
	for _, ranges := range d.ranges {
		decoder, err := r.Within(ranges)
		require.NoError(t, err)
		got, err := partitionsOf(decoder)
		want := inRanges(d.all, ranges)
		if !r.Overlaps(ranges) {
			require.Empty(t, want, append([]any{what}, args...)...)
		}
		if err == nil {
			require.Equal(t, want, got, append([]any{what}, args...)...)
			continue
		}
		// What was given before the error is right.
		found = true
		require.LessOrEqual(t, len(got), len(want), append([]any{what}, args...)...)
		require.True(
			t,
			len(got) == 0 || samePartitions(want[:len(got)], got),
			append([]any{what}, args...)...)
	}
	return found
}

func samePartitions(a, b []readPartition) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// alwaysFound are the components that have checksums from version na on: any change of them is
// found by who reads the whole file.
var alwaysFound = map[component.Kind]bool{component.DataDB: true, component.StatisticsDB: true}

// eachDamage changes each component in many places and calls check, and puts it right again.
func (d *damaged) eachDamage(
	t *testing.T,
	name string,
	places int,
	change func(b []byte, at int) []byte,
) {
	for c, path := range d.components(t) {
		right, err := os.ReadFile(path)
		require.NoError(t, err)
		for at := 0; at < len(right); at += 1 + len(right)/places {
			require.NoError(t, os.WriteFile(path, change(append([]byte(nil), right...), at), 0o600))
			found := d.requireFound(t, "%s of %s at %d", name, c, at)
			if alwaysFound[c] {
				require.True(t, found, "%s of %s at %d", name, c, at)
			}
		}
		require.NoError(t, os.WriteFile(path, right, 0o600))
	}
	require.False(t, d.requireFound(t, "as it was"))
}

// damagedFiles are those that are changed: by chunks and not, with all indexes, some and none.
func damagedFiles(t *testing.T, check func(t *testing.T, d *damaged)) {
	for _, folder := range []string{"nb_lz4", "nb_none", "da_zstd", "da_none"} {
		for _, without := range withoutIndexes[:3] {
			if folder[:2] == "da" && without != nil {
				continue
			}
			name := folder
			for _, c := range without {
				name += " without " + string(c)
			}
			t.Run(
				name,
				func(t *testing.T) {
					check(t, damagedOf(t, filepath.Join("../testdata/golden/files", folder), without...))
				},
			)
		}
	}
}

func TestBytesThatAreNotRightAreFound(t *testing.T) {
	damagedFiles(t, func(t *testing.T, d *damaged) {
		d.eachDamage(t, "flipped byte", 10, func(b []byte, at int) []byte {
			b[at] ^= 0x41
			return b
		})
	})
}

func TestFilesThatAreCutOffAreFound(t *testing.T) {
	damagedFiles(t, func(t *testing.T, d *damaged) {
		d.eachDamage(t, "cut", 7, func(b []byte, at int) []byte { return b[:at] })
	})
}

// TestFilesOfAnotherTableAreFound puts files of one table among those of another of the same
// columns.
func TestFilesOfAnotherTableAreFound(t *testing.T) {
	for _, c := range compressions[:2] {
		folder, done := written(t, component.NB, testOptions(c))
		other := t.TempDir()
		codec := codecOf(t, testTable(t), component.NB, testMinima)
		w, err := create(other, codec, testOptions(c))
		require.NoError(t, err)
		for i, key := range sortedKeys(300)[50:] {
			at := testTime + int64(i)
			deletion := sstable.Deletion{Set: true, Timestamp: at, Time: testSecond}
			require.NoError(t, w.Begin(key, deletion))
			require.NoError(t, w.Row(testRow(t, codec, 1, "b", true)))
			require.NoError(t, w.End())
		}
		_, err = w.Commit()
		require.NoError(t, err)
		for _, without := range [][]component.Kind{
			nil,
			{component.CRCDB},
			{component.CRCDB, component.SummaryDB},
			{component.SummaryDB, component.IndexDB},
		} {
			d := damagedOf(t, folder, without...)
			for swapped, path := range d.components(t) {
				if swapped == component.StatisticsDB {
					continue
				}
				right, err := os.ReadFile(path)
				require.NoError(t, err)
				b, err := os.ReadFile(filepath.Join(other, done.Name(swapped)))
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(path, b, 0o600))
				found := d.requireFound(t, "%s of another table, without %v", swapped, without)
				// A digest is read for a sample of Data.db alone.
				if swapped != component.SummaryDB &&
					(swapped != component.DigestCRC32 || slices.Contains(
						without,
						component.IndexDB,
					)) {
					require.True(
						t,
						found,
						"%s of another table, %s, without %v",
						swapped,
						c.Compressor,
						without,
					)
				}
				require.NoError(t, os.WriteFile(path, right, 0o600))
			}
		}
	}
}

// TestAFileWithoutLastPartitionsIsFound cuts a file that has no checksums where a partition ends.
func TestAFileWithoutLastPartitionsIsFound(t *testing.T) {
	for _, folder := range []string{"nb_none", "da_none"} {
		r := opened(t, filepath.Join("../testdata/golden/files", folder))
		d := r.Decoder()
		for n := 0; n < 200; {
			item, err := d.Next()
			require.NoError(t, err)
			if item == sstable.PartitionEnd {
				n++
			}
		}
		cut := damagedOf(
			t,
			filepath.Join("../testdata/golden/files", folder),
			component.CRCDB,
			component.DigestCRC32,
		)
		require.NoError(t, os.Truncate(cut.components(t)[component.DataDB], d.End()))
		require.True(t, cut.requireFound(t, "cut"))
	}
}

func TestPartitionsThatDoNotAscendAreFound(t *testing.T) {
	keys := sortedKeys(3)
	for _, order := range [][]int{{1, 0, 2}, {0, 1, 1}} {
		folder := wrong(t, func(c *sstable.Codec, w *Writer) {
			for _, i := range order {
				w.h1, w.h2 = token.Murmur3Sum128(keys[i])
				require.NoError(t, w.rows.Begin(keys[i], sstable.Deletion{}))
				w.collect.partition(sstable.Deletion{})
				require.NoError(t, w.Row(testRow(t, c, 1, "b", true)))
				require.NoError(t, w.End())
			}
		})
		for _, without := range withoutIndexes {
			r := opened(t, copied(t, folder, without...))
			for _, start := range []token.Token{token.Murmur3.Min(), {Lo: 1}} {
				d, err := r.Within([]token.Range{{Start: start, End: token.Murmur3.Max()}})
				require.NoError(t, err)
				_, err = partitionsOf(d)
				require.ErrorContains(t, err, "does not come behind")
			}
		}
	}
}
