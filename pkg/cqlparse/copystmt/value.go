package copystmt

import (
	"fmt"
	"strings"
)

// maxDepth is the largest nesting of values.
const maxDepth = 100

// value reads the value of an option: a word or a term.
func (p *parser) value() (string, error) {
	from := p.tok.from
	switch {
	case p.tok.kind == text:
		value := p.tok.value
		p.advance()
		return value, nil
	case p.tok.kind == word:
		f := p.function()
		p.advance()
		if f == notCalled || !p.is("(") && !p.is(".") {
			break
		}
		if err := p.call(f, 1); err != nil {
			return "", err
		}
	default:
		if err := p.term(1); err != nil {
			return "", err
		}
	}
	return p.src[from:p.last], nil
}

// function is the use of a word as the name of a function.
type function uint8

const (
	notCalled function = iota // not a function: a reserved word
	called                    // a function name without a keyspace
	qualified                 // a function name or the keyspace of one
)

// function returns the use of the next token, which is a word.
func (p *parser) function() function {
	switch w := strings.ToLower(p.source()); {
	case w == "token":
		return called
	case reserved[w]:
		return notCalled
	default:
		return qualified
	}
}

// term reads a term of CQL: an element, a value or an argument.
func (p *parser) term(depth int) error {
	if depth > maxDepth {
		return p.fail(fmt.Sprintf("values that are nested no more than %d deep", maxDepth))
	}
	switch {
	case p.take("-"):
		if p.tok.kind != number {
			return p.fail("a number")
		}
		p.advance()
		return nil
	case p.tok.kind == text, p.tok.kind == number, p.tok.kind == other:
		p.advance()
		return nil
	case p.take("["):
		return p.list(depth, "]")
	case p.take("{"):
		return p.braces(depth)
	case p.take("null"):
		return nil
	case p.tok.kind != word || p.function() == notCalled:
		return p.fail("a value")
	}
	f, constant := p.function(), p.is("true") || p.is("false")
	p.advance()
	if constant && !p.is("(") && !p.is(".") {
		return nil
	}
	return p.call(f, depth)
}

// call reads the rest of a function call, after its first word.
func (p *parser) call(f function, depth int) error {
	if f == qualified && p.take(".") {
		if p.tok.kind != word || p.function() != qualified {
			return p.fail("the name of a function")
		}
		p.advance()
	}
	if !p.take("(") {
		return p.fail(`"("`)
	}
	return p.list(depth, ")")
}

// list reads the elements of a list or the arguments of a function, and the closing bracket.
func (p *parser) list(depth int, closing string) error {
	if p.take(closing) {
		return nil
	}
	for more := true; more; more = p.take(",") {
		if err := p.term(depth + 1); err != nil {
			return err
		}
	}
	return p.close(closing)
}

// braces reads the elements of a set or the entries of a map.
func (p *parser) braces(depth int) error {
	if p.take("}") {
		return nil
	}
	isMap := false
	for i := 0; i == 0 || p.take(","); i++ {
		if err := p.term(depth + 1); err != nil {
			return err
		}
		if i == 0 {
			isMap = p.is(":")
		}
		if !isMap {
			continue
		}
		if !p.take(":") {
			return p.fail(`":"`)
		}
		if err := p.term(depth + 1); err != nil {
			return err
		}
	}
	return p.close("}")
}

func (p *parser) close(closing string) error {
	if !p.take(closing) {
		return p.fail(fmt.Sprintf(`"," or %q`, closing))
	}
	return nil
}
