package simcluster

import (
	"fmt"
	"strings"
)

// lexeme is a token of a statement: a name ('n'), a quoted name ('q'), a text ('t'), a number
// ('d'), or a sign, which is its own kind.
type lexeme struct {
	kind byte
	text string // without quotes; of a name in lower case
}

// lex cuts a statement into pieces. The last one is of kind 0.
func lex(s string) ([]lexeme, error) {
	var all []lexeme
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			i++
		case nameByte(c) && !digit(c):
			end := i
			for end < len(s) && nameByte(s[end]) {
				end++
			}
			all = append(all, lexeme{'n', strings.ToLower(s[i:end])})
			i = end
		case digit(c) || c == '-' && i+1 < len(s) && digit(s[i+1]):
			end := i + 1
			for end < len(s) && nameByte(s[end]) {
				end++
			}
			all = append(all, lexeme{'d', s[i:end]})
			i = end
		case c == '"' || c == '\'':
			text, end, ok := quoted(s, i)
			if !ok {
				return nil, fmt.Errorf("simcluster finds no end of a quotation in %q", s)
			}
			kind := byte('q')
			if c == '\'' {
				kind = 't'
			}
			all = append(all, lexeme{kind, text})
			i = end
		case strings.HasPrefix(s[i:], "<=") || strings.HasPrefix(s[i:], ">="):
			all = append(all, lexeme{c, s[i : i+2]})
			i += 2
		case strings.IndexByte("(),.*?=<>+;", c) >= 0:
			all = append(all, lexeme{c, s[i : i+1]})
			i++
		default:
			return nil, fmt.Errorf("simcluster does not understand %q in %q", s[i:], s)
		}
	}
	return append(all, lexeme{}), nil
}

// quoted reads a quotation, whose quotes are doubled inside, and where it ends.
func quoted(s string, from int) (string, int, bool) {
	var text strings.Builder
	for i := from + 1; i < len(s); i++ {
		if s[i] != s[from] {
			text.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == s[from] {
			text.WriteByte(s[i])
			i++
			continue
		}
		return text.String(), i + 1, true
	}
	return "", 0, false
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func nameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || digit(c)
}
