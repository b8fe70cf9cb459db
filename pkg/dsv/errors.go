package dsv

import "fmt"

// SyntaxError is a violation of the rules of the format, with its position.
type SyntaxError struct {
	Line   int64  // physical line in the input, from 1
	Column int    // byte column in that line, from 1
	Msg    string // the fault
}

// Error returns position and message in one line.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// afterQuote returns the message for a byte that must not follow a closing quote.
func afterQuote(b byte) string {
	return fmt.Sprintf(
		"closing quote is followed by %q, not by a delimiter or a line end", []byte{b},
	)
}

// afterLaterQuote returns the message for a byte that must not follow a closing quote, if the
// opening quote is on an earlier line. The fault is usually there.
func afterLaterQuote(b byte, lines int) string {
	below := "1 line"
	if lines > 1 {
		below = fmt.Sprintf("%d lines", lines)
	}
	return fmt.Sprintf(
		"quote is closed only %s below, and followed by %q, not by a delimiter or a line end",
		below,
		[]byte{b},
	)
}

// tooManyFields is the message for a record with more than MaxFields fields.
var tooManyFields = fmt.Sprintf("record has more than %d fields", MaxFields)

// cutEscape is the message for an escape that is the last byte of the input.
const cutEscape = "escape is the last byte of the input, with no byte after it"

// fault is the fault of a bad line: a record starts on it and does not end, or exceeds the limit.
type fault struct {
	line   int64  // physical line of the fault, from 1
	column int    // byte column of the quote that leaves the line open, or 1
	quote  bool   // true if there is such a quote
	text   string // the fault; the quote is its subject if there is one
}

// unclosed returns the fault of a line whose record reaches the end of the input. The text is the
// line, which starts in the given physical line. The quote at open leaves the line open. If that
// quote is closed later, another quote is left open, and the record has no end either.
func unclosed(text []byte, line int64, open int, closedLater bool) fault {
	f := fault{quote: true, text: "is never closed"}
	if closedLater {
		f.text = "leads into a record that never ends"
	}
	f.line, f.column = position(text, line, open)
	return f
}

// oversize returns the fault of a line whose record has more than limit bytes. The quote at open
// leaves the line open; -1 means that the line alone is too long. For text and line, see unclosed.
func oversize(text []byte, line int64, open, limit int) fault {
	if open < 0 {
		return fault{
			line:   line,
			column: 1,
			text:   fmt.Sprintf("record is longer than %d bytes", limit),
		}
	}
	f := fault{quote: true, text: fmt.Sprintf("makes the record longer than %d bytes", limit)}
	f.line, f.column = position(text, line, open)
	return f
}

// reason returns the fault as a message that does not need a position beside it.
func (f fault) reason() string {
	if f.quote {
		return fmt.Sprintf("quote opened at column %d %s", f.column, f.text)
	}
	return f.text
}

// err returns the fault as an error.
func (f fault) err() *SyntaxError {
	msg := f.text
	if f.quote {
		msg = "quote " + msg
	}
	return &SyntaxError{Line: f.line, Column: f.column, Msg: msg}
}
