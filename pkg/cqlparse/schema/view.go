package schema

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
)

// rawView is a materialized view whose columns are not resolved yet.
type rawView struct {
	rawTable
	base     qualified
	selected []string // columns of the base table; nil: all
}

// createView reads a view. Its columns have no types; they come from the base table.
func (p *parser) createView() error {
	p.Take("if", "not", "exists")
	at := p.Next()
	called, err := p.qualifiedName("a view")
	if err != nil {
		return err
	}
	v := &rawView{rawTable: rawTable{
		table: &Table{
			Keyspace: called.keyspace,
			Name:     called.name,
			Options:  make(map[string]Value),
		},
		at: at, desc: make(map[string]bool),
	}}
	for _, word := range []string{"as", "select"} {
		if err := p.Expect(word); err != nil {
			return err
		}
	}
	if p.Take("*") {
		err = p.Expect("from")
	} else {
		v.selected, err = p.names("from")
	}
	if err != nil {
		return err
	}
	if v.base, err = p.qualifiedName("a table"); err != nil {
		return err
	}
	for !p.Take("primary", "key") {
		if t := p.Next(); t.Kind == lex.End || t.Is(";") {
			return p.Unexpected("PRIMARY KEY")
		}
		p.Read()
	}
	if err := p.primaryKey(&v.rawTable); err != nil {
		return err
	}
	if err := p.tableOptions(&v.rawTable); err != nil {
		return err
	}
	p.schema.Views = append(
		p.schema.Views,
		Dependent{Keyspace: called.keyspace, Name: called.name, Table: v.base.name, ID: v.table.ID},
	)
	p.views = append(p.views, v)
	return nil
}

// finishViews resolves the columns of the views whose base tables are in the schema.
func (p *parser) finishViews() error {
	for _, v := range p.views {
		i := slices.IndexFunc(p.tables, func(t *rawTable) bool { return t.called(v.base) })
		if i < 0 {
			continue
		}
		if err := p.finishView(v, p.tables[i]); err != nil {
			return err
		}
		p.schema.views = append(p.schema.views, v.table)
	}
	return nil
}

// finishView resolves the columns of a view.
func (p *parser) finishView(v *rawView, base *rawTable) error {
	keys := slices.Concat(v.key, v.order)
	for _, called := range slices.Concat(base.key, base.order) {
		if !slices.Contains(keys, called) {
			return p.ErrorAt(
				v.at,
				"the primary key lacks the column %q, which is of that of the base table",
				called,
			)
		}
	}
	for _, c := range base.columns {
		if v.selected == nil || slices.Contains(v.selected, c.name) ||
			slices.Contains(keys, c.name) {
			v.columns = append(v.columns, c)
		}
	}
	v.table.ViewOf = v.base.name
	v.table.StrictLiveness = len(keys) > len(base.key)+len(base.order)
	return p.finishTable(&v.rawTable)
}
