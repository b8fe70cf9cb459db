package lex

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds.
const (
	End    Kind = iota
	Word        // a bare name or a CQL word, in lower case
	Name        // in double quotes
	Text        // in single quotes or between $$
	Number      // starts like a number: also a duration or a blob
	UUID
	Sign // any other character
)

// Token is a part of a text.
type Token struct {
	Kind Kind
	Text string // without quotes
	At   int    // offset of its first byte in the text
	End  int    // offset behind its last byte, quotes included
}

// Is reports whether the token is a given CQL word or sign.
func (t Token) Is(what string) bool { return (t.Kind == Word || t.Kind == Sign) && t.Text == what }

// Shown returns the token as CQL, for messages.
func (t Token) Shown() string {
	switch t.Kind {
	case Name:
		return `"` + t.Text + `"`
	case Text:
		return "'" + t.Text + "'"
	default:
		return t.Text
	}
}

// lex splits a text into tokens, without blanks and comments. The last token is the end.
func lex(s string) ([]Token, error) {
	var all []Token
	for i := 0; ; {
		var ok bool
		if i, ok = skipBlanks(s, i); !ok {
			return nil, ErrorAt(s, i, "the comment has no end")
		}
		if i == len(s) {
			return append(all, Token{Kind: End, At: i, End: i}), nil
		}
		t, end, err := lexOne(s, i)
		if err != nil {
			return nil, err
		}
		t.End = end
		all = append(all, t)
		i = end
	}
}

// skipBlanks returns the offset after blanks and comments. If a comment has no end, ok is false and
// at is its start.
func skipBlanks(s string, i int) (at int, ok bool) {
	for i < len(s) {
		switch {
		case strings.IndexByte(" \t\r\n\f", s[i]) >= 0:
			i++
		case strings.HasPrefix(s[i:], "\ufeff"):
			i += len("\ufeff")
		case strings.HasPrefix(s[i:], "--"), strings.HasPrefix(s[i:], "//"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return len(s), true
			}
			i += end
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return i, false
			}
			i += 2 + end + 2
		default:
			return i, true
		}
	}
	return i, true
}

// lexOne reads the token at i.
func lexOne(s string, i int) (t Token, end int, err error) {
	switch c := s[i]; {
	case c == '"' || c == '\'':
		value, end, ok := quoted(s, i)
		if !ok {
			return t, 0, ErrorAt(s, i, "the quote has no end")
		}
		if c == '"' {
			return Token{Kind: Name, Text: value, At: i}, end, nil
		}
		return Token{Kind: Text, Text: value, At: i}, end, nil
	case strings.HasPrefix(s[i:], "$$"):
		length := strings.Index(s[i+2:], "$$")
		if length < 0 {
			return t, 0, ErrorAt(s, i, "the quote has no end")
		}
		return Token{Kind: Text, Text: s[i+2 : i+2+length], At: i}, i + 2 + length + 2, nil
	case isUUID(s, i):
		return Token{Kind: UUID, Text: strings.ToLower(s[i : i+uuidLen]), At: i}, i + uuidLen, nil
	case isDigit(c) || c == '-' && i+1 < len(s) && isDigit(s[i+1]):
		end := i + 1
		for end < len(s) {
			if micro := microAt(s, end); micro > 0 {
				end += micro
			} else if wordByte(s[end]) || s[end] == '.' || strings.IndexByte("+-", s[end]) >= 0 && s[end-1]|0x20 == 'e' {
				end++
			} else {
				break
			}
		}
		return Token{Kind: Number, Text: s[i:end], At: i}, end, nil
	case durationAt(s, i) > i:
		end := durationAt(s, i)
		return Token{Kind: Number, Text: s[i:end], At: i}, end, nil
	case wordByte(c):
		end := i
		for end < len(s) && wordByte(s[end]) {
			end++
		}
		return Token{Kind: Word, Text: strings.ToLower(s[i:end]), At: i}, end, nil
	default:
		_, size := utf8.DecodeRuneInString(s[i:])
		return Token{Kind: Sign, Text: s[i : i+size], At: i}, i + size, nil
	}
}

// isoDuration matches a duration in the forms of ISO 8601, with capital letters (DURATION of
// Lexer.g).
var isoDuration = func() *regexp.Regexp {
	const clock = `T(?:\d+H(?:\d+M)?(?:\d+S)?|\d+M(?:\d+S)?|\d+S)`
	const period = `(?:\d+Y(?:\d+M)?(?:\d+D)?|\d+M(?:\d+D)?|\d+D)`
	r := regexp.MustCompile(
		`^-?P(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|` + clock + `|\d+W|` + period + `(?:` + clock + `)?)`,
	)
	r.Longest()
	return r
}()

// durationAt returns the end of a duration in that form at i, or i if there is none.
func durationAt(s string, i int) int {
	if !strings.HasPrefix(strings.TrimPrefix(s[i:], "-"), "P") {
		return i
	}
	end := i + len(isoDuration.FindString(s[i:]))
	if end < len(s) && wordByte(s[end]) {
		return i
	}
	return end
}

// microAt returns the number of bytes of the micro sign, or the Greek letter, at i; 0: none.
func microAt(s string, i int) int {
	if strings.HasPrefix(s[i:], "\u00b5") || strings.HasPrefix(s[i:], "\u03bc") {
		return 2
	}
	return 0
}

// quoted reads the content of quotes, with doubled quotes reduced to one, and returns the offset
// after them.
func quoted(s string, from int) (value string, end int, ok bool) {
	q := s[from]
	for i := from + 1; i < len(s); i++ {
		if s[i] != q {
			continue
		}
		if i+1 < len(s) && s[i+1] == q {
			i++
			continue
		}
		return strings.ReplaceAll(s[from+1:i], string([]byte{q, q}), string(rune(q))), i + 1, true
	}
	return "", 0, false
}

// uuidLen is the length of the text of a UUID.
const uuidLen = 36

// isUUID reports whether there is a UUID at i that no further word byte follows.
func isUUID(s string, i int) bool {
	if len(s)-i < uuidLen || len(s)-i > uuidLen && wordByte(s[i+uuidLen]) {
		return false
	}
	for n := range uuidLen {
		c := s[i+n]
		if n == 8 || n == 13 || n == 18 || n == 23 {
			if c != '-' {
				return false
			}
		} else if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func wordByte(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
