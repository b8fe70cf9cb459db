package schema

import (
	"math"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// rawTable is a table whose types are not resolved yet.
type rawTable struct {
	table   *Table
	at      lex.Token // its name
	columns []rawColumn
	dropped []droppedColumn
	key     []string // partition key
	order   []string // clustering columns
	desc    map[string]bool
}

type rawColumn struct {
	name   string
	at     lex.Token
	typ    rawType
	static bool
}

// called reports whether the table has that name.
func (t *rawTable) called(name qualified) bool {
	return t.table.Keyspace == name.keyspace && t.table.Name == name.name
}

// droppedColumn is a dropped column and the time of its drop.
type droppedColumn struct {
	rawColumn
	timestamp int64
}

// createTable reads a table.
func (p *parser) createTable() error {
	p.Take("if", "not", "exists")
	at := p.Next()
	called, err := p.qualifiedName("a table")
	if err != nil {
		return err
	}
	if p.schema.Table(called.keyspace, called.name) != nil {
		return p.ErrorAt(at, "table %q.%q already exists", called.keyspace, called.name)
	}
	t := &rawTable{
		table: &Table{
			Keyspace: called.keyspace,
			Name:     called.name,
			Options:  make(map[string]Value),
		},
		at: at, desc: make(map[string]bool),
	}
	if err := p.Expect("("); err != nil {
		return err
	}
	for {
		if err := p.tablePart(t); err != nil {
			return err
		}
		if p.Take(")") {
			break
		}
		if !p.Take(",") {
			return p.Unexpected("a comma or a parenthesis")
		}
	}
	if err := p.tableOptions(t); err != nil {
		return err
	}
	p.schema.Tables, p.tables = append(p.schema.Tables, t.table), append(p.tables, t)
	return nil
}

// tableOptions reads WITH and the options, if there are any.
func (p *parser) tableOptions(t *rawTable) error {
	if !p.Take("with") {
		return nil
	}
	for {
		if err := p.tableOption(t); err != nil {
			return err
		}
		if !p.Take("and") {
			return nil
		}
	}
}

// tablePart reads a column or the primary key.
func (p *parser) tablePart(t *rawTable) error {
	if p.Next().Is("primary") && p.After(1).Is("key") {
		start := p.Next()
		p.Take("primary", "key")
		if t.key != nil {
			return p.ErrorAt(start, "the table has a primary key already")
		}
		return p.primaryKey(t)
	}
	c, err := p.column()
	if err != nil {
		return err
	}
	t.columns = append(t.columns, c)
	start := p.Next()
	if p.Take("primary", "key") {
		if t.key != nil {
			return p.ErrorAt(start, "the table has a primary key already")
		}
		t.key = []string{c.name}
	}
	return nil
}

// column reads a column without its role in the key.
func (p *parser) column() (c rawColumn, err error) {
	c.at = p.Next()
	if c.name, err = p.Name("a column"); err != nil {
		return c, err
	}
	if c.typ, err = p.rawType(); err != nil {
		return c, err
	}
	c.static = p.Take("static")
	if p.Take("masked") {
		p.skipMask()
	}
	return c, nil
}

// skipMask skips the mask of a column.
func (p *parser) skipMask() {
	for depth := 0; ; p.Read() {
		switch t := p.Next(); {
		case t.Kind == lex.End || t.Is(";"),
			depth == 0 && (t.Is(",") || t.Is(")") || t.Is("primary")):
			return
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
	}
}

// primaryKey reads ((a, b), c) or (a, b).
func (p *parser) primaryKey(t *rawTable) (err error) {
	if err := p.Expect("("); err != nil {
		return err
	}
	if p.Take("(") {
		if t.key, err = p.names(")"); err != nil {
			return err
		}
	} else {
		first, err := p.Name("a column")
		if err != nil {
			return err
		}
		t.key = []string{first}
	}
	if p.Take(",") {
		t.order, err = p.names(")")
		return err
	}
	return p.Expect(")")
}

// names reads names that are separated by commas, up to the sign end.
func (p *parser) names(end string) ([]string, error) {
	var all []string
	for {
		one, err := p.Name("a column")
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		if p.Take(end) {
			return all, nil
		}
		if err := p.Expect(","); err != nil {
			return nil, err
		}
	}
}

// tableOption reads one option after WITH or AND.
func (p *parser) tableOption(t *rawTable) error {
	switch {
	case p.Take("compact", "storage"):
		t.table.Compact = true
		return nil
	case p.Take("clustering", "order", "by"):
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
	if err := p.Expect("("); err != nil {
		return err
	}
	for n := 0; ; n++ {
		at := p.Next()
		called, err := p.Name("a column")
		if err != nil {
			return err
		}
		if n >= len(t.order) || t.order[n] != called {
			return p.ErrorAt(at, "%q is not clustering column %d of the primary key", called, n+1)
		}
		if t.desc[called] = p.Take("desc"); !t.desc[called] {
			p.Take("asc")
		}
		if p.Take(")") {
			return nil
		}
		if err := p.Expect(","); err != nil {
			return err
		}
	}
}

// alterTable reads a change of a table's columns or options.
func (p *parser) alterTable() error {
	start := p.Next()
	p.Take("if", "exists")
	called, err := p.qualifiedName("a table")
	if err != nil {
		return err
	}
	i := slices.IndexFunc(p.tables, func(t *rawTable) bool { return t.called(called) })
	if i < 0 {
		return p.ErrorAt(start, "there is no table %q.%q", called.keyspace, called.name)
	}
	t := p.tables[i]
	switch {
	case p.Take("add"):
		return p.addColumns(t)
	case p.Take("drop"):
		return p.dropColumns(t)
	case p.Take("with"):
		return p.options(t.table.Options)
	default:
		return p.ErrorAt(
			p.Next(),
			"this ALTER TABLE is not supported: write the current table in CREATE TABLE",
		)
	}
}

func (p *parser) addColumns(t *rawTable) error {
	p.Take("if", "not", "exists")
	list := p.Take("(")
	for {
		c, err := p.column()
		if err != nil {
			return err
		}
		t.columns = append(t.columns, c)
		if !p.Take(",") {
			break
		}
	}
	if list {
		return p.Expect(")")
	}
	return nil
}

// dropColumns reads dropped columns and the time of the drop.
func (p *parser) dropColumns(t *rawTable) error {
	p.Take("if", "exists")
	list := p.Take("(")
	var dropped []rawColumn
	for {
		at := p.Next()
		called, err := p.Name("a column")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(t.columns, func(c rawColumn) bool { return c.name == called })
		if i < 0 || slices.Contains(t.key, called) || slices.Contains(t.order, called) {
			return p.ErrorAt(at, "the table has no column %q that can be dropped", called)
		}
		dropped = append(dropped, t.columns[i])
		t.columns = slices.Delete(t.columns, i, i+1)
		if !p.Take(",") {
			break
		}
	}
	if list {
		if err := p.Expect(")"); err != nil {
			return err
		}
	}
	timestamp := int64(math.MaxInt64)
	if p.Take("using", "timestamp") {
		at := p.Next()
		text, err := p.scalar()
		if err != nil {
			return err
		}
		if timestamp, err = strconv.ParseInt(text, 10, 64); err != nil {
			return p.ErrorAt(at, "%.40q is not a timestamp", text)
		}
	}
	for _, c := range dropped {
		// If a column was dropped, added and dropped again, only the last time counts.
		t.dropped = slices.DeleteFunc(
			t.dropped, func(d droppedColumn) bool { return d.name == c.name },
		)
		t.dropped = append(t.dropped, droppedColumn{c, timestamp})
	}
	return nil
}

// finishTable resolves the columns of a table.
func (p *parser) finishTable(t *rawTable) error {
	if t.key == nil {
		return p.ErrorAt(t.at, "the table has no primary key")
	}
	seen := make(map[string]bool)
	for _, c := range t.columns {
		if seen[c.name] {
			return p.ErrorAt(c.at, "column %q occurs twice", c.name)
		}
		seen[c.name] = true
		column, err := p.finishColumn(t, c)
		if err != nil {
			return err
		}
		t.table.Columns = append(t.table.Columns, column)
	}
	for _, c := range t.dropped {
		column, err := p.finishColumn(t, c.rawColumn)
		if err != nil {
			return err
		}
		t.table.Dropped = append(t.table.Dropped, DroppedColumn{column, c.timestamp})
	}
	keys := slices.Concat(t.key, t.order)
	for i, called := range keys {
		if !seen[called] || slices.Contains(keys[:i], called) {
			return p.ErrorAt(
				t.at,
				"the primary key has the column %q, which does not exist or occurs twice",
				called,
			)
		}
	}
	return nil
}

// finishColumn resolves a column.
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
		return out, p.ErrorAt(c.at, "column %q is of the primary key, and cannot be static", c.name)
	case c.static && len(t.order) == 0:
		return out, p.ErrorAt(
			c.at, "column %q is static in a table without clustering columns", c.name,
		)
	case out.Position >= 0 && typ.MultiCell():
		return out, p.ErrorAt(
			c.at, "column %q is of the primary key: its type must be frozen", c.name,
		)
	case typ.Kind == cqltype.UDT && !typ.Frozen &&
		slices.ContainsFunc(typ.Elems, (*cqltype.Type).MultiCell):
		return out, p.ErrorAt(
			c.at,
			"column %q is of a type with collections that are not frozen: it must be frozen",
			c.name,
		)
	}
	return out, nil
}
