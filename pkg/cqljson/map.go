package cqljson

// mapEncoder is the encoder of map: an object in the order of the wire, which has a count, int32, and each key and
// each value after its length.
type mapEncoder struct {
	odd
	key, value Encoder
}

func (e *mapEncoder) AppendJSON(dst, wire []byte) ([]byte, error) {
	begin := len(dst)
	count, ok := countAt(wire)
	if !ok {
		return e.appendOdd(dst, begin, wire)
	}
	dst = append(dst, '{')
	pos := 4
	for i := range count {
		if i > 0 {
			dst = append(dst, ',')
		}
		var key, value []byte
		if key, pos, ok = elemAt(wire, pos); !ok || key == nil {
			return e.appendOdd(dst, begin, wire)
		}
		if value, pos, ok = elemAt(wire, pos); !ok || value == nil {
			return e.appendOdd(dst, begin, wire)
		}
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
