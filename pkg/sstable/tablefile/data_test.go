package tablefile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// examplePartition are the 43 bytes of a partition of two rows.
const examplePartition = "0004 00000001 7fffffff 8000000000000000 24 00 00000002 06 12 00 08 02 6869 04 00 00000003 04 0d 83e8 01 01"

// someBytes are n bytes that a compressor makes smaller, but for those between from and to.
func someBytes(n, from, to int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i / 100)
		if i >= from && i < to {
			b[i] = byte(r.Uint32())
		}
	}
	return b
}

// newLZ4 makes a compressor of chunks.
func newLZ4() component.Compressor {
	compress, err := component.NewCompressor(
		component.Compression{Compressor: component.LZ4Compressor, ChunkLength: 4096},
	)
	if err != nil {
		panic(err)
	}
	return compress
}

// stored gives the bytes of a Data.db.
func stored(
	t testing.TB,
	plain []byte,
	c component.Compression,
	v component.Version,
) ([]byte, *dataWriter) {
	t.Helper()
	var out bytes.Buffer
	w, err := newDataWriter(&out, c, v)
	require.NoError(t, err)
	for rest := plain; len(rest) > 0; {
		n := min(1000, len(rest))
		got, err := w.Write(rest[:n])
		require.NoError(t, err)
		require.Equal(t, n, got)
		rest = rest[n:]
	}
	require.NoError(t, w.close())
	return out.Bytes(), w
}

