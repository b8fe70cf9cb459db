package cqltext

import (
	"fmt"
	"unsafe"
)

// maxQuoted is the largest number of bytes of a bad value in an error.
const maxQuoted = 64

// Error is the reason why a text is not a value of a CQL type.
type Error struct {
	Type string // the CQL type, or the name of the spelling of its values
	Text string // the whole text in quotes, shortened if it is long
	Err  error  // the reason
}

// Error returns type, text and reason in one line.
func (e *Error) Error() string { return fmt.Sprintf("invalid %s %s: %v", e.Type, e.Text, e.Err) }

// Reason returns the message without the text, for a message that already has it.
func (e *Error) Reason() string { return fmt.Sprintf("invalid %s: %v", e.Type, e.Err) }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// invalid returns the error for a text that is not a value of the named type.
func invalid(name string, text []byte, reason error) error {
	shown := fmt.Sprintf("%q", text[:min(len(text), maxQuoted)])
	if len(text) > maxQuoted {
		shown += fmt.Sprintf("... (%d bytes)", len(text))
	}
	return &Error{Type: name, Text: shown, Err: reason}
}

// at adds the offset of a literal's element to an error.
func at(pos int, err error) error {
	return fmt.Errorf("offset %d: %w", pos, err)
}

// view returns b as a string without a copy. The callee must not retain the string or return a part
// of it.
func view(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// isBlank reports whether c is one of the blanks that are allowed around values.
func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r'
}

// trimBlanks returns text without the blanks at both ends.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	for len(text) > 0 && isBlank(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	return text
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
