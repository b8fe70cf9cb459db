package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Prepared is a statement of a user with markers, as the servers understand it. It is safe for
// concurrent use.
type Prepared struct {
	// Markers has the markers in the order of the text, each once, as its columns. It has no
	// partition key if the markers do not give all of its values.
	Markers *schema.Table

	text  string
	binds []string // what each place of a value takes: the name of a marker
	// Markers whose unset values are bound as null. Cassandra 5.0 takes null for a list without
	// elements in v = v + :name, and fails with a ClassCastException if the value is unset.
	appends map[string]bool
	how     StatementUse
}

// StatementUse says how a statement of a user is run.
type StatementUse struct {
	Timestamp   string // name of the marker that takes a row's timestamp; empty: none does
	Counter     bool   // the table has counters
	Conditional bool   // the statement is a lightweight transaction
	Repeatable  bool   // it may be run twice with the same values
	Positional  bool   // it has markers without a name, which have that of their column
	// Needs are those of markers by name. Those of a Positional statement are by column.
	Needs map[string]schema.Need
	// Appends are the markers that have no other places than those of values that are added behind
	// others.
	Appends map[string]bool
}

// need returns what a marker needs. Servers call a "?" that is a field of a user type
// COLUMN.FIELD.
func (u *StatementUse) need(name string) schema.Need {
	if column, _, isField := strings.Cut(name, "."); isField && u.Positional {
		return u.Needs[column]
	}
	return u.Needs[name]
}

// Prepare has the servers prepare a statement. It does not run it. If the statement has a fault,
// the error has what the server says, and class Permanent.
func (s *Session) Prepare(ctx context.Context, text string, use StatementUse) (*Prepared, error) {
	info, err := s.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	p := &Prepared{text: text, how: use, appends: make(map[string]bool)}
	var markers []schema.Column
	for i, arg := range info.Args {
		p.binds = append(p.binds, arg.Name)
		if arg.Name == use.Timestamp {
			continue
		}
		typ, err := typeOf(arg.TypeInfo)
		if err != nil {
			return nil, fmt.Errorf("marker :%s: %w", arg.Name, err)
		}
		c := schema.Column{Name: arg.Name, Kind: schema.Regular, Type: typ}
		c.Needs = use.need(arg.Name)
		if at := slices.Index(info.PKeyColumns, i); at >= 0 {
			c.Kind, c.Position = schema.PartitionKey, at
		}
		if markers, err = addMarker(markers, c, use.Positional); err != nil {
			return nil, err
		}
	}
	if len(markers) == 0 {
		return nil, errors.New("the statement has no marker, such as :name, that takes a field")
	}
	if countKeys(markers) != len(info.PKeyColumns) {
		for i := range markers { // one marker is two values of the key
			markers[i].Kind, markers[i].Position = schema.Regular, 0
		}
	}
	for _, m := range markers {
		p.appends[m.Name] = use.Appends[m.Name] && m.Type.Kind == cqltype.List
	}
	first := info.Args[0]
	p.Markers = schema.OfMarkers(first.Keyspace, first.Table, markers)
	return p, nil
}

func countKeys(markers []schema.Column) (n int) {
	for _, m := range markers {
		if m.IsKey() {
			n++
		}
	}
	return n
}

// addMarker adds a marker to others. One that is there takes the same value in both places, and is
// part of the partition key if one of them is. Of markers without a name that is not meant.
func addMarker(
	markers []schema.Column,
	m schema.Column,
	positional bool,
) ([]schema.Column, error) {
	at := slices.IndexFunc(markers, func(o schema.Column) bool { return o.Name == m.Name })
	if at < 0 {
		return append(markers, m), nil
	}
	if positional {
		return nil, fmt.Errorf(
			"the statement has two markers for %q: write :NAME in place of each ?",
			m.Name,
		)
	}
	if a, b := markers[at].Type.String(), m.Type.String(); a != b {
		return nil, fmt.Errorf(
			"the statement has two markers :%s, one of type %s and one of type %s: "+
				"give each a name of its own",
			m.Name,
			a,
			b,
		)
	}
	if m.IsKey() {
		markers[at] = m
	}
	return markers, nil
}

// Statement makes a writer that runs a statement for each row, with the markers in the order of the
// rows' cells.
func (s *Session) Statement(p *Prepared, markers []schema.Column) *Writer {
	given := &statement{text: p.text}
	for _, name := range p.binds {
		at := stampPlace
		if name != p.how.Timestamp {
			at = slices.IndexFunc(markers, func(m schema.Column) bool { return m.Name == name })
		}
		given.order = append(given.order, at)
		given.unsetIsNull = append(given.unsetIsNull, p.appends[name])
	}
	return &Writer{s: s, table: p.Markers.String(), statements: &statements{
		table:      p.Markers,
		columns:    markers,
		counter:    p.how.Counter,
		once:       p.how.Conditional,
		given:      given,
		repeatable: p.how.Repeatable,
	}}
}
