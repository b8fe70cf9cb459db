package cqlshtext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// seqReader reads a list or set in the order of the text.
type seqReader struct {
	elem elem
	null []byte
}

func (r *seqReader) read(dst, text []byte, off int) ([]byte, error) {
	inner, off, err := openLiteral(text, off)
	if err != nil {
		return dst, err
	}
	mark, count := len(dst), 0
	dst = cqlwire.AppendCount(dst, 0)
	for pos := 0; pos < len(inner); pos++ {
		begin := pos
		if pos, err = nextStop(inner, pos, ',', off); err != nil {
			return dst, err
		}
		word, wordOff := cut(inner, begin, pos, off)
		if dst, err = r.elem.appendSized(dst, word, r.null, wordOff, inList); err != nil {
			return dst, err
		}
		count++
	}
	cqlwire.PutCount(dst, mark, count)
	return dst, nil
}

// tupleReader reads a tuple. A text may have fewer elements than the type.
type tupleReader struct {
	name  string
	elems []elem
	null  []byte
}

func (r *tupleReader) read(dst, text []byte, off int) ([]byte, error) {
	inner, off, err := openLiteral(text, off)
	if err != nil {
		return dst, err
	}
	i := 0
	for pos := 0; pos < len(inner); pos++ {
		begin := pos
		if pos, err = nextStop(inner, pos, ',', off); err != nil {
			return dst, err
		}
		word, wordOff := cut(inner, begin, pos, off)
		if i == len(r.elems) {
			return dst, at(wordOff, fmt.Errorf("more than the %d elements of %s", i, r.name))
		}
		if dst, err = r.elems[i].appendSized(dst, word, r.null, wordOff, inTuple); err != nil {
			return dst, err
		}
		i++
	}
	return dst, nil
}

// vectorReader reads a vector, which has as many elements as the dimension.
type vectorReader struct {
	wire *cqlwire.Layout
	elem elem
	null []byte
}

func (r *vectorReader) read(dst, text []byte, off int) ([]byte, error) {
	inner, off, err := openLiteral(text, off)
	if err != nil {
		return dst, err
	}
	count, dimension := 0, r.wire.Dimension()
	for pos := 0; pos < len(inner); pos++ {
		begin := pos
		if pos, err = nextStop(inner, pos, ',', off); err != nil {
			return dst, err
		}
		word, wordOff := cut(inner, begin, pos, off)
		if count == dimension {
			return dst, at(wordOff, fmt.Errorf("more than the %d elements of %s", count, r.wire))
		}
		if dst, err = r.appendElem(dst, word, wordOff); err != nil {
			return dst, err
		}
		count++
	}
	if count < dimension {
		return dst, at(off-1, fmt.Errorf("%d elements, where %s has %d", count, r.wire, dimension))
	}
	return dst, nil
}

func (r *vectorReader) appendElem(dst, word []byte, off int) ([]byte, error) {
	mark := len(dst)
	dst, _, err := r.elem.appendElem(r.wire.Open(dst), word, r.null, off, inList)
	if err != nil {
		return dst, err
	}
	if dst, err = r.wire.Close(dst, mark); err != nil {
		return dst, at(off, err)
	}
	return dst, nil
}

// mapReader reads a map in the order of the text.
type mapReader struct {
	key, value elem
	null       []byte
}

var errColon = errors.New("expected a key, ':' and a value")

func (r *mapReader) read(dst, text []byte, off int) ([]byte, error) {
	inner, off, err := openLiteral(text, off)
	if err != nil {
		return dst, err
	}
	mark, count := len(dst), 0
	dst = cqlwire.AppendCount(dst, 0)
	for pos := 0; pos < len(inner); pos++ {
		begin := pos
		colon, err := r.keyEnd(inner, begin, off)
		if err != nil {
			return dst, err
		}
		if pos, err = nextStop(inner, colon+1, ',', off); err != nil {
			return dst, err
		}
		word, wordOff := cut(inner, begin, colon, off)
		if dst, err = r.key.appendSized(dst, word, r.null, wordOff, inList); err != nil {
			return dst, err
		}
		word, wordOff = cut(inner, colon+1, pos, off)
		if dst, err = r.value.appendSized(dst, word, r.null, wordOff, inValue); err != nil {
			return dst, err
		}
		count++
	}
	cqlwire.PutCount(dst, mark, count)
	return dst, nil
}

var colonBlank = []byte(": ")

// keyEnd returns the offset of the colon after the key at text[pos:]. A bare key that contains
// colons ends at the first colon before a blank, as COPY TO writes it, or otherwise at the last
// colon.
func (r *mapReader) keyEnd(text []byte, pos, off int) (int, error) {
	end, err := nextStop(text, pos, ':', off)
	if err != nil {
		return end, err
	}
	if end == len(text) || text[end] != ':' {
		_, wordOff := cut(text, pos, end, off)
		return end, at(wordOff, errColon)
	}
	if first, _ := cut(text, pos, end, off); !r.key.colons || len(first) > 0 && first[0] == '\'' {
		return end, nil
	}
	stop, err := nextStop(text, end, ',', off)
	if err != nil {
		return end, err
	}
	if i := bytes.Index(text[end:stop], colonBlank); i >= 0 {
		return end + i, nil
	}
	return end + bytes.LastIndexByte(text[end:stop], ':'), nil
}
