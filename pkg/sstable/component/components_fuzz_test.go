package component

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"
)

// versionOf makes a version of any number.
func versionOf(n uint8) Version { return MC + Version(n)%OA }

func FuzzParseName(f *testing.F) {
	for _, s := range []string{"nb-1-big-Data.db", "oa-3gwe_0g3j_12r9c2xuh8dnj7lmok-big-TOC.txt", "--big-", "nb-1-bti-Data.db", "da-1-bti-Data.db", "ks-t-ka-1-Data.db"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, c, err := ParseName(s); err == nil {
			require.Equal(t, s, d.Name(c))
		}
	})
}

func FuzzParseTOC(f *testing.F) {
	f.Add([]byte("Data.db\nTOC.txt\n"))
	f.Add([]byte("Data.db\r\n\nx/y"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if components, err := ParseTOC(b); err == nil {
			again, err := ParseTOC(AppendTOC(nil, components))
			require.NoError(t, err)
			require.Equal(t, components, again)
		}
	})
}

func FuzzParseDigest(f *testing.F) {
	f.Add([]byte("634928007"))
	f.Add([]byte("+1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if sum, err := ParseDigest(b); err == nil {
			again, err := ParseDigest(AppendDigest(nil, sum))
			require.NoError(t, err)
			require.Equal(t, sum, again)
		}
	})
}

func FuzzParseBlockSums(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0x25, 0xd8, 0x3b, 0x87})
	f.Add([]byte{0, 1, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if sums, err := ParseBlockSums(b); err == nil {
			require.Equal(t, b, sums.Append(nil))
		}
	})
}

func FuzzParseFilter(f *testing.F) {
	f.Add(testkit.Unhex(f, "00000005 00000001 1000004040202000"), uint8(4))
	f.Add(testkit.Unhex(f, "00000005 00000001 0020204040000010"), uint8(1))
	f.Add(testkit.Unhex(f, "00000005 7fffffff 00"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		v := versionOf(n)
		filter, err := ParseFilter(b, v)
		if err != nil {
			return
		}
		require.Equal(t, b, filter.Append(nil, v))
		filter.Has(b)
	})
}

func FuzzParseSummary(f *testing.F) {
	f.Add(
		testkit.Unhex(
			f,
			"00000080 00000001 0000000000000010 00000080 00000001 04000000 00000001 0000000000000000 00000004 00000001 00000004 00000001",
		),
	)
	f.Add(
		testkit.Unhex(
			f,
			"00000080 00000001 0000000000000010 00000080 00000001 ffffffff 00000001 0000000000000000 00000004 00000001 00000004 00000001",
		),
	)
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := ParseSummary(b); err == nil {
			require.Equal(t, b, s.Append(nil))
		}
	})
}

func FuzzIndexReader(f *testing.F) {
	f.Add(
		AppendIndexEntry(
			AppendIndexEntry(nil, IndexEntry{Key: keyOne}),
			IndexEntry{Key: []byte("k"), Position: 1 << 40, Promoted: []byte("p")},
		),
	)
	f.Add(testkit.Unhex(f, "0004 00000001 00 ff7fffffffffffffff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := NewIndexReader(bytes.NewReader(b))
		var again []byte
		for {
			at := uint64(len(again))
			e, err := r.Next()
			require.Equal(t, at, r.Position())
			if err == io.EOF {
				require.Equal(t, b, append([]byte{}, again...))
				return
			}
			if err != nil {
				require.False(t, errors.Is(err, io.EOF))
				return
			}
			again = AppendIndexEntry(again, e)
		}
	})
}

func FuzzParseStatistics(f *testing.F) {
	s := exampleStatistics(f)
	s.Stats.Slice = Everything
	for v := MC; v <= OA; v++ {
		f.Add(s.Append(nil, v), uint8(v-MC))
	}
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		v := versionOf(n)
		s, err := ParseStatistics(b, v)
		if err != nil {
			return
		}
		b = s.Append(nil, v)
		again, err := ParseStatistics(b, v)
		require.NoError(t, err)
		require.Equal(t, b, again.Append(nil, v))
	})
}

func FuzzParseCompressionInfo(f *testing.F) {
	f.Add(
		testkit.Unhex(
			f,
			"000d 4c5a34436f6d70726573736f72 00000001 0001 6b 0001 76 00004000 7fffffff 0000000000004e20 00000002 0000000000000000 0000000000000309",
		),
		uint8(4),
	)
	f.Add(testkit.Unhex(f, "000d 4c5a34436f6d70726573736f72 7fffffff"), uint8(1))
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		v := versionOf(n)
		if info, err := ParseCompressionInfo(b, v); err == nil {
			require.Equal(t, b, info.Append(nil, v))
		}
	})
}

// FuzzChunk reads chunks of any bytes, for each compressor.
func FuzzChunk(f *testing.F) {
	lz, err := newLZ4()(nil, []byte("plain plain plain"))
	require.NoError(f, err)
	f.Add(lz, uint16(17))
	zstd, err := newZstd(nil)
	require.NoError(f, err)
	frame, err := zstd(nil, []byte("plain plain plain"))
	require.NoError(f, err)
	f.Add(frame, uint16(17))
	f.Add([]byte{0x11, 0x40, 'p', 'l', 'a', 'i', 'n'}, uint16(17))
	f.Add(testkit.Unhex(f, "789c 2bc849cc cc5328 80 52 00 38 cf 06 5b"), uint16(17))
	var all []Decompressor
	for _, name := range []string{
		LZ4Compressor, ZstdCompressor, SnappyCompressor, DeflateCompressor, NoopCompressor,
	} {
		undo, err := NewDecompressor(name)
		require.NoError(f, err)
		all = append(all, undo)
	}
	f.Fuzz(func(t *testing.T, b []byte, n uint16) {
		for _, undo := range all {
			plain := make([]byte, int(n)+8)
			for i := range 8 {
				plain[int(n)+i] = 0xa5
			}
			got, err := undo(plain[:n:n], b)
			require.True(t, err != nil || got <= int(n))
			require.Equal(t, bytes.Repeat([]byte{0xa5}, 8), plain[n:])
		}
	})
}
