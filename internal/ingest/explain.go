package ingest

import (
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// Explanation is what becomes of the fields of an input.
type Explanation struct {
	Fields []FieldUse // in their order; of named fields, those that a record may have
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

// more returns the fields of a record that are bad besides the first one.
func (p *parser) more(first *format.Fault) (all []BadField) {
	if !p.run.job.AllBadFields {
		return nil
	}
	m, rec := p.view.mapping, p.rows.Record()
	for _, fault := range p.rows.Faults(first, p) {
		b := BadField{
			Line:   rec.Line,
			Field:  rec.Column,
			Column: m.nameOf(&fault),
			Reason: fault.Reason(),
		}
		if fault.Field >= 0 {
			var text []byte
			b.Line, b.Field, text = p.rows.Field(fault.Field)
			b.Value, b.Reason = shorten(text), p.hintEncoding(b.Reason, text)
		}
		all = append(all, b)
	}
	return all
}

// mustBeSet reports, by column, whether it must have a value in any row. Clustering columns need
// not if the row may have only static columns.
func (m *Mapping) mustBeSet() []bool {
	required := make([]bool, len(m.Columns))
	for i, c := range m.Columns {
		required[i] = c.Kind == schema.PartitionKey ||
			c.Kind == schema.Clustering && len(m.statics) == 0
	}
	return required
}
