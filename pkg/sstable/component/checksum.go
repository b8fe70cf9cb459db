package component

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// AppendDigest appends a Digest.crc32: the CRC-32 of Data.db as it is stored, in decimal
// (org.apache.cassandra.io.util.ChecksumWriter.writeFullChecksum).
func AppendDigest(dst []byte, sum uint32) []byte { return strconv.AppendUint(dst, uint64(sum), 10) }

// ParseDigest reads a Digest.crc32.
func ParseDigest(b []byte) (uint32, error) {
	sum, err := strconv.ParseUint(string(b), 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%s: %.40q is no CRC-32 in decimal", DigestCRC32, b)
	}
	return uint32(sum), nil
}

// BlockSums is the component CRC.db: the CRC-32 of each block of a Data.db that is not compressed
// (org.apache.cassandra.io.util.ChecksumWriter and DataIntegrityMetadata.ChecksumValidator).
type BlockSums struct {
	// BlockLength is how many bytes a block has; the last has fewer.
	BlockLength int
	Sums        []uint32
}

// SumBlock is the length of a block as Cassandra writes it.
const SumBlock = 64 << 10

// Append appends the CRC.db.
func (s *BlockSums) Append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(s.BlockLength))
	for _, sum := range s.Sums {
		dst = binary.BigEndian.AppendUint32(dst, sum)
	}
	return dst
}

// Fit returns an error unless there is a checksum for each of n blocks. Cassandra adds checksums of
// empty blocks if the data ends with a full block, or if a compaction opened the SSTable before it
// was complete. Sources: BigTableWriter.openFinalEarly and
// ChecksummedSequentialWriter.flushData.
func (s *BlockSums) Fit(n int) error {
	if len(s.Sums) < n ||
		slices.ContainsFunc(s.Sums[n:], func(sum uint32) bool { return sum != 0 }) {
		return fmt.Errorf("%s: %d checksums for %d blocks", CRCDB, len(s.Sums), n)
	}
	return nil
}

// ParseBlockSums reads a CRC.db.
func ParseBlockSums(b []byte) (*BlockSums, error) {
	c := cursor{fields.Reader{Rest: b}}
	s := &BlockSums{BlockLength: int(c.Int32())}
	if c.Err == nil && (s.BlockLength < 1 || s.BlockLength > maxChunkLength) {
		c.Fail("blocks of %d bytes", s.BlockLength)
	}
	for len(c.Rest) > 0 {
		s.Sums = append(s.Sums, c.Uint32())
	}
	if err := c.End(); err != nil {
		return nil, err
	}
	return s, nil
}
