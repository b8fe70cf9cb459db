package sstable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// Item is what a Decoder found.
type Item uint8

const (
	// PartitionStart is the beginning of a partition, with Decoder.Key and Decoder.Deletion.
	PartitionStart Item = iota + 1
	// StaticRow is the static row of the partition, in Decoder.Row. It may be empty.
	StaticRow
	// RegularRow is a row, in Decoder.Row.
	RegularRow
	// RangeMarker is where a range of deleted rows begins or ends, in Decoder.Marker.
	RangeMarker
	// PartitionEnd is the end of the partition.
	PartitionEnd
)

// MaxRowBytes is the size of the largest row that a server writes, so that a Decoder need not be
// given less.
const MaxRowBytes = 1<<31 - 1

// ReadBytes is the number of bytes that a Decoder reads at a time, unless SetReadSize changes it.
const ReadBytes = 64 << 10

// maxEmptyReads is how often in a row a reader may give nothing, as for bufio.Reader.
const maxEmptyReads = 100

// Decoder reads the partitions of a Data.db, uncompressed, in one pass. It keeps one row at a time,
// and a buffer that grows with what was read of it. Order is not checked. It is not safe for
// concurrent use.
type Decoder struct {
	codec  *Codec
	in     io.Reader
	err    error // of in, when it ended
	maxRow int
	step   int // bytes that are read at a time

	buf     []byte // what was read and is not done with
	base    int64  // offset of buf[0]
	at, end int    // of the item in buf

	open     bool // within a partition
	first    bool // its first row or marker is next
	key      []byte
	deletion Deletion
	head     []byte // of the row
	body     []byte
	row      Row
	marker   Marker
}

// NewDecoder returns a decoder that reads in to its end. A row of more than maxRow bytes is an
// error.
func NewDecoder(c *Codec, in io.Reader, maxRow int) *Decoder {
	return &Decoder{codec: c, in: in, maxRow: maxRow, step: ReadBytes}
}

// SetReadSize sets the number of bytes that d reads at a time. A small file needs no more than its
// size.
func (d *Decoder) SetReadSize(n int) { d.step = n }

// Codec returns the codec that d decodes with.
func (d *Decoder) Codec() *Codec { return d.codec }

// Key returns the key of the partition, until the next one begins.
func (d *Decoder) Key() []byte { return d.key }

// Deletion returns the deletion of the partition.
func (d *Decoder) Deletion() Deletion { return d.deletion }

// Row returns the row. It may be read until the next call of Next.
func (d *Decoder) Row() *Row { return &d.row }

// Marker returns the marker. It may be read until the next call of Next.
func (d *Decoder) Marker() *Marker { return &d.marker }

// Offset returns where the item begins, and End where it ends.
func (d *Decoder) Offset() int64 { return d.base + int64(d.at) }

// End returns the offset of what follows the item.
func (d *Decoder) End() int64 { return d.base + int64(d.end) }

// Next reads the next item. After the last partition the error is io.EOF; one that ends before its
// end is an io.ErrUnexpectedEOF. Errors name the offset of the item that is wrong. There is nothing
// to be read after an error.
func (d *Decoder) Next() (Item, error) {
	d.at = d.end
	if d.open {
		item, err := d.next()
		return item, d.AtOffset(err)
	}
	item, err := d.partition()
	return item, d.AtOffset(err)
}

// OffsetError says where in a Data.db something is wrong.
type OffsetError struct {
	Offset int64 // of the item, in the plain bytes
	Err    error
}

