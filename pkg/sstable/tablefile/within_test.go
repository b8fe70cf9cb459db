package tablefile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// readPartition is a partition that was read: its key and all that is in it, as it is encoded.
type readPartition struct {
	token token.Token
	key   string
	items string
}

// partitionsOf reads all partitions of a decoder.
func partitionsOf(d *Decoder) ([]readPartition, error) {
	var out []readPartition
	var items []byte
	for {
		item, err := d.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		switch item {
		case sstable.PartitionStart:
			items = fmt.Appendf(items[:0], "%+v", d.Deletion())
		case sstable.PartitionEnd:
			out = append(
				out,
				readPartition{token.Murmur3.Hash(d.Key()), string(d.Key()), string(items)},
			)
		case sstable.RangeMarker:
			items = fmt.Appendf(items, "%+v", *d.Marker())
		default:
			if items, err = d.Codec().AppendRow(items, d.Row()); err != nil {
				return out, err
			}
		}
	}
}

// inRanges are the partitions that are in one of the ranges.
func inRanges(all []readPartition, ranges []token.Range) (out []readPartition) {
	for _, p := range all {
		if slices.ContainsFunc(ranges, func(r token.Range) bool { return r.Contains(p.token) }) {
			out = append(out, p)
		}
	}
	return out
}

// opened opens the SSTable in a folder, whatever its version and id are.
func opened(t testing.TB, folder string) *Reader {
	t.Helper()
	r, err := openIn(folder)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

func openIn(folder string) (*Reader, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*-"+string(component.DataDB)))
	if err != nil || len(files) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d SSTables in %s", len(files), folder))
	}
	d, _, err := component.ParseName(filepath.Base(files[0]))
	if err != nil {
		return nil, err
	}
	return Open(Folder(folder, d))
}

// copied copies the SSTable in a folder into one of its own, without some components.
func copied(t testing.TB, folder string, without ...component.Kind) string {
	t.Helper()
	to := t.TempDir()
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, file := range files {
		_, c, err := component.ParseName(file.Name())
		require.NoError(t, err)
		if slices.Contains(without, c) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(folder, file.Name()))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(to, file.Name()), b, 0o600))
	}
	return to
}

// goldenFiles are the folders of testdata/golden/files.
func goldenFiles(t testing.TB) []string {
	t.Helper()
	folders, err := filepath.Glob("../testdata/golden/files/*")
	require.NoError(t, err)
	require.Len(t, folders, 10)
	return folders
}

// someRanges makes ranges at random: their bounds are tokens of partitions, such tokens but one,
// and any others.
func someRanges(r *rand.Rand, all []readPartition) []token.Range {
	bound := func() token.Token {
		at := all[r.IntN(len(all))].token
		switch r.IntN(6) {
		case 0:
			return token.Token{Lo: at.Lo - 1}
		case 1:
			return token.Token{Lo: r.Uint64()}
		case 2:
			return []token.Token{token.Murmur3.Min(), token.Murmur3.Max()}[r.IntN(2)]
		default:
			return at
		}
	}
	ranges := make([]token.Range, r.IntN(6))
	for i := range ranges {
		a, b := bound(), bound()
		if b.Less(a) && r.IntN(8) > 0 {
			a, b = b, a
		}
		ranges[i] = token.Range{Start: a, End: b}
	}
	return ranges
}

// requireWithin holds what is read by ranges against what is read in all.
func requireWithin(t *testing.T, r *Reader, all []readPartition, seed uint64, times int) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	for range times {
		ranges := someRanges(random, all)
		d, err := r.Within(ranges)
		require.NoError(t, err)
		got, err := partitionsOf(d)
		require.NoError(t, err, "%v", ranges)
		want := inRanges(all, ranges)
		require.Equal(t, want, got, "%v", ranges)
		_, err = d.Next()
		require.Equal(t, io.EOF, err)
		require.True(t, r.Overlaps(ranges) || len(want) == 0)
	}
}

// withoutIndexes are what may be missing of the components that lead to partitions.
var withoutIndexes = [][]component.Kind{
	nil,
	{component.SummaryDB},
	{component.IndexDB, component.SummaryDB},
	{component.IndexDB, component.DigestCRC32},
}

