package spec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

const lettersAndDigits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// checkDelimiter refuses words, escapes and quotes, which name a character and are not what stands
// between fields.
func checkDelimiter(text string) error {
	n := len(text)
	switch {
	case n == 0 || strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) >= 0:
		return errors.New("must be one ASCII character, or several")
	case n == 1:
		return nil
	case strings.Trim(text, lettersAndDigits) == "":
		return errors.New("must be the characters themselves, or tab: words are not taken")
	case text[0] == '^' && n == 2, strings.Contains(text, `\`):
		return errors.New("must be the characters themselves, or tab")
	case text[0] == text[n-1] && strings.Contains("'\"", text[:1]):
		return errors.New("must be the characters themselves, without quotes around them")
	}
	return nil
}

// ErrNewlineEscapes is the error for --newline-escapes and why it cannot be.
func ErrNewlineEscapes(why string) error { return errors.New("--newline-escapes: " + why) }

// SetEscapes sets in a format with an escape where that has a meaning, and what letters behind it
// mean. It refuses what cqlsh's dialect has not, and either where there is no escape.
func SetEscapes(f *dsv.Format, cqlsh, inQuotes, newlines bool) error {
	switch {
	case inQuotes && (cqlsh || f.Escape == 0):
		return errors.New("--escape-in-quotes: say which character it is with --escape, and no --dialect cqlsh")
	case cqlsh && f.Rest != "":
		return fmt.Errorf(
			"--delimiter %q: cqlsh knows delimiters of one character only", f.DelimiterText(),
		)
	case cqlsh && newlines:
		return ErrNewlineEscapes("cqlsh has escapes of its own, which --unescape undoes")
	case newlines && (f.Escape == 0 || f.Escape == f.Quote):
		return ErrNewlineEscapes("say which character stands before n and r: --escape '\\'")
	}
	f.EscapeInQuotes, f.NewlineEscapes = inQuotes, newlines
	return nil
}

// CheckNull refuses a text of null that a value may be written as. Only letters and digits may be
// behind an escape, since quotes and escapes of values are written with one.
func CheckNull(f *dsv.Format, text string) error {
	if f.Escape == 0 || f.Escape == f.Quote || f.EscapeInQuotes {
		return nil
	}
	if strings.IndexByte(text, f.Quote) >= 0 {
		return fmt.Errorf("--null-string: it must not hold the quote %c", f.Quote)
	}
	for i := strings.IndexByte(text, f.Escape); i >= 0; i = strings.IndexByte(text, f.Escape) {
		if text = text[i+1:]; text == "" || strings.IndexByte(lettersAndDigits, text[0]) < 0 {
			return fmt.Errorf(
				"--null-string: behind the escape %c must be a letter or a digit", f.Escape,
			)
		}
	}
	return nil
}
