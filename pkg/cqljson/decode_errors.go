package cqljson

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl/jsonscan"
)

// Error is the reason why a JSON value is not a value of a CQL type.
type Error struct {
	Type   string // the CQL type
	JSON   string // the whole value, without blanks around it, shortened if it is long
	Offset int    // offset of the fault in the JSON passed to AppendWire, in bytes from 0
	Err    error  // the reason
}

// Error returns type, JSON, offset and reason in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("invalid %s %s at offset %d: %v", e.Type, e.JSON, e.Offset, e.Err)
}

// Reason returns the message without the JSON, for a message that already has it.
func (e *Error) Reason() string {
	if e.Offset == 0 {
		return fmt.Sprintf("invalid %s: %v", e.Type, e.Err)
	}
	return fmt.Sprintf("invalid %s at offset %d: %v", e.Type, e.Offset, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

var errNullHere = errors.New(
	"null is only allowed in a tuple, a user type or an outermost list",
)

// fault is a reason with its offset in the JSON.
type fault struct {
	offset int
	err    error
}

func (f *fault) Error() string { return fmt.Sprintf("offset %d: %v", f.offset, f.err) }

func (f *fault) Unwrap() error { return f.err }

// at returns a reason with an offset.
func at(offset int, err error) error { return &fault{offset, err} }

// split returns offset and reason of an error from a reader.
func split(err error) (offset int, reason error) {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f.offset, f.err
	}
	if e := (*jsonscan.Error)(nil); errors.As(err, &e) {
		return e.Offset, errors.New(e.Msg)
	}
	return 0, err
}

// within adds the name of a field to an error and keeps its offset.
func within(name string, err error) error {
	offset, reason := split(err)
	return at(offset, fmt.Errorf("field %s: %w", name, reason))
}

// fail returns the error for a whole value.
func (d *columnDecoder) fail(json []byte, err error) error {
	offset, reason := split(err)
	if d.scalar {
		// The reason of package cqltext starts with the value, which Error already has.
		if e := (*cqltext.Error)(nil); errors.As(reason, &e) {
			reason = e.Err
		}
	}
	return &Error{Type: d.name, JSON: shown(json), Offset: offset, Err: reason}
}

// maxQuoted is the largest number of bytes of a bad value in an error.
const maxQuoted = 64

// shown returns JSON for an error: unchanged if it is one line of UTF-8, quoted otherwise.
func shown(json []byte) string {
	text := strings.Trim(string(json[:min(len(json), 4*maxQuoted)]), " \t\r\n")
	cut := len(json) > 4*maxQuoted || len(text) > maxQuoted
	if cut && len(text) > maxQuoted {
		n := maxQuoted
		for n > maxQuoted-utf8.UTFMax && !utf8.RuneStart(text[n]) {
			n--
		}
		text = text[:n]
	}
	if text == "" || !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		text = fmt.Sprintf("%q", text)
	}
	if cut {
		text += fmt.Sprintf("... (%d bytes)", len(json))
	}
	return text
}
