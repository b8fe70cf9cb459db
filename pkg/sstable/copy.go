package sstable

import (
	"errors"
	"io"
)

// Sink takes partitions in their order: a PartitionWriter, or a Writer of package tablefile.
type Sink interface {
	Begin(key []byte, d Deletion) error
	Static(encoded []byte) error
	Row(encoded []byte) error
	Marker(m *Marker) error
	End() error
}

// Source returns partitions in their order, as a Decoder does.
type Source interface {
	Next() (Item, error)
	Key() []byte
	Deletion() Deletion
	Row() *Row
	Marker() *Marker
}

// Copy writes the remaining partitions of a source to a sink. c encodes the rows, and must be the
// codec of the sink. Copy returns the first error of the source or the sink.
func Copy(to Sink, c *Codec, from Source) error {
	var encoded []byte
	return CopyFunc(to, from, func() (err error) {
		row := from.Row()
		if encoded, err = c.AppendRow(encoded[:0], row); err != nil {
			return err
		}
		if row.Static {
			return to.Static(encoded)
		}
		return to.Row(encoded)
	})
}

// CopyFunc writes the remaining partitions of a source to a sink, except the rows. For each row and
// static row, it calls row, which must write it. CopyFunc returns the first error of the three.
func CopyFunc(to Sink, from Source, row func() error) error {
	for {
		item, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch item {
		case PartitionStart:
			err = to.Begin(from.Key(), from.Deletion())
		case StaticRow, RegularRow:
			err = row()
		case RangeMarker:
			err = to.Marker(from.Marker())
		case PartitionEnd:
			err = to.End()
		}
		if err != nil {
			return err
		}
	}
}
