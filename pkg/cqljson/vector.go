package cqljson

// vectorEncoder is the encoder of vector: an array of as many elements as the dimension says. On the wire elements
// of one length stand side by side, others each after their length, an unsigned vint.
type vectorEncoder struct {
	odd
	elem      Encoder
	dimension int
	fixed     int // the length of each element, -1 when they differ
}

func (e *vectorEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, '[')
	pos := 0
	for i := range e.dimension {
		if i > 0 {
			dst = append(dst, ',')
		}
		n, ok := e.fixed, true
		if n < 0 {
			n, pos, ok = uvintAt(wire, pos)
		}
		if !ok || len(wire)-pos < n {
			return e.appendOdd(dst, begin, wire)
		}
		var err error
		if dst, err = e.elem.AppendJSON(dst, wire[pos:pos+n]); err != nil {
			return dst[:begin], err
		}
		pos += n
	}
	if pos < len(wire) {
		return e.appendOdd(dst, begin, wire)
	}
	return append(dst, ']'), nil
}
