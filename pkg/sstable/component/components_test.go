package component

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"
)

func TestFileNamesAreTakenApartAndMade(t *testing.T) {
	for name, want := range map[string]Descriptor{
		"nb-1-big-Data.db":                             {Version: NB, ID: "1"},
		"md-2147483647-big-CompressionInfo.db":         {Version: MD, ID: "2147483647"},
		"oa-3gwe_0g3j_12r9c2xuh8dnj7lmok-big-TOC.txt":  {Version: OA, ID: "3gwe_0g3j_12r9c2xuh8dnj7lmok"},
		"me-1-big-SAI+aa+by_name+ColumnCompleteMarker": {Version: ME, ID: "1"},
		"da-1-bti-Partitions.db":                       {Version: DA, ID: "1"},
		"ms-3gwe_0g3j_12r9c2xuh8dnj7lmok-big-Rows.db":  {Version: MS, ID: "3gwe_0g3j_12r9c2xuh8dnj7lmok"},
	} {
		d, c, err := ParseName(name)
		require.NoError(t, err, name)
		require.Equal(t, want, d)
		require.Equal(t, name, d.Name(c))
	}
	for _, name := range []string{"", "nb-1-big", "nb-1-big-", "nb--big-Data.db", "la-1-big-Data.db", "da-1-big-Data.db", "nb-1-bti-Data.db", "nb-../1-big-Data.db", "nb-A-big-Data.db", "manifest.json"} {
		_, _, err := ParseName(name)
		require.Error(t, err, name)
	}
}

func TestTOCNamesAComponentALine(t *testing.T) {
	components := []Kind{DataDB, IndexDB, TOCTxt}
	b := AppendTOC(nil, components)
	require.Equal(t, "Data.db\nIndex.db\nTOC.txt\n", string(b))
	again, err := ParseTOC(b)
	require.NoError(t, err)
	require.Equal(t, components, again)
	for _, bad := range []string{"Data.db\n\n", "../Data.db\n"} {
		_, err := ParseTOC([]byte(bad))
		require.Error(t, err, bad)
	}
}

func TestFilterOfCassandra(t *testing.T) {
	f := NewFilter(1, 0.1)
	f.hashes = 5
	f.Add(keyOne)
	require.True(t, f.Has(keyOne))
	require.False(t, f.Has([]byte{0, 0, 0, 2}))
	for v, want := range map[Version]string{NB: "00000005 00000001 1000004040202000", MD: "00000005 00000001 0020204040000010"} {
		b := f.Append(nil, v)
		require.Equal(t, testkit.Unhex(t, want), b, v)
		again, err := ParseFilter(b, v)
		require.NoError(t, err)
		require.Equal(t, f, again)
	}
}

func TestFilterIsAsLargeAsCassandras(t *testing.T) {
	for chance, want := range map[float64][2]int{
		0.1: {5, 3}, 0.05: {7, 3}, 0.02: {9, 4}, 0.01: {10, 5},
		0.005: {12, 5}, 0.001: {15, 7}, 0.0001: {20, 10},
	} {
		bits, hashes := filterSpec(chance)
		require.Equal(t, want, [2]int{bits, hashes}, chance)
		require.Len(t, NewFilter(1000, chance).bits, (1000*bits+extraBits+63)/64*8)
	}
}

// The place of a bit is Java's: Math.abs(hash % size), with signed numbers.
func TestBitsOfAFilterAreWhereJavaHasThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, words := range []int{1, 2, 3, 7, 1 << 10, 1<<10 + 1, 1<<20 - 1} {
		f := newFilter(1, make([]byte, 8*words))
		size := int64(64 * words)
		hashes := []int64{
			0,
			1,
			-1,
			size - 1,
			size,
			size + 1,
			-size,
			2*size - 1,
			math.MaxInt64,
			math.MinInt64,
			math.MinInt64 + 1,
			math.MaxInt64 / size * size,
			math.MaxInt64/size*size - 1,
		}
		for range 10_000 {
			hashes = append(hashes, int64(random.Uint64()))
		}
		for _, h := range hashes {
			want := h % size
			if want < 0 {
				want = -want
			}
			require.Equal(t, uint64(want), f.bit(uint64(h)), "%d of %d", h, size)
		}
	}
}

func TestFilterHasEveryKeyAndFewOthers(t *testing.T) {
	f := NewFilter(10_000, 0.01)
	key := func(i int) []byte { return []byte(strings.Repeat("k", i%20) + string(rune(i+1000))) }
	for i := range 10_000 {
		f.Add(key(i))
	}
	wrong := 0
	for i := range 10_000 {
		require.True(t, f.Has(key(i)))
		if f.Has(append(key(i), '!')) {
			wrong++
		}
	}
	require.Less(t, wrong, 200)
	require.Zero(t, testing.AllocsPerRun(100, func() { f.Add(keyOne) }))
}

func TestSummaryOfCassandra(t *testing.T) {
	s := NewSummary(128)
	s.Add(0, keyOne, 0)
	b := s.Append(nil)
	require.Equal(
		t,
		testkit.Unhex(
			t,
			"00000080 00000001 0000000000000010 00000080 00000001 04000000 00000001 0000000000000000 00000004 00000001 00000004 00000001",
		),
		b,
	)
	again, err := ParseSummary(b)
	require.NoError(t, err)
	require.Equal(t, s, again)
}

