package component

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// CompressionInfo is the component CompressionInfo.db: how Data.db is compressed, and where its
// chunks are. Source: org.apache.cassandra.io.compress.CompressionMetadata.
type CompressionInfo struct {
	Compression
	// DataLength is that of Data.db when it is not compressed.
	DataLength uint64
	// Offsets are where the chunks begin in Data.db. A chunk goes up to the next, or to the end of
	// the file.
	Offsets []uint64
}

// Compression is how a table is compressed: org.apache.cassandra.schema.CompressionParams.
type Compression struct {
	// Compressor is the simple name of a class of org.apache.cassandra.io.compress; none: not
	// compressed.
	Compressor string
	// Options are the compressor's own, name and value.
	Options [][2]string
	// ChunkLength is how many bytes are compressed together: a power of two.
	ChunkLength int
	// MaxCompressedLength is the limit in bytes of a compressed chunk. If compression does not make
	// a chunk smaller than this, the chunk is stored plain. With NeverPlain, and in versions before
	// NA, no chunk is stored plain.
	MaxCompressedLength int
}

// NeverPlain is a MaxCompressedLength that no chunk reaches.
const NeverPlain = math.MaxInt32

// maxChunkLength is the length in bytes of the longest chunk that is read. Cassandra allows longer
// chunks.
const maxChunkLength = 64 << 20

// Append appends the CompressionInfo.db of a version.
func (ci *CompressionInfo) Append(dst []byte, v Version) []byte {
	dst = fields.AppendShortBytes(dst, ci.Compressor)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(ci.Options)))
	for _, option := range ci.Options {
		dst = fields.AppendShortBytes(fields.AppendShortBytes(dst, option[0]), option[1])
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(ci.ChunkLength))
	if v.HasMaxCompressedLength() {
		dst = binary.BigEndian.AppendUint32(dst, uint32(ci.MaxCompressedLength))
	}
	dst = binary.BigEndian.AppendUint64(dst, ci.DataLength)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(ci.Offsets)))
	for _, offset := range ci.Offsets {
		dst = binary.BigEndian.AppendUint64(dst, offset)
	}
	return dst
}

// ParseCompressionInfo reads the CompressionInfo.db of a version. Its chunks are enough for the
// data; there may be one of no bytes more, as some servers write.
func ParseCompressionInfo(b []byte, v Version) (*CompressionInfo, error) {
	ci := new(CompressionInfo)
	c := cursor{fields.Reader{Rest: b}}
	ci.Compressor = string(c.ShortBytes())
	for range c.Count(4) {
		ci.Options = append(ci.Options, [2]string{string(c.ShortBytes()), string(c.ShortBytes())})
	}
	ci.ChunkLength = int(c.Int32())
	ci.MaxCompressedLength = NeverPlain
	if v.HasMaxCompressedLength() {
		ci.MaxCompressedLength = int(c.Int32())
	}
	ci.DataLength = c.Uint64()
	n := c.Count(8)
	if c.Err == nil {
		ci.check(&c, n)
	}
	ci.Offsets = make([]uint64, 0, n)
	for i := range n {
		offset := c.Uint64()
		if i == 0 && offset != 0 || i > 0 && (offset <= ci.Offsets[i-1] || offset > math.MaxInt64) {
			c.Fail("chunk %d of %d begins at %d", i, n, offset)
		}
		ci.Offsets = append(ci.Offsets, offset)
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return ci, nil
}

// CheckChunkLength returns an error unless chunks may have n bytes.
func CheckChunkLength(n int) error {
	if n < 1 || n > maxChunkLength || n&(n-1) != 0 {
		return fmt.Errorf("chunks of %d bytes: must be a power of two, up to %d", n, maxChunkLength)
	}
	return nil
}

// check says what is wrong with what stands before n offsets.
func (ci *CompressionInfo) check(c *cursor, n int) {
	err := CheckChunkLength(ci.ChunkLength)
	switch {
	case err != nil:
		c.Fail("%w", err)
	case ci.MaxCompressedLength < 0:
		c.Fail("compressed chunks of at most %d bytes", ci.MaxCompressedLength)
	case ci.DataLength > math.MaxInt64:
		c.Fail("data of %d bytes", ci.DataLength)
	default:
		chunks := (ci.DataLength + uint64(ci.ChunkLength) - 1) / uint64(ci.ChunkLength)
		if uint64(n) != chunks && uint64(n) != chunks+1 {
			c.Fail("%d chunks of %d bytes for %d bytes of data", n, ci.ChunkLength, ci.DataLength)
		}
	}
}

// Ratio returns the ratio of compressed to uncompressed bytes. stored is the size of all chunks in
// Data.db with their checksums. The ratio leaves the checksums out
// (org.apache.cassandra.io.compress.CompressedSequentialWriter).
func (ci *CompressionInfo) Ratio(stored uint64) float64 {
	if ci.DataLength == 0 {
		return NotCompressed
	}
	return float64(stored-SumLen*uint64(len(ci.Offsets))) / float64(ci.DataLength)
}
