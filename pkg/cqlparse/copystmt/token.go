package copystmt

import (
	"strings"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	end    kind = iota // end of the text
	word               // a keyword or a name without quotes
	name               // a name in double quotes
	text               // in single quotes, or between $$
	number             // a whole number without a sign
	other              // a number with decimals, a UUID or a blob
	mark               // one character
	bad                // an invalid character, or a token without an end
)

// token is a token of a statement.
type token struct {
	kind     kind
	from, to int    // offsets of its start and end in the text
	value    string // of a name or text: without quotes; otherwise empty
	closing  string // the missing end of a token without one; otherwise empty
}

// lexer splits a text into tokens.
type lexer struct {
	src string
	at  int // offset of the next token, blank or comment
	// counted is the position up to which lines and characters are counted. Callers of position
	// pass offsets in ascending order.
	counted Position
}

// position returns the position of an offset, which must not be before that of the last call.
func (l *lexer) position(offset int) Position {
	for i := l.counted.Offset; i < offset; {
		if l.src[i] == '\n' {
			l.counted.Line++
			l.counted.Column = 1
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(l.src[i:])
		l.counted.Column++
		i += size
	}
	l.counted.Offset = offset
	return l.counted
}

// next reads the next token, and skips blanks and comments before it.
func (l *lexer) next() token {
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			l.at++
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "//"):
			if eol := strings.IndexAny(rest, "\r\n"); eol >= 0 {
				l.at += eol + 1
			} else {
				l.at = len(l.src)
			}
		case strings.HasPrefix(rest, "/*"):
			length := strings.Index(rest[2:], "*/")
			if length < 0 {
				return l.unclosed("*/")
			}
			l.at += 2 + length + 2
		default:
			return l.token(rest)
		}
	}
	return token{kind: end, from: l.at, to: l.at}
}

// token reads the token at the start of rest.
func (l *lexer) token(rest string) token {
	switch c := rest[0]; {
	case c == '\'':
		return l.quoted(text, rest)
	case c == '"':
		return l.quoted(name, rest)
	case strings.HasPrefix(rest, "$$"):
		length := strings.Index(rest[2:], "$$")
		if length < 0 {
			return l.unclosed("$$")
		}
		return l.take(text, 2+length+2, rest[2:2+length])
	case float(rest) > 0:
		return l.take(other, float(rest), "")
	case uuid(rest):
		return l.take(other, uuidLength, "")
	case len(rest) > 2 && c == '0' && rest[1]|0x20 == 'x' && isHex(rest[2]):
		return l.take(other, 2+span(rest[2:], isHex), "")
	case isDigit(c):
		return l.take(number, span(rest, isDigit), "")
	case isLetter(c):
		return l.take(word, span(rest, isWord), "")
	case strings.IndexByte("-+=%/,().:*;[]{}?<>!", c) >= 0:
		return l.take(mark, 1, "")
	default:
		_, size := utf8.DecodeRuneInString(rest)
		return l.take(bad, size, "")
	}
}

func (l *lexer) take(k kind, length int, value string) token {
	from := l.at
	l.at += length
	return token{kind: k, from: from, to: l.at, value: value}
}

// unclosed returns the rest of the text as a token without an end.
func (l *lexer) unclosed(closing string) token {
	t := l.take(bad, len(l.src)-l.at, "")
	t.closing = closing
	return t
}

// quoted reads a token in quotes, in which a doubled quote stands for one.
func (l *lexer) quoted(k kind, rest string) token {
	quote := rest[:1]
	for at := 1; ; at += 2 {
		length := strings.Index(rest[at:], quote)
		if length < 0 {
			return l.unclosed(quote)
		}
		if at += length; !strings.HasPrefix(rest[at+1:], quote) {
			return l.take(k, at+1, strings.ReplaceAll(rest[1:at], quote+quote, quote))
		}
	}
}

// float returns the length of the number with decimals at the start of s; 0: none.
func float(s string) int {
	sign := 0
	if s[0] == '-' {
		sign = 1
	}
	whole := sign + span(s[sign:], isDigit)
	if whole == sign || whole == len(s) || s[whole] != '.' {
		return 0
	}
	decimals := span(s[whole+1:], isDigit)
	if decimals == 0 {
		return 0
	}
	return whole + 1 + decimals
}

const uuidLength = 36

// uuid reports whether s starts with a UUID.
func uuid(s string) bool {
	if len(s) < uuidLength {
		return false
	}
	for i := range uuidLength {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash && s[i] != '-' || !dash && !isHex(s[i]) {
			return false
		}
	}
	return true
}

// span returns the number of bytes at the start of s for which is returns true.
func span(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && is(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isLower(c | 0x20) }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }
