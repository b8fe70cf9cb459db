package sstable

import (
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// What the minima of a header are told from (EncodingStats.TIMESTAMP_EPOCH and DELETION_TIME_EPOCH): 2015-09-22.
const (
	EpochTimestamp = 1442880000000000
	EpochTime      = 1442880000
)

// AppendHeader appends the HEADER component of Statistics.db (SerializationHeader.Component): the minima, and the
// columns with their types by the servers' class names.
func (c *Codec) AppendHeader(dst []byte) []byte {
	m, t := &c.minima, &c.schema.table
	dst = cqlwire.AppendUvint(dst, uint64(m.Timestamp-EpochTimestamp))
	dst = cqlwire.AppendUvint(dst, uint64(m.Time-EpochTime))
	dst = cqlwire.AppendUvint(dst, uint64(m.TTL))
	dst = appendString(dst, keyClass(t.Key))
	dst = cqlwire.AppendUvint(dst, uint64(len(t.Clustering)))
	for _, column := range t.Clustering {
		dst = appendString(dst, className(column.Type, column.Desc))
	}
	dst = appendColumns(dst, t.Statics)
	return appendColumns(dst, t.Regulars)
}

// appendColumns appends the names and types of columns.
func appendColumns(dst []byte, columns []Column) []byte {
	dst = cqlwire.AppendUvint(dst, uint64(len(columns)))
	for _, c := range columns {
		dst = appendString(appendString(dst, c.Name), className(c.Type, false))
	}
	return dst
}

// appendString appends a string after its length.
func appendString(dst []byte, s string) []byte {
	return append(cqlwire.AppendUvint(dst, uint64(len(s))), s...)
}

// classPackage is where Cassandra keeps its type classes.
const classPackage = "org.apache.cassandra.db.marshal."

// keyClass returns the class of a partition key.
func keyClass(key []Column) string {
	if len(key) == 1 {
		return className(key[0].Type, false)
	}
	class := classPackage + "CompositeType("
	for i, c := range key {
		if i > 0 {
			class += ","
		}
		class += className(c.Type, false)
	}
	return class + ")"
}

// scalarClasses are the classes of types without elements.
var scalarClasses = map[cqltype.Kind]string{
	cqltype.Int: "Int32Type", cqltype.Bigint: "LongType", cqltype.Text: "UTF8Type", cqltype.Blob: "BytesType",
}

// className returns the class of a type.
func className(t *cqltype.Type, desc bool) string {
	class := classPackage + scalarClasses[t.Kind]
	if desc {
		return classPackage + "ReversedType(" + class + ")"
	}
	return class
}
