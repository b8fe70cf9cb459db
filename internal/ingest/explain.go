package ingest

import (
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// Explanation is what becomes of the fields of an input.
type Explanation struct {
	Fields []FieldUse // in their order; of JSON, the members that an object may have
	// Missing are the columns that no field is of, in the order of the table's.
	Missing []string
}

// FieldUse is what becomes of one field.
type FieldUse struct {
	Field string // its name
	// column that it goes to, or time of one, as ttl(c); empty: it is not loaded
	Loaded string
	Column schema.Column // of that
}

// explain returns what becomes of the fields that a mapping was planned for.
func (m *Mapping) explain(t *schema.Table) Explanation {
	var e Explanation
	if m.members != nil {
		e.Fields = m.members.explain(m)
	} else {
		e.Fields = make([]FieldUse, m.width)
		for i, name := range m.names {
			e.Fields[i].Field = name
		}
		for i, field := range m.fields {
			e.Fields[field].Loaded, e.Fields[field].Column = m.Columns[i].Name, m.Columns[i]
		}
		for _, time := range m.times {
			use := &e.Fields[time.field]
			use.Loaded, use.Column = time.name, m.Columns[time.column]
		}
	}
	for _, name := range t.Names() {
		if !slices.ContainsFunc(m.Columns, func(c schema.Column) bool { return c.Name == name }) {
			e.Missing = append(e.Missing, name)
		}
	}
	return e
}

// explain lists the members by their columns; those that are renamed or left out come last. Times
// of columns, which every object may have, are not listed.
func (m *members) explain(mapping *Mapping) []FieldUse {
	var uses []FieldUse
	for _, c := range mapping.Columns {
		uses = append(uses, FieldUse{c.Name, c.Name, c})
	}
	for _, name := range slices.Sorted(maps.Keys(m.byName)) {
		switch i := m.byName[name]; {
		case i < 0:
			uses = append(uses, FieldUse{Field: name})
		case i < len(mapping.Columns) && name != mapping.Columns[i].Name:
			uses = append(uses, FieldUse{name, mapping.Columns[i].Name, mapping.Columns[i]})
		}
	}
	return uses
}

// BadField is a further field of a rejected record that has no valid value.
type BadField struct {
	Line   int64 // physical line, 1-based
	Field  int   // byte column in that line, 1-based
	Column string
	Value  string // the field's text, cut when long
	Reason string
}

// more finds the fields of a record that are bad besides the first one.
func (p *parser) more(m *Mapping, rec dsv.Record, first *badField) []BadField {
	if !p.run.job.AllBadFields || first.column < 0 && first.time == nil {
		return nil
	}
	var all []BadField
	add := func(field int, text []byte, bad *badField) {
		b := BadField{
			Column: bad.name(m),
			Value:  shorten(text),
			Reason: p.hintEncoding(bad.reason(), rec.Fields[field].Text),
		}
		b.Line, b.Field = rec.FieldPosition(field)
		all = append(all, b)
	}
	var scratch []byte
	for i, field := range m.fields {
		if i == first.column {
			continue
		}
		f := &rec.Fields[field]
		text := p.decode(f.Text)
		if p.isNull(m, i, text, f.Quoted) {
			if m.mustBeSet(i) {
				add(field, text, &badField{column: i, err: errNullKey})
			}
			continue
		}
		var err error
		if scratch, err = m.appendWire(scratch[:0], i, m.codecs[i], text); err != nil {
			add(field, text, &badField{column: i, err: err})
		}
	}
	for i := range m.times {
		t := &m.times[i]
		if t == first.time {
			continue
		}
		f := &rec.Fields[t.field]
		text := p.decode(f.Text)
		if bad := p.setTime(t, text, p.isNullText(text, f.Quoted, false)); bad != nil {
			add(t.field, text, bad)
		}
	}
	return all
}

// mustBeSet says whether a column must have a value in any row; clustering columns need not
// where the row may be static columns alone.
func (m *Mapping) mustBeSet(column int) bool {
	kind := m.Columns[column].Kind
	return kind == schema.PartitionKey || kind == schema.Clustering && len(m.statics) == 0
}

// moreMembers is more for an object. member is the first bad one, -1: it is missing, or the
// object as a whole is bad.
func (p *parser) moreMembers(m *Mapping, rec jsonl.Record, first *badField, member int) []BadField {
	if !p.run.job.AllBadFields || member < 0 && first.column < 0 {
		return nil
	}
	var all []BadField
	set := make([]bool, len(m.Columns))
	var scratch []byte
	for i, f := range rec.Fields {
		column, err := m.members.column(f.Name, rec)
		null := string(f.Value) == "null" || err == nil && p.isNullMember(m, column, f.Value)
		bad := badRow(err)
		switch {
		case err != nil:
		case column >= len(m.Columns):
			bad = p.setTime(&m.times[column-len(m.Columns)], f.Value, null)
		case column < 0 || null:
			continue
		case i <= member || member < 0: // it was read, and is good, or the first
			set[column] = true
			continue
		case set[column]:
			bad = &badField{column: column, err: errTwice}
		default:
			set[column] = true
			if scratch, err = p.appendMember(scratch[:0], m, column, f.Value); err == nil {
				continue
			}
			bad = &badField{column: column, err: err}
		}
		if bad == nil || i == member {
			continue
		}
		b := BadField{Column: bad.name(m), Value: shorten(f.Value), Reason: bad.reason()}
		b.Line, b.Field = rec.FieldPosition(i)
		all = append(all, b)
	}
	for i, isSet := range set {
		if !isSet && m.mustBeSet(i) && i != first.column {
			all = append(
				all,
				BadField{
					Line:   rec.Line,
					Field:  1,
					Column: m.Columns[i].Name,
					Reason: errNullKey.Error(),
				},
			)
		}
	}
	return all
}
