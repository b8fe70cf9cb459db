package schema

import (
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
)

// Parse reads statements, separated by semicolons. Names without a keyspace belong to the keyspace
// of the last USE, or otherwise to keyspace; if that is empty, they are an error. A type may be
// used before the statement that creates it. The error for a fault in the text is an *Error.
func Parse(s, keyspace string) (*Schema, error) {
	tokens, err := lex.NewReader(s)
	if err != nil {
		return nil, err
	}
	p := &parser{
		Reader:   tokens,
		keyspace: keyspace,
		schema:   &Schema{},
		types:    make(map[qualified]*userType),
	}
	for p.Next().Kind != lex.End {
		if p.Take(";") {
			continue
		}
		if err := p.statement(); err != nil {
			return nil, err
		}
		if t := p.Next(); t.Kind != lex.End && !p.Take(";") {
			return nil, p.Unexpected("a semicolon")
		}
	}
	return p.schema, p.finish()
}

// parser reads the tokens of a text.
type parser struct {
	*lex.Reader
	keyspace string // of names without one; empty: an error
	schema   *Schema
	tables   []*rawTable // of the schema, in the same order
	views    []*rawView
	types    map[qualified]*userType
}

// qualified is the name of a table or a type.
type qualified struct{ keyspace, name string }

// statement reads a statement up to its semicolon.
func (p *parser) statement() error {
	start := p.Next()
	switch {
	case p.Take("create", "keyspace"), p.Take("create", "schema"):
		return p.createKeyspace()
	case p.Take("create", "type"):
		return p.createType()
	case p.Take("create", "table"), p.Take("create", "columnfamily"):
		return p.createTable()
	case p.Take("create", "index"), p.Take("create", "custom", "index"):
		return p.createIndex()
	case p.Take("create", "materialized", "view"):
		return p.createView()
	case p.Take("create", "trigger"):
		return p.createTrigger()
	case p.Take("alter", "keyspace"), p.Take("alter", "schema"):
		return p.alterKeyspace()
	case p.Take("alter", "table"), p.Take("alter", "columnfamily"):
		return p.alterTable()
	case p.Take("alter", "type"):
		return p.ErrorAt(
			start, "ALTER TYPE is not supported: write the current type in CREATE TYPE",
		)
	case p.Take("use"):
		var err error
		p.keyspace, err = p.Name("a keyspace")
		return err
	}
	p.skip(start)
	return nil
}

// skip skips a statement and lists it as skipped.
func (p *parser) skip(start lex.Token) {
	var words []string
	for t := p.Next(); t.Kind != lex.End && !t.Is(";"); t = p.Next() {
		if len(words) < 2 && t.Kind == lex.Word {
			words = append(words, strings.ToUpper(t.Text))
		}
		p.Read()
	}
	p.schema.Skipped = append(p.schema.Skipped, Skipped{p.Line(start), strings.Join(words, " ")})
}

// skipRest skips the rest of a statement.
func (p *parser) skipRest() {
	for t := p.Next(); t.Kind != lex.End && !t.Is(";"); t = p.Next() {
		p.Read()
	}
}

// qualifiedName reads a name with or without a keyspace.
func (p *parser) qualifiedName(what string) (qualified, error) {
	start := p.Next()
	keyspace, name, err := p.QualifiedName(what)
	switch {
	case err != nil:
		return qualified{}, err
	case keyspace != "":
		return qualified{keyspace, name}, nil
	case p.keyspace == "":
		return qualified{}, p.ErrorAt(
			start, "%s %q has no keyspace, and there is no USE before it", what, name,
		)
	default:
		return qualified{p.keyspace, name}, nil
	}
}

