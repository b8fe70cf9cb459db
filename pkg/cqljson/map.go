package cqljson

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// mapEncoder is the encoder of map: an object in the order of the wire.
type mapEncoder struct {
	odd
	key, value Encoder
}

func (e *mapEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	count, ok := cqlwire.Count(wire)
	if !ok || count < 0 {
		return e.appendOdd(dst, begin, wire)
	}
	dst = append(dst, '{')
	pos := 4
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		key, length, next, ok := cqlwire.ElemAt(wire, pos)
		if !ok || length < 0 {
			return e.appendOdd(dst, begin, wire)
		}
		value, length, next, ok := cqlwire.ElemAt(wire, next)
		if !ok || length < 0 {
			return e.appendOdd(dst, begin, wire)
		}
		pos = next
		keyBegin := len(dst)
		var err error
		if dst, err = e.key.AppendJSON(dst, key); err != nil {
			return dst[:begin], err
		}
		if dst[keyBegin] != '"' {
			dst = quoteFrom(dst, keyBegin)
		}
		dst = append(dst, ':')
		if dst, err = e.value.AppendJSON(dst, value); err != nil {
			return dst[:begin], err
		}
	}
	if pos < len(wire) {
		return e.appendOdd(dst, begin, wire)
	}
	return append(dst, '}'), nil
}
