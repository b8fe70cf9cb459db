package dsv

import "fmt"

// SyntaxError tells where and how a record breaks the rules of the format.
type SyntaxError struct {
	Line   int64  // physical line in the input, 1-based
	Column int    // byte column in that line, 1-based
	Msg    string // what is wrong there
}

// Error gives place and message in one line.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// afterQuote is the message for a byte that may not follow a closing quote.
func afterQuote(b byte) string {
	return fmt.Sprintf("closing quote is followed by %q, not by a delimiter or a line end", []byte{b})
}

// afterLaterQuote is the message for a byte that may not follow a closing quote that stands lines below the opening one, where
// the fault mostly is.
func afterLaterQuote(b byte, lines int) string {
	below := "1 line"
	if lines > 1 {
		below = fmt.Sprintf("%d lines", lines)
	}
	return fmt.Sprintf("quote is not closed in its line, but %s below, where %q follows and not a delimiter or a line end", below, []byte{b})
}

// tooManyFields is the message for a record beyond MaxFields.
var tooManyFields = fmt.Sprintf("record has more than %d fields", MaxFields)

// cutEscape is the message for an escape that is the last byte of the input.
const cutEscape = "escape is the last byte of the input, with none behind it to stand for"

// fault is why a line is bad: a record starts on it and does not end, or not
// within the limit.
type fault struct {
	line   int64  // physical line of what is wrong, 1-based
	column int    // of the quote that leaves the line open, or 1; 1-based
	quote  bool   // whether there is such a quote
	text   string // what is wrong, with the quote as its subject where there is one
}

// unclosed is the fault of a line whose record runs into the end of the
// input. Text is the line, which starts in the physical line given. The quote
// at open leaves it open; when that is closed later but another one is then
// left open, the record ends just as little.
func unclosed(text []byte, line int64, open int, closedLater bool) fault {
	f := fault{quote: true, text: "is never closed"}
	if closedLater {
		f.text = "leads into a record that never ends"
	}
	f.line, f.column = position(text, line, open)
	return f
}

// oversize is the fault of a line whose record has more than limit bytes.
// Open is the quote leading on from the line, -1 when the line is too long by
// itself; text and line are as in unclosed.
func oversize(text []byte, line int64, open, limit int) fault {
	if open < 0 {
		return fault{line: line, column: 1, text: fmt.Sprintf("record is longer than %d bytes", limit)}
	}
	f := fault{quote: true, text: fmt.Sprintf("makes the record longer than %d bytes", limit)}
	f.line, f.column = position(text, line, open)
	return f
}

// reason is the fault in words that need no position beside them.
func (f fault) reason() string {
	if f.quote {
		return fmt.Sprintf("quote opened at column %d %s", f.column, f.text)
	}
	return f.text
}

// err is the fault as an error.
func (f fault) err() *SyntaxError {
	msg := f.text
	if f.quote {
		msg = "quote " + msg
	}
	return &SyntaxError{Line: f.line, Column: f.column, Msg: msg}
}
