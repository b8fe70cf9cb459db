package cqlschema

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// rawTable is a table whose types are not resolved yet.
type rawTable struct {
	table   *Table
	at      token // its name
	columns []rawColumn
	key     []string // partition key
	order   []string // clustering columns
	desc    map[string]bool
}

type rawColumn struct {
	name   string
	at     token
	typ    rawType
	static bool
}

// createTable reads a table.
func (p *parser) createTable() error {
	p.take("if", "not", "exists")
	at := p.next()
	called, err := p.qualifiedName("a table")
	if err != nil {
		return err
	}
	if p.schema.Table(called.keyspace, called.name) != nil {
		return p.errorAt(at, "table %q.%q is there already", called.keyspace, called.name)
	}
	t := &rawTable{
		table: &Table{Keyspace: called.keyspace, Name: called.name, Options: make(map[string]Value)},
		at:    at, desc: make(map[string]bool),
	}
	if err := p.expect("("); err != nil {
		return err
	}
	for {
		if err := p.tablePart(t); err != nil {
			return err
		}
		if p.take(")") {
			break
		}
		if !p.take(",") {
			return p.unexpected("a comma or a parenthesis")
		}
	}
	if p.take("with") {
		for {
			if err := p.tableOption(t); err != nil {
				return err
			}
			if !p.take("and") {
				break
			}
		}
	}
	p.schema.Tables, p.tables = append(p.schema.Tables, t.table), append(p.tables, t)
	return nil
}

// tablePart reads a column or the primary key.
func (p *parser) tablePart(t *rawTable) error {
	if p.i+1 < len(p.tokens) && p.next().is("primary") && p.tokens[p.i+1].is("key") {
		start := p.next()
		p.take("primary", "key")
		if t.key != nil {
			return p.errorAt(start, "the table has a primary key already")
		}
		return p.primaryKey(t)
	}
	c, err := p.column()
	if err != nil {
		return err
	}
	t.columns = append(t.columns, c)
	start := p.next()
	if p.take("primary", "key") {
		if t.key != nil {
			return p.errorAt(start, "the table has a primary key already")
		}
		t.key = []string{c.name}
	}
	return nil
}

// column reads a column, but for what it is in the key.
func (p *parser) column() (c rawColumn, err error) {
	c.at = p.next()
	if c.name, err = p.name("a column"); err != nil {
		return c, err
	}
	if c.typ, err = p.rawType(); err != nil {
		return c, err
	}
	c.static = p.take("static")
	if p.take("masked") {
		p.skipMask()
	}
	return c, nil
}

// skipMask passes over what hides a column's values.
func (p *parser) skipMask() {
	for depth := 0; ; p.i++ {
		switch t := p.next(); {
		case t.kind == none || t.is(";"), depth == 0 && (t.is(",") || t.is(")") || t.is("primary")):
			return
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		}
	}
}

// primaryKey reads ((a, b), c) or (a, b).
func (p *parser) primaryKey(t *rawTable) (err error) {
	if err := p.expect("("); err != nil {
		return err
	}
	if p.take("(") {
		if t.key, err = p.names(")"); err != nil {
			return err
		}
	} else {
		first, err := p.name("a column")
		if err != nil {
			return err
		}
		t.key = []string{first}
	}
	if p.take(",") {
		t.order, err = p.names(")")
		return err
	}
	return p.expect(")")
}

// names reads names that commas part, up to a sign.
func (p *parser) names(end string) ([]string, error) {
	var all []string
	for {
		one, err := p.name("a column")
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		if p.take(end) {
			return all, nil
		}
		if err := p.expect(","); err != nil {
			return nil, err
		}
	}
}

// tableOption reads what stands behind WITH or AND.
func (p *parser) tableOption(t *rawTable) error {
	switch {
	case p.take("compact", "storage"):
		t.table.Compact = true
		return nil
	case p.take("clustering", "order", "by"):
		return p.clusteringOrder(t)
	}
	if err := p.option(t.table.Options); err != nil {
		return err
	}
	if id, ok := t.table.Options["id"]; ok {
		t.table.ID = id.Text
		delete(t.table.Options, "id")
	}
	return nil
}

