package sstable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// flushBytes is how much a PartitionWriter collects before it hands it on.
const flushBytes = 64 << 10

// BlockBytes is the size in bytes at which a block of a partition is closed. It is Cassandra's own
// default of column_index_size up to 4.1, and suits every reader.
const BlockBytes = 64 << 10

// Block is a part of a partition that has an entry in the index. It has complete rows and markers,
// BlockBytes of them or a little more. The last block may be smaller.
type Block struct {
	// First and Last are the clusterings of the first and the last row or marker
	// (ClusteringPrefix.Serializer). For a row: the byte 4 and the values. For a marker: the kind,
	// the number of values in two bytes, and the values. They may be read until Observer.Block
	// returns.
	First, Last []byte
	Offset      int64 // of the first row, from the beginning of the partition
	Width       int64 // in bytes; that of the last block has the end of the partition in it
	// Open is the deletion of the range that begins before the end of the block and ends behind it.
	Open Deletion
}

// Partition is the place of a partition, for its entry in the index.
type Partition struct {
	Key          []byte // may be read until Observer.Partition returns
	Deletion     Deletion
	Position     int64 // of its first byte
	HeaderLength int64 // bytes before its first row: key, deletion, static row
	Length       int64 // bytes of the whole
}

// Observer receives the places of blocks and partitions. An error ends the writing.
type Observer interface {
	// Block is called with each block of a partition, in their order, once it is closed; of a
	// partition without rows with none.
	Block(b *Block) error
	// Partition is called with each partition after its blocks.
	Partition(p *Partition) error
}

// PartitionWriter writes partitions one after the other, as they stand in Data.db. For each
// partition, the caller calls Begin, perhaps Static, then Row and Marker in the order of the
// clustering, and End. The caller must keep the order, and must not write a key twice. After an
// error, what was written is of no use.
type PartitionWriter struct {
	codec    *Codec
	out      io.Writer
	observer Observer // may be nil
	buf      []byte   // what out does not have yet
	flushed  int64    // bytes that out has

	partition Partition
	open      bool  // between Begin and End
	static    bool  // the static row is written, or there is none
	previous  int64 // offset of the row before, in the partition

	block     Block
	inBlock   bool
	first     []byte // what block.First is a slice of
	last      []byte // and block.Last
	key       []byte // and partition.Key
	ranges    Deletion
	emptyRow  []byte // the static row of a partition that has none
	completed int64  // partitions
}

// NewPartitionWriter returns a writer to out, which gets 64 KiB or a row at a time. observer may
// be nil.
func NewPartitionWriter(c *Codec, out io.Writer, observer Observer) (*PartitionWriter, error) {
	if err := c.version.CheckWritable(); err != nil {
		return nil, err
	}
	empty, err := c.AppendRow(nil, &Row{Static: true})
	if err != nil {
		return nil, err
	}
	return &PartitionWriter{codec: c, out: out, observer: observer, emptyRow: empty}, nil
}

// Position returns the number of bytes that were written, with those that out does not have yet.
func (w *PartitionWriter) Position() int64 { return w.flushed + int64(len(w.buf)) }

// Partitions returns the number of complete partitions that were written.
func (w *PartitionWriter) Partitions() int64 { return w.completed }

// Begin begins a partition. The key is that of token.AppendKey.
func (w *PartitionWriter) Begin(key []byte, d Deletion) error {
	if w.open {
		return errors.New("a partition begins within another one")
	}
	if len(key) == 0 || len(key) > token.MaxKeyLen {
		return fmt.Errorf(
			"a partition key of %d bytes, where 1 to %d are allowed",
			len(key),
			token.MaxKeyLen,
		)
	}
	w.key = append(w.key[:0], key...)
	p := &w.partition
	p.Key, p.Deletion, p.Position, p.HeaderLength = w.key, d, w.Position(), 0
	w.buf = append(binary.BigEndian.AppendUint16(w.buf, uint16(len(key))), key...)
	var err error
	if w.buf, err = AppendDeletion(w.buf, d, w.codec.version); err != nil {
		return err
	}
	w.open = true
	w.static = len(w.codec.schema.statics) == 0
	w.previous = 0
	w.inBlock = false
	w.ranges = Deletion{}
	return nil
}

// Static writes the static row, as AppendRow has it, before all others. A partition without one
// gets an empty one where the schema has static columns.
func (w *PartitionWriter) Static(encoded []byte) error {
	head, body, err := split(encoded)
	if err != nil {
		return err
	}
	return w.staticRow(head, body)
}

func (w *PartitionWriter) staticRow(head, body []byte) error {
	switch {
	case !w.open || w.static:
		return errors.New("a static row is not in its place")
	case head[0]&hasMoreFlags == 0:
		return errors.New("a row that is not static stands for a static one")
	}
	w.static = true
	return w.frame(head, body, 0)
}

