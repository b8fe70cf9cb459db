package where

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// tupleRelation reads a relation of several clustering columns.
func (p *parser) tupleRelation() error {
	at := p.Next()
	columns, err := p.columns()
	if err != nil {
		return err
	}
	text := listed(columns)
	var of tuple
	for i, c := range columns {
		if c.Kind != schema.Clustering {
			return p.ErrorAt(
				at,
				"column %s is not a clustering column: tuples can only have clustering columns",
				cqltype.QuoteIdent(c.Name),
			)
		}
		if i > 0 && c.Position != columns[i-1].Position+1 {
			return p.ErrorAt(
				at,
				"column %s does not follow %s in the primary key",
				cqltype.QuoteIdent(c.Name),
				cqltype.QuoteIdent(columns[i-1].Name),
			)
		}
		order, err := cqlorder.Plan(c.Type)
		if err != nil {
			return p.ErrorAt(at, "column %s: %v", cqltype.QuoteIdent(c.Name), err)
		}
		of.cells, of.orders = append(of.cells, p.condition.cell(c.Name)), append(of.orders, order)
	}
	if p.Take("in") {
		return p.tupleIn(columns, of, text)
	}
	op, err := p.operator()
	if err != nil {
		return err
	}
	x, err := p.list()
	if err != nil {
		return err
	}
	values, err := p.tupleValues(columns, &x)
	if err != nil {
		return err
	}
	p.add(&tupleComparison{of, op, values}, text, " ", op.String(), " ", x.String())
	return nil
}

// tupleIn reads the tuples after IN.
func (p *parser) tupleIn(columns []schema.Column, of tuple, text string) error {
	list, err := p.list()
	if err != nil {
		return err
	}
	r := &tupleMembership{tuple: of}
	for i := range list.elems {
		values, err := p.tupleValues(columns, &list.elems[i])
		if err != nil {
			return err
		}
		r.values = append(r.values, values)
	}
	slices.SortFunc(r.values, func(a, b [][]byte) int {
		for i, order := range r.orders {
			if c := order.Compare(a[i], b[i]); c != 0 {
				return c
			}
		}
		return 0
	})
	p.add(r, text, " IN ", list.String())
	return nil
}

// columns reads names of columns in parentheses.
func (p *parser) columns() ([]schema.Column, error) {
	if err := p.Expect("("); err != nil {
		return nil, err
	}
	var all []schema.Column
	for {
		c, err := p.column()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
		if p.Take(")") {
			return all, nil
		}
		if err := p.Expect(","); err != nil {
			return nil, err
		}
	}
}

// listed returns the names of columns in parentheses.
func listed(columns []schema.Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, cqltype.QuoteIdent(c.Name))
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// tupleValues returns the bytes of the values for some columns.
func (p *parser) tupleValues(columns []schema.Column, x *term) ([][]byte, error) {
	if x.form != formTuple || len(x.elems) != len(columns) {
		return nil, p.ErrorAt(
			x.at,
			"%s is compared with %s in parentheses",
			listed(columns),
			plural(len(columns), "value"),
		)
	}
	values := make([][]byte, len(columns))
	for i, c := range columns {
		p.subject = "column " + cqltype.QuoteIdent(c.Name)
		var err error
		if values[i], err = p.value(c.Type, &x.elems[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// plural returns a number with a noun.
func plural(n int, what string) string {
	if n == 1 {
		return "one " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// tokenRelation reads a relation of the partition key's token.
func (p *parser) tokenRelation() error {
	at := p.Read()
	columns, err := p.columns()
	if err != nil {
		return err
	}
	if p.table.Partitioner == nil {
		return p.ErrorAt(at, "the partitioner of the table is not supported")
	}
	if listed(columns) != listed(p.partition) {
		return p.ErrorAt(at, "TOKEN takes the partition key: TOKEN%s", listed(p.partition))
	}
	atOp := p.Next()
	op, err := p.operator()
	if err != nil || op == unequal {
		return p.ErrorAt(
			atOp, "expected =, <, <=, > or >=, the only operators for TOKEN",
		)
	}
	t, text, err := p.token()
	if err != nil {
		return err
	}
	r := bound(p.table.Partitioner, op, t)
	p.bounds = append(p.bounds, r)
	p.add(r, "TOKEN", listed(columns), " ", op.String(), " ", text)
	return nil
}
