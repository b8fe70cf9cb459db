package component

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
	// Promoted is the promoted index: see sstable.PromotedIndex. Partitions of fewer than two
	// blocks have none.
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

// NewBareIndexReader makes a reader of the Index.db whose bytes from a position on are in. It skips
// the promoted indexes, and reads buffer bytes at a time.
func NewBareIndexReader(in io.Reader, position uint64, buffer int) *IndexReader {
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