// Row writes a row, as AppendRow has it.
func (w *PartitionWriter) Row(encoded []byte) error {
	head, body, err := split(encoded)
	if err != nil {
		return err
	}
	return w.row(head, body)
}

// CopyRow writes the row or static row that a decoder is at. Its bytes are unchanged, so that the
// decoder's codec must be the writer's.
func (w *PartitionWriter) CopyRow(from *Decoder) error {
	switch {
	case from.codec != w.codec:
		return errors.New("rows of another codec cannot be copied unchanged")
	case from.row.Static:
		return w.staticRow(from.head, from.body)
	default:
		return w.row(from.head, from.body)
	}
}

func (w *PartitionWriter) row(head, body []byte) error {
	if head[0]&(hasMoreFlags|isMarker) != 0 {
		return errors.New("a static row or a marker stands for a row")
	}
	return w.item(head, body)
}

// Marker writes a marker.
func (w *PartitionWriter) Marker(m *Marker) error {
	encoded, err := w.codec.appendMarker(nil, m)
	if err != nil {
		return err
	}
	head, body, err := split(encoded)
	if err != nil {
		return err
	}
	w.ranges = m.Started
	return w.item(head, body)
}

// item writes a row or a marker, and closes the block when it is large enough.
func (w *PartitionWriter) item(head, body []byte) error {
	if err := w.header(); err != nil {
		return err
	}
	at := w.Position() - w.partition.Position
	if !w.inBlock {
		w.inBlock = true
		w.first = appendPrefix(w.first[:0], head)
		w.block.Offset = at
	}
	if err := w.frame(head, body, uint64(at-w.previous)); err != nil {
		return err
	}
	w.previous = at
	if w.observer != nil {
		w.last = appendPrefix(w.last[:0], head)
	}
	w.block.Width = w.Position() - w.partition.Position - w.block.Offset
	if w.block.Width >= BlockBytes {
		if err := w.closeBlock(); err != nil {
			return err
		}
	}
	if len(w.buf) >= flushBytes {
		return w.Flush()
	}
	return nil
}

// header ends what comes before the first row.
func (w *PartitionWriter) header() error {
	if !w.open {
		return errors.New("a row stands outside of a partition")
	}
	if !w.static {
		if err := w.Static(w.emptyRow); err != nil {
			return err
		}
	}
	if w.partition.HeaderLength == 0 {
		w.partition.HeaderLength = w.Position() - w.partition.Position
	}
	return nil
}

// frame writes a row or a marker with its sizes. A large body is handed on as it is, and not
// copied.
func (w *PartitionWriter) frame(head, body []byte, previous uint64) error {
	w.buf = append(w.buf, head...)
	var room [9]byte
	before := cqlwire.AppendUvint(room[:0], previous)
	w.buf = cqlwire.AppendUvint(w.buf, uint64(len(before)+len(body)))
	w.buf = append(w.buf, before...)
	if len(body) < flushBytes {
		w.buf = append(w.buf, body...)
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	n, err := w.out.Write(body)
	w.flushed += int64(n)
	return err
}

// appendPrefix appends the clustering of a row or a marker, as Block has it.
func appendPrefix(dst, head []byte) []byte {
	if head[0]&isMarker == 0 {
		dst = append(dst, byte(clusteringKind))
	}
	return append(dst, head[1:]...)
}

func (w *PartitionWriter) closeBlock() error {
	w.inBlock = false
	if w.observer == nil {
		return nil
	}
	w.block.First, w.block.Last, w.block.Open = w.first, w.last, w.ranges
	return w.observer.Block(&w.block)
}

// End ends the partition.
func (w *PartitionWriter) End() error {
	if err := w.header(); err != nil {
		return err
	}
	w.buf = append(w.buf, endOfPartition)
	w.open = false
	w.completed++
	if w.inBlock {
		w.block.Width++
		if err := w.closeBlock(); err != nil {
			return err
		}
	}
	if w.observer != nil {
		w.partition.Length = w.Position() - w.partition.Position
		if err := w.observer.Partition(&w.partition); err != nil {
			return err
		}
	}
	if len(w.buf) >= flushBytes {
		return w.Flush()
	}
	return nil
}

// Flush hands on what was collected. It is to be called after the last End.
func (w *PartitionWriter) Flush() error {
	n, err := w.out.Write(w.buf)
	w.flushed += int64(n)
	w.buf = w.buf[:copy(w.buf, w.buf[n:])]
	return err
}

// split parts what AppendRow or appendMarker wrote.
func split(encoded []byte) (head, body []byte, err error) {
	length, n := cqlwire.Uvint(encoded)
	if n == 0 || length == 0 || length > uint64(len(encoded)-n) {
		return nil, nil, errors.New("the bytes are not those of an encoded row")
	}
	end := n + int(length)
	return encoded[n:end:end], encoded[end:], nil
}
