package cqljson

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// vectorReader reads vector, an array of as many elements as the dimension says.
type vectorReader struct {
	composite
	elem      reader
	dimension int
	fixed     int // the length of each element, -1 when they differ
}

func (r *vectorReader) read(dst, json []byte, pos int) ([]byte, int, error) {
	start := pos
	dst, pos, raw, done, err := r.open(dst, json, pos, '[', ']')
	if raw || err != nil {
		return dst, pos, err
	}
	count := 0
	for ; !done; count++ {
		if count == r.dimension {
			return dst, pos, at(pos, fmt.Errorf("more than the %d elements of %s", count, r.name))
		}
		if dst, pos, err = r.appendElem(dst, json, pos); err != nil {
			return dst, pos, err
		}
		if pos, done, err = jsonscan.More(json, pos, ']'); err != nil {
			return dst, pos, err
		}
	}
	if count < r.dimension {
		return dst, start, at(start, fmt.Errorf("%d elements, where %s has %d", count, r.name, r.dimension))
	}
	return dst, pos, nil
}

// appendElem appends one element, with its length, an unsigned vint, when it has one.
func (r *vectorReader) appendElem(dst, json []byte, pos int) ([]byte, int, error) {
	mark := len(dst)
	if r.fixed < 0 {
		// One byte is the length of the length of every element below 128 bytes.
		dst = append(dst, 0)
	}
	begin := len(dst)
	dst, next, err := r.elem.read(dst, json, pos)
	if err != nil {
		return dst, pos, err
	}
	n := len(dst) - begin
	switch {
	case r.fixed >= 0 && n != r.fixed:
		return dst, pos, at(pos, fmt.Errorf("%d bytes, where each element of %s has %d", n, r.name, r.fixed))
	case r.fixed >= 0:
		return dst, next, nil
	case n > math.MaxInt32:
		return dst, pos, at(pos, errTooLong)
	}
	more := (bits.Len(uint(n)|1) - 1) / 7
	for range more {
		dst = append(dst, 0)
	}
	copy(dst[begin+more:], dst[begin:begin+n])
	// The number of leading ones of the first byte is the number of bytes after it.
	for i := range more {
		dst[mark+more-i] = byte(n >> (8 * i))
	}
	dst[mark] = ^byte(0xff>>more) | byte(n>>(8*more))
	return dst, next, nil
}

func (r *vectorReader) readKey(dst, text []byte) ([]byte, error) { return r.readKeyOf(r, dst, text) }
