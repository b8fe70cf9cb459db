package component

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The compressors, by the simple names of their classes in org.apache.cassandra.io.compress. Snappy
// and Deflate are read only.
const (
	LZ4Compressor     = "LZ4Compressor"
	ZstdCompressor    = "ZstdCompressor"
	SnappyCompressor  = "SnappyCompressor"
	DeflateCompressor = "DeflateCompressor"
	NoopCompressor    = "NoopCompressor"
)

// Compressor appends the compressed form of a chunk.
type Compressor func(dst, plain []byte) ([]byte, error)

// NewCompressor makes the compressor that a file is written with. It is for one goroutine.
func NewCompressor(c Compression) (Compressor, error) {
	if err := CheckChunkLength(c.ChunkLength); err != nil {
		return nil, err
	}
	switch c.Compressor {
	case LZ4Compressor:
		return newLZ4(), nil
	case ZstdCompressor:
		return newZstd(c.Options)
	case NoopCompressor:
		return func(dst, plain []byte) ([]byte, error) { return append(dst, plain...), nil }, nil
	default:
		return nil, fmt.Errorf(
			"compressor %.100q: written are %s, %s and %s",
			c.Compressor,
			LZ4Compressor,
			ZstdCompressor,
			NoopCompressor,
		)
	}
}

// newLZ4 returns an LZ4 compressor. A chunk is the plain length, little-endian, and a block. The
// compressor is the fast one, even if the table asks for the slow one. The choice changes only the
// size of chunks: readers are the same.
func newLZ4() Compressor {
	var lz lz4.Compressor
	return func(dst, plain []byte) ([]byte, error) {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(plain)))
		dst, room := fields.Grow(dst, lz4.CompressBlockBound(len(plain)))
		n, err := lz.CompressBlock(plain, room)
		return dst[:len(dst)-len(room)+n], err
	}
}

// zstdLevelOption is the name of the option with the level of Zstd. zstdLevel is the level if the
// option is not set.
const (
	zstdLevelOption = "compression_level"
	zstdLevel       = 3
)

// newZstd makes a Zstd compressor: a frame for each chunk, of about the table's level.
func newZstd(options [][2]string) (Compressor, error) {
	level := zstdLevel
	for _, option := range options {
		if option[0] != zstdLevelOption {
			continue
		}
		var err error
		if level, err = strconv.Atoi(option[1]); err != nil {
			return nil, fmt.Errorf(
				"compression option %s: %.40q is no number",
				zstdLevelOption,
				option[1],
			)
		}
	}
	encoder, err := zstd.NewWriter(
		nil,
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
	)
	if err != nil {
		return nil, err
	}
	return func(
		dst,
		plain []byte,
	) ([]byte, error) {
		return encoder.EncodeAll(plain, dst), nil
	}, nil
}

// Decompressor decompresses a chunk into dst, and returns the number of bytes written. It fails if
// they do not fit into dst.
type Decompressor func(dst, compressed []byte) (int, error)

// ErrChunkLength says that a chunk does not hold as many bytes as it should.
var ErrChunkLength = errors.New("chunk does not hold the bytes that it should")

// compressorPackage may stand before the name of a compressor.
const compressorPackage = "org.apache.cassandra.io.compress."

// NewDecompressor makes what reads the chunks of a compressor. It is for one goroutine.
func NewDecompressor(name string) (Decompressor, error) {
	switch strings.TrimPrefix(name, compressorPackage) {
	case LZ4Compressor:
		return decompressLZ4, nil
	case ZstdCompressor:
		decoder, err := zstd.NewReader(
			nil,
			zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(maxChunkLength),
		)
		if err != nil {
			return nil, err
		}
		return func(dst, compressed []byte) (int, error) {
			plain, err := decoder.DecodeAll(compressed, dst[:0])
			switch {
			case err != nil:
				return 0, err
			case len(plain) > len(dst):
				return 0, ErrChunkLength
			}
			// which are the same bytes, unless the decoder took a longer buffer
			return copy(dst, plain), nil
		}, nil
	case SnappyCompressor:
		return decompressSnappy, nil
	case DeflateCompressor:
		return decompressDeflate, nil
	case NoopCompressor:
		return func(dst, compressed []byte) (int, error) {
			if len(compressed) > len(dst) {
				return 0, ErrChunkLength
			}
			return copy(dst, compressed), nil
		}, nil
	default:
		return nil, fmt.Errorf("compressor %.100q: chunks of it are not read", name)
	}
}

func decompressLZ4(dst, compressed []byte) (int, error) {
	if len(compressed) < 4 || uint64(binary.LittleEndian.Uint32(compressed)) > uint64(len(dst)) {
		return 0, ErrChunkLength
	}
	length := int(binary.LittleEndian.Uint32(compressed))
	n, err := lz4.UncompressBlock(compressed[4:], dst[:length:length])
	if err == nil && n != length {
		err = ErrChunkLength
	}
	return n, err
}

func decompressSnappy(dst, compressed []byte) (int, error) {
	if n, err := snappy.DecodedLen(compressed); err != nil || n > len(dst) {
		return 0, errors.Join(ErrChunkLength, err)
	}
	plain, err := snappy.Decode(dst, compressed)
	return len(plain), err
}

func decompressDeflate(dst, compressed []byte) (n int, err error) {
	in, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return 0, err
	}
	for n < len(dst) && err == nil {
		var got int
		got, err = in.Read(dst[n:])
		n += got
	}
	if err == nil {
		var more int
		if more, err = in.Read(make([]byte, 1)); more > 0 || err == nil {
			return n, ErrChunkLength
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}
