package copystmt

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is the reason why a text is not a COPY statement.
type Error struct {
	At       Position
	Found    string // the text found, quoted for a message
	Expected string // the alternatives that are allowed
}

// Error returns the position, the text found and the expected text in one line.
func (e *Error) Error() string {
	return fmt.Sprintf(
		"line %d, column %d: found %s, expected %s", e.At.Line, e.At.Column, e.Found, e.Expected,
	)
}

// Parse parses a text with one statement. The error is an *Error. The time is proportional to the
// length of the text.
func Parse(text string) (*Statement, error) {
	p := &parser{lexer: lexer{src: text, counted: Position{Line: 1, Column: 1}}}
	p.advance()
	s := &Statement{}
	if err := p.statement(s); err != nil {
		return nil, err
	}
	return s, nil
}

// parser reads with one token of lookahead.
type parser struct {
	lexer
	tok  token // the next token
	last int   // the end of the token before it
}

func (p *parser) advance() {
	p.last = p.tok.to
	p.tok = p.next()
}

// is reports whether the next token is a keyword, in lower case, or a mark.
func (p *parser) is(s string) bool {
	if p.tok.kind != word && p.tok.kind != mark {
		return false
	}
	return strings.EqualFold(p.source(), s)
}

// take reads a keyword or mark if it is next.
func (p *parser) take(s string) bool {
	if !p.is(s) {
		return false
	}
	p.advance()
	return true
}

// source returns the next token as written.
func (p *parser) source() string { return p.src[p.tok.from:p.tok.to] }

// shown is the largest number of characters of the text found in an error.
const shown = 20

// fail returns the error at the next token.
func (p *parser) fail(expected string) error {
	e := &Error{At: p.position(p.tok.from), Expected: expected}
	if p.tok.kind == end {
		e.Found = "the end"
		return e
	}
	found, more := p.source(), ""
	for at, n := 0, 0; at < len(found); n++ {
		if n == shown {
			found, more = found[:at], "..."
			break
		}
		_, size := utf8.DecodeRuneInString(found[at:])
		at += size
	}
	e.Found = fmt.Sprintf("%q%s", found, more)
	if p.tok.closing != "" {
		e.Found, e.Expected = e.Found+", which is never closed", fmt.Sprintf(
			"%q at its end", p.tok.closing,
		)
	}
	return e
}

func (p *parser) statement(s *Statement) error {
	if !p.take("copy") {
		return p.fail("COPY")
	}
	if err := p.table(s); err != nil {
		return err
	}
	if err := p.columns(s); err != nil {
		return err
	}
	if err := p.files(s); err != nil {
		return err
	}
	next := `WITH, ";" or the end`
	if p.take("with") {
		next = `AND, ";" or the end`
		for more := true; more; more = p.take("and") {
			if err := p.option(s); err != nil {
				return err
			}
		}
	}
	if p.take(";") {
		next = "the end, as there is one statement at a time"
	}
	if p.tok.kind != end {
		return p.fail(next)
	}
	return nil
}

// name reads a name. The error for any other token contains what.
func (p *parser) name(what string) (string, error) {
	var value string
	switch {
	case p.tok.kind == name && p.tok.value != "":
		value = p.tok.value
	case p.tok.kind == word:
		if value = strings.ToLower(p.source()); reserved[value] {
			return "", p.fail(what + "; a reserved word needs double quotes")
		}
	default:
		return "", p.fail(what)
	}
	p.advance()
	return value, nil
}

func (p *parser) table(s *Statement) (err error) {
	if s.Table, err = p.name("the name of a table"); err != nil || !p.take(".") {
		return err
	}
	s.Keyspace = s.Table
	s.Table, err = p.name("the name of a table")
	return err
}

func (p *parser) columns(s *Statement) error {
	if !p.take("(") {
		return nil
	}
	for more := true; more; more = p.take(",") {
		column, err := p.name("the name of a column")
		if err != nil {
			return err
		}
		s.Columns = append(s.Columns, column)
	}
	if !p.take(")") {
		return p.fail(`"," or ")"`)
	}
	return nil
}

func (p *parser) files(s *Statement) error {
	switch {
	case p.take("from"):
	case p.take("to"):
		s.Direction = To
	case s.Columns != nil:
		return p.fail("FROM or TO")
	case s.Keyspace != "":
		return p.fail(`"(", FROM or TO`)
	default:
		return p.fail(`".", "(", FROM or TO`)
	}
	if s.Standard = p.take(s.Direction.standard()); s.Standard {
		return nil
	}
	const file = "the name of a file in single quotes"
	if p.tok.kind != text {
		return p.fail(file + " or " + s.Direction.standard())
	}
	for more := true; more; more = s.Direction == From && p.take(",") {
		if p.tok.kind != text {
			return p.fail(file)
		}
		s.Files = append(s.Files, p.tok.value)
		p.advance()
	}
	return nil
}

func (p *parser) option(s *Statement) error {
	if p.tok.kind != word {
		return p.fail("the name of an option")
	}
	o := Option{Name: strings.ToLower(p.source()), At: p.position(p.tok.from)}
	p.advance()
	if !p.take("=") {
		return p.fail(`"="`)
	}
	var err error
	if o.Value, err = p.value(); err != nil {
		return err
	}
	s.Options = append(s.Options, o)
	return nil
}
