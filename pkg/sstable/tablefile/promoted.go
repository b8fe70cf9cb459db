package tablefile

import (
	"encoding/binary"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// promotedIndex leads to blocks of rows inside a partition
// (org.apache.cassandra.io.sstable.IndexInfo). A partition of two blocks or more has it.
type promotedIndex struct {
	// HeaderLength is how many bytes the partition has before its first row: key, deletion, static
	// row.
	HeaderLength int64
	Deletion     sstable.Deletion
	Blocks       []sstable.Block
}

// appendPromotedIndex appends a promoted index, as it stands in an entry of the Index.db of a
// version. It fails where the version cannot keep a deletion.
func appendPromotedIndex(dst []byte, p *promotedIndex, v component.Version) ([]byte, error) {
	var blocks indexBlocks
	for i := range p.Blocks {
		if err := blocks.add(&p.Blocks[i], v); err != nil {
			return dst, err
		}
	}
	return blocks.append(dst, p.HeaderLength, p.Deletion, v)
}

// indexBlocks are the blocks of a promoted index, as they stand there.
type indexBlocks struct {
	encoded []byte
	offsets []uint32 // of each block
}

func (ib *indexBlocks) reset() { ib.encoded, ib.offsets = ib.encoded[:0], ib.offsets[:0] }

func (ib *indexBlocks) add(b *sstable.Block, v component.Version) (err error) {
	ib.offsets = append(ib.offsets, uint32(len(ib.encoded)))
	ib.encoded, err = appendBlock(ib.encoded, b, v)
	return err
}

// append appends the promoted index of a partition.
func (ib *indexBlocks) append(
	dst []byte,
	headerLength int64,
	d sstable.Deletion,
	v component.Version,
) ([]byte, error) {
	dst = cqlwire.AppendUvint(dst, uint64(headerLength))
	dst, err := sstable.AppendDeletion(dst, d, v)
	dst = cqlwire.AppendUvint(dst, uint64(len(ib.offsets)))
	dst = append(dst, ib.encoded...)
	for _, o := range ib.offsets {
		dst = binary.BigEndian.AppendUint32(dst, o)
	}
	return dst, err
}

// appendBlock appends the entry of a block to a promoted index. Its width is stored relative to
// BlockBytes, a fixed number in the format (IndexInfo.Serializer.WIDTH_BASE).
func appendBlock(dst []byte, b *sstable.Block, v component.Version) ([]byte, error) {
	dst = append(append(dst, b.First...), b.Last...)
	dst = cqlwire.AppendUvint(dst, uint64(b.Offset))
	dst = cqlwire.AppendVint(dst, b.Width-sstable.BlockBytes)
	dst = fields.AppendBool(dst, b.Open.Set)
	if !b.Open.Set {
		return dst, nil
	}
	return sstable.AppendDeletion(dst, b.Open, v)
}

// parsePromotedIndex reads the promoted index of a version. prefixLen returns the number of bytes
// of the clustering that some bytes begin with, or 0 (Schema.PrefixLen). The result has parts of b.
func parsePromotedIndex(
	b []byte,
	v component.Version,
	prefixLen func([]byte) int,
) (*promotedIndex, error) {
	c := fields.Reader{Rest: b}
	p := &promotedIndex{HeaderLength: int64(c.Uvint()), Deletion: takeDeletion(&c, v)}
	n := c.Uvint()
	const leastBlock = 9 // two kinds, offset, width, no marker, and 4 bytes of its place
	if n > uint64(len(c.Rest))/leastBlock {
		c.Fail("%d blocks in %d bytes", n, len(c.Rest))
		n = 0
	}
	size := len(c.Rest)
	offsets := make([]uint32, 0, n)
	p.Blocks = make([]sstable.Block, 0, n)
	for i := uint64(0); i < n && c.Err == nil; i++ {
		offsets = append(offsets, uint32(size-len(c.Rest)))
		b := sstable.Block{
			First:  readPrefix(&c, prefixLen),
			Last:   readPrefix(&c, prefixLen),
			Offset: int64(c.Uvint()),
			Width:  c.Vint() + sstable.BlockBytes,
		}
		if c.Bool() {
			if b.Open = takeDeletion(&c, v); !b.Open.Set {
				c.Fail("range tombstone that deletes nothing")
			}
		}
		p.Blocks = append(p.Blocks, b)
	}
	for i, want := range offsets {
		if got := c.Uint32(); c.Err == nil && got != want {
			c.Fail("block %d is said to be at %d and is at %d", i, got, want)
		}
	}
	if err := c.End(); err != nil {
		return nil, fmt.Errorf("promoted index: %w", err)
	}
	return p, nil
}

// readPrefix reads the clustering of a row or a marker.
func readPrefix(c *fields.Reader, length func([]byte) int) []byte {
	if c.Err != nil {
		return nil
	}
	n := length(c.Rest)
	if n < 1 {
		c.Fail("clustering is cut off or malformed")
		return nil
	}
	return c.Take(uint64(n))
}

// takeDeletion reads the deletion of a partition.
func takeDeletion(c *fields.Reader, v component.Version) sstable.Deletion {
	d, n := sstable.ReadDeletion(c.Rest, v)
	if n == 0 && c.Err == nil {
		c.Fail("deletion is cut off or malformed")
	}
	c.Take(uint64(n))
	return d
}
