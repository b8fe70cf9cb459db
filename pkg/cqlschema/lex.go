package cqlschema

import (
	"strings"
	"unicode/utf8"
)

// kind says what a token is.
type kind uint8

const (
	none   kind = iota // the end
	word               // a bare name or a word of CQL, in lower case
	name               // in double quotes
	text               // in single quotes or between dollars
	number             // or what begins like one
	uuid
	sign // any other character
)

// token is a piece of a statement.
type token struct {
	kind kind
	text string // without quotes
	at   int    // byte of the text that it begins at
}

// is says whether the token is a word of CQL, or a sign.
func (t token) is(what string) bool { return (t.kind == word || t.kind == sign) && t.text == what }

// lex cuts a text into tokens, without blanks and comments. The last one is the end.
func lex(s string) ([]token, error) {
	var all []token
	for i := 0; ; {
		i = skipBlanks(s, i)
		switch {
		case i < 0:
			return nil, errorAt(s, strings.LastIndex(s, "/*"), "the comment has no end")
		case i == len(s):
			return append(all, token{kind: none, at: i}), nil
		}
		t, end, err := lexOne(s, i)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		i = end
	}
}

// skipBlanks finds what comes behind blanks and comments; -1 when a comment has no end.
func skipBlanks(s string, i int) int {
	for i < len(s) {
		switch {
		case strings.IndexByte(" \t\r\n\f", s[i]) >= 0:
			i++
		case strings.HasPrefix(s[i:], "\ufeff"):
			i += len("\ufeff")
		case strings.HasPrefix(s[i:], "--"), strings.HasPrefix(s[i:], "//"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return len(s)
			}
			i += end
		case strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return -1
			}
			i += 2 + end + 2
		default:
			return i
		}
	}
	return i
}

// lexOne reads the token at i.
func lexOne(s string, i int) (t token, end int, err error) {
	switch c := s[i]; {
	case c == '"' || c == '\'':
		value, end, ok := quoted(s, i)
		if !ok {
			return t, 0, errorAt(s, i, "the quote has no end")
		}
		if c == '"' {
			return token{name, value, i}, end, nil
		}
		return token{text, value, i}, end, nil
	case strings.HasPrefix(s[i:], "$$"):
		length := strings.Index(s[i+2:], "$$")
		if length < 0 {
			return t, 0, errorAt(s, i, "the quote has no end")
		}
		return token{text, s[i+2 : i+2+length], i}, i + 2 + length + 2, nil
	case isUUID(s, i):
		return token{uuid, strings.ToLower(s[i : i+uuidLen]), i}, i + uuidLen, nil
	case isDigit(c) || c == '-' && i+1 < len(s) && isDigit(s[i+1]):
		end := i + 1
		for end < len(s) && (wordByte(s[end]) || s[end] == '.' || strings.IndexByte("+-", s[end]) >= 0 && s[end-1]|0x20 == 'e') {
			end++
		}
		return token{number, s[i:end], i}, end, nil
	case wordByte(c):
		end := i
		for end < len(s) && wordByte(s[end]) {
			end++
		}
		return token{word, strings.ToLower(s[i:end]), i}, end, nil
	default:
		_, size := utf8.DecodeRuneInString(s[i:])
		return token{sign, s[i : i+size], i}, i + size, nil
	}
}

// quoted reads what stands in quotes, which are doubled inside, and where it ends.
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

// uuidLen is how long the text of a UUID is.
const uuidLen = 36

// isUUID says whether a UUID stands at i, and nothing that goes on.
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
