package cqlschema

import "strings"

// Parse reads statements, each but the last ended by a semicolon. Names without a keyspace are of the last one that USE
// named, else of keyspace; where that is empty, too, they are an error. Types may be used before the statement that makes
// them. An error of what stands there is an *Error.
func Parse(s, keyspace string) (*Schema, error) {
	tokens, err := lex(s)
	if err != nil {
		return nil, err
	}
	p := &parser{s: s, tokens: tokens, keyspace: keyspace, schema: &Schema{}, types: make(map[qualified]*userType)}
	for p.next().kind != none {
		if p.take(";") {
			continue
		}
		if err := p.statement(); err != nil {
			return nil, err
		}
		if t := p.next(); t.kind != none && !p.take(";") {
			return nil, p.unexpected("a semicolon")
		}
	}
	return p.schema, p.finish()
}

// parser reads the tokens of a text.
type parser struct {
	s        string
	tokens   []token
	i        int
	keyspace string // of names without one; empty: none
	schema   *Schema
	tables   []*rawTable // of the schema's, in their order
	types    map[qualified]*userType
}

// qualified is the name of a table or a type.
type qualified struct{ keyspace, name string }

// next is the token that is not read yet.
func (p *parser) next() token { return p.tokens[p.i] }

// read reads a token. The end is never passed.
func (p *parser) read() token {
	t := p.tokens[p.i]
	if t.kind != none {
		p.i++
	}
	return t
}

// take reads words or signs, all of them or none.
func (p *parser) take(words ...string) bool {
	for n, w := range words {
		if p.i+n >= len(p.tokens) || !p.tokens[p.i+n].is(w) {
			return false
		}
	}
	p.i += len(words)
	return true
}

// expect reads words or signs that must stand there.
func (p *parser) expect(words ...string) error {
	for _, w := range words {
		if !p.take(w) {
			return p.unexpected(strings.ToUpper(w))
		}
	}
	return nil
}

// errorAt is an error at a token.
func (p *parser) errorAt(t token, format string, args ...any) error {
	return errorAt(p.s, t.at, format, args...)
}

// unexpected is an error at the next token.
func (p *parser) unexpected(want string) error {
	t := p.next()
	if t.kind == none {
		return p.errorAt(t, "expected %s, found the end", want)
	}
	return p.errorAt(t, "expected %s, found %.40q", want, p.textOf(t))
}

// textOf is a token as it stands in the text.
func (p *parser) textOf(t token) string {
	switch t.kind {
	case name:
		return `"` + t.text + `"`
	case text:
		return "'" + t.text + "'"
	default:
		return t.text
	}
}

// statement reads a statement, up to its semicolon.
func (p *parser) statement() error {
	start := p.next()
	switch {
	case p.take("create", "keyspace"), p.take("create", "schema"):
		return p.createKeyspace()
	case p.take("create", "type"):
		return p.createType()
	case p.take("create", "table"), p.take("create", "columnfamily"):
		return p.createTable()
	case p.take("create", "index"), p.take("create", "custom", "index"):
		return p.createIndex()
	case p.take("create", "materialized", "view"):
		return p.createView()
	case p.take("create", "trigger"):
		return p.createTrigger()
	case p.take("alter", "keyspace"), p.take("alter", "schema"):
		return p.alterKeyspace()
	case p.take("alter", "table"), p.take("alter", "columnfamily"):
		return p.alterTable()
	case p.take("alter", "type"):
		return p.errorAt(start, "a type that is altered is not read: give it as it is now, in CREATE TYPE")
	case p.take("use"):
		var err error
		p.keyspace, err = p.name("a keyspace")
		return err
	}
	p.skip(start)
	return nil
}

// skip passes over a statement.
func (p *parser) skip(start token) {
	var words []string
	for t := p.next(); t.kind != none && !t.is(";"); t = p.next() {
		if len(words) < 2 && t.kind == word {
			words = append(words, strings.ToUpper(t.text))
		}
		p.i++
	}
	p.schema.Skipped = append(p.schema.Skipped, Skipped{lineAt(p.s, start.at), strings.Join(words, " ")})
}

// skipRest passes over what is left of a statement.
func (p *parser) skipRest() {
	for t := p.next(); t.kind != none && !t.is(";"); t = p.next() {
		p.i++
	}
}