func TestPartitionsWithinRangesAreThoseOfTheWholeFile(t *testing.T) {
	for _, folder := range goldenFiles(t) {
		r := opened(t, folder)
		all, err := partitionsOf(r.Decoder())
		require.NoError(t, err)
		require.Len(t, all, 301)
		for i, without := range withoutIndexes {
			if !r.version().HasIndex() && slices.Contains(without, component.SummaryDB) {
				continue // there is none
			}
			r := opened(t, copied(t, folder, without...))
			t.Run(
				fmt.Sprint(filepath.Base(folder), " without ", without),
				func(t *testing.T) { requireWithin(t, r, all, uint64(i), 8) },
			)
			first, last, err := r.Bounds()
			require.NoError(t, err)
			require.Equal(t, all[0].key, string(first.Key))
			require.Equal(t, all[0].token, first.Token)
			require.Equal(t, all[300].key, string(last.Key))
			require.Equal(t, all[300].token, last.Token)
		}
	}
}

func TestPartitionsWithinRangesOfEachVersion(t *testing.T) {
	for v := component.MC; v <= component.OA; v++ {
		folder, _ := written(t, v, testOptions(compressions[int(v)%len(compressions)]))
		all, err := partitionsOf(opened(t, folder).Decoder())
		require.NoError(t, err)
		require.Len(t, all, 200)
		for i, without := range withoutIndexes {
			requireWithin(t, opened(t, copied(t, folder, without...)), all, uint64(i), 3)
		}
	}
}

// TestVersionsWithOtherIndexesAreRead reads the files of a version as those of another one that
// differs in its indexes.
func TestVersionsWithOtherIndexesAreRead(t *testing.T) {
	folder, done := written(t, component.ME, testOptions(compressions[1]))
	all, err := partitionsOf(opened(t, folder).Decoder())
	require.NoError(t, err)
	for _, v := range []component.Version{component.MS, component.MT} {
		other := copied(t, folder, component.IndexDB, component.SummaryDB, component.FilterDB)
		for _, c := range []component.Kind{
			component.DataDB,
			component.StatisticsDB,
			component.CompressionInfoDB,
			component.DigestCRC32,
		} {
			d := component.Descriptor{Version: v, ID: "3gwe_0g3j_12r9c2xuh8dnj7lmok"}
			require.NoError(
				t,
				os.Rename(filepath.Join(other, done.Name(c)), filepath.Join(other, d.Name(c))),
			)
		}
		require.NoError(t, os.Remove(filepath.Join(other, done.Name(component.TOCTxt))))
		requireWithin(t, opened(t, other), all, 1, 10)
	}
}

// TestFilesOfVersionDAAreThoseOfOA writes the files of one version as those of the other.
func TestFilesOfVersionDAAreThoseOfOA(t *testing.T) {
	files, err := filepath.Glob("../testdata/golden/da/*/Data.db")
	require.NoError(t, err)
	require.Len(t, files, 9)
	for _, file := range files {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(file), "Statistics.db"))
		require.NoError(t, err)
		s, err := component.ParseStatistics(b, component.DA)
		require.NoError(t, err)
		codec, err := sstable.ReadCodec(s.Header, component.DA)
		require.NoError(t, err)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		like := codecOf(t, codec.Schema().Table(), component.OA, codec.Minima())
		again, err := rewriteAs(like, decoderOf(codec, data))
		require.NoError(t, err)
		require.Equal(t, data, again, file)
		require.NotEmpty(t, s.Stats.FirstKey)

		_, err = sstable.NewPartitionWriter(codec, io.Discard, nil)
		require.ErrorContains(t, err, "read only")
		_, err = create(t.TempDir(), codec, testOptions(component.Compression{}))
		require.ErrorContains(t, err, "read only")
	}
	for _, v := range []component.Version{component.DA, component.MS, component.MT} {
		_, err := sstable.NewCodec(smallCodec(t, component.NB).Schema(), v, sstable.Minima{})
		require.ErrorContains(t, err, "read only")
		d := component.Descriptor{Version: v, ID: "1"}
		_, err = Verify(Folder("../testdata/golden/files/da_lz4", d), testCheck(t))
		require.ErrorContains(t, err, "read only")
	}
}

// rewriteAs writes what a decoder finds with another codec.
func rewriteAs(c *sstable.Codec, d *sstable.Decoder) ([]byte, error) {
	var out bytes.Buffer
	w, err := sstable.NewPartitionWriter(c, &out, nil)
	if err != nil {
		return nil, err
	}
	err = errors.Join(sstable.Copy(w, c, d), w.Flush())
	return out.Bytes(), err
}

