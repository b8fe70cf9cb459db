package cqljson

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// vectorReader reads vector, an array with as many elements as the dimension.
type vectorReader struct {
	composite
	elem reader
}

func (r *vectorReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	start := pos
	dst, pos, raw, done, err := r.open(dst, json, pos, '[', ']')
	if raw || err != nil {
		return dst, pos, err
	}
	count, dimension := 0, r.wire.Dimension()
	for ; !done; count++ {
		if count == dimension {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", count, r.wire))
		}
		if dst, pos, err = r.appendElem(dst, json, pos); err != nil {
			return dst, pos, err
		}
		if pos, done, err = jsonscan.More(json, pos, ']'); err != nil {
			return dst, pos, err
		}
	}
	if count < dimension {
		return dst, start, at(
			start, fmt.Errorf("%d elements, where %s has %d", count, r.wire, dimension),
		)
	}
	return dst, pos, nil
}

// appendElem appends the element at json[pos], after its length if it has one.
func (r *vectorReader) appendElem(dst, json []byte, pos int) ([]byte, int, error) {
	mark := len(dst)
	dst, next, err := r.elem.read(r.wire.Open(dst), json, pos)
	if err != nil {
		return dst, pos, err
	}
	if dst, err = r.wire.Close(dst, mark); err != nil {
		return dst, pos, at(pos, err)
	}
	return dst, next, nil
}

func (r *vectorReader) readKey(dst, text []byte) ([]byte, error) {
	return r.readKeyOf(r, dst, text)
}
