package driver

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
)

// frameBody reads a frame's body as far as it has to be checked. Its first error stays, and
// everything after it reads as zero.
type frameBody struct {
	in         io.Reader
	left       int    // bytes of the body that are not read yet
	read       []byte // the header and what was read of the body
	metadataID bool
	hideLZ4    bool // remove compression from SUPPORTED before the library reads it
	system     bool // the columns are of a system keyspace
	err        error

	rows      cells
	userTable bool              // the rows are of a user's table, not of a system table
	options   *supportedOptions // of SUPPORTED
	warnings  []string
}

func (a *frameBody) fail(format string, args ...any) {
	if a.err == nil {
		a.err = protocolError(format, args...)
	}
}

// take reads n bytes. They are valid until the next call. Memory grows with the bytes that come,
// not with the length that the frame claims.
func (a *frameBody) take(n int) []byte {
	if n < 0 || n > a.left {
		a.fail("%d bytes wanted where %d are left", n, a.left)
	}
	from := len(a.read)
	for a.err == nil && n > 0 {
		piece := min(n, 1<<16)
		at := len(a.read)
		a.read = append(a.read, make([]byte, piece)...)
		if _, err := io.ReadFull(a.in, a.read[at:]); err != nil {
			a.err = interrupted(err)
		}
		n, a.left = n-piece, a.left-piece
	}
	if a.err != nil {
		return nil
	}
	return a.read[from:]
}

func (a *frameBody) short() int {
	if b := a.take(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (a *frameBody) int() int {
	if b := a.take(4); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

func (a *frameBody) text() string { return string(a.take(a.short())) }

// bytes skips a value and returns its length, negative for null.
func (a *frameBody) bytes() int {
	n := a.int()
	a.take(max(n, 0))
	return n
}

// body checks a body.
func (a *frameBody) body(version, flags, opcode byte) {
	const tracing, payload, warning = 0x02, 0x04, 0x08
	if flags&tracing != 0 {
		a.take(16)
	}
	if flags&warning != 0 {
		a.warnings = a.texts()
	}
	if flags&payload != 0 {
		for n := a.short(); n > 0 && a.err == nil; n-- {
			a.take(a.short())
			a.bytes()
		}
	}
	switch opcode {
	case opSupported:
		a.supported()
	case opResult:
		a.result(version)
	}
}

func (a *frameBody) texts() []string {
	var all []string
	for n := a.short(); n > 0 && a.err == nil; n-- {
		all = append(all, a.text())
	}
	return all
}

// result checks a RESULT.
func (a *frameBody) result(version byte) {
	const rows, keyspace, prepared = 2, 3, 4
	switch a.int() {
	case rows:
		columns := a.metadata()
		count := a.int()
		switch {
		case a.err != nil:
		case columns <= 0 || count < 0:
			a.fail("%d rows of %d columns", count, columns)
		case columns*count > a.left/4 || count == 0 && a.left > 0:
			a.fail("%d rows of %d columns in %d bytes", count, columns, a.left)
		default:
			a.rows = cells{count: columns * count, left: a.left}
			a.userTable = !a.system
		}
	case keyspace:
		a.fail("a keyspace is in use without a request for it")
	case prepared:
		a.take(a.short())
		if a.metadataID {
			a.take(a.short())
		}
		a.variables(version)
		a.metadata()
	}
}

// Flags of metadata.
const (
	globalTable     = 0x01
	morePages       = 0x02
	noMetadata      = 0x04
	metadataChanged = 0x08
)

// metadata checks the metadata of rows, and returns the number of columns.
func (a *frameBody) metadata() int {
	flags, columns := a.int(), a.int()
	if flags&morePages != 0 && a.bytes() <= 0 {
		a.fail("more pages, and no paging state")
	}
	if a.metadataID && flags&metadataChanged != 0 {
		a.take(a.short())
	}
	if flags&noMetadata == 0 {
		a.columns(flags, columns)
	} else if columns > 0 && !a.metadataID {
		a.fail("%d columns without the metadata that was asked for", columns)
	}
	return columns
}

// variables checks the metadata of the values of a prepared statement.
func (a *frameBody) variables(version byte) {
	flags, columns := a.int(), a.int()
	if version >= 4 {
		for n := a.int(); n > 0 && a.err == nil; n-- {
			if at := a.short(); at >= columns {
				a.fail("column %d of %d in the key", at, columns)
			}
		}
	}
	if flags&morePages != 0 {
		a.bytes()
	}
	if flags&noMetadata == 0 {
		a.columns(flags, columns)
	} else if columns != 0 {
		a.fail("%d values without metadata", columns)
	}
}

// keyspace reads the name of the columns' keyspace.
func (a *frameBody) keyspace() {
	a.system = bytes.HasPrefix(a.take(a.short()), []byte("system"))
}

func (a *frameBody) columns(flags, columns int) {
	if columns < 0 {
		a.fail("%d columns", columns)
	}
	global := flags&globalTable != 0
	if global {
		a.keyspace()
		a.take(a.short())
	}
	for ; columns > 0 && a.err == nil; columns-- {
		if !global {
			a.keyspace()
			a.take(a.short())
		}
		a.take(a.short())
		a.columnType(0)
	}
}

// Numbers of types in an [option] of the native protocol, section 6.
const (
	optionCustom = 0x00
	optionBlob   = 0x03
	optionList   = 0x20
	optionMap    = 0x21
	optionSet    = 0x22
	optionUDT    = 0x30
	optionTuple  = 0x31
)

// deepest is the largest depth of nested types.
const deepest = 64

// columnType checks a column's type. It hides two kinds of types from the library, which would take
// them apart. The library binds and returns the elements of a tuple column, never the whole
// (scylladb/gocql#57). Of a type given as the name of a Java class, it reads the grammar only in
// part. In their place it reads a custom type, and passes the values' bytes on unchanged. typeOf
// finds the type in the name of that class.
func (a *frameBody) columnType(depth int) {
	if depth > deepest {
		a.fail("types more than %d deep", deepest)
	}
	if a.err != nil {
		return
	}
	from := len(a.read)
	switch a.short() {
	case optionCustom:
		if !strings.HasPrefix(a.text(), hiddenType) {
			a.hide(from)
		}
	case optionList, optionSet:
		a.columnType(depth + 1)
	case optionMap:
		a.columnType(depth + 1)
		a.columnType(depth + 1)
	case optionUDT:
		a.take(a.short())
		a.take(a.short())
		for n := a.short(); n > 0 && a.err == nil; n-- {
			a.take(a.short())
			a.columnType(depth + 1)
		}
	case optionTuple:
		n := a.short()
		if n == 0 {
			a.fail("a tuple of nothing")
		}
		for ; n > 0 && a.err == nil; n-- {
			a.columnType(depth + 1)
		}
		if depth == 0 {
			a.hide(from)
		}
	}
}

// hide replaces the type read from an offset on by a custom type that has it in its name. A type
// that is too long for that becomes blob.
func (a *frameBody) hide(from int) {
	if a.err != nil {
		return
	}
	option := bytes.Clone(a.read[from:])
	if len(option) > longestHidden {
		a.read = append(a.read[:from], 0, optionBlob)
		return
	}
	a.read = append(a.read[:from], 0, optionCustom)
	a.read = binary.BigEndian.AppendUint16(a.read, uint16(len(hiddenType)+len(option)))
	a.read = append(append(a.read, hiddenType...), option...)
}