// readBack reads a Data.db and holds it against its digest.
func readBack(
	b []byte,
	info *component.CompressionInfo,
	sums *component.BlockSums,
	digest uint32,
) ([]byte, error) {
	r, err := newDataReader(bytes.NewReader(b), int64(len(b)), info, sums)
	if err != nil {
		return nil, err
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return plain, r.finish(digest)
}

func TestDataNotCompressedOfCassandra(t *testing.T) {
	plain := testkit.Unhex(t, examplePartition)
	b, w := stored(t, plain, component.Compression{}, component.NB)
	require.Equal(t, plain, b)
	require.Equal(t, testkit.Unhex(t, "00010000 25d83b87"), w.sums.Append(nil))
	require.Equal(t, uint32(634928007), w.digest)
	require.Equal(t, component.NotCompressed, w.ratio())
}

func TestDataIsReadBack(t *testing.T) {
	kinds := []component.Compression{
		{},
		{
			Compressor:          component.NoopCompressor,
			ChunkLength:         4096,
			MaxCompressedLength: component.NeverPlain,
		},
		{
			Compressor:          component.LZ4Compressor,
			ChunkLength:         16384,
			MaxCompressedLength: component.NeverPlain,
		},
		{Compressor: component.LZ4Compressor, ChunkLength: 4096, MaxCompressedLength: 3500},
		{
			Compressor:          component.ZstdCompressor,
			ChunkLength:         16384,
			MaxCompressedLength: component.NeverPlain,
			Options:             [][2]string{{"compression_level", "5"}},
		},
		{Compressor: component.ZstdCompressor, ChunkLength: 4096, MaxCompressedLength: 4096},
	}
	for _, c := range kinds {
		for _, n := range []int{0, 1, 4095, 16384, 65536, 200_000} {
			plain := someBytes(n, 5000, 30_000)
			b, w := stored(t, plain, c, component.NB)
			var info *component.CompressionInfo
			sums := &w.sums
			if c.Compressor != "" {
				var err error
				info, err = component.ParseCompressionInfo(
					w.info.Append(nil, component.NB),
					component.NB,
				)
				require.NoError(t, err)
				sums = nil
			} else {
				again, err := component.ParseBlockSums(sums.Append(nil))
				require.NoError(t, err)
				require.Equal(t, sums, again)
				more := &component.BlockSums{
					BlockLength: sums.BlockLength,
					Sums:        append(slices.Clip(sums.Sums), 0, 0),
				}
				_, err = readBack(b, nil, more, w.digest)
				require.NoError(t, err, "checksums of empty blocks")
				more.Sums[len(more.Sums)-1] = 1
				_, err = readBack(b, nil, more, w.digest)
				require.ErrorContains(t, err, "CRC.db: ")
			}
			again, err := readBack(b, info, sums, w.digest)
			require.NoError(t, err, "%v of %d", c, n)
			require.True(t, bytes.Equal(plain, again))
			if n == 0 {
				continue
			}
			_, err = readBack(b, info, sums, w.digest+1)
			require.ErrorContains(t, err, "digest")
			_, err = readBack(b[:len(b)-1], info, sums, w.digest)
			require.Error(t, err)
			_, err = readBack(append(b[:len(b):len(b)], 0), info, sums, w.digest)
			require.Error(t, err)
			for _, i := range []int{0, len(b) / 2, len(b) - 1} {
				bad := append([]byte(nil), b...)
				bad[i] ^= 1
				_, err = readBack(bad, info, sums, w.digest)
				require.ErrorIs(t, err, component.ErrSum, "byte %d of %d", i, len(b))
			}
		}
	}
}

func TestChunksThatHardlyGetSmallerAreStoredPlain(t *testing.T) {
	plain := someBytes(5000, 0, 5000)
	c := component.Compression{
		Compressor:          component.LZ4Compressor,
		ChunkLength:         4096,
		MaxCompressedLength: 4000,
	}
	b, _ := stored(t, plain, c, component.NB)
	require.Equal(t, plain[:4096], b[:4096])
	require.Less(t, len(b), 5100)
	b, _ = stored(t, plain, c, component.MD)
	require.NotEqual(t, plain[:4096], b[:4096])

	short := someBytes(4090, 0, 4090)
	b, w := stored(
		t,
		short,
		component.Compression{
			Compressor:          component.LZ4Compressor,
			ChunkLength:         4096,
			MaxCompressedLength: 4094,
		},
		component.NB,
	)
	require.Len(t, b, 4094+component.SumLen)
	again, err := readBack(b, &w.info, nil, w.digest)
	require.NoError(t, err)
	require.Equal(t, short, again)
}

// chunked makes a Data.db of chunks that were compressed elsewhere.
func chunked(
	c component.Compression,
	plain int,
	chunks ...[]byte,
) ([]byte, *component.CompressionInfo) {
	info := &component.CompressionInfo{Compression: c, DataLength: uint64(plain)}
	var b []byte
	for _, chunk := range chunks {
		info.Offsets = append(info.Offsets, uint64(len(b)))
		b = binary.BigEndian.AppendUint32(append(b, chunk...), crc32.ChecksumIEEE(chunk))
	}
	return b, info
}

func TestSnappyAndDeflateAreRead(t *testing.T) {
	plain := someBytes(5000, 100, 200)
	deflate := func(plain []byte) []byte {
		var out bytes.Buffer
		w := zlib.NewWriter(&out)
		_, err := w.Write(plain)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	for name, compress := range map[string]func([]byte) []byte{
		component.SnappyCompressor:  func(plain []byte) []byte { return snappy.Encode(nil, plain) },
		component.DeflateCompressor: deflate,
	} {
		c := component.Compression{
			Compressor:          name,
			ChunkLength:         4096,
			MaxCompressedLength: component.NeverPlain,
		}
		b, info := chunked(c, len(plain), compress(plain[:4096]), compress(plain[4096:]))
		again, err := readBack(b, info, nil, crc32.ChecksumIEEE(b))
		require.NoError(t, err, name)
		require.Equal(t, plain, again)
		b, info = chunked(c, len(plain), compress(plain[:4096]), compress(plain[4097:]))
		_, err = readBack(b, info, nil, crc32.ChecksumIEEE(b))
		require.Error(t, err, name)
		_, err = component.NewCompressor(c)
		require.ErrorContains(t, err, name)
	}
}

func TestTheEmptyChunkAtTheEndIsPassedOver(t *testing.T) {
	lz := newLZ4()
	empty, err := lz(nil, nil)
	require.NoError(t, err)
	full, err := lz(nil, someBytes(4096, 0, 0))
	require.NoError(t, err)
	b, info := chunked(
		component.Compression{
			Compressor:          component.LZ4Compressor,
			ChunkLength:         4096,
			MaxCompressedLength: component.NeverPlain,
		},
		4096,
		full,
		empty,
	)
	again, err := component.ParseCompressionInfo(info.Append(nil, component.NB), component.NB)
	require.NoError(t, err)
	plain, err := readBack(b, again, nil, crc32.ChecksumIEEE(b))
	require.NoError(t, err)
	require.Len(t, plain, 4096)
}

func TestCompressionInfo(t *testing.T) {
	info := &component.CompressionInfo{
		Compression: component.Compression{
			Compressor:          component.LZ4Compressor,
			Options:             [][2]string{{"lz4_compressor_type", "fast"}},
			ChunkLength:         16384,
			MaxCompressedLength: component.NeverPlain,
		},
		DataLength: 20_000,
		Offsets:    []uint64{0, 777},
	}
	nb := info.Append(nil, component.NB)
	require.Equal(
		t,
		testkit.Unhex(
			t,
			"000d 4c5a34436f6d70726573736f72 00000001 0013 6c7a345f636f6d70726573736f725f74797065 0004 66617374 00004000 7fffffff 0000000000004e20 00000002 0000000000000000 0000000000000309",
		),
		nb,
	)
	for _, v := range []component.Version{component.MD, component.NB} {
		again, err := component.ParseCompressionInfo(info.Append(nil, v), v)
		require.NoError(t, err)
		require.Equal(t, info, again)
	}
	for _, change := range []func(*component.CompressionInfo){
		func(ci *component.CompressionInfo) { ci.ChunkLength = 0 },
		func(ci *component.CompressionInfo) { ci.ChunkLength = 10_000 },
		func(ci *component.CompressionInfo) { ci.ChunkLength = 1 << 30 },
		func(ci *component.CompressionInfo) { ci.DataLength = math.MaxUint64 },
		func(ci *component.CompressionInfo) { ci.DataLength = 40_000 },
		func(ci *component.CompressionInfo) { ci.Offsets = []uint64{0, 0} },
		func(ci *component.CompressionInfo) { ci.Offsets = []uint64{1, 2} },
		func(ci *component.CompressionInfo) { ci.MaxCompressedLength = -1 },
	} {
		bad := *info
		change(&bad)
		_, err := component.ParseCompressionInfo(bad.Append(nil, component.NB), component.NB)
		require.Error(t, err, "%+v", bad)
	}
	_, err := component.NewDecompressor("ZstdWithDictsCompressor")
	require.ErrorContains(t, err, `"ZstdWithDictsCompressor"`)
}

func TestZstdFramesThatDoNotTellTheirLengthAreRead(t *testing.T) {
	plain := someBytes(16384, 5000, 6000)
	var frame bytes.Buffer
	w, err := zstd.NewWriter(&frame)
	require.NoError(t, err)
	for _, part := range [][]byte{plain[:9000], plain[9000:]} {
		_, err := w.Write(part)
		require.NoError(t, err)
		require.NoError(t, w.Flush())
	}
	require.NoError(t, w.Close())
	undo, err := component.NewDecompressor(
		"org.apache.cassandra.io.compress." + component.ZstdCompressor,
	)
	require.NoError(t, err)
	for _, room := range []int{len(plain), len(plain) + 100} {
		got := make([]byte, room)
		n, err := undo(got, frame.Bytes())
		require.NoError(t, err)
		require.True(t, bytes.Equal(plain, got[:n]))
	}
	_, err = undo(make([]byte, len(plain)-1), frame.Bytes())
	require.ErrorIs(t, err, component.ErrChunkLength)
}
