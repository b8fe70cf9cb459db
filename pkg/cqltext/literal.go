package cqltext

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The functions here read the tokens of a literal. The only state is an offset into the whole text,
// which codecs pass on, so that every error can name it.

var (
	errOpenQuote = errors.New("single quote is not closed")
	errNullHere  = errors.New(
		"null is only allowed in a tuple, a user type or an outermost list",
	)
)

func skipBlanks(text []byte, pos int) int {
	for pos < len(text) && isBlank(text[pos]) {
		pos++
	}
	return pos
}

// errEnd returns the error for a text that ends before a value.
func errEnd(pos int) error {
	return at(pos, errors.New("expected a value, found the end"))
}

// errExpected returns the error for a text that does not have want at pos.
func errExpected(text []byte, pos int, want string) error {
	if pos >= len(text) {
		return at(pos, fmt.Errorf("expected %s, found the end", want))
	}
	return at(pos, fmt.Errorf("expected %s, found %q", want, text[pos:pos+1]))
}

// scanWord returns the literal of a scalar at text[pos:], after blanks. The literal is in single
// quotes, or it is a bare word without the blanks at its end. A bare word ends at a comma, at a
// closing bracket or, if key is true, at a colon. The results start and next are the offsets of the
// literal and after it. A quoted scalar contains no quotes, so scanWord does not undouble quotes.
func scanWord(text []byte, pos int, key bool) (word []byte, start, next int, err error) {
	start = skipBlanks(text, pos)
	if start == len(text) {
		return nil, start, start, errEnd(start)
	}
	if text[start] == '\'' {
		for end := start + 1; end < len(text); end++ {
			if text[end] != '\'' {
				continue
			}
			if end+1 == len(text) || text[end+1] != '\'' {
				return text[start+1 : end], start, end + 1, nil
			}
			end++
		}
		return nil, start, start, at(start, errOpenQuote)
	}
	end := start
	for end < len(text) && !endsWord(text[end], key) {
		end++
	}
	for end > start && isBlank(text[end-1]) {
		end--
	}
	if end == start {
		return nil, start, start, errExpected(text, start, "a value")
	}
	return text[start:end], start, end, nil
}

// endsWord reports whether c ends a bare word.
func endsWord(c byte, key bool) bool {
	return c == ',' || c == ']' || c == '}' || c == ')' || key && c == ':'
}

// nullWord is the word for a null element of a tuple, UDT or list. It is read in any case.
var nullWord = []byte("null")

// isNull reports whether the word null starts at text[pos:].
func isNull(text []byte, pos int) bool {
	end := pos + len(nullWord)
	return end <= len(text) && bytes.EqualFold(text[pos:end], nullWord) &&
		(end == len(text) || isBlank(text[end]) || endsWord(text[end], true))
}

// appendSized appends the element at text[pos:] after its length, and returns the offset after it.
// If nullable is false, a null is an error.
func appendSized(
	dst []byte, c codec, text []byte, pos int, key, nullable bool,
) ([]byte, int, error) {
	pos = skipBlanks(text, pos)
	if isNull(text, pos) {
		if !nullable {
			return dst, pos, at(pos, errNullHere)
		}
		return cqlwire.AppendNull(dst), pos + len(nullWord), nil
	}
	mark := len(dst)
	dst, next, err := c.appendElemWire(cqlwire.OpenElem(dst), text, pos, key)
	if err != nil {
		return dst, next, err
	}
	if err = cqlwire.CloseElem(dst, mark); err != nil {
		return dst, pos, at(pos, err)
	}
	return dst, next, nil
}

// nextElem reads the comma or the closing bracket after an element. done is true for the bracket.
func nextElem(text []byte, pos int, closing byte) (next int, done bool, err error) {
	pos = skipBlanks(text, pos)
	if pos < len(text) && (text[pos] == ',' || text[pos] == closing) {
		return pos + 1, text[pos] == closing, nil
	}
	return pos, false, errExpected(text, pos, "',' or '"+string(rune(closing))+"'")
}

// openLiteral reads an opening bracket. If the closing bracket follows directly, openLiteral reads
// it too and done is true.
func openLiteral(text []byte, pos int, opening, closing byte) (next int, done bool, err error) {
	pos = skipBlanks(text, pos)
	if pos == len(text) || text[pos] != opening {
		return pos, false, errExpected(text, pos, "'"+string(rune(opening))+"'")
	}
	pos = skipBlanks(text, pos+1)
	if pos < len(text) && text[pos] == closing {
		return pos + 1, true, nil
	}
	return pos, false, nil
}

// appendWhole is AppendWire for types with elements: the text is one literal. The limit on the
// length of the text also bounds the number of elements.
func appendWhole(c codec, wire *cqlwire.Layout, dst, text []byte) ([]byte, error) {
	if len(text) > math.MaxInt32 {
		return dst, invalid(wire.String(), text, cqlwire.ErrTooLong)
	}
	mark := len(dst)
	dst, pos, err := c.appendElemWire(dst, text, 0, false)
	if err == nil {
		if pos = skipBlanks(text, pos); pos < len(text) {
			err = errExpected(text, pos, "the end")
		}
	}
	if err != nil {
		return dst[:mark], invalid(wire.String(), text, err)
	}
	return dst, nil
}

// appendRawElem reads the raw form of a type with elements, if there is one at text[pos:]. A server
// must accept its bytes.
func appendRawElem(
	dst []byte, wire *cqlwire.Layout, text []byte, pos int, key bool,
) (out []byte, next int, raw bool, err error) {
	if pos = skipBlanks(text, pos); !isRaw(text[pos:]) {
		return dst, pos, false, nil
	}
	word, start, next, err := scanWord(text, pos, key)
	if err != nil {
		return dst, start, true, err
	}
	mark := len(dst)
	if dst, err = parseRaw(dst, word); err == nil {
		err = wire.CheckAs(cqlwire.Stored, dst[mark:])
	}
	if err != nil {
		return dst, start, true, at(start, err)
	}
	return dst, next, true, nil
}
