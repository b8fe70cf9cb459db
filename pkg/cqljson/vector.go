package cqljson

import "github.com/cqlbulk/cqlbulk/pkg/cqlwire"

// vectorEncoder is the encoder of vector: an array with as many elements as the dimension.
type vectorEncoder struct {
	odd
	elem      Encoder
	dimension int
	fixed     int // the length of each element; -1: not fixed
}

func (e *vectorEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, '[')
	pos := 0
	for i := range e.dimension {
		if i > 0 {
			dst = append(dst, ',')
		}
		elem, next, ok := cqlwire.VectorElemAt(wire, pos, e.fixed)
		if !ok {
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
