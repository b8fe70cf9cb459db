package where

import (
	"regexp"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// form is the form of a literal, which decides the types that it fits.
type form uint8

const (
	formText form = iota
	formInteger
	formFloat
	formHex
	formUUID
	formBoolean
	formDuration
	formNull
	formName  // a name of a field
	formList  // [ ]
	formTuple // ( )
	formSet   // { }, and also the empty map
	formMap   // { : }
)

// term is a literal as written.
type term struct {
	at    lex.Token
	form  form
	text  string // empty for a literal with elements
	elems []term // for a map, keys and values in turn
}

// integer is a number without a fraction.
var integer = regexp.MustCompile(`^-?[0-9]+$`)

// forms are the forms of the tokens that start like a number.
var forms = []struct {
	form    form
	pattern *regexp.Regexp
}{
	{formInteger, integer},
	{formFloat, regexp.MustCompile(`^-?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?$`)},
	{formHex, regexp.MustCompile(`^0[xX][0-9a-fA-F]*$`)},
	{formDuration, regexp.MustCompile(`^-?(P.*|([0-9]+[a-zA-Zµμ]+)+)$`)},
}

// constants are the words that are literals, in canonical form.
var constants = map[string]term{
	"true":     {form: formBoolean, text: "true"},
	"false":    {form: formBoolean, text: "false"},
	"null":     {form: formNull, text: "null"},
	"nan":      {form: formFloat, text: "NaN"},
	"infinity": {form: formFloat, text: "Infinity"},
}

// term reads a literal.
func (p *parser) term() (term, error) {
	x, err := p.simpleTerm()
	if err != nil {
		return x, err
	}
	if t := p.Next(); t.Kind == lex.Sign && strings.Contains("+-*/%", t.Text) {
		return x, p.ErrorAt(t, "arithmetic is not supported: write the result")
	}
	return x, nil
}

func (p *parser) simpleTerm() (term, error) {
	t := p.Next()
	x := term{at: t, text: t.Text}
	switch t.Kind {
	case lex.Text:
		x.form = formText
	case lex.UUID:
		x.form = formUUID
	case lex.Number:
		i := 0
		for i < len(forms) && !forms[i].pattern.MatchString(t.Text) {
			i++
		}
		if i == len(forms) {
			return x, p.ErrorAt(t, "%.40s is neither a number nor a duration nor a blob", t.Text)
		}
		x.form = forms[i].form
	case lex.Word:
		return p.wordTerm()
	case lex.Name:
		return x, p.ErrorAt(
			t, "expected a value, found the name %.40q: a text needs single quotes", t.Text,
		)
	case lex.Sign:
		return p.signTerm()
	default:
		return x, p.Unexpected("a value")
	}
	p.Read()
	return x, nil
}

// wordTerm reads a literal that is a word.
func (p *parser) wordTerm() (term, error) {
	t := p.Next()
	if x, ok := constants[t.Text]; ok {
		x.at = p.Read()
		return x, nil
	}
	switch {
	case t.Is("cast") && p.After(1).Is("("):
		return term{}, p.ErrorAt(t, "casts are not supported: write the result")
	case p.After(1).Is("("):
		return term{}, p.ErrorAt(
			t, "functions are not supported: write the value of %.40s", t.Text,
		)
	case p.After(1).Is(".") && p.After(3).Is("("):
		return term{}, p.ErrorAt(
			t,
			"functions are not supported: write the value of %.40s.%.40s",
			t.Text,
			p.After(2).Text,
		)
	default:
		return term{}, p.ErrorAt(
			t, "expected a value, found %.40q: a text needs single quotes", t.Text,
		)
	}
}

// signTerm reads a literal that starts with a sign.
func (p *parser) signTerm() (term, error) {
	t := p.Next()
	switch t.Text {
	case "[":
		return p.elements(formList, "]")
	case "{":
		return p.braces()
	case "(":
		if _, constant := constants[p.After(1).Text]; p.After(1).Kind == lex.Word && !constant &&
			(p.After(2).Is(")") || p.After(2).Is("<")) {
			return term{}, p.ErrorAt(t, "casts are not supported: write the result")
		}
		return p.elements(formTuple, ")")
	case "-":
		if x, ok := constants[p.After(1).Text]; ok && x.form == formFloat &&
			p.After(1).Kind == lex.Word &&
			p.After(1).At == t.At+1 {
			p.Read()
			p.Read()
			if x.at = t; x.text != "NaN" {
				x.text = "-" + x.text
			}
			return x, nil
		}
		return term{}, p.ErrorAt(t, "arithmetic is not supported: write the result")
	case "?", ":":
		return term{}, p.ErrorAt(t, "bind markers are not supported: write the value")
	default:
		return term{}, p.Unexpected("a value")
	}
}

// enter counts the nesting depth.
func (p *parser) enter() error {
	if p.depth++; p.depth > cqltype.MaxDepth {
		return p.ErrorAt(p.Next(), "the value is nested too deep")
	}
	return nil
}

// elements reads literals in brackets, separated by commas.
func (p *parser) elements(f form, end string) (term, error) {
	if err := p.enter(); err != nil {
		return term{}, err
	}
	defer func() { p.depth-- }()
	x := term{at: p.Read(), form: f}
	if p.Take(end) {
		return x, nil
	}
	for {
		elem, err := p.term()
		if err != nil {
			return x, err
		}
		x.elems = append(x.elems, elem)
		if p.Take(end) {
			return x, nil
		}
		if err := p.Expect(","); err != nil {
			return x, err
		}
	}
}

// braces reads a set, a map, or a value of a user-defined type, which looks like a map with names
// as keys.
func (p *parser) braces() (term, error) {
	if err := p.enter(); err != nil {
		return term{}, err
	}
	defer func() { p.depth-- }()
	x := term{at: p.Read(), form: formSet}
	if p.Take("}") {
		return x, nil
	}
	for {
		key, err := p.key()
		if err != nil {
			return x, err
		}
		x.elems = append(x.elems, key)
		if len(x.elems) == 1 && p.Next().Is(":") {
			x.form = formMap
		}
		if x.form == formMap {
			if err := p.Expect(":"); err != nil {
				return x, err
			}
			value, err := p.term()
			if err != nil {
				return x, err
			}
			x.elems = append(x.elems, value)
		}
		if p.Take("}") {
			return x, nil
		}
		if err := p.Expect(","); err != nil {
			return x, err
		}
	}
}

// key reads an element of a set, a key of a map or the name of a field.
func (p *parser) key() (term, error) {
	t := p.Next()
	_, constant := constants[t.Text]
	if p.After(1).Is(":") && (t.Kind == lex.Name || t.Kind == lex.Word && !constant) {
		return term{at: p.Read(), form: formName, text: t.Text}, nil
	}
	return p.term()
}

// plain returns the literal without parentheses around it, which look like a tuple of one element
// (Tuples.Literal.prepare).
func (x *term) plain() *term {
	for x.form == formTuple && len(x.elems) == 1 {
		x = &x.elems[0]
	}
	return x
}

// write appends the literal in a form that can be parsed again.
func (x *term) write(b *strings.Builder) {
	switch x.form {
	case formText:
		b.WriteString("'" + strings.ReplaceAll(x.text, "'", "''") + "'")
	case formName:
		name := cqltype.QuoteIdent(x.text)
		if _, constant := constants[name]; constant {
			name = `"` + name + `"`
		}
		b.WriteString(name)
	case formList:
		x.writeElems(b, "[", "]")
	case formTuple:
		x.writeElems(b, "(", ")")
	case formSet, formMap:
		x.writeElems(b, "{", "}")
	default:
		b.WriteString(x.text)
	}
}

func (x *term) writeElems(b *strings.Builder, opening, closing string) {
	b.WriteString(opening)
	for i := range x.elems {
		switch {
		case i == 0:
		case x.form == formMap && i%2 != 0:
			b.WriteString(": ")
		default:
			b.WriteString(", ")
		}
		x.elems[i].write(b)
	}
	b.WriteString(closing)
}

// String returns the literal in a form that can be parsed again.
func (x *term) String() string {
	var b strings.Builder
	x.write(&b)
	return b.String()
}