func (p *parser) createKeyspace() error {
	p.Take("if", "not", "exists")
	start := p.Next()
	called, err := p.Name("a keyspace")
	if err != nil {
		return err
	}
	if p.schema.Keyspace(called) != nil {
		return p.ErrorAt(start, "keyspace %q already exists", called)
	}
	k := &Keyspace{Name: called, Options: make(map[string]Value)}
	p.schema.Keyspaces = append(p.schema.Keyspaces, k)
	if err := p.Expect("with"); err != nil {
		return err
	}
	return p.options(k.Options)
}

func (p *parser) alterKeyspace() error {
	p.Take("if", "exists")
	start := p.Next()
	called, err := p.Name("a keyspace")
	if err != nil {
		return err
	}
	k := p.schema.Keyspace(called)
	if k == nil {
		return p.ErrorAt(start, "there is no keyspace %q", called)
	}
	if err := p.Expect("with"); err != nil {
		return err
	}
	return p.options(k.Options)
}

// options reads options that are joined by AND.
func (p *parser) options(into map[string]Value) error {
	for {
		if err := p.option(into); err != nil {
			return err
		}
		if !p.Take("and") {
			return nil
		}
	}
}

// option reads an option.
func (p *parser) option(into map[string]Value) error {
	called, err := p.Name("an option")
	if err != nil {
		return err
	}
	if err := p.Expect("="); err != nil {
		return err
	}
	if !p.Next().Is("{") {
		scalar, err := p.scalar()
		into[called] = Value{Text: scalar}
		return err
	}
	into[called] = Value{}
	pairs, err := p.pairs()
	into[called] = Value{Map: pairs}
	return err
}

// scalar reads a text, a number or a word.
func (p *parser) scalar() (string, error) {
	switch t := p.Next(); t.Kind {
	case lex.Text, lex.Number, lex.UUID, lex.Word:
		return p.Read().Text, nil
	default:
		return "", p.Unexpected("a value")
	}
}

// pairs reads a map, or a set, whose elements get empty values.
func (p *parser) pairs() (map[string]string, error) {
	if err := p.Expect("{"); err != nil {
		return nil, err
	}
	m := make(map[string]string)
	if p.Take("}") {
		return m, nil
	}
	for {
		key, err := p.scalar()
		if err != nil {
			return nil, err
		}
		m[key] = ""
		if p.Take(":") {
			if m[key], err = p.scalar(); err != nil {
				return nil, err
			}
		}
		if p.Take("}") {
			return m, nil
		}
		if err := p.Expect(","); err != nil {
			return nil, err
		}
	}
}

// createIndex reads the name, table and class of an index.
func (p *parser) createIndex() error {
	p.Take("if", "not", "exists")
	var d Dependent
	if !p.Next().Is("on") {
		var err error
		if d.Name, err = p.Name("an index"); err != nil {
			return err
		}
	}
	if err := p.on(&d); err != nil {
		return err
	}
	for t := p.Next(); t.Kind != lex.End && !t.Is(";"); t = p.Next() {
		if p.Take("using") {
			if t := p.Next(); t.Kind == lex.Text {
				d.Class = t.Text
			}
			continue
		}
		p.Read()
	}
	p.schema.Indexes = append(p.schema.Indexes, d)
	return nil
}

// on reads ON and the table.
func (p *parser) on(d *Dependent) error {
	if err := p.Expect("on"); err != nil {
		return err
	}
	table, err := p.qualifiedName("a table")
	d.Keyspace, d.Table = table.keyspace, table.name
	return err
}

// createTrigger reads the name and table of a trigger.
func (p *parser) createTrigger() (err error) {
	p.Take("if", "not", "exists")
	var d Dependent
	if d.Name, err = p.Name("a trigger"); err != nil {
		return err
	}
	if err := p.on(&d); err != nil {
		return err
	}
	p.schema.Triggers = append(p.schema.Triggers, d)
	p.skipRest()
	return nil
}

// finish resolves the types of all columns.
func (p *parser) finish() error {
	for _, t := range p.tables {
		if err := p.finishTable(t); err != nil {
			return err
		}
	}
	return p.finishViews()
}
