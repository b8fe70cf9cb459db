// Package bykey reads the partitions and rows of a table whose keys a user lists. A [Sorter] takes
// the keys out of inputs, as the target of package ingest, and sorts them by token on the disk. The
// [List] has each key once. A [Reader] reads a token range of the list for package sweep. Each key
// is a request of its own, to a replica of the range. [Missing] notes the keys that have no row.
package bykey

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A file of keys has one record for each key, in order. It has the length of the rest, and the key.
// The key is its token in 16 bytes, big endian, and the values of the partition key, each behind
// its length. Then come the values of clustering columns, each behind a byte 1 and its length, and
// a byte 0. Lengths are unsigned varints. So in the order of records a key comes directly before
// those that begin with its values.

// blockBytes is the size of the parts of the file whose beginnings are in memory.
const blockBytes = 32 << 10

// List is a file of keys in the order of their tokens. It is safe for concurrent use.
type List struct {
	file      *os.File
	partition int // number of columns of the partition key
	blocks    []block
	keys      int64
	size      int64
	sum       uint64
}

// block is where a part of the file begins.
type block struct {
	at     token.Token // of its first key
	offset int64
	keys   int64 // before it
}

// Key is a key of a list.
type Key struct {
	Token  token.Token // of its partition key
	Values [][]byte    // of all columns of the partition key, and the clustering columns given
	place  place
	next   place // of the key behind it
}

// place is where a key stands in the file.
type place struct {
	offset int64
	number int64 // of keys before it
}

// OpenList opens a file of keys of a table with that many columns in its partition key, and reads
// it through. The caller closes the list.
func OpenList(path string, partition int) (*List, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	list, err := readList(file, partition)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("keys in %s: %w", path, err), file.Close())
	}
	return list, nil
}

// readList makes the list of a file that is written. The list owns the file.
func readList(file *os.File, partition int) (*List, error) {
	l := &List{file: file, partition: partition}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	sum := xxhash.New()
	in := bufio.NewReaderSize(io.TeeReader(file, sum), blockBytes)
	var record []byte
	for {
		length, err := binary.ReadUvarint(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && length > maxRecord {
			err = fmt.Errorf("a key of %d bytes", length)
		}
		if err == nil {
			record = slices.Grow(record[:0], int(length))[:length]
			_, err = io.ReadFull(in, record)
		}
		if err != nil {
			return nil, noEOF(err)
		}
		if len(record) < tokenBytes {
			return nil, errRecord
		}
		last := len(l.blocks) - 1
		if last < 0 || l.size-l.blocks[last].offset >= blockBytes {
			l.blocks = append(l.blocks, block{readToken(record), l.size, l.keys})
		}
		l.keys++
		l.size += int64(uvarintLen(length)) + int64(length)
	}
	l.sum = sum.Sum64()
	return l, nil
}

// maxRecord is more than the bytes of any key: a partition key and clustering values have at most
// 65,535 bytes each.
const maxRecord = 1 << 20

var errRecord = errors.New("the file is damaged")

// noEOF is an error of a file that ends in the middle of a key.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errRecord
	}
	return err
}

func uvarintLen(n uint64) int {
	var b [binary.MaxVarintLen64]byte
	return binary.PutUvarint(b[:], n)
}

// Len returns the number of keys.
func (l *List) Len() int64 { return l.keys }

// Sum returns a checksum of the file, in hexadecimal.
func (l *List) Sum() string { return fmt.Sprintf("%016x", l.sum) }

// Save copies the file to a path.
func (l *List) Save(path string) (err error) {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, io.NewSectionReader(l.file, 0, l.size)); err != nil {
		return err
	}
	return out.Sync()
}

// Close closes the file.
func (l *List) Close() error { return l.file.Close() }