// name reads a name.
func (p *parser) name(what string) (string, error) {
	if t := p.next(); t.kind != word && t.kind != name || t.text == "" {
		return "", p.unexpected("the name of " + what)
	}
	return p.read().text, nil
}

// qualifiedName reads a name with or without a keyspace.
func (p *parser) qualifiedName(what string) (qualified, error) {
	start := p.next()
	first, err := p.name(what)
	if err != nil {
		return qualified{}, err
	}
	if !p.take(".") {
		if p.keyspace == "" {
			return qualified{}, p.errorAt(start, "%s %q has no keyspace, and no USE stands before it", what, first)
		}
		return qualified{p.keyspace, first}, nil
	}
	second, err := p.name(what)
	return qualified{first, second}, err
}

func (p *parser) createKeyspace() error {
	p.take("if", "not", "exists")
	start := p.next()
	called, err := p.name("a keyspace")
	if err != nil {
		return err
	}
	if p.schema.Keyspace(called) != nil {
		return p.errorAt(start, "keyspace %q is there already", called)
	}
	k := &Keyspace{Name: called, Options: make(map[string]Value)}
	p.schema.Keyspaces = append(p.schema.Keyspaces, k)
	if err := p.expect("with"); err != nil {
		return err
	}
	return p.options(k.Options)
}

func (p *parser) alterKeyspace() error {
	p.take("if", "exists")
	start := p.next()
	called, err := p.name("a keyspace")
	if err != nil {
		return err
	}
	k := p.schema.Keyspace(called)
	if k == nil {
		return p.errorAt(start, "there is no keyspace %q", called)
	}
	if err := p.expect("with"); err != nil {
		return err
	}
	return p.options(k.Options)
}

// options reads options that AND joins.
func (p *parser) options(into map[string]Value) error {
	for {
		if err := p.option(into); err != nil {
			return err
		}
		if !p.take("and") {
			return nil
		}
	}
}

// option reads an option.
func (p *parser) option(into map[string]Value) error {
	called, err := p.name("an option")
	if err != nil {
		return err
	}
	if err := p.expect("="); err != nil {
		return err
	}
	if !p.next().is("{") {
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
	switch t := p.next(); t.kind {
	case text, number, uuid, word:
		return p.read().text, nil
	default:
		return "", p.unexpected("a value")
	}
}

// pairs reads a map, or a set, whose elements have no values.
func (p *parser) pairs() (map[string]string, error) {
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	m := make(map[string]string)
	if p.take("}") {
		return m, nil
	}
	for {
		key, err := p.scalar()
		if err != nil {
			return nil, err
		}
		m[key] = ""
		if p.take(":") {
			if m[key], err = p.scalar(); err != nil {
				return nil, err
			}
		}
		if p.take("}") {
			return m, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

// createIndex reads what an index is of.
func (p *parser) createIndex() error {
	p.take("if", "not", "exists")
	var d Dependent
	if !p.next().is("on") {
		var err error
		if d.Name, err = p.name("an index"); err != nil {
			return err
		}
	}
	if err := p.on(&d); err != nil {
		return err
	}
	for t := p.next(); t.kind != none && !t.is(";"); t = p.next() {
		if p.take("using") {
			if t := p.next(); t.kind == text {
				d.Class = t.text
			}
			continue
		}
		p.i++
	}
	p.schema.Indexes = append(p.schema.Indexes, d)
	return nil
}

// on reads ON and the table.
func (p *parser) on(d *Dependent) error {
	if err := p.expect("on"); err != nil {
		return err
	}
	table, err := p.qualifiedName("a table")
	d.Keyspace, d.Table = table.keyspace, table.name
	return err
}

// createView reads what a view is of.
func (p *parser) createView() error {
	p.take("if", "not", "exists")
	view, err := p.qualifiedName("a view")
	if err != nil {
		return err
	}
	for t := p.next(); t.kind != none && !t.is(";"); t = p.next() {
		if !p.take("from") {
			p.i++
			continue
		}
		table, err := p.qualifiedName("a table")
		if err != nil {
			return err
		}
		p.schema.Views = append(p.schema.Views, Dependent{Keyspace: view.keyspace, Name: view.name, Table: table.name})
		p.skipRest()
		return nil
	}
	return p.unexpected("FROM")
}

// createTrigger reads what a trigger is of.
func (p *parser) createTrigger() (err error) {
	p.take("if", "not", "exists")
	var d Dependent
	if d.Name, err = p.name("a trigger"); err != nil {
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
	return nil
}
