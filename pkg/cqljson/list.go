package cqljson

// listEncoder is the encoder of list and set: an array in the order of the wire, which has a count, int32, and each
// element after its length.
type listEncoder struct {
	odd
	elem Encoder
}

func (e *listEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	count, ok := countAt(wire)
	if !ok {
		return e.appendOdd(dst, begin, wire)
	}
	dst = append(dst, '[')
	pos := 4
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		var elem []byte
		if elem, pos, ok = elemAt(wire, pos); !ok || elem == nil {
			return e.appendOdd(dst, begin, wire)
		}
		var err error
		if dst, err = e.elem.AppendJSON(dst, elem); err != nil {
			return dst[:begin], err
		}
	}
	if pos < len(wire) {
		return e.appendOdd(dst, begin, wire)
	}
	return append(dst, ']'), nil
}
