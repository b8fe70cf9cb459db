// Package jsonscan is the grammar of JSON as functions over bytes: each takes the offset where something begins and
// returns the offset after it. It builds nothing and keeps nothing.
//
// Start with Value, which holds one value of any kind to the grammar, or with String and Number for one token; text
// is taken out of a string with AppendText. Packages cqljson and jsonl read with it, so that both take the same bytes
// for JSON. All functions are safe for concurrent use; none changes the bytes it is given.
//
// What is valid here is what encoding/json takes for valid, nesting limit included. Bytes above 0x7f in strings are
// not looked at: whether they are UTF-8 is for those to check who know what they are.
//
// Source: RFC 8259.
package jsonscan

import (
	"fmt"
	"unicode/utf8"
)

// MaxDepth is how many arrays and objects may lie in each other.
const MaxDepth = 10_000

// Error says which byte breaks the grammar.
type Error struct {
	Offset int    // of the byte, from 0; the length of the input when that ends too early
	Msg    string // what is wrong there
}

// Error gives the offset and what is wrong there.
func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Msg) }

// Blanks returns the offset of the first byte at or after pos that is none of JSON's four blanks.
func Blanks(b []byte, pos int) int {
	for pos < len(b) && (b[pos] == ' ' || b[pos] == '\n' || b[pos] == '\r' || b[pos] == '\t') {
		pos++
	}
	return pos
}

// Unexpected is the error for what stands at pos, where want was due.
func Unexpected(b []byte, pos int, want string) error {
	return &Error{pos, fmt.Sprintf("expected %s, found %s", want, found(b, pos))}
}

// maxWord is how much of a word that is no JSON an error shows, in bytes.
const maxWord = 16

// found says in words what stands at pos.
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

// Word reads the word true, false or null, whichever begins with the byte at pos.
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
	if word == "" || next > len(b) || string(b[pos:next]) != word || next < len(b) && isLetter(b[next]) {
		return pos, Unexpected(b, pos, "a value")
	}
	return next, nil
}

// Number reads the number at pos. It does not look at what follows.
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

// Value reads the value at pos, where no blank stands, with all that lies in it. depth is how many arrays and objects
// it lies in itself. Member names that stand twice are not looked for.
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

var errDepth = fmt.Sprintf("more than %d arrays and objects lie in each other", MaxDepth)

// Open reads the opening bracket that is due at pos and the blanks after it, and, when it follows at once, the closing
// one, for which done is true.
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

// More reads what follows an element after any blanks: a comma and the blanks after it, or the closing bracket, for
// which done is true.
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

// Colon reads the colon that is due after any blanks, and the blanks after it.
func Colon(b []byte, pos int) (next int, err error) {
	pos = Blanks(b, pos)
	if pos >= len(b) || b[pos] != ':' {
		return pos, Unexpected(b, pos, "':'")
	}
	return Blanks(b, pos+1), nil
}

// Name reads the string that is due at pos as the name of a member; escaped is String's.
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
