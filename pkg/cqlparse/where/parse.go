package where

import (
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Parse parses a condition on the rows of a table, the text after WHERE. The error is a *lex.Error
// with line and column. For an unknown column it suggests the closest name.
func Parse(text string, t Table) (*Condition, error) {
	tokens, err := lex.NewReader(text)
	if err != nil {
		return nil, err
	}
	p := &parser{Reader: tokens, table: t, condition: &Condition{}}
	for _, c := range t.Columns {
		if c.Kind == schema.PartitionKey {
			p.partition = append(p.partition, c)
		}
		p.names = append(p.names, c.Name)
	}
	slices.SortFunc(p.partition, func(a, b schema.Column) int { return a.Position - b.Position })
	if p.Next().Kind == lex.End {
		return nil, p.Unexpected("a condition")
	}
	for {
		if p.text.Len() > 0 {
			p.text.WriteString(" AND ")
		}
		if err := p.relation(); err != nil {
			return nil, err
		}
		if !p.Take("and") {
			break
		}
	}
	switch end := p.Next(); {
	case end.Is("or"):
		return nil, p.ErrorAt(
			end,
			"CQL has no OR: use AND, or IN for several values of a column",
		)
	case end.Kind != lex.End:
		return nil, p.Unexpected("AND or the end")
	}
	p.condition.text = p.text.String()
	p.finish()
	return p.condition, nil
}

// parser reads a condition.
type parser struct {
	*lex.Reader
	table     Table
	names     []string        // of all columns
	partition []schema.Column // the partition key
	condition *Condition
	text      strings.Builder // the condition in canonical form
	depth     int
	subject   string // the subject of errors in a literal
	members   []member
	bounds    []within // the relations of tokens
}

// member is a relation that selects values of a column of the partition key.
type member struct {
	position int
	*membership
}

// column reads the name of a column.
func (p *parser) column() (schema.Column, error) {
	at := p.Next()
	name, err := p.Name("a column")
	if err != nil {
		return schema.Column{}, err
	}
	p.subject = "column " + cqltype.QuoteIdent(name)
	if i := slices.Index(p.names, name); i >= 0 {
		return p.table.Columns[i], nil
	}
	return schema.Column{}, p.ErrorAt(
		at, "the table has no column %.200q%s", name, hint(name, p.names),
	)
}

// add adds a relation with its canonical form.
func (p *parser) add(r relation, text ...string) {
	p.condition.relations = append(p.condition.relations, r)
	for _, t := range text {
		p.text.WriteString(t)
	}
}

// relation reads a relation.
func (p *parser) relation() error {
	first := p.Next()
	switch {
	case first.Is("token") && p.After(1).Is("("):
		return p.tokenRelation()
	case first.Is("(") && (p.After(2).Is(",") || p.After(2).Is(")")):
		return p.tupleRelation()
	case first.Is("("):
		if err := p.enter(); err != nil {
			return err
		}
		p.Read()
		if err := p.relation(); err != nil {
			return err
		}
		p.depth--
		return p.Expect(")")
	default:
		return p.columnRelation()
	}
}

// columnRelation reads a relation of one column.
func (p *parser) columnRelation() error {
	at := p.Next()
	c, err := p.column()
	if err != nil {
		return err
	}
	order, err := cqlorder.Plan(c.Type)
	if err != nil {
		return p.ErrorAt(at, "%s: %v", p.subject, err)
	}
	name := cqltype.QuoteIdent(c.Name)
	switch {
	case p.Take("["):
		return p.entryRelation(at, c, name)
	case p.Take("contains", "key"):
		return p.containsKey(at, c, name)
	case p.Take("contains"):
		return p.contains(at, c, name)
	case p.Take("is"):
		if err := p.Expect("not", "null"); err != nil {
			return err
		}
		p.add(notNull{p.condition.cell(c.Name)}, name, " IS NOT NULL")
		return nil
	case p.Take("in"):
		if err := p.comparable(at, c, equal); err != nil {
			return err
		}
		return p.in(c, order, name)
	case p.Next().Is("like"), p.Next().Is("between"), p.Next().Is("not"):
		return p.ErrorAt(
			p.Next(),
			"%s is not supported, only =, !=, <, <=, >, >=, IN, CONTAINS and IS NOT NULL",
			strings.ToUpper(p.Next().Text),
		)
	case p.Next().Is("."):
		return p.ErrorAt(p.Next(), "%s: the fields of a column cannot be tested", p.subject)
	}
	op, err := p.operator()
	if err != nil {
		return err
	}
	if err := p.comparable(at, c, op); err != nil {
		return err
	}
	x, err := p.term()
	if err != nil {
		return err
	}
	value, err := p.value(c.Type, &x)
	if err != nil {
		return err
	}
	if op == equal && c.Kind == schema.PartitionKey {
		p.addMembers(c, order, [][]byte{value}, name, " = ", x.String())
		return nil
	}
	p.add(
		&comparison{p.condition.cell(c.Name), order, op, value},
		name,
		" ",
		op.String(),
		" ",
		x.String(),
	)
	return nil
}

// operator reads an operator. Its signs must be adjacent.
func (p *parser) operator() (operator, error) {
	t, after := p.Next(), p.After(1)
	both := t.Text
	if after.Is("=") && after.At == t.At+1 {
		both += "="
	}
	for o, text := range operators {
		if t.Kind == lex.Sign &&
			(text == both || len(text) == 1 && text == t.Text && both == t.Text) {
			for range text {
				p.Read()
			}
			return operator(o), nil
		}
	}
	return 0, p.Unexpected("=, !=, <, <=, >, >=, IN, CONTAINS or IS NOT NULL")
}

// comparable returns an error if the column cannot be compared with op.
func (p *parser) comparable(at lex.Token, c schema.Column, op operator) error {
	switch {
	case !multiCell(c):
		if op != equal && op != unequal && hasDuration(c.Type) {
			return p.ErrorAt(
				at,
				"%s is of type %s, and durations have no order",
				p.subject,
				c.Type,
			)
		}
		return nil
	case c.Type.Kind == cqltype.Map:
		return p.ErrorAt(
			at,
			"%s is of type %s, which is not frozen: use CONTAINS, CONTAINS KEY or [key]",
			p.subject,
			c.Type,
		)
	case c.Type.Kind == cqltype.UDT:
		return p.ErrorAt(
			at, "%s is of type %s, which is not frozen: it cannot be compared", p.subject, c.Type,
		)
	default:
		return p.ErrorAt(
			at,
			"%s is of type %s, which is not frozen: use CONTAINS",
			p.subject,
			c.Type,
		)
	}
}

// multiCell reports whether the elements of a column have cells of their own.
func multiCell(c schema.Column) bool {
	return (c.Kind == schema.Regular || c.Kind == schema.Static) && c.Type.MultiCell()
}

// has reports whether the type is one of the kinds or contains one.
func has(t *cqltype.Type, kinds ...cqltype.Kind) bool {
	return slices.Contains(kinds, t.Kind) ||
		slices.ContainsFunc(t.Elems, func(e *cqltype.Type) bool { return has(e, kinds...) })
}

// hasDuration reports whether the type contains durations, which have no order
// (AbstractType.referencesDuration).
func hasDuration(t *cqltype.Type) bool { return has(t, cqltype.Duration) }

// in reads the values after IN.
func (p *parser) in(c schema.Column, order *cqlorder.Order, name string) error {
	list, err := p.list()
	if err != nil {
		return err
	}
	values := make([][]byte, len(list.elems))
	for i := range list.elems {
		if values[i], err = p.value(c.Type, &list.elems[i]); err != nil {
			return err
		}
	}
	p.addMembers(c, order, values, name, " IN ", list.String())
	return nil
}

// list reads literals in parentheses.
func (p *parser) list() (term, error) {
	if !p.Next().Is("(") {
		return term{}, p.Unexpected("a parenthesis and values")
	}
	return p.elements(formTuple, ")")
}

// addMembers adds a relation that selects some values of a column.
func (p *parser) addMembers(
	c schema.Column, order *cqlorder.Order, values [][]byte, text ...string,
) {
	r := &membership{p.condition.cell(c.Name), order, values}
	// Of equal values the first remains. That matters if a key is selected by its bytes.
	slices.SortStableFunc(r.values, r.compare)
	r.values = slices.CompactFunc(r.values, func(a, b []byte) bool { return r.compare(a, b) == 0 })
	if c.Kind == schema.PartitionKey {
		p.members = append(p.members, member{c.Position, r})
	}
	p.add(r, text...)
}

// contains reads the literal after CONTAINS.
func (p *parser) contains(at lex.Token, c schema.Column, name string) error {
	switch c.Type.Kind {
	case cqltype.List, cqltype.Set, cqltype.Map:
		return p.containment(at, c, len(c.Type.Elems)-1, name, " CONTAINS ")
	default:
		return p.ErrorAt(
			at,
			"%s is of type %s: only a list, a set or a map CONTAINS something",
			p.subject,
			c.Type,
		)
	}
}

// containsKey reads the literal after CONTAINS KEY.
func (p *parser) containsKey(at lex.Token, c schema.Column, name string) error {
	if c.Type.Kind != cqltype.Map {
		return p.ErrorAt(at, "%s is of type %s: only a map CONTAINS a KEY", p.subject, c.Type)
	}
	return p.containment(at, c, 0, name, " CONTAINS KEY ")
}

// containment reads the literal of an element. which is the index of that element in each entry.
func (p *parser) containment(at lex.Token, c schema.Column, which int, text ...string) error {
	layout, order, err := p.elemOrder(at, c, which)
	if err != nil {
		return err
	}
	x, err := p.term()
	if err != nil {
		return err
	}
	value, err := p.value(c.Type.Elems[which], &x)
	if err != nil {
		return err
	}
	r := &containment{p.condition.cell(c.Name), layout, order, len(c.Type.Elems), which, value}
	// In a frozen collection a server searches for the Java object (Operator.CONTAINS). There 1.0
	// and 1.00 differ, and a tuple is its bytes. Only the keys of a map are compared by their
	// order.
	if elem := c.Type.Elems[which]; !multiCell(c) && which == r.per-1 &&
		has(elem, cqltype.Decimal, cqltype.Tuple, cqltype.UDT) {
		r.order = nil
	}
	p.add(r, append(text, x.String())...)
	return nil
}

// elemOrder returns the layout of a column's values and the order of one of its element types.
func (p *parser) elemOrder(
	at lex.Token, c schema.Column, which int,
) (*cqlwire.Layout, *cqlorder.Order, error) {
	layout, err := cqlwire.Plan(c.Type)
	if err != nil {
		return nil, nil, p.ErrorAt(at, "%s: %v", p.subject, err)
	}
	order, err := cqlorder.Plan(c.Type.Elems[which])
	if err != nil {
		return nil, nil, p.ErrorAt(at, "%s: %v", p.subject, err)
	}
	return layout, order, nil
}

// entryRelation reads key] op value.
func (p *parser) entryRelation(at lex.Token, c schema.Column, name string) error {
	if c.Type.Kind != cqltype.Map {
		return p.ErrorAt(
			at, "%s is of type %s: only a map has entries", p.subject, c.Type,
		)
	}
	key, err := p.term()
	if err != nil {
		return err
	}
	if err := p.Expect("]"); err != nil {
		return err
	}
	op, err := p.operator()
	if err != nil {
		return err
	}
	if op != equal && op != unequal && hasDuration(c.Type.Elems[1]) {
		return p.ErrorAt(
			at, "%s is of type %s, and durations have no order", p.subject, c.Type,
		)
	}
	x, err := p.term()
	if err != nil {
		return err
	}
	r := &entry{op: op}
	if r.layout, r.keys, err = p.elemOrder(at, c, 0); err != nil {
		return err
	}
	if _, r.values, err = p.elemOrder(at, c, 1); err != nil {
		return err
	}
	if r.key, err = p.value(c.Type.Elems[0], &key); err != nil {
		return err
	}
	if r.value, err = p.value(c.Type.Elems[1], &x); err != nil {
		return err
	}
	r.cell = p.condition.cell(c.Name)
	p.add(r, name, "[", key.String(), "] ", op.String(), " ", x.String())
	return nil
}
