package cqljson

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// tupleReader reads tuple, an array. If the array has fewer elements than the type, the last
// elements of the value are absent.
type tupleReader struct {
	composite
	elems []reader
}

func (r *tupleReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	dst, pos, raw, done, err := r.open(dst, json, pos, '[', ']')
	if raw || err != nil {
		return dst, pos, err
	}
	for i := 0; !done; i++ {
		if i == len(r.elems) {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", i, r.wire))
		}
		if dst, pos, err = appendSized(dst, r.elems[i], json, pos, true); err != nil {
			return dst, pos, err
		}
		if pos, done, err = jsonscan.More(json, pos, ']'); err != nil {
			return dst, pos, err
		}
	}
	return dst, pos, nil
}

func (r *tupleReader) readKey(dst, text []byte) ([]byte, error) { return r.readKeyOf(r, dst, text) }

// udtReader reads user types, an object with fields in any order. Missing fields are null up to the
// last one present, and absent after it.
type udtReader struct {
	composite
	fields []namedReader
	index  map[string]int // index of each name
}

// namedReader is the reader of a field of a user type.
type namedReader struct {
	reader
	name  string
	label string // the name as AppendString writes it
}

func newUDTReader(c composite, names []string, elems []reader) *udtReader {
	r := &udtReader{composite: c, index: make(map[string]int, len(names))}
	for i, name := range names {
		r.fields = append(
			r.fields, namedReader{elems[i], name, string(AppendString(nil, []byte(name)))},
		)
		r.index[name] = i
	}
	return r
}

// span is the place of a field in the value, including its length. A missing field has an end of 0.
type span struct{ begin, end int }

// maxInline is the largest number of fields, and of keys out of order, that a reader processes
// without an allocation.
const maxInline = 32

func (r *udtReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	dst, pos, raw, done, err := r.open(dst, json, pos, '{', '}')
	if raw || err != nil {
		return dst, pos, err
	}
	var small [maxInline]span
	spans := small[:]
	if len(r.fields) > maxInline {
		spans = make([]span, len(r.fields))
	}
	mark := len(dst)
	count, last := 0, -1
	for ; !done; count++ {
		var i int
		if dst, i, pos, err = r.readName(dst, json, pos, count, spans); err != nil {
			return dst, pos, err
		}
		begin := len(dst)
		f := &r.fields[i]
		if dst, pos, err = appendSized(dst, f.reader, json, pos, true); err != nil {
			return dst, pos, within(f.name, err)
		}
		spans[i] = span{begin - mark, len(dst) - mark}
		last = max(last, i)
		if pos, done, err = jsonscan.More(json, pos, '}'); err != nil {
			return dst, pos, err
		}
	}
	if sorted(spans[:last+1]) {
		return dst, pos, nil
	}
	end := len(dst)
	for _, s := range spans[:last+1] {
		if s.end == 0 {
			dst = cqlwire.AppendNull(dst)
		} else {
			dst = append(dst, dst[mark+s.begin:mark+s.end]...)
		}
	}
	return cutOut(dst, mark, end), pos, nil
}

// sorted reports whether the fields follow each other without a gap.
func sorted(spans []span) bool {
	end := 0
	for _, s := range spans {
		if s.end == 0 || s.begin != end {
			return false
		}
		end = s.end
	}
	return true
}

// readName reads the name of a field, usually the one at next, and the colon after it. It returns
// the field's index in the type and the offset of its value. It removes the text that it appends to
// dst to resolve escapes.
func (r *udtReader) readName(
	dst, json []byte, pos, next int, spans []span,
) (out []byte, field, value int, err error) {
	if next < len(r.fields) && spans[next].end == 0 {
		label := r.fields[next].label
		if end := pos + len(label); end <= len(json) && string(json[pos:end]) == label {
			value, err = jsonscan.Colon(json, end)
			return dst, next, value, err
		}
	}
	if pos >= len(json) || json[pos] != '"' {
		return dst, 0, pos, jsonscan.Unexpected(json, pos, "the name of a field")
	}
	mark := len(dst)
	dst, name, end, err := readText(dst, json, pos)
	if err != nil {
		return dst, 0, pos, err
	}
	field, ok := r.index[string(name)]
	if !ok {
		return dst, 0, pos, at(pos, r.unknown(name))
	}
	if spans[field].end != 0 {
		return dst, 0, pos, at(pos, fmt.Errorf("field %s occurs twice", r.fields[field].name))
	}
	value, err = jsonscan.Colon(json, end)
	return dst[:mark], field, value, err
}

func (r *udtReader) readKey(dst, text []byte) ([]byte, error) { return r.readKeyOf(r, dst, text) }
