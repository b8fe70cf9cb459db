package driver

import (
	"bytes"
	"encoding/binary"
	"io"
)

// answer reads a frame's body as far as it has to be checked. Its first error stays,
// and everything after it reads as zero.
type answer struct {
	in         io.Reader
	left       int    // bytes of the body that have not been read
	seen       []byte // the header and what has been read of the body
	metadataID bool
	hideLZ4    bool // SUPPORTED is not to offer compression to the library
	system     bool // the columns are of a keyspace of the system
	err        error

	rows   cells
	user   bool       // the rows are of a user's table, and not of the system's
	shards *shardInfo // of a SUPPORTED
}

func (a *answer) fail(format string, args ...any) {
	if a.err == nil {
		a.err = protocolError(format, args...)
	}
}

// take reads n bytes; they are valid until the next are taken. Memory grows with
// what comes, not with what is promised.
func (a *answer) take(n int) []byte {
	if n < 0 || n > a.left {
		a.fail("%d bytes wanted where %d are left", n, a.left)
	}
	from := len(a.seen)
	for a.err == nil && n > 0 {
		piece := min(n, 1<<16)
		at := len(a.seen)
		a.seen = append(a.seen, make([]byte, piece)...)
		if _, err := io.ReadFull(a.in, a.seen[at:]); err != nil {
			a.err = interrupted(err)
		}
		n, a.left = n-piece, a.left-piece
	}
	if a.err != nil {
		return nil
	}
	return a.seen[from:]
}

func (a *answer) short() int {
	if b := a.take(2); b != nil {
		return int(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (a *answer) int() int {
	if b := a.take(4); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

func (a *answer) text() string { return string(a.take(a.short())) }

// bytes skips a value and gives its length, negative for null.
func (a *answer) bytes() int {
	n := a.int()
	a.take(max(n, 0))
	return n
}

// body checks a body.
func (a *answer) body(version, flags, opcode byte) {
	const tracing, payload, warning = 0x02, 0x04, 0x08
	if flags&tracing != 0 {
		a.take(16)
	}
	if flags&warning != 0 {
		a.texts()
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

func (a *answer) texts() []string {
	var all []string
	for n := a.short(); n > 0 && a.err == nil; n-- {
		all = append(all, a.text())
	}
	return all
}

// result checks a RESULT.
func (a *answer) result(version byte) {
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
			a.user = !a.system
		}
	case keyspace:
		a.fail("a keyspace is in use that nobody asked for")
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

// metadata checks the metadata of rows and gives the number of columns.
func (a *answer) metadata() int {
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

// variables checks the metadata of the values that a prepared statement is bound with.
func (a *answer) variables(version byte) {
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

// keyspace reads the name of the keyspace that columns are of.
func (a *answer) keyspace() {
	a.system = bytes.HasPrefix(a.take(a.short()), []byte("system"))
}

func (a *answer) columns(flags, columns int) {
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
		a.typ(0)
	}
}

// deepest is how deep types may be within one another.
const deepest = 64

// typ checks a column's type, and hides those from the library that it would take apart: a tuple
// column, whose elements it binds and gives, never the whole (scylladb/gocql#57), and a type
// that is given as the name of a Java class, whose grammar it reads only in part. In their place it
// reads blob, and passes the values' bytes on as they are. Nothing here asks it for such a type.
func (a *answer) typ(depth int) {
	if depth > deepest {
		a.fail("types more than %d deep", deepest)
	}
	if a.err != nil {
		return
	}
	const custom, list, mapping, set, udt, tuple = 0x00, 0x20, 0x21, 0x22, 0x30, 0x31
	from := len(a.seen)
	switch a.short() {
	case custom:
		a.text()
		a.hide(from)
	case list, set:
		a.typ(depth + 1)
	case mapping:
		a.typ(depth + 1)
		a.typ(depth + 1)
	case udt:
		a.take(a.short())
		a.take(a.short())
		for n := a.short(); n > 0 && a.err == nil; n-- {
			a.take(a.short())
			a.typ(depth + 1)
		}
	case tuple:
		n := a.short()
		if n == 0 {
			a.fail("a tuple of nothing")
		}
		for ; n > 0 && a.err == nil; n-- {
			a.typ(depth + 1)
		}
		if depth == 0 {
			a.hide(from)
		}
	}
}

// hide puts blob in the place of the type that was read from an offset on.
func (a *answer) hide(from int) {
	if a.err == nil {
		a.seen = append(a.seen[:from], 0, 0x03)
	}
}
