// Package cqltext converts CQL values to text and text to CQL values, one cell at a time. The value
// is the body of a native protocol v4 value, without its length. The text is a field of a delimited
// file.
//
// # Where to start
//
// [Plan] returns the [Codec] of a column's type. Plan once for each column.
//
// Null is up to the caller: it is neither a wire value nor a text here. Only inside a tuple, a UDT
// or a list it is the bare word null.
//
// # Exactness
//
// Reading is the exact inverse of writing. For every wire value that Cassandra or ScyllaDB accepts,
// AppendWire(AppendText(w)) is w, bit for bit. The usual text of some values would lose
// information: a zero-length int, a NaN with a payload, a varint with needless leading bytes. Such
// a value is written in the raw form: 0x and the wire bytes in lower-case hex. Every type except
// ascii and text reads the raw form.
//
// Only the reading of text is lenient: a value may have several spellings, and one of them is
// written.
//
// # Bytes and concurrency
//
// Both directions append to a buffer of the caller and do not retain their arguments. A Codec has
// no state and is safe for concurrent use.
//
// # Sources
//
// The texts of decimal, varint and timestamp are those of Java's BigDecimal, BigInteger and
// java.time.Instant. Collections, tuples and UDTs are CQL literals. Package cqlwire describes the
// wire values and their sources.
package cqltext

import "github.com/cqlbulk/cqlbulk/pkg/cqltype"

// Codec converts one cell that is not null. It is safe for concurrent use.
type Codec interface {
	// AppendText appends the text of a wire value. If the bytes cannot be a value of the type, it
	// returns dst with its original length and an error that contains "malformed <type> value". The
	// text types append their bytes unchecked.
	AppendText(dst, wire []byte) ([]byte, error)
	// AppendWire appends the wire bytes of a text. If the text is not a value of the type, it
	// returns dst with its original length. The error quotes the value, shortened if it is long,
	// and gives the reason.
	AppendWire(dst, text []byte) ([]byte, error)
}

// TextLike reports whether t is ascii or text. Only these types have empty texts, keep blanks at
// both ends and do not read the raw form.
func TextLike(t *cqltype.Type) bool {
	return t != nil && (t.Kind == cqltype.Ascii || t.Kind == cqltype.Text)
}

// codec is a Codec that can be nested in others.
type codec interface {
	Codec
	// appendElemText appends the value as a CQL literal, for use inside another value.
	appendElemText(dst, wire []byte) ([]byte, error)
	// appendElemWire reads the literal at text[pos:], after blanks, appends its wire bytes and
	// returns the offset after it. If key is true, a bare word also ends at a colon. Errors name
	// the offset. After an error, the bytes of dst beyond its original length are undefined.
	appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error)
}
