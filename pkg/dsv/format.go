package dsv

import (
	"errors"
	"fmt"
)

// Format is the dialect: the bytes that separate, quote and escape.
type Format struct {
	Delimiter byte // between two fields; its first byte, if it has several
	Quote     byte // around a field; doubled or escaped inside it
	Escape    byte // makes the next byte data; 0 or equal to Quote: none

	// EscapeInQuotes is true if the escape has its meaning only inside quotes, before the quote and
	// the escape, as in files of DSBulk. Elsewhere it is data.
	EscapeInQuotes bool
	// Rest is what a delimiter has behind its first byte; empty: nothing.
	Rest string
	// NewlineEscapes is true if n, r and t behind an escape are LF, CR and tab. Writers write LF
	// and CR so.
	NewlineEscapes bool

	// Comment starts a line to skip; 0: none. It has this meaning only at the start of a record.
	Comment byte
	// Trailing is true if records end in a delimiter: the empty field after the last delimiter is
	// removed. A record without that delimiter is read unchanged.
	Trailing bool
	// Trim is true if blanks around a field are not part of it: spaces and tabs, unless they have
	// another meaning in the format. Inside quotes and after an escape they are data. A line of
	// blanks only is a blank line. Trim is for readers: NeedsQuotes ignores it.
	Trim bool
	// CR is true if lines end in CR alone. The Splitter then reads every CR as LF, inside quotes
	// too.
	CR bool
}

// DefaultFormat is the format of RFC 4180: comma and double quote.
var DefaultFormat = Format{Delimiter: ',', Quote: '"'}

// Validate returns an error if text in the format would be ambiguous. Delimiter and quote must be
// two different ASCII bytes other than NUL, CR and LF. The same holds for delimiter and escape, if
// there is an escape. Rest holds neither of these bytes.
func (f Format) Validate() error {
	if err := checkByte("delimiter", f.Delimiter); err != nil {
		return err
	}
	if err := checkByte("quote", f.Quote); err != nil {
		return err
	}
	if f.Delimiter == f.Quote {
		return fmt.Errorf("delimiter and quote are both %q", rune(f.Quote))
	}
	if f.Comment != 0 {
		if err := checkByte("comment", f.Comment); err != nil {
			return err
		}
		if f.Comment == f.Delimiter || f.Comment == f.Quote ||
			f.escapes() && f.Comment == f.Escape {
			return fmt.Errorf("comment is %q, which has another meaning", rune(f.Comment))
		}
	}
	if err := f.checkRest(); err != nil {
		return err
	}
	if f.NewlineEscapes && !f.escapes() {
		return errors.New("no escape, behind which n, r and t would be LF, CR and tab")
	}
	if !f.escapes() {
		return nil
	}
	if err := checkByte("escape", f.Escape); err != nil {
		return err
	}
	if f.Delimiter == f.Escape {
		return fmt.Errorf("delimiter and escape are both %q", rune(f.Escape))
	}
	if f.NewlineEscapes {
		for _, b := range []byte{f.Delimiter, f.Quote, f.Escape} {
			if unescaped(b) != b {
				return fmt.Errorf("%q is a letter that stands for a line end or a tab", rune(b))
			}
		}
	}
	return nil
}

// checkRest checks the bytes of a delimiter behind its first one.
func (f Format) checkRest() error {
	for _, b := range []byte(f.Rest) {
		if err := checkByte("delimiter", b); err != nil {
			return err
		}
		if b == f.Quote || f.escapes() && b == f.Escape {
			return fmt.Errorf(
				"delimiter %q holds %q, which has another meaning", f.DelimiterText(), rune(b),
			)
		}
	}
	return nil
}

// DelimiterText returns all bytes of the delimiter; empty: there is none.
func (f Format) DelimiterText() string {
	if f.Delimiter == 0 {
		return ""
	}
	return string(rune(f.Delimiter)) + f.Rest
}

// SetDelimiter sets all bytes of the delimiter, one or more.
func (f *Format) SetDelimiter(text string) { f.Delimiter, f.Rest = text[0], text[1:] }

// EndsField reports whether an unquoted field ends before a text, which is the rest of a record.
// With Trim, blanks may be before its end.
func (f *Format) EndsField(text []byte) bool {
	text = text[f.blanks().skip(text, 0):]
	switch {
	case len(text) == 0, text[0] == '\n', string(text) == "\r\n":
		return true
	}
	behind := 1 + len(f.Rest)
	return text[0] == f.Delimiter && len(text) >= behind && string(text[1:behind]) == f.Rest
}

// AppendDelimiter appends the delimiter.
func (f *Format) AppendDelimiter(dst []byte) []byte {
	dst = append(dst, f.Delimiter)
	if f.Rest != "" {
		dst = append(dst, f.Rest...)
	}
	return dst
}

// unescaped returns what a byte behind an escape stands for, with NewlineEscapes.
func unescaped(b byte) byte {
	switch b {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return b
	}
}

// escape returns the escape byte, or 0 if the format has none.
func (f Format) escape() byte {
	if f.escapes() {
		return f.Escape
	}
	return 0
}

// OuterEscape returns the escape outside quotes, or 0 if there is none or it has no meaning there.
func (f Format) OuterEscape() byte {
	if f.EscapeInQuotes {
		return 0
	}
	return f.escape()
}

// escapes reports whether the format has an escape.
func (f Format) escapes() bool { return f.Escape != 0 && f.Escape != f.Quote }

func checkByte(what string, b byte) error {
	switch {
	case b == 0 || b == '\r' || b == '\n':
		return fmt.Errorf("%s %q is reserved: NUL, CR and LF cannot be used", what, rune(b))
	case b >= 0x80:
		return fmt.Errorf("%s 0x%x is not an ASCII byte", what, b)
	}
	return nil
}

// must panics if Validate returns an error. Constructors require a format that the caller has
// checked.
func (f Format) must() {
	if err := f.Validate(); err != nil {
		panic("dsv: " + err.Error())
	}
}