func TestRangesAreReadSideBySide(t *testing.T) {
	for _, without := range withoutIndexes {
		r := opened(t, copied(t, "../testdata/golden/files/nb_zstd", without...))
		all, err := partitionsOf(r.Decoder())
		require.NoError(t, err)
		const splits = 16
		var got [splits][]readPartition
		var failed [splits]error
		var wait sync.WaitGroup
		for i := range splits {
			wait.Go(func() {
				at := func(i int) token.Token { return token.Token{Lo: uint64(i) << 60} }
				end := at(i + 1)
				if i == splits-1 {
					end = token.Murmur3.Max()
				}
				d, err := r.Within([]token.Range{{Start: at(i), End: end}})
				if err == nil {
					got[i], err = partitionsOf(d)
				}
				failed[i] = err
			})
		}
		wait.Wait()
		for _, err := range failed {
			require.NoError(t, err)
		}
		require.Equal(t, all, slices.Concat(got[:]...))
	}
}

// countingReader counts the bytes that are read of a file.
type countingReader struct {
	RandomReader
	read int
}

func (c *countingReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.RandomReader.ReadAt(b, at)
	c.read += n
	return n, err
}

func TestLittleIsReadForARange(t *testing.T) {
	for _, without := range withoutIndexes {
		folder, _ := written(
			t,
			component.NB,
			testOptions(
				component.Compression{Compressor: component.NoopCompressor, ChunkLength: 1024},
			),
		)
		r := opened(t, copied(t, folder, without...))
		all, err := partitionsOf(r.Decoder())
		require.NoError(t, err)
		for _, i := range []int{3, 99, 100, 101, 197} {
			file := r.file
			counted := &countingReader{RandomReader: file}
			r.file = counted
			d, err := r.Within([]token.Range{{Start: all[i-1].token, End: all[i].token}})
			require.NoError(t, err)
			r.file = file
			got, err := partitionsOf(d)
			require.NoError(t, err)
			require.Equal(t, all[i:i+1], got)
			// What is read besides are the begins of the partitions before and behind, or up to a
			// sample.
			limit := len(all[i].items) + len(all[i].items)/4 + 4*1100
			if len(without) > 0 {
				limit += sampleGap
			}
			require.Less(t, counted.read, limit, "%d without %v", i, without)
		}
	}
}

// TestASummaryWithFewerEntriesLeadsToTheSamePartitions leaves entries out as for a file of very
// many partitions.
func TestASummaryWithFewerEntriesLeadsToTheSamePartitions(t *testing.T) {
	r := opened(t, "../testdata/golden/files/nb_none")
	all, err := partitionsOf(r.Decoder())
	require.NoError(t, err)
	full := r.summary()
	for _, most := range []int{1, 2, 3, 7, 100} {
		some := *full
		some.entries = someEntries(full.entries, most)
		require.LessOrEqual(t, len(some.entries), most)
		require.Equal(t, full.entries[0], some.entries[0])
		for i, p := range all {
			n, err := some.around(p.token)
			require.NoError(t, err)
			require.Equal(t, p.key, string(n.before.key))
			if i+1 < len(all) {
				require.Equal(t, all[i+1].key, string(n.after.key))
			} else {
				require.Nil(t, n.after)
			}
		}
	}
}

// TestRangesOfTheRandomPartitioner writes partitions in the order of another partitioner.
func TestRangesOfTheRandomPartitioner(t *testing.T) {
	keys := sortedKeys(100)
	slices.SortFunc(
		keys,
		func(a, b []byte) int { return token.Random.Hash(a).Compare(token.Random.Hash(b)) },
	)
	folder := wrong(t, func(c *sstable.Codec, w *Writer) {
		for _, key := range keys {
			w.h1, w.h2 = token.Murmur3Sum128(key)
			require.NoError(t, w.rows.Begin(key, sstable.Deletion{}))
			w.collect.partition(sstable.Deletion{})
			require.NoError(t, w.Row(testRow(t, c, 1, "b", true)))
			require.NoError(t, w.End())
		}
	})
	change(t, folder, component.StatisticsDB, func(b []byte) []byte {
		s, err := component.ParseStatistics(b, component.NB)
		require.NoError(t, err)
		s.Partitioner = "org.apache.cassandra.dht.RandomPartitioner"
		return s.Append(nil, component.NB)
	})
	for _, without := range withoutIndexes {
		r := opened(t, copied(t, folder, without...))
		d, err := r.Within([]token.Range{
			{
				Start: token.Random.Hash(keys[10]),
				End:   token.Random.Hash(keys[20]),
			},
			{Start: token.Random.Hash(keys[90]), End: token.Random.Max()},
		})
		require.NoError(t, err)
		got, err := partitionsOf(d)
		require.NoError(t, err)
		var found [][]byte
		for _, p := range got {
			found = append(found, []byte(p.key))
		}
		require.Equal(t, append(slices.Clone(keys[11:21]), keys[91:]...), found)
	}
}

