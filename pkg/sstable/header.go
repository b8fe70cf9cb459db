package sstable

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// The bases that the minima of a header are relative to (EncodingStats.TIMESTAMP_EPOCH and
// DELETION_TIME_EPOCH): 2015-09-22.
const (
	EpochTimestamp = 1442880000000000
	EpochTime      = 1442880000
)

// AppendHeader appends the HEADER component of Statistics.db (SerializationHeader.Component): the
// minima, and the columns with their types by the servers' class names.
func (c *Codec) AppendHeader(dst []byte) []byte {
	m, t := &c.minima, &c.schema.table
	dst = cqlwire.AppendUvint(dst, uint64(m.Timestamp-EpochTimestamp))
	dst = cqlwire.AppendUvint(dst, uint64(m.Time-EpochTime))
	dst = cqlwire.AppendUvint(dst, uint64(m.TTL))
	key := make([]*cqltype.Type, len(t.Key))
	for i, column := range t.Key {
		key[i] = column.Type
	}
	dst = fields.AppendBytes(dst, cqltype.StoredKey(key))
	dst = cqlwire.AppendUvint(dst, uint64(len(t.Clustering)))
	for _, column := range t.Clustering {
		class := column.Type.StoredClass()
		if column.Desc {
			class = cqltype.StoredReversed(column.Type)
		}
		dst = fields.AppendBytes(dst, class)
	}
	dst = appendColumns(dst, t.Statics)
	return appendColumns(dst, t.Regulars)
}

// appendColumns appends the names and types of columns.
func appendColumns(dst []byte, columns []Column) []byte {
	dst = cqlwire.AppendUvint(dst, uint64(len(columns)))
	for _, c := range columns {
		dst = fields.AppendBytes(fields.AppendBytes(dst, c.Name), c.Type.StoredClass())
	}
	return dst
}

// DecodeHeader reads what AppendHeader writes. The key columns have no names in it.
func DecodeHeader(b []byte) (*Table, Minima, error) {
	in := fields.Reader{Rest: b}
	m := Minima{Timestamp: int64(in.Uvint()) + EpochTimestamp, Time: int64(in.Uvint()) + EpochTime}
	ttl := in.Uvint()
	if m.TTL = int32(ttl); m.TTL < 0 || uint64(m.TTL) != ttl {
		in.Fail("least TTL %d is beyond 31 bits", ttl)
	}
	t := &Table{}
	key, err := cqltype.ParseStoredKey(string(in.VintBytes()))
	if err != nil {
		in.Fail("partition key: %w", err)
	}
	for _, typ := range key {
		t.Key = append(t.Key, Column{Type: typ})
	}
	for n := in.Uvint(); n > 0 && in.Err == nil; n-- {
		column := Column{}
		if column.Type, column.Desc, err = cqltype.ParseStored(string(in.VintBytes())); err != nil {
			in.Fail("clustering column %d: %w", len(t.Clustering), err)
		}
		t.Clustering = append(t.Clustering, column)
	}
	t.Statics = decodeColumns(&in)
	t.Regulars = decodeColumns(&in)
	if err := in.End(); err != nil {
		return nil, Minima{}, fmt.Errorf("header of an SSTable: %w", err)
	}
	return t, m, nil
}

// decodeColumns reads the names and types of columns.
func decodeColumns(in *fields.Reader) []Column {
	var columns []Column
	for n := in.Uvint(); n > 0 && in.Err == nil; n-- {
		column := Column{Name: string(in.VintBytes())}
		var err error
		if column.Type, _, err = cqltype.ParseStored(string(in.VintBytes())); err != nil {
			in.Fail("column %.100q: %w", column.Name, err)
		}
		columns = append(columns, column)
	}
	return columns
}
