package cqlshtext

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The functions here split the literal of a type with elements from the outside: they remove the
// brackets and split the content at commas. The element type reads each part. As in COPY FROM, any
// pair of brackets fits any type, and single quotes have their meaning anywhere. A comma after the
// last element is ignored.

var (
	errOpenQuote = errors.New("single quote is not closed")
	errOpen      = errors.New("bracket is not closed")
	errEmpty     = errors.New("a value is missing")
	errNull      = errors.New("null is only allowed in a tuple or a user type")
)

// at adds the offset in the field to an error.
func at(off int, err error) error { return fmt.Errorf("offset %d: %w", off, err) }

// openLiteral removes the brackets of a literal. If only blanks are between them, inner is empty.
func openLiteral(text []byte, off int) (inner []byte, innerOff int, err error) {
	n := len(text)
	if n >= 2 {
		switch [2]byte{text[0], text[n-1]} {
		case [2]byte{'[', ']'}, [2]byte{'{', '}'}, [2]byte{'(', ')'}:
			inner = text[1 : n-1]
			if len(cqltext.TrimBlanks(inner)) == 0 {
				inner = inner[:0]
			}
			return inner, off + 1, nil
		}
	}
	return nil, off, at(off, errors.New("not between [ and ], { and } or ( and )"))
}

// nextStop returns the offset of the first comma or stop at or after text[pos:] outside brackets
// and single quotes, or the length of text. The caller passes off, the offset of text in the field.
func nextStop(text []byte, pos int, stop byte, off int) (int, error) {
	depth, opened := 0, 0
	for ; pos < len(text); pos++ {
		switch c := text[pos]; c {
		case '\'':
			i := bytes.IndexByte(text[pos+1:], '\'')
			if i < 0 {
				return pos, at(off+pos, errOpenQuote)
			}
			pos += i + 1
		case '[', '{', '(':
			if depth == 0 {
				opened = pos
			}
			depth++
		case ']', '}', ')':
			if depth--; depth < 0 {
				return pos, at(off+pos, fmt.Errorf("unexpected %q", c))
			}
		default:
			if depth == 0 && (c == ',' || c == stop) {
				return pos, nil
			}
		}
	}
	if depth > 0 {
		return pos, at(off+opened, errOpen)
	}
	return pos, nil
}

// place is the place of an element, which decides whether it may be null.
type place uint8

const (
	inList  place = iota // an element of a list, set or vector, or the key of a map
	inValue              // the value of a map
	inTuple
	inField
)

// cut returns text[begin:end] without blanks around it, and its offset in the field.
func cut(text []byte, begin, end, off int) ([]byte, int) {
	for begin < end && isSpace(text[begin]) {
		begin++
	}
	for end > begin && isSpace(text[end-1]) {
		end--
	}
	return text[begin:end], off + begin
}

var (
	wordNone = []byte("None")
	wordNull = []byte("null")
)

// isNull reports whether a word, bare or from quotes, is null at its place.
func (e *elem) isNull(word, null []byte, quoted bool, where place) bool {
	switch {
	case where < inTuple:
		return false
	case where == inTuple && e.text != nil:
		return !quoted && bytes.Equal(word, wordNone)
	case !quoted && bytes.Equal(word, null):
		return true
	default:
		// COPY TO puts None in quotes for the types that it quotes.
		return e.text == nil &&
			(bytes.Equal(word, wordNone) || !quoted && bytes.EqualFold(word, wordNull))
	}
}

// appendElem appends the wire bytes of the element word, without its length. isNull is true if the
// element is null, which only some places allow.
func (e *elem) appendElem(
	dst, word, null []byte, off int, where place,
) (out []byte, isNull bool, err error) {
	quoted := len(word) > 0 && word[0] == '\''
	if quoted {
		if word, err = unquote(word, off); err != nil {
			return dst, false, err
		}
		off++
	}
	if e.isNull(word, null, quoted, where) {
		return dst, true, nil
	}
	if where == inValue && !quoted && bytes.Equal(word, null) {
		switch {
		case len(null) > 0:
			return dst, false, at(off, errNull)
		case e.zero || e.text != nil:
			return dst, false, nil
		}
	}
	switch {
	case quoted && e.text != nil:
		dst, err = e.text.readQuoted(dst, word)
	case len(word) == 0 && e.text == nil:
		err = errEmpty
	case quoted && e.whole:
		err = fmt.Errorf("a text in quotes instead of %s", e.name)
	case e.whole:
		// Its errors already have offsets.
		dst, err = e.read(dst, word, off)
		return dst, false, err
	default:
		dst, err = e.read(dst, word, off)
	}
	if err != nil {
		return dst, false, at(off, err)
	}
	return dst, false, nil
}

// unquote returns the content of a word that starts with a quote.
func unquote(word []byte, off int) ([]byte, error) {
	for i := 1; i < len(word); i++ {
		if word[i] != '\'' {
			continue
		}
		if i+1 == len(word) {
			return word[1:i], nil
		}
		if i++; word[i] != '\'' {
			return nil, at(off+i, fmt.Errorf("unexpected %q after a closing quote", word[i:i+1]))
		}
	}
	return nil, at(off, errOpenQuote)
}

// appendSized appends an element after its length.
func (e *elem) appendSized(dst, word, null []byte, off int, where place) ([]byte, error) {
	mark := len(dst)
	dst, isNull, err := e.appendElem(cqlwire.OpenElem(dst), word, null, off, where)
	if err != nil {
		return dst, err
	}
	if isNull {
		return cqlwire.AppendNull(dst[:mark]), nil
	}
	if err = cqlwire.CloseElem(dst, mark); err != nil {
		return dst, at(off, err)
	}
	return dst, nil
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
