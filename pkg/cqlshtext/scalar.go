package cqlshtext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// scalar reads a type in the form of package cqltext, except for the raw form, 0x and the wire
// bytes, which cqlsh does not have.
type scalar struct {
	name string
	wire cqltext.Codec
}

var errHex = errors.New("hex bytes are only allowed for a blob")

func (s *scalar) read(dst, text []byte, _ int) ([]byte, error) {
	if isHex(text) {
		return dst, cqltext.Invalid(s.name, text, errHex)
	}
	return s.wire.AppendWire(dst, text)
}

// isHex reports whether text starts as a blob does.
func isHex(text []byte) bool {
	return len(text) >= 2 && text[0] == '0' && text[1]|0x20 == 'x'
}

// readRewritten replaces dst[mark:], which is text rewritten for package cqltext, with its wire
// bytes. It uses dst as scratch memory and does not allocate. An error quotes text itself.
func (s *scalar) readRewritten(dst []byte, mark int, text []byte) ([]byte, error) {
	end := len(dst)
	out, err := s.read(dst, dst[mark:end], 0)
	if err != nil {
		if reason := errors.Unwrap(err); reason != nil {
			err = cqltext.Invalid(s.name, text, reason)
		}
		return dst[:mark], err
	}
	n := copy(out[mark:], out[end:])
	return out[:mark+n], nil
}

// rawReader reads blobs, and custom types in the form of blobs.
type rawReader struct{ scalar }

func (r *rawReader) read(dst, text []byte, _ int) ([]byte, error) {
	return r.wire.AppendWire(dst, text)
}

// uuidReader reads the forms of Python's UUID, including a leading urn:uuid:.
type uuidReader struct{ scalar }

var urn = []byte("urn:uuid:")

func (r *uuidReader) read(dst, text []byte, off int) ([]byte, error) {
	return r.scalar.read(dst, bytes.TrimPrefix(text, urn), off)
}

// booleanReader reads the two words of BOOLSTYLE in any case.
type booleanReader struct {
	name  string
	words [2][]byte // the words for 0 and 1
	other error
}

func newBooleanReader(name string, o *Options) *booleanReader {
	return &booleanReader{
		name:  name,
		words: [2][]byte{[]byte(o.BoolFalse), []byte(o.BoolTrue)},
		other: fmt.Errorf("not one of %s, %s", o.BoolTrue, o.BoolFalse),
	}
}

func (r *booleanReader) read(dst, text []byte, _ int) ([]byte, error) {
	for i, w := range r.words {
		if bytes.EqualFold(text, w) {
			return append(dst, byte(i)), nil
		}
	}
	return dst, cqltext.Invalid(r.name, text, r.other)
}