func TestOnlyRangesThatTouchTheFileOverlap(t *testing.T) {
	r := opened(t, "../testdata/golden/files/nb_lz4")
	first, last, err := r.Bounds()
	require.NoError(t, err)
	less := func(t token.Token) token.Token { return token.Token{Lo: t.Lo - 1} }
	for _, c := range []struct {
		r    token.Range
		want bool
	}{
		{token.Whole(token.Murmur3), true},
		{token.Range{Start: token.Murmur3.Min(), End: less(first.Token)}, false},
		{token.Range{Start: token.Murmur3.Min(), End: first.Token}, true},
		{token.Range{Start: less(last.Token), End: token.Murmur3.Max()}, true},
		{token.Range{Start: last.Token, End: token.Murmur3.Max()}, false},
		{token.Range{Start: last.Token, End: first.Token}, false},
	} {
		require.Equal(t, c.want, r.Overlaps([]token.Range{c.r}), "%v", c.r)
	}
	require.False(t, r.Overlaps(nil))
}

func TestWhatCannotBeReadIsRefusedByName(t *testing.T) {
	for name, want := range map[string]string{
		"la-1-big-Data.db": `"la"`, "ob-1-big-Data.db": `"ob"`, "db-1-bti-Data.db": `"db"`, "ks-t-ka-1-Data.db": `"ka"`,
		"ks-t-jb-12-Data.db": `"jb"`, "nb-1-bti-Data.db": `"bti"`, "da-1-big-Data.db": `"big"`,
	} {
		_, _, err := component.ParseName(name)
		require.ErrorContains(t, err, want)
	}
	_, err := Open(Folder(t.TempDir(), component.Descriptor{Version: component.MT + 1, ID: "1"}))
	require.ErrorContains(t, err, "not known")

	folder := copied(t, "../testdata/golden/files/nb_lz4")
	change(t, folder, component.CompressionInfoDB, func(b []byte) []byte {
		return slices.Concat(
			[]byte{0, 23},
			[]byte("LZ4WithDictsCompressor2"),
			b[2+len(component.LZ4Compressor):],
		)
	})
	_, err = openIn(folder)
	require.ErrorContains(t, err, `"LZ4WithDictsCompressor2"`)

	folder = copied(t, "../testdata/golden/files/nb_lz4")
	require.NoError(
		t,
		os.WriteFile(
			filepath.Join(folder, "nb-1-big-Scylla.db"),
			[]byte("\x00\x19scylla_encryption_options\x00"),
			0o600,
		),
	)
	_, err = openIn(folder)
	require.ErrorContains(t, err, "encrypted")

	for want, how := range map[string]func(*component.Statistics){
		"local or remote": func(
			s *component.Statistics,
		) {
			s.Stats.LegacyCounterShards = true
		},
		"ByteOrderedPartitioner": func(
			s *component.Statistics,
		) {
			s.Partitioner = "org.apache.cassandra.dht.ByteOrderedPartitioner"
		},
	} {
		folder = copied(t, "../testdata/golden/files/nb_lz4")
		change(t, folder, component.StatisticsDB, func(b []byte) []byte {
			s, err := component.ParseStatistics(b, component.NB)
			require.NoError(t, err)
			how(s)
			return s.Append(nil, component.NB)
		})
		r, err := openIn(folder)
		if err == nil {
			_, err = r.Within(nil)
			_, _, bounds := r.Bounds()
			require.EqualError(t, bounds, err.Error())
			require.NoError(t, r.Close())
		}
		require.ErrorContains(t, err, want)
	}
}

func TestErrorsTellTheFileAndThePlace(t *testing.T) {
	folder := copied(t, "../testdata/golden/files/nb_lz4")
	change(t, folder, component.DataDB, flip)
	r := opened(t, folder)
	d, err := r.Within([]token.Range{token.Whole(token.Murmur3)})
	require.NoError(t, err)
	_, err = partitionsOf(d)
	require.ErrorIs(t, err, component.ErrSum)
	require.True(
		t,
		strings.HasPrefix(err.Error(), filepath.Join(folder, "nb-1-big-Data.db")+": at offset "),
		err.Error(),
	)
	require.Regexp(t, `chunk \d+ at \d+`, err.Error())
}
