package cqljson

import (
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// composite is the common part of the readers of types with elements. It reads the raw form, a
// string.
type composite struct {
	wire *cqlwire.Layout
	text cqltext.Codec
}

// open reads the opening bracket. If the closing bracket follows directly, open reads it too and
// done is true. A string must be the raw form; open then appends its bytes, and raw is true.
func (c *composite) open(
	dst, json []byte, pos int, opening, closing byte,
) (out []byte, next int, raw, done bool, err error) {
	switch {
	case pos < len(json) && json[pos] == '"':
		want := "an array or a string that begins with 0x"
		if opening == '{' {
			want = "an object or a string that begins with 0x"
		}
		dst, next, err = c.readRaw(dst, json, pos, want)
		return dst, next, true, true, err
	case isNull(json, pos):
		return dst, pos, false, false, at(pos, errNullHere)
	}
	next, done, err = jsonscan.Open(json, pos, opening, closing)
	return dst, next, false, done, err
}

// readRaw reads the raw form at json[pos]. want describes the expected value.
func (c *composite) readRaw(dst, json []byte, pos int, want string) ([]byte, int, error) {
	mark := len(dst)
	dst, text, next, err := readText(dst, json, pos)
	if err != nil {
		return dst, pos, err
	}
	if !isRaw(text) {
		return dst, pos, jsonscan.Unexpected(json, pos, want)
	}
	end := len(dst)
	if dst, err = c.text.AppendWire(dst, text); err != nil {
		return dst, pos, at(pos, err)
	}
	return cutOut(dst, mark, end), next, nil
}

// readKeyOf implements readKey of r, which embeds c. The text of the key is JSON or the raw form.
func (c *composite) readKeyOf(r reader, dst, text []byte) ([]byte, error) {
	if !isRaw(text) {
		return readWhole(r, dst, text)
	}
	dst, err := c.text.AppendWire(dst, text)
	if err != nil {
		return dst, at(0, err)
	}
	return dst, nil
}

// isRaw reports whether text starts as the raw form does.
func isRaw(text []byte) bool {
	return len(text) >= 2 && text[0] == '0' && text[1]|0x20 == 'x'
}

// appendSized appends the element at json[pos] after its length. If nullable is false, a null is an
// error.
func appendSized(dst []byte, r reader, json []byte, pos int, nullable bool) ([]byte, int, error) {
	if nullable && isNull(json, pos) {
		return cqlwire.AppendNull(dst), pos + len("null"), nil
	}
	mark := len(dst)
	dst, next, err := r.read(cqlwire.OpenElem(dst), json, pos)
	if err != nil {
		return dst, pos, err
	}
	if err = cqlwire.CloseElem(dst, mark); err != nil {
		return dst, pos, at(pos, err)
	}
	return dst, next, nil
}

// listReader reads list and set, an array. The wire has the same order.
type listReader struct {
	composite
	elem     reader
	nullable bool // servers accept null in a list that is not inside another value
}

func (r *listReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	dst, pos, raw, done, err := r.open(dst, json, pos, '[', ']')
	if raw || err != nil {
		return dst, pos, err
	}
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	count := 0
	for ; !done; count++ {
		if dst, pos, err = appendSized(dst, r.elem, json, pos, r.nullable); err != nil {
			return dst, pos, err
		}
		if pos, done, err = jsonscan.More(json, pos, ']'); err != nil {
			return dst, pos, err
		}
	}
	cqlwire.PutCount(dst, mark, count)
	return dst, pos, nil
}

func (r *listReader) readKey(dst, text []byte) ([]byte, error) { return r.readKeyOf(r, dst, text) }
