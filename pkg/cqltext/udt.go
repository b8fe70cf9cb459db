package cqltext

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// udtCodec is the codec of a user type, `{street: 'x', "Zip Code": null}`. The wire form is that of
// a tuple. A value may end before the last field, for example if it was written before that field
// was added. The text then names only the fields of the value.
//
// Reading accepts fields in any order. Missing fields are null up to the last field in the text,
// and absent after it.
type udtCodec struct {
	wire   *cqlwire.Layout
	elems  []codec
	fields []string       // names without quotes
	labels [][]byte       // names in CQL, with a colon and a blank after them
	index  map[string]int // index of each name
}

func newUDTCodec(t *cqltype.Type, wire *cqlwire.Layout, elems []codec) (codec, error) {
	c := &udtCodec{
		wire:   wire,
		elems:  elems,
		fields: t.FieldNames,
		index:  make(map[string]int, len(elems)),
	}
	for i, f := range t.FieldNames {
		if _, twice := c.index[f]; twice {
			return nil, fmt.Errorf("two fields named %q", f)
		}
		c.index[f] = i
		c.labels = append(c.labels, []byte(cqltype.QuoteIdent(f)+": "))
	}
	return c, nil
}

func (c *udtCodec) AppendText(dst, wire []byte) ([]byte, error) {
	return c.appendElemText(dst, wire)
}

func (c *udtCodec) appendElemText(dst, wire []byte) ([]byte, error) {
	mark := len(dst)
	dst = append(dst, '{')
	pos := 0
	for i := 0; pos < len(wire); i++ {
		if i == len(c.elems) {
			return dst[:mark], c.wire.CheckShape(wire)
		}
		if i > 0 {
			dst = append(dst, ',', ' ')
		}
		dst = append(dst, c.labels[i]...)
		elem, length, next, ok := cqlwire.ElemAt(wire, pos)
		switch {
		case !ok:
			return dst[:mark], c.wire.CheckShape(wire)
		case length == nullLength:
			dst = append(dst, nullWord...)
		case length < 0:
			return rawFields(dst[:mark], c.wire, wire)
		default:
			var err error
			if dst, err = c.elems[i].appendElemText(dst, elem); err != nil {
				return dst[:mark], fmt.Errorf("field %s: %w", c.fields[i], err)
			}
		}
		pos = next
	}
	return append(dst, '}'), nil
}

func (c *udtCodec) AppendWire(dst, text []byte) ([]byte, error) {
	return appendWhole(c, c.wire, dst, text)
}

func (c *udtCodec) appendElemWire(dst, text []byte, pos int, key bool) ([]byte, int, error) {
	dst, pos, raw, err := appendRawElem(dst, c.wire, text, pos, key)
	if raw || err != nil {
		return dst, pos, err
	}
	pos, done, err := openLiteral(text, pos, '{', '}')
	if err != nil {
		return dst, pos, err
	}
	var small [maxInline]bool
	seen := small[:]
	if len(c.elems) > len(small) {
		seen = make([]bool, len(c.elems))
	}
	mark := len(dst)
	for next := 0; !done; next++ {
		var field int
		if field, pos, err = c.readLabel(text, pos, seen); err != nil {
			return dst, pos, err
		}
		if field < next {
			return c.appendUnordered(dst, mark, text, pos, field, seen)
		}
		for ; next < field; next++ {
			dst = cqlwire.AppendNull(dst)
		}
		if dst, pos, done, err = c.appendField(dst, text, pos, field); err != nil {
			return dst, pos, err
		}
	}
	return dst, pos, nil
}

// maxInline is the largest number of fields, and of bytes in a field's name, that codecs process
// without an allocation.
const maxInline = 64

// appendField appends the value of a field and reads the comma or bracket after it.
func (c *udtCodec) appendField(dst, text []byte, pos, field int) ([]byte, int, bool, error) {
	dst, pos, err := appendSized(dst, c.elems[field], text, pos, false, true)
	if err != nil {
		return dst, pos, false, fmt.Errorf("field %s: %w", c.fields[field], err)
	}
	pos, done, err := nextElem(text, pos, '}')
	return dst, pos, done, err
}

