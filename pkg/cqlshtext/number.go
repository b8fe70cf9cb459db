package cqlshtext

import (
	"bytes"
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// numberReader reads numbers with separators, and with underscores between digits, as Python does.
type numberReader struct {
	scalar
	thousands, decimal []byte
	// plain is true if there are no separators to replace.
	plain bool
}

func newNumberReader(s scalar, thousands, decimal string) *numberReader {
	return &numberReader{
		scalar:    s,
		thousands: []byte(thousands),
		decimal:   []byte(decimal),
		plain:     thousands == "" && decimal == ".",
	}
}

var errUnderscore = errors.New("an underscore is only allowed between digits")

func (r *numberReader) read(dst, text []byte, off int) ([]byte, error) {
	if r.plain && bytes.IndexByte(text, '_') < 0 {
		return r.scalar.read(dst, text, off)
	}
	mark := len(dst)
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case len(r.thousands) > 0 && bytes.HasPrefix(rest, r.thousands):
			i += len(r.thousands)
		case bytes.HasPrefix(rest, r.decimal):
			dst = append(dst, '.')
			i += len(r.decimal)
		case rest[0] != '_':
			dst = append(dst, rest[0])
			i++
		case i == 0 || len(rest) == 1 || !isDigit(text[i-1]) || !isDigit(rest[1]):
			return dst, cqltext.Invalid(r.name, text, errUnderscore)
		default:
			i++
		}
	}
	return r.readRewritten(dst, mark, text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