// clusteringOrder reads (a ASC, b DESC).
func (p *parser) clusteringOrder(t *rawTable) error {
	if err := p.expect("("); err != nil {
		return err
	}
	for n := 0; ; n++ {
		at := p.next()
		called, err := p.name("a column")
		if err != nil {
			return err
		}
		if n >= len(t.order) || t.order[n] != called {
			return p.errorAt(at, "%q is not clustering column %d of the primary key", called, n+1)
		}
		if t.desc[called] = p.take("desc"); !t.desc[called] {
			p.take("asc")
		}
		if p.take(")") {
			return nil
		}
		if err := p.expect(","); err != nil {
			return err
		}
	}
}

// alterTable reads a change of a table's columns or options.
func (p *parser) alterTable() error {
	start := p.next()
	p.take("if", "exists")
	called, err := p.qualifiedName("a table")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.tables, func(t *rawTable) bool { return t.table.Keyspace == called.keyspace && t.table.Name == called.name })
	if i < 0 {
		return p.errorAt(start, "there is no table %q.%q", called.keyspace, called.name)
	}
	t := p.tables[i]
	switch {
	case p.take("add"):
		return p.addColumns(t)
	case p.take("drop"):
		return p.dropColumns(t)
	case p.take("with"):
		return p.options(t.table.Options)
	default:
		return p.errorAt(p.next(), "a table that is altered so is not read: give it as it is now, in CREATE TABLE")
	}
}

func (p *parser) addColumns(t *rawTable) error {
	p.take("if", "not", "exists")
	list := p.take("(")
	for {
		c, err := p.column()
		if err != nil {
			return err
		}
		t.columns = append(t.columns, c)
		if !p.take(",") {
			break
		}
	}
	if list {
		return p.expect(")")
	}
	return nil
}

// dropColumns reads columns that are gone, and since when.
func (p *parser) dropColumns(t *rawTable) error {
	p.take("if", "exists")
	list := p.take("(")
	for {
		at := p.next()
		called, err := p.name("a column")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(t.columns, func(c rawColumn) bool { return c.name == called })
		if i < 0 || slices.Contains(t.key, called) || slices.Contains(t.order, called) {
			return p.errorAt(at, "the table has no column %q that can be dropped", called)
		}
		t.columns = slices.Delete(t.columns, i, i+1)
		if !p.take(",") {
			break
		}
	}
	if list {
		if err := p.expect(")"); err != nil {
			return err
		}
	}
	if p.take("using", "timestamp") {
		_, err := p.scalar()
		return err
	}
	return nil
}

// finishTable makes the columns of a table.
func (p *parser) finishTable(t *rawTable) error {
	if t.key == nil {
		return p.errorAt(t.at, "the table has no primary key")
	}
	seen := make(map[string]bool)
	for _, c := range t.columns {
		if seen[c.name] {
			return p.errorAt(c.at, "column %q is there twice", c.name)
		}
		seen[c.name] = true
		column, err := p.finishColumn(t, c)
		if err != nil {
			return err
		}
		t.table.Columns = append(t.table.Columns, column)
	}
	keys := slices.Concat(t.key, t.order)
	for i, called := range keys {
		if !seen[called] || slices.Contains(keys[:i], called) {
			return p.errorAt(t.at, "the primary key has the column %q, which is not there or is there twice", called)
		}
	}
	return nil
}

// finishColumn makes a column.
func (p *parser) finishColumn(t *rawTable, c rawColumn) (Column, error) {
	typ, err := p.resolve(t.table.Keyspace, c.typ)
	if err != nil {
		return Column{}, err
	}
	out := Column{Name: c.name, Position: -1, Type: typ}
	if i := slices.Index(t.key, c.name); i >= 0 {
		out.Kind, out.Position = PartitionKey, i
	} else if i := slices.Index(t.order, c.name); i >= 0 {
		out.Kind, out.Position, out.Desc = Clustering, i, t.desc[c.name]
	} else if c.static {
		out.Kind = Static
	}
	switch {
	case c.static && out.Kind != Static:
		return out, p.errorAt(c.at, "column %q is of the primary key, and cannot be static", c.name)
	case c.static && len(t.order) == 0:
		return out, p.errorAt(c.at, "column %q is static in a table without clustering columns", c.name)
	case out.Position >= 0 && typ.MultiCell():
		return out, p.errorAt(c.at, "column %q is of the primary key: its type must be frozen", c.name)
	case typ.Kind == cqltype.UDT && !typ.Frozen && slices.ContainsFunc(typ.Elems, (*cqltype.Type).MultiCell):
		return out, p.errorAt(c.at, "column %q is of a type with collections that are not frozen: it must be frozen", c.name)
	}
	return out, nil
}