// appendUnordered continues after a field that is out of order. dst[mark:] holds the fields before
// it, and the value of field starts at text[pos:].
func (c *udtCodec) appendUnordered(
	dst []byte, mark int, text []byte, pos, field int, seen []bool,
) ([]byte, int, error) {
	scratch := bytes.Clone(dst[mark:])
	spans := make([][2]int, len(c.elems)) // of each field in scratch; empty: absent
	last := 0
	before := c.wire.Walk(scratch)
	for begin := 0; before.Next(); begin = before.End() {
		spans[last] = [2]int{begin, before.End()}
		last++
	}
	for {
		var err error
		var done bool
		begin := len(scratch)
		if scratch, pos, done, err = c.appendField(scratch, text, pos, field); err != nil {
			return dst, pos, err
		}
		spans[field] = [2]int{begin, len(scratch)}
		last = max(last, field+1)
		if done {
			break
		}
		if field, pos, err = c.readLabel(text, pos, seen); err != nil {
			return dst, pos, err
		}
	}
	dst = dst[:mark]
	for _, s := range spans[:last] {
		if s == [2]int{} {
			dst = cqlwire.AppendNull(dst)
		} else {
			dst = append(dst, scratch[s[0]:s[1]]...)
		}
	}
	return dst, pos, nil
}

var errFieldName = errors.New("expected the name of a field")

// readLabel reads the name of a field and the colon after it. It returns the field's index in the
// type and the offset after the colon. The field is added to seen; a field that is already there is
// an error.
func (c *udtCodec) readLabel(text []byte, pos int, seen []bool) (field, next int, err error) {
	pos = skipBlanks(text, pos)
	var small [maxInline]byte
	name, next := small[:0], pos
	if pos < len(text) && text[pos] == '"' {
		if name, next, err = readQuotedIdent(name, text, pos); err != nil {
			return 0, pos, at(pos, err)
		}
	} else {
		for next < len(text) && isIdent(text[next]) {
			next++
		}
		name = append(name, text[pos:next]...)
		for i, b := range name {
			if b >= 'A' && b <= 'Z' {
				name[i] = b + 'a' - 'A'
			}
		}
		if len(name) == 0 {
			return 0, pos, at(pos, errFieldName)
		}
	}
	field, ok := c.index[string(name)]
	if !ok {
		return 0, pos, at(pos, c.unknown(text[pos:next]))
	}
	if seen[field] {
		return 0, pos, at(pos, fmt.Errorf("field %s occurs twice", c.fields[field]))
	}
	seen[field] = true
	next = skipBlanks(text, next)
	if next == len(text) || text[next] != ':' {
		return 0, next, errExpected(text, next, "':'")
	}
	return field, next + 1, nil
}

// unknown returns the error for an unknown field, which lists the fields of the type.
func (c *udtCodec) unknown(name []byte) error {
	names := make([]string, len(c.fields))
	for i, f := range c.fields {
		names[i] = cqltype.QuoteIdent(f)
	}
	return fmt.Errorf(
		"%s has no field %s, only %s",
		c.wire,
		name[:min(len(name), maxQuoted)],
		strings.Join(names, ", "),
	)
}

// readQuotedIdent appends the identifier in double quotes at text[pos:], with doubled quotes
// reduced to one.
func readQuotedIdent(dst, text []byte, pos int) ([]byte, int, error) {
	for pos++; ; pos++ {
		i := bytes.IndexByte(text[pos:], '"')
		if i < 0 {
			return dst, pos, errors.New("double quote is not closed")
		}
		dst = append(dst, text[pos:pos+i]...)
		pos += i + 1
		if pos == len(text) || text[pos] != '"' {
			return dst, pos, nil
		}
		dst = append(dst, '"')
	}
}

// isIdent reports whether c may be part of a bare identifier.
func isIdent(c byte) bool {
	return isDigit(c) || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z'
}
