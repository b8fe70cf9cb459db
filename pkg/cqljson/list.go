package cqljson

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// listEncoder is the encoder of list and set: an array in the order of the wire, with null for a
// null element.
type listEncoder struct {
	odd
	elem     Encoder
	nullable bool // the type is a list
}

func (e *listEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	count, ok := cqlwire.Count(wire)
	if !ok || count < 0 {
		return e.appendOdd(dst, begin, wire)
	}
	dst = append(dst, '[')
	pos := 4
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		elem, length, next, ok := cqlwire.ElemAt(wire, pos)
		if length == -1 && e.nullable {
			dst = append(dst, "null"...)
			pos = next
			continue
		}
		if !ok || length < 0 {
			return e.appendOdd(dst, begin, wire)
		}
		var err error
		if dst, err = e.elem.AppendJSON(dst, elem); err != nil {
			return dst[:begin], err
		}
		pos = next
	}
	if pos < len(wire) {
		return e.appendOdd(dst, begin, wire)
	}
	return append(dst, ']'), nil
}