// First returns the first key within a token range; false if there is none. The zero range is the
// whole ring.
func (l *List) First(within token.Range) (Key, bool, error) {
	whole := within == (token.Range{})
	// The block before the first one behind the start may have the key, too.
	n, _ := slices.BinarySearchFunc(l.blocks, within.Start, func(b block, t token.Token) int {
		if whole || t.Less(b.at) {
			return 1
		}
		return -1
	})
	at := place{}
	if n > 0 {
		at = place{l.blocks[n-1].offset, l.blocks[n-1].keys}
	}
	in := l.from(at.offset)
	for at.number < l.keys {
		key, err := l.read(in, at)
		if err != nil {
			return Key{}, false, err
		}
		if whole || within.Start.Less(key.Token) {
			return key, key.in(within), nil
		}
		at = key.next
	}
	return Key{}, false, nil
}

// Count returns the number of keys within a token range.
func (l *List) Count(within token.Range) (n int64, err error) {
	key, ok, err := l.First(within)
	if err != nil || !ok {
		return 0, err
	}
	in := l.from(key.place.offset)
	for at := key.place; at.number < l.keys; {
		if key, err = l.read(in, at); err != nil || !key.in(within) {
			return n, err
		}
		n, at = n+1, key.next
	}
	return n, nil
}

// in reports whether a key that is not before a range is within it.
func (k *Key) in(within token.Range) bool {
	return within == (token.Range{}) || !within.End.Less(k.Token)
}

// at returns the key at a place.
func (l *List) at(p place) (Key, error) { return l.read(l.from(p.offset), p) }

// each calls f for each key, in order.
func (l *List) each(f func(Key) error) error {
	in := l.from(0)
	for at := (place{}); at.number < l.keys; {
		key, err := l.read(in, at)
		if err == nil {
			err = f(key)
		}
		if err != nil {
			return err
		}
		at = key.next
	}
	return nil
}

func (l *List) from(offset int64) *bufio.Reader {
	return bufio.NewReader(io.NewSectionReader(l.file, offset, l.size-offset))
}

// read reads the key that a reader is at.
func (l *List) read(in *bufio.Reader, at place) (Key, error) {
	length, err := binary.ReadUvarint(in)
	if err != nil {
		return Key{}, noEOF(err)
	}
	if length > maxRecord {
		return Key{}, errRecord
	}
	record := make([]byte, length)
	if _, err := io.ReadFull(in, record); err != nil {
		return Key{}, noEOF(err)
	}
	next := place{at.offset + int64(uvarintLen(length)) + int64(length), at.number + 1}
	key := Key{place: at, next: next}
	if len(record) < tokenBytes {
		return key, errRecord
	}
	key.Token = readToken(record)
	return key, key.readValues(record[tokenBytes:], l.partition)
}

// The bytes that say whether another clustering value comes.
const (
	keyEnds    = 0
	valueComes = 1
)

// readValues reads the values of a record behind its token.
func (k *Key) readValues(b []byte, partition int) (err error) {
	for range partition {
		if b, err = k.take(b); err != nil {
			return err
		}
	}
	for len(b) > 0 && b[0] == valueComes {
		if b, err = k.take(b[1:]); err != nil {
			return err
		}
	}
	if len(b) != 1 || b[0] != keyEnds {
		return errRecord
	}
	return nil
}

// take reads a value, and returns the bytes behind it.
func (k *Key) take(b []byte) ([]byte, error) {
	length, size := binary.Uvarint(b)
	if size <= 0 || length > uint64(len(b)-size) {
		return nil, errRecord
	}
	end := size + int(length)
	k.Values = append(k.Values, b[size:end:end])
	return b[end:], nil
}

const tokenBytes = 16

func readToken(b []byte) token.Token {
	return token.Token{Hi: binary.BigEndian.Uint64(b), Lo: binary.BigEndian.Uint64(b[8:])}
}

func appendToken(dst []byte, t token.Token) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, t.Hi), t.Lo)
}

func appendValue(dst, value []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(value))), value...)
}