func TestSummaryHasEverySoManiethKey(t *testing.T) {
	s := NewSummary(4)
	for i := range 10 {
		s.Add(int64(i), []byte(strings.Repeat("k", i+1)), uint64(100*i))
	}
	s, err := ParseSummary(s.Append(nil))
	require.NoError(t, err)
	require.Equal(
		t,
		[]SummaryEntry{{[]byte("k"), 0}, {[]byte("kkkkk"), 400}, {[]byte("kkkkkkkkk"), 800}},
		s.Entries,
	)
	require.Equal(t, "k", string(s.First))
	require.Equal(t, strings.Repeat("k", 10), string(s.Last))
	require.Equal(t, 3, s.FullSize)
}

func TestIndexEntries(t *testing.T) {
	entries := []IndexEntry{
		{Key: keyOne},
		{
			Key:      bytes.Repeat([]byte("k"), 65535),
			Position: 1 << 40,
			Promoted: bytes.Repeat([]byte("p"), 3<<20),
		},
		{Key: []byte("z"), Position: 1<<40 + 1},
	}
	var b []byte
	for _, e := range entries {
		b = AppendIndexEntry(b, e)
	}
	require.Equal(t, testkit.Unhex(t, "0004 00000001 00 00"), b[:8])
	r := NewIndexReader(bytes.NewReader(b))
	for _, want := range entries {
		e, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, want.Key, e.Key)
		require.Equal(t, want.Position, e.Position)
		require.True(t, bytes.Equal(want.Promoted, e.Promoted))
	}
	require.Equal(t, uint64(len(b)-10), r.Position())
	_, err := r.Next()
	require.Equal(t, io.EOF, err)

	r = NewIndexReader(bytes.NewReader(b[:len(b)-1]))
	for range 2 {
		_, err := r.Next()
		require.NoError(t, err)
	}
	_, err = r.Next()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

func TestDigestIsDecimal(t *testing.T) {
	require.Equal(t, "634928007", string(AppendDigest(nil, 634928007)))
	sum, err := ParseDigest([]byte("4294967295"))
	require.NoError(t, err)
	require.Equal(t, uint32(math.MaxUint32), sum)
	for _, bad := range []string{"", "-1", "4294967296", "12\n"} {
		_, err := ParseDigest([]byte(bad))
		require.Error(t, err, bad)
	}
}

func TestHistogramBucketsGrowByAFifth(t *testing.T) {
	h := newHistogram(sizeBounds)
	require.Equal(t, []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17}, h.Offsets[:12])
	require.Equal(t, int64(3520571548412), h.Offsets[sizeBounds-1])
	require.Equal(t, int64(4139110981), newHistogram(cellBounds).Offsets[cellBounds-1])
	for _, v := range []int64{0, 1, 9, 10, 11, math.MaxInt64} {
		h.Add(v)
	}
	require.Equal(t, int64(2), h.Counts[0])
	require.Equal(t, int64(2), h.Counts[8])
	require.Equal(t, int64(1), h.Counts[9])
	require.Equal(t, int64(1), h.Counts[sizeBounds])
	require.Equal(t, int64(6), h.Total())
}

func TestTombstonesAreCountedByTheMinute(t *testing.T) {
	h := TombstoneHistogram{Bins: tombstoneBins}
	for _, second := range []int64{60, 61, 119, 120, 121} {
		h.Add(second)
	}
	h.flush()
	require.Equal(t, []int64{60, 120, 180}, h.Seconds)
	require.Equal(t, []int64{1, 3, 1}, h.Counts)
}

func TestTombstonesOfManyTimesKeepToTheBins(t *testing.T) {
	h := TombstoneHistogram{Bins: tombstoneBins}
	for i := range int64(3 * tombstoneSpool) {
		h.Add(i * tombstoneRounding)
	}
	h.flush()
	require.Len(t, h.Seconds, tombstoneBins)
	require.IsIncreasing(t, h.Seconds)
	var n int64
	for _, count := range h.Counts {
		n += count
	}
	require.Equal(t, int64(3*tombstoneSpool), n)
}

func TestCardinalityIsCassandras(t *testing.T) {
	c := new(Cardinality)
	c.Add(keyOne)
	b := c.Append(nil)
	require.Len(t, b, 5473)
	require.Equal(t, testkit.Unhex(t, "fffffffe 0d 19 00 d82a"), b[:9])
	// 0x4fb1a8c3fb9eda53: register 0x9f6, and behind it 0011 0101...: a run of 3.
	require.Equal(t, byte(3), c.registers[0x9f6])
	again, err := parseCardinality(b)
	require.NoError(t, err)
	require.Equal(t, c, again)
	_, err = parseCardinality(b[:5472])
	require.Error(t, err)
	sparse, err := parseCardinality(testkit.Unhex(t, "fffffffe 0d 19 01 01 02"))
	require.NoError(t, err)
	require.Nil(t, sparse)
}
