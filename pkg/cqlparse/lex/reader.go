package lex

import "strings"

// Reader reads the tokens of a text. It belongs to one goroutine.
type Reader struct {
	text   string
	tokens []Token
	i      int
}

// NewReader splits a text into tokens. It returns an *Error for a quote or a comment without an
// end.
func NewReader(text string) (*Reader, error) {
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	return &Reader{text: text, tokens: tokens}, nil
}

// Next returns the next token without reading it. At the end of the text its kind is End.
func (r *Reader) Next() Token { return r.tokens[r.i] }

// After returns the token n places after the next one, or the end.
func (r *Reader) After(n int) Token { return r.tokens[min(r.i+n, len(r.tokens)-1)] }

// Read reads a token. It does not advance past the end.
func (r *Reader) Read() Token {
	t := r.tokens[r.i]
	if t.Kind != End {
		r.i++
	}
	return t
}

// Take reads words or signs if all of them are next, and reports whether they are.
func (r *Reader) Take(words ...string) bool {
	for n, w := range words {
		if !r.After(n).Is(w) {
			return false
		}
	}
	r.i += len(words)
	return true
}

// Expect reads words or signs, or returns an error if they are not next.
func (r *Reader) Expect(words ...string) error {
	for _, w := range words {
		if !r.Take(w) {
			return r.Unexpected(strings.ToUpper(w))
		}
	}
	return nil
}

// Name reads a name. The error for any other token contains what.
func (r *Reader) Name(what string) (string, error) {
	if t := r.Next(); t.Kind != Word && t.Kind != Name || t.Text == "" {
		return "", r.Unexpected("the name of " + what)
	}
	return r.Read().Text, nil
}

// QualifiedName reads a name, before which a keyspace may stand. The error for any other token
// contains what.
func (r *Reader) QualifiedName(what string) (keyspace, name string, err error) {
	if name, err = r.Name(what); err != nil || !r.Take(".") {
		return "", name, err
	}
	keyspace = name
	name, err = r.Name(what)
	return keyspace, name, err
}

// ErrorAt returns an error at a token.
func (r *Reader) ErrorAt(t Token, format string, args ...any) error {
	return ErrorAt(r.text, t.At, format, args...)
}

// Unexpected returns an error at the next token, which is not want.
func (r *Reader) Unexpected(want string) error {
	t := r.Next()
	if t.Kind == End {
		return r.ErrorAt(t, "expected %s, found the end", want)
	}
	return r.ErrorAt(t, "expected %s, found %.40q", want, t.Shown())
}

// Line returns the line of a token, from 1.
func (r *Reader) Line(t Token) int { return Line(r.text, t.At) }
