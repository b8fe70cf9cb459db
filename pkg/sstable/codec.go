package sstable

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// Minima are the lower bounds of all times in a file, which stores times relative to them. They can
// be fixed before the first row is known. A lower time is still right, but takes nine bytes. A TTL
// must not be lower.
type Minima struct {
	Timestamp int64 // microseconds since the epoch
	Time      int64 // of deletions and expiries, in seconds since the epoch, below 2^31
	TTL       int32 // seconds
}

// Codec writes and reads the rows and partitions of one file. It may be used by any number of
// goroutines.
type Codec struct {
	schema  *Schema
	version component.Version
	minima  Minima
}

// NewCodec returns the codec of files of a version that can be written, with these minima in their
// header.
func NewCodec(s *Schema, v component.Version, m Minima) (*Codec, error) {
	if err := v.CheckWritable(); err != nil {
		return nil, err
	}
	if m.TTL < 0 {
		return nil, fmt.Errorf("least TTL %d is negative", m.TTL)
	}
	return &Codec{schema: s, version: v, minima: m}, nil
}

// ReadCodec returns the codec of files of any version. header is the component HEADER of
// Statistics.db. A node that streams a file sends it as well. Functions that write files refuse a
// Codec of a version that cannot be written.
func ReadCodec(header []byte, v component.Version) (*Codec, error) {
	if !v.Readable() {
		return nil, fmt.Errorf("%s of an SSTable is not known", v)
	}
	table, minima, err := DecodeHeader(header)
	if err != nil {
		return nil, err
	}
	schema, err := Plan(table)
	if err != nil {
		return nil, err
	}
	return &Codec{schema: schema, version: v, minima: minima}, nil
}

// Schema returns the schema of the codec.
func (c *Codec) Schema() *Schema { return c.schema }

// Version returns the version of the codec.
func (c *Codec) Version() component.Version { return c.version }

// Minima returns the minima of the codec.
func (c *Codec) Minima() Minima { return c.minima }

// Flags of a row or a marker (UnfilteredSerializer).
const (
	endOfPartition     = 0x01
	isMarker           = 0x02
	hasTimestamp       = 0x04
	hasTTL             = 0x08
	hasDeletion        = 0x10
	hasAllColumns      = 0x20
	hasColumnDeletions = 0x40
	hasMoreFlags       = 0x80

	isStatic = 0x01 // of the second byte
)

// Flags of a cell (Cell.Serializer).
const (
	cellDeleted      = 0x01
	cellExpiring     = 0x02
	cellEmpty        = 0x04
	cellRowTimestamp = 0x08
	cellRowTTL       = 0x10
)

// appendTimestamp appends a timestamp's distance from the least one.
func (c *Codec) appendTimestamp(dst []byte, timestamp int64) []byte {
	return cqlwire.AppendUvint(dst, uint64(timestamp-c.minima.Timestamp))
}

// appendTime appends the distance of a time in seconds from the least one.
func (c *Codec) appendTime(dst []byte, seconds int64) []byte {
	return cqlwire.AppendUvint(dst, uint64(seconds-c.minima.Time))
}

// appendTTL appends the distance of a TTL from the least one.
func (c *Codec) appendTTL(dst []byte, ttl int32) []byte {
	return cqlwire.AppendUvint(dst, uint64(ttl-c.minima.TTL))
}

// checkTTL refuses a TTL that cannot be written.
func (c *Codec) checkTTL(ttl int32) error {
	if ttl < c.minima.TTL {
		return fmt.Errorf(
			"TTL of %d seconds is below the least one of the file, %d",
			ttl,
			c.minima.TTL,
		)
	}
	return nil
}

// appendRowDeletion appends the deletion of a row, of the elements of a column or of a range of
// rows.
func (c *Codec) appendRowDeletion(dst []byte, d Deletion) []byte {
	return c.appendTime(c.appendTimestamp(dst, d.Timestamp), d.Time)
}

// appendValue appends a value by its plan: as it is, or after its length.
func (p *columnPlan) appendValue(dst, value []byte) ([]byte, error) {
	if p.fixed < 0 {
		return fields.AppendBytes(dst, value), nil
	}
	if len(value) != p.fixed {
		return dst, p.wrongLen(len(value))
	}
	return append(dst, value...), nil
}

func (p *columnPlan) wrongLen(n int) error {
	return fmt.Errorf(
		"column %.100q: a value of %d bytes, where each one has %d",
		p.name,
		n,
		p.fixed,
	)
}

// errOrder says that the cells or deletions of a row are not ordered by column, or that one of a
// simple column has two.
var errOrder = errors.New("the cells of a row are not in the order of its columns")
