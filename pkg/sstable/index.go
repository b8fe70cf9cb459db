package sstable

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// IndexEntry is what Index.db has of a partition. Sources:
// org.apache.cassandra.io.sstable.format.big.BigTableWriter and RowIndexEntry.
type IndexEntry struct {
	Key []byte
	// Position is where the partition begins in Data.db, uncompressed.
	Position uint64
	// Promoted is the promoted index: see PromotedIndex. Partitions of fewer than two blocks have
	// none.
	Promoted []byte
}

// AppendIndexEntry appends the entry of a partition to an Index.db.
func AppendIndexEntry(dst []byte, e IndexEntry) []byte {
	dst = fields.AppendShortBytes(dst, e.Key)
	dst = cqlwire.AppendUvint(dst, e.Position)
	return fields.AppendBytes(dst, e.Promoted)
}

// IndexReader reads an Index.db from its begin to its end, with as much memory as its largest entry
// takes.
type IndexReader struct {
	in       *bufio.Reader
	position uint64
	next     uint64
	key      []byte
	promoted []byte
	bare     bool // promoted indexes are gone over
}

// NewIndexReader reads the Index.db that in has.
func NewIndexReader(in io.Reader) *IndexReader {
	return &IndexReader{in: bufio.NewReaderSize(in, 64<<10)}
}

// newBareIndexReader reads the Index.db that in has from a position on, without promoted indexes
// and with a buffer of some size.
func newBareIndexReader(in io.Reader, position uint64, buffer int) *IndexReader {
	return &IndexReader{in: bufio.NewReaderSize(in, buffer), next: position, bare: true}
}

// Position is where the entry that Next gave last begins in Index.db.
func (r *IndexReader) Position() uint64 { return r.position }

// Next reads the next entry, which holds until the next call; after the last it is io.EOF.
func (r *IndexReader) Next() (IndexEntry, error) {
	r.position = r.next
	if _, err := r.in.Peek(1); err == io.EOF {
		return IndexEntry{}, io.EOF
	}
	e, err := r.entry()
	if err != nil {
		return IndexEntry{}, fmt.Errorf("entry at %d: %w", r.position, fields.CutOff(err))
	}
	return e, nil
}

func (r *IndexReader) entry() (e IndexEntry, err error) {
	length, err := r.in.Peek(2)
	if err != nil {
		return e, err
	}
	n := uint64(binary.BigEndian.Uint16(length))
	_, _ = r.in.Discard(2) // they are there
	r.next += 2
	if r.key, err = r.bytes(r.key, n); err != nil {
		return e, err
	}
	if e.Position, err = r.uvint(); err != nil {
		return e, err
	}
	size, err := r.uvint()
	if err != nil {
		return e, err
	}
	e.Key = r.key
	if r.bare {
		return e, r.pass(size)
	}
	r.promoted, err = r.bytes(r.promoted, size)
	e.Promoted = r.promoted
	return e, err
}

// pass goes over n bytes.
func (r *IndexReader) pass(n uint64) error {
	r.next += n
	for n > 0 {
		some, err := r.in.Discard(int(min(n, 1<<30)))
		if err != nil {
			return err
		}
		n -= uint64(some)
	}
	return nil
}

// bytes reads n of them into buf, which grows as they come, whatever n says.
func (r *IndexReader) bytes(buf []byte, n uint64) ([]byte, error) {
	r.next += n
	return fields.ReadGrowing(r.in, buf, n)
}

// uvint reads an unsigned vint.
func (r *IndexReader) uvint() (uint64, error) {
	const longest = 9
	b, err := r.in.Peek(longest)
	if len(b) == 0 {
		return 0, err
	}
	u, n := cqlwire.Uvint(b)
	if n == 0 {
		return 0, errors.New("vint is cut off or longer than it need be")
	}
	r.next += uint64(n)
	_, err = r.in.Discard(n)
	return u, err
}

// PromotedIndex leads to blocks of rows inside a partition
// (org.apache.cassandra.io.sstable.IndexInfo). A partition of two blocks or more has it.
type PromotedIndex struct {
	// HeaderLength is how many bytes the partition has before its first row: key, deletion, static
	// row.
	HeaderLength int64
	Deletion     Deletion
	Blocks       []Block
}

// AppendPromotedIndex appends a promoted index, as it stands in an entry of the Index.db of a
// version. It fails where AppendDeletion does.
func AppendPromotedIndex(dst []byte, p *PromotedIndex, v Version) ([]byte, error) {
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

func (ib *indexBlocks) add(b *Block, v Version) (err error) {
	ib.offsets = append(ib.offsets, uint32(len(ib.encoded)))
	ib.encoded, err = appendBlock(ib.encoded, b, v)
	return err
}

// append appends the promoted index of a partition.
func (ib *indexBlocks) append(
	dst []byte,
	headerLength int64,
	d Deletion,
	v Version,
) ([]byte, error) {
	dst = cqlwire.AppendUvint(dst, uint64(headerLength))
	dst, err := v.AppendDeletion(dst, d)
	dst = cqlwire.AppendUvint(dst, uint64(len(ib.offsets)))
	dst = append(dst, ib.encoded...)
	for _, o := range ib.offsets {
		dst = binary.BigEndian.AppendUint32(dst, o)
	}
	return dst, err
}

// appendBlock appends what a promoted index has of a block. Its width is told from BlockBytes,
// which is a fixed number in the format, IndexInfo.Serializer.WIDTH_BASE.
func appendBlock(dst []byte, b *Block, v Version) ([]byte, error) {
	dst = append(append(dst, b.First...), b.Last...)
	dst = cqlwire.AppendUvint(dst, uint64(b.Offset))
	dst = cqlwire.AppendVint(dst, b.Width-BlockBytes)
	dst = fields.AppendBool(dst, b.Open.Set)
	if !b.Open.Set {
		return dst, nil
	}
	return v.AppendDeletion(dst, b.Open)
}

// ParsePromotedIndex reads the promoted index of a version. prefixLen gives how many bytes the
// clustering has that some bytes begin with, in the form of Block.First, or 0. What is given is
// parts of b.
func ParsePromotedIndex(b []byte, v Version, prefixLen func([]byte) int) (*PromotedIndex, error) {
	c := cursor{fields.Reader{Rest: b}}
	p := &PromotedIndex{HeaderLength: int64(c.Uvint()), Deletion: c.deletion(v)}
	n := c.Uvint()
	const leastBlock = 9 // two kinds, offset, width, no marker, and 4 bytes of its place
	if n > uint64(len(c.Rest))/leastBlock {
		c.Fail("%d blocks in %d bytes", n, len(c.Rest))
		n = 0
	}
	size := len(c.Rest)
	offsets := make([]uint32, 0, n)
	p.Blocks = make([]Block, 0, n)
	for i := uint64(0); i < n && c.Err == nil; i++ {
		offsets = append(offsets, uint32(size-len(c.Rest)))
		b := Block{
			First:  c.prefix(prefixLen),
			Last:   c.prefix(prefixLen),
			Offset: int64(c.Uvint()),
			Width:  c.Vint() + BlockBytes,
		}
		if c.Bool() {
			if b.Open = c.deletion(v); !b.Open.Set {
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

// prefix reads the clustering of a row or a marker.
func (c *cursor) prefix(length func([]byte) int) []byte {
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

// deletion reads the deletion of a partition.
func (c *cursor) deletion(v Version) Deletion {
	d, n := v.Deletion(c.Rest)
	if n == 0 && c.Err == nil {
		c.Fail("deletion is cut off or malformed")
	}
	c.Take(uint64(n))
	return d
}
