package cqltext

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The tokens of a literal. Scanning keeps nothing but an offset into the whole text, which is passed from
// codec to codec, so that every error can name it.

var (
	errOpenQuote = errors.New("single quote is not closed")
	errNullHere  = errors.New("null can only stand in a tuple, a user type or a list that is not part of another value")
)

func skipBlanks(text []byte, pos int) int {
	for pos < len(text) && isBlank(text[pos]) {
		pos++
	}
	return pos
}

// errEnd says that the text ended where a value was due.
func errEnd(pos int) error {
	return at(pos, errors.New("expected a value, found the end"))
}

// errExpected says what stands where want was due.
func errExpected(text []byte, pos int, want string) error {
	if pos >= len(text) {
		return at(pos, fmt.Errorf("expected %s, found the end", want))
	}
	return at(pos, fmt.Errorf("expected %s, found %q", want, text[pos:pos+1]))
}

// scanWord finds the literal of a scalar at text[pos:] after any blanks: what stands between single quotes, or a
// bare word up to the next comma, closing bracket or, when key is set, colon, without the blanks at its end. It
// returns the offset of the literal and the one after it. A quoted literal with a quote inside is no scalar, so
// that quotes need not be undoubled.
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

// nullWord is the word for a null element of a tuple, UDT or list; it is read in any case.
var nullWord = []byte("null")

// isNull reports whether the word null begins at text[pos:].
func isNull(text []byte, pos int) bool {
	end := pos + len(nullWord)
	return end <= len(text) && bytes.EqualFold(text[pos:end], nullWord) &&
		(end == len(text) || isBlank(text[end]) || endsWord(text[end], true))
}

// appendSized appends the element at text[pos:] after its length and returns the offset after it. A null where it may
// not stand is an error.
func appendSized(dst []byte, c codec, text []byte, pos int, key, nullable bool) ([]byte, int, error) {
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

// nextElem reads what follows an element: a comma, or the closing bracket, for which done is true.
func nextElem(text []byte, pos int, closing byte) (next int, done bool, err error) {
	pos = skipBlanks(text, pos)
	if pos < len(text) && (text[pos] == ',' || text[pos] == closing) {
		return pos + 1, text[pos] == closing, nil
	}
	return pos, false, errExpected(text, pos, "',' or '"+string(rune(closing))+"'")
}

// openLiteral reads an opening bracket, and the closing one when it follows at once, for which done is true.
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

// appendWhole is AppendWire for the types that are made of others: one literal and nothing after it. With the
// length of the text, the number of elements is bounded too.
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

// appendRawElem reads the raw form of a type made of others, when there is one at text[pos:]. Its bytes must be
// such that the server takes them.
func appendRawElem(dst []byte, wire *cqlwire.Layout, text []byte, pos int, key bool) (out []byte, next int, raw bool, err error) {
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
