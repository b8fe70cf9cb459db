// Package cqltext turns CQL values into text and text into CQL values, one cell at a time: native protocol v4
// value bodies, without their length, on one side and the text of a delimited file's field on the other.
//
// Start with Plan, which gives the Codec of a column's type. Plan once per column; a Codec keeps no state, so
// that one may serve any number of goroutines. Both directions append to a buffer of the caller's and keep
// nothing of what they are given. Null is the caller's: it is neither a wire value nor a text here, except
// inside a tuple, a UDT or a list, where it is the bare word null.
//
// The law: reading text is the exact inverse of writing it. For every wire value that Cassandra or ScyllaDB
// accepts, AppendWire(AppendText(w)) is w, bit for bit. Where the ordinary text of a value would lose
// something (a zero-length int, a NaN with a payload, a varint with needless leading bytes), the text is the
// raw form: 0x and the wire bytes in lower-case hex. Every type but ascii and text reads the raw form.
//
// What is lenient is only the reading of text: several spellings are read, one is written.
//
// What a wire value is, with the sources for it, stands in package cqlwire.
package cqltext

import "github.com/cqlbulk/cqlbulk/pkg/cqltype"

// Codec turns one cell that is not null. It is safe for concurrent use.
type Codec interface {
	// AppendText appends the text of a wire value. When the bytes cannot be a value of the type, dst comes back
	// at its original length with an error that says "malformed <type> value". The text types pass their bytes
	// through unchecked.
	AppendText(dst, wire []byte) ([]byte, error)
	// AppendWire appends the wire bytes of a text. When the text is not a value of the type, dst comes back at
	// its original length with an error that names the value, cut short when long, and the reason.
	AppendWire(dst, text []byte) ([]byte, error)
}

// TextLike reports whether t is ascii or text: the only types whose text may be empty, whose text is taken as
// it is, blanks and all, and which do not read the raw form.
func TextLike(t *cqltype.Type) bool {
	return t != nil && (t.Kind == cqltype.Ascii || t.Kind == cqltype.Text)
}

// codec is what every codec of this package can do besides, so that types can be nested.
type codec interface {
	Codec
	// appendElemText appends the value as it stands inside another one: as a CQL literal.
	appendElemText(dst, wire []byte) ([]byte, error)
	// appendElemWire reads the literal that begins at text[pos:] after any blanks, appends its wire bytes and
	// returns the offset after it. key says that a bare word also ends at a colon. Errors name the offset. On
	// error the bytes after the original length of dst are of no use.
	appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error)
}