// Error names the offset, and what is wrong there.
func (e *OffsetError) Error() string {
	return fmt.Sprintf("SSTable data at offset %d: %v", e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *OffsetError) Unwrap() error { return e.Err }

// AtOffset returns an *OffsetError with the offset of the item. An error that has an offset or
// names a component is unchanged, and so are nil and io.EOF.
func (d *Decoder) AtOffset(err error) error {
	if err == nil || errors.Is(err, io.EOF) ||
		errors.As(err, new(*OffsetError)) || errors.As(err, new(*component.Error)) {
		return err
	}
	return &OffsetError{Offset: d.Offset(), Err: err}
}

// largeBuffer is the size of a buffer that is not kept for small items.
const largeBuffer = 1 << 20

// growth is the factor by which a buffer grows if an item does not fit. It limits the memory for an
// item that is cut off or damaged to that multiple of its bytes. The smaller buffers that a large
// item leaves behind are a small part of its size.
const growth = 8

// fill reads until there are n bytes of the item, or no more.
func (d *Decoder) fill(n int) {
	empty := 0
	for len(d.buf)-d.at < n && d.err == nil {
		if d.at == len(d.buf) && cap(d.buf) > largeBuffer && n < cap(d.buf)/2 {
			d.base += int64(d.at)
			// the item that made it so large is over
			d.buf, d.at, d.end = make([]byte, 0, max(d.step, n)), 0, d.end-d.at
		}
		if d.at > 0 && (d.at == len(d.buf) || cap(d.buf)-d.at < n) {
			d.base += int64(d.at)
			d.buf = d.buf[:copy(d.buf, d.buf[d.at:])]
			d.at, d.end = 0, d.end-d.at
		}
		if len(d.buf) == cap(d.buf) {
			size := max(d.step, growth*cap(d.buf))
			if more := n + d.step; more > cap(d.buf) { // no more than half of it would be needed
				size = min(size, more)
			}
			d.buf = append(make([]byte, 0, size), d.buf...)
		}
		var got int
		got, d.err = d.in.Read(d.buf[len(d.buf):cap(d.buf)])
		d.buf = d.buf[:len(d.buf)+got]
		if got > 0 {
			empty = 0
		} else if empty++; empty == maxEmptyReads && d.err == nil {
			d.err = io.ErrNoProgress
		}
	}
}

// need is fill where it is an error that there are fewer bytes.
func (d *Decoder) need(n int) error {
	d.fill(n)
	if len(d.buf)-d.at >= n {
		return nil
	}
	return d.cutOff()
}

// cutOff is the error of an item that is not whole.
func (d *Decoder) cutOff() error {
	if errors.Is(d.err, io.EOF) {
		return fields.CutOffError{}
	}
	return d.err
}

// partition reads the beginning of a partition.
func (d *Decoder) partition() (Item, error) {
	if d.fill(1); len(d.buf) == d.at && errors.Is(d.err, io.EOF) {
		return 0, io.EOF
	}
	if err := d.need(2); err != nil {
		return 0, err
	}
	length := int(binary.BigEndian.Uint16(d.buf[d.at:]))
	if length == 0 {
		return 0, errors.New("partition key of 0 bytes")
	}
	if err := d.need(2 + length + 1); err != nil {
		return 0, err
	}
	n := deletionLen(d.buf[d.at+2+length], d.codec.version)
	if err := d.need(2 + length + n); err != nil {
		return 0, err
	}
	at := d.at + 2
	d.key = append(d.key[:0], d.buf[at:at+length]...)
	deletion, n := ReadDeletion(d.buf[at+length:], d.codec.version)
	if n == 0 {
		return 0, fmt.Errorf("deletion of a partition that begins with 0x%02x", d.buf[at+length])
	}
	d.deletion, d.end = deletion, at+length+n
	d.open, d.first = true, true
	return PartitionStart, nil
}

// next reads a row, a marker or the end of the partition.
func (d *Decoder) next() (Item, error) {
	flags, static, err := d.flags()
	if err != nil {
		return 0, err
	}
	if flags&endOfPartition != 0 {
		return PartitionEnd, nil
	}
	d.head, d.body, err = d.item(flags)
	switch {
	case err != nil:
		return 0, err
	case flags&isMarker != 0:
		return RangeMarker, d.codec.decodeMarker(d.head, d.body, &d.marker)
	case static:
		return StaticRow, d.codec.decodeRow(d.head, d.body, &d.row)
	default:
		return RegularRow, d.codec.decodeRow(d.head, d.body, &d.row)
	}
}

// flags reads the flags of a row or a marker, and whether a static row begins; or the end of the
// partition.
func (d *Decoder) flags() (flags byte, static bool, err error) {
	if err := d.need(1); err != nil {
		return 0, false, err
	}
	flags = d.buf[d.at]
	static = d.first && len(d.codec.schema.statics) > 0
	switch got := flags&(endOfPartition|isMarker|hasMoreFlags) == hasMoreFlags; {
	case static && !got:
		return 0, false, fmt.Errorf("flags 0x%02x, where a static row is due", flags)
	case got && !static && d.need(2) == nil && d.buf[d.at+1]&isStatic == 0:
		// UnfilteredSerializer.HAS_SHADOWABLE_DELETION and ScyllaDB's form of it; no longer written
		// since CASSANDRA-11500
		return 0, false, fmt.Errorf(
			"flags 0x%02x 0x%02x: a shadowable deletion cannot be read (views of ScyllaDB, and of Cassandra before 3.0.15 and 3.11.1)",
			flags,
			d.buf[d.at+1],
		)
	case got && !static:
		return 0, false, fmt.Errorf("flags 0x%02x, where a static row may not be", flags)
	}
	d.first = false
	if flags&endOfPartition != 0 {
		d.end, d.open = d.at+1, false
	}
	return flags, static, nil
}

// item reads a row or a marker whole, without the sizes between its head and its body.
func (d *Decoder) item(flags byte) (head, body []byte, err error) {
	length, s, err := d.sizes(flags)
	if err != nil {
		return nil, nil, err
	}
	if err := d.need(s.start + s.size); err != nil {
		return nil, nil, err
	}
	item := d.buf[d.at : d.at+s.start+s.size]
	d.end = d.at + len(item)
	return item[:length:length], item[s.start+s.before:], nil
}

// itemSizes are the sizes of a row or a marker. It has size bytes from start on. They begin with
// the size of the previous item, a vint of before bytes.
type itemSizes struct{ start, size, before int }

// sizes reads how many bytes the head of a row or a marker has, and its sizes.
func (d *Decoder) sizes(flags byte) (head int, s itemSizes, err error) {
	for {
		in := fields.Reader{Rest: d.buf[d.at:]}
		length := d.codec.skipHead(&in, flags)
		size := in.Uvint()
		before := len(in.Rest)
		in.Uvint() // the size of the previous item, which is not used
		if in.Err == nil {
			s.start, s.before = len(d.buf)-d.at-before, before-len(in.Rest)
			s.size, err = d.checkSize(s, size)
			return length, s, err
		}
		// Whether the bytes are wrong or only too few is seen when there are more of them.
		had := len(d.buf) - d.at
		if had > min(d.maxRow, d.codec.schema.maxHead()) {
			return 0, s, in.Err
		}
		if d.fill(2 * had); len(d.buf)-d.at == had {
			if d.err != nil && !errors.Is(d.err, io.EOF) {
				return 0, s, d.err
			}
			return 0, s, fmt.Errorf("%w: %w", fields.CutOffError{}, in.Err)
		}
	}
}

// checkSize fails when an item is too long, or too short for the size of the one before.
func (d *Decoder) checkSize(s itemSizes, size uint64) (int, error) {
	if size > uint64(d.maxRow) || s.start > d.maxRow {
		return 0, d.tooLong(max(size, uint64(s.start)))
	}
	if size < uint64(s.before) {
		return 0, fmt.Errorf(
			"row of %d bytes, and the size of the one before has %d",
			size,
			s.before,
		)
	}
	return int(size), nil
}

func (d *Decoder) tooLong(n uint64) error {
	return fmt.Errorf("row of %d bytes or more, where %d are allowed", n, d.maxRow)
}

// maxHead is more than the head of a row or marker has, with its sizes: each value has at most
// maxClusteringBytes.
func (s *Schema) maxHead() int { return ReadBytes + len(s.clustering)*(maxClusteringBytes+16) }

// skipHead goes over the head of a row or marker, and returns how many bytes it has.
func (c *Codec) skipHead(in *fields.Reader, flags byte) int {
	had := len(in.Rest)
	in.Take(1)
	switch {
	case flags&isMarker != 0:
		in.Take(1)
		c.schema.skipClustering(in, int(in.Uint16()))
	case flags&hasMoreFlags != 0:
		in.Take(1)
	default:
		c.schema.skipClustering(in, len(c.schema.clustering))
	}
	return had - len(in.Rest)
}
