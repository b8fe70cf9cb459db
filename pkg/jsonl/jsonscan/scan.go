// Package jsonscan implements the grammar of JSON as functions over bytes. Each function takes the
// offset of the start of something and returns the offset after it. None builds a tree.
//
// # Where to start
//
//   - [Value] checks one value of any kind; [String] and [Number] check one token.
//   - [AppendText] appends the text of a string.
//
// Packages cqljson and jsonl use this package, so that both accept the same bytes as JSON. The
// functions accept exactly what encoding/json accepts, including its limit on nesting. They do not
// check that bytes above 0x7f in strings are UTF-8; the caller does if it requires UTF-8.
//
// # Bytes and concurrency
//
// The functions neither retain nor modify their input, and are safe for concurrent use.
//
// # Sources
//
// RFC 8259.
package jsonscan

import (
	"fmt"
	"unicode/utf8"
)

// MaxDepth is the largest nesting of arrays and objects.
const MaxDepth = 10_000

// Error is a violation of the grammar.
type Error struct {
	Offset int    // of the wrong byte, from 0; the length of the input if it ends too early
	Msg    string // the fault
}

// Error returns the offset and the fault.
func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Msg) }

// Blanks returns the offset of the first byte at or after pos that is not one of JSON's four
// blanks.
func Blanks(b []byte, pos int) int {
	for pos < len(b) && (b[pos] == ' ' || b[pos] == '\n' || b[pos] == '\r' || b[pos] == '\t') {
		pos++
	}
	return pos
}

// Unexpected returns the error for input that does not have want at pos.
func Unexpected(b []byte, pos int, want string) error {
	return &Error{pos, fmt.Sprintf("expected %s, found %s", want, found(b, pos))}
}

// maxWord is the largest number of bytes of an invalid word in an error.
const maxWord = 16

// found describes the input at pos.
func found(b []byte, pos int) string {
	if pos >= len(b) {
		return "the end"
	}
	switch c := b[pos]; {
	case c == '"':
		return "a string"
	case c == '{':
		return "an object"
	case c == '[':
		return "an array"
	case c == '-' || isDigit(c):
		return "a number"
	case isLetter(c):
		end := pos
		for end < len(b) && end-pos < maxWord && isLetter(b[end]) {
			end++
		}
		word := string(b[pos:end])
		if word == "true" || word == "false" || word == "null" {
			return word
		}
		return fmt.Sprintf("%q", word)
	default:
		_, size := utf8.DecodeRune(b[pos:])
		return fmt.Sprintf("%q", b[pos:pos+size])
	}
}

func isDigit(c byte) bool { return c-'0' <= 9 }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Word reads the word true, false or null, according to the byte at pos.
func Word(b []byte, pos int) (next int, err error) {
	word := ""
	if pos < len(b) {
		switch b[pos] {
		case 't':
			word = "true"
		case 'f':
			word = "false"
		case 'n':
			word = "null"
		}
	}
	next = pos + len(word)
	if word == "" || next > len(b) || string(b[pos:next]) != word ||
		next < len(b) && isLetter(b[next]) {
		return pos, Unexpected(b, pos, "a value")
	}
	return next, nil
}

// Number reads the number at pos. It does not check the byte after the number.
func Number(b []byte, pos int) (next int, err error) {
	next = pos
	if next < len(b) && b[next] == '-' {
		next++
	}
	if next < len(b) && b[next] == '0' {
		next++
	} else if next, err = digits(b, next); err != nil {
		return pos, err
	}
	if next < len(b) && b[next] == '.' {
		if next, err = digits(b, next+1); err != nil {
			return pos, err
		}
	}
	if next < len(b) && b[next]|0x20 == 'e' {
		next++
		if next < len(b) && (b[next] == '+' || b[next] == '-') {
			next++
		}
		if next, err = digits(b, next); err != nil {
			return pos, err
		}
	}
	return next, nil
}

// digits reads one digit or more.
func digits(b []byte, pos int) (next int, err error) {
	next = pos
	for next < len(b) && isDigit(b[next]) {
		next++
	}
	if next == pos {
		return pos, Unexpected(b, pos, "a digit")
	}
	return next, nil
}

// Value reads the value at pos, including all values inside. There must be no blank at pos. depth
// is the number of arrays and objects around the value. Value does not check for duplicate names of
// members.
func Value(b []byte, pos, depth int) (next int, err error) {
	if pos < len(b) {
		switch c := b[pos]; {
		case c == '"':
			next, _, err = String(b, pos)
			return next, err
		case c == '-' || isDigit(c):
			return Number(b, pos)
		case c == '[':
			return array(b, pos, depth+1)
		case c == '{':
			return object(b, pos, depth+1)
		}
	}
	return Word(b, pos)
}

var errDepth = fmt.Sprintf("more than %d nested arrays and objects", MaxDepth)

// Open reads the opening bracket at pos and the blanks after it. If the closing bracket follows
// directly, Open reads it too and done is true.
func Open(b []byte, pos int, opening, closing byte) (next int, done bool, err error) {
	if pos >= len(b) || b[pos] != opening {
		want := "an array"
		if opening == '{' {
			want = "an object"
		}
		return pos, false, Unexpected(b, pos, want)
	}
	next = Blanks(b, pos+1)
	if next < len(b) && b[next] == closing {
		return next + 1, true, nil
	}
	return next, false, nil
}

// More reads, after blanks, the separator after an element. That is a comma and the blanks after
// it, or the closing bracket, for which done is true.
func More(b []byte, pos int, closing byte) (next int, done bool, err error) {
	pos = Blanks(b, pos)
	if pos < len(b) {
		switch b[pos] {
		case ',':
			return Blanks(b, pos+1), false, nil
		case closing:
			return pos + 1, true, nil
		}
	}
	return pos, false, Unexpected(b, pos, "',' or '"+string(rune(closing))+"'")
}

// Colon reads a colon, with the blanks before and after it.
func Colon(b []byte, pos int) (next int, err error) {
	pos = Blanks(b, pos)
	if pos >= len(b) || b[pos] != ':' {
		return pos, Unexpected(b, pos, "':'")
	}
	return Blanks(b, pos+1), nil
}

// Name reads the string at pos as the name of a member. escaped is as in String.
func Name(b []byte, pos int) (next int, escaped bool, err error) {
	if pos >= len(b) || b[pos] != '"' {
		return pos, false, Unexpected(b, pos, "the name of a member in double quotes")
	}
	return String(b, pos)
}

func array(b []byte, pos, depth int) (next int, err error) {
	if depth > MaxDepth {
		return pos, &Error{pos, errDepth}
	}
	next, done, err := Open(b, pos, '[', ']')
	for err == nil && !done {
		if next, err = Value(b, next, depth); err == nil {
			next, done, err = More(b, next, ']')
		}
	}
	return next, err
}

func object(b []byte, pos, depth int) (next int, err error) {
	if depth > MaxDepth {
		return pos, &Error{pos, errDepth}
	}
	next, done, err := Open(b, pos, '{', '}')
	for err == nil && !done {
		if next, _, err = Name(b, next); err != nil {
			break
		}
		if next, err = Colon(b, next); err != nil {
			break
		}
		if next, err = Value(b, next, depth); err == nil {
			next, done, err = More(b, next, '}')
		}
	}
	return next, err
}
