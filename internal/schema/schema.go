// Package schema is the model of one table as the pipelines need it. It has the columns in the
// order of SELECT *, their kinds and types, and the CQL text of names.
package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Kind is the role of a column, in the order SELECT * lists them.
type Kind uint8

const (
	// PartitionKey columns place the row on the ring.
	PartitionKey Kind = iota
	// Clustering columns order the rows of a partition.
	Clustering
	// Static columns have one value for the whole partition.
	Static
	// Regular columns are all others.
	Regular
)

// String names the role.
func (k Kind) String() string {
	return [...]string{"partition key", "clustering", "static", "regular"}[k]
}

// Column is one column of a table.
type Column struct {
	Name     string
	Kind     Kind
	Position int // among the columns of its kind; only for key columns
	Type     *cqltype.Type
	Desc     bool // of a clustering column: the greatest value comes first

	// Needs is what a marker of a statement needs.
	Needs Need
}

// Need is what a marker needs besides a value of its type.
type Need uint8

// The needs.
const (
	AnyValue Need = iota
	// SetValue takes no unset value. Cassandra 5.0 writes such a part of a user type as an empty
	// value.
	SetValue
	// NotNull takes neither an unset value nor null. A null bound of a range of clustering columns
	// gets into the commit log of Cassandra 5.0. A node that reads it does not start.
	NotNull
)

// IsKey says whether the column is part of the primary key.
func (c Column) IsKey() bool { return c.Kind == PartitionKey || c.Kind == Clustering }

// Table is a table, a materialized view or a virtual table. It may also stand for a statement that
// writes rows of a table: its columns then are the markers of the statement ([OfMarkers]).
type Table struct {
	Keyspace string
	Name     string
	Markers  bool // the columns are markers
	// ID is the id that the cluster gave the table when it was created. A table of the same name
	// that is created later has another one. It is empty for a virtual table.
	ID string
	// Columns stand in the order of SELECT *: partition key, clustering
	// columns, static columns, regular columns; the last two by name.
	Columns []Column

	places map[string]int // of columns by name, as New found them
}

// New makes a table of columns in any order.
func New(keyspace, name string, columns []Column) *Table {
	cols := slices.Clone(columns)
	slices.SortFunc(cols, func(a, b Column) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		if a.IsKey() {
			return a.Position - b.Position
		}
		return strings.Compare(a.Name, b.Name)
	})
	places := make(map[string]int, len(cols))
	for i := range cols {
		places[cols[i].Name] = i
	}
	return &Table{Keyspace: keyspace, Name: name, Columns: cols, places: places}
}

// OfMarkers makes a table that stands for a statement. Its columns are the markers, in their order
// in the text. A marker that is a value of the partition key is of that kind, and has its position.
// All others are regular.
func OfMarkers(keyspace, name string, markers []Column) *Table {
	return &Table{Keyspace: keyspace, Name: name, Columns: markers, Markers: true}
}

// Noun is what the table's columns are called in messages.
func (t *Table) Noun() string {
	if t.Markers {
		return "marker"
	}
	return "column"
}

// String is the table's qualified name as CQL.
func (t *Table) String() string {
	return cqltype.QuoteIdent(t.Keyspace) + "." + cqltype.QuoteIdent(t.Name)
}

// Column finds a column by its stored name.
func (t *Table) Column(name string) (Column, bool) {
	if i, ok := t.places[name]; ok && i < len(t.Columns) && t.Columns[i].Name == name {
		return t.Columns[i], true
	}
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return t.Columns[i], true
		}
	}
	return Column{}, false
}

// Names lists the stored names of all columns.
func (t *Table) Names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// OfKind lists the columns of one kind in order.
func (t *Table) OfKind(kind Kind) []Column {
	var cols []Column
	for _, c := range t.Columns {
		if c.Kind == kind {
			cols = append(cols, c)
		}
	}
	if t.Markers {
		slices.SortFunc(cols, func(a, b Column) int { return a.Position - b.Position })
	}
	return cols
}

// Key lists the columns of the primary key: those of the partition key first.
func (t *Table) Key() []Column {
	return append(t.OfKind(PartitionKey), t.OfKind(Clustering)...)
}

// KeyStart returns the columns of the partition key, and the clustering columns from the first on,
// that names are. It returns an error if names are others. If there are none, it is the whole key.
func (t *Table) KeyStart(names []string) ([]Column, error) {
	key := t.Key()
	if len(names) == 0 {
		return key, nil
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		s, err := t.Select(name)
		if err != nil {
			return nil, err
		}
		if !s.Plain || !s.Column.IsKey() || wanted[s.Column.Name] {
			return nil, fmt.Errorf("%s is no column of the primary key of %s, or comes twice", name, t)
		}
		wanted[s.Column.Name] = true
	}
	least := len(t.OfKind(PartitionKey))
	for i, c := range key {
		if !wanted[c.Name] && (i < least || i < len(names)) {
			return nil, fmt.Errorf(
				"column %q is missing: the start of the primary key of %s is all of the partition key, "+
					"and then clustering columns in their order",
				c.Name, t,
			)
		}
	}
	return key[:len(names)], nil
}

// MayRepeatLater reports whether a row may be written again with a later timestamp. Counters count
// it twice, and what a statement does is not known.
func (t *Table) MayRepeatLater() bool { return !t.Markers && !t.IsCounter() }

// IsCounter says whether the table holds counters.
func (t *Table) IsCounter() bool {
	return slices.ContainsFunc(
		t.Columns,
		func(c Column) bool { return c.Type.Kind == cqltype.Counter },
	)
}

// Fingerprint distinguishes two tables of one name by their columns. It is the SHA-256, in hex, of
// the columns' names, kinds, places and types, with the fields of user-defined types. The
// clustering order is not part of it, because it changes only with the ID.
func (t *Table) Fingerprint() string {
	h := sha256.New()
	for _, c := range t.Columns {
		fmt.Fprintf(h, "%q %d %d %s\n", c.Name, c.Kind, c.Position, c.Type)
		writeFields(h, c.Type)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// writeFields writes the fields of the user-defined types in a type, which its text has
// by their names alone.
func writeFields(w io.Writer, t *cqltype.Type) {
	for i, e := range t.Elems {
		if t.Kind == cqltype.UDT {
			fmt.Fprintf(w, " %q.%q %q %s\n", t.Keyspace, t.Name, t.FieldNames[i], e)
		}
		writeFields(w, e)
	}
}

// Resolve returns the column that a person means by name. That is the stored name itself, or else
// the only column that equals it but for upper and lower case. Its error names the nearest column.
func (t *Table) Resolve(name string) (Column, error) {
	if c, ok := t.Column(name); ok {
		return c, nil
	}
	var found []Column
	for _, c := range t.Columns {
		if strings.EqualFold(c.Name, name) {
			found = append(found, c)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return Column{}, fmt.Errorf(
			"column %q of %s: %q and %q differ only in case; write one of them exactly",
			name,
			t,
			found[0].Name,
			found[1].Name,
		)
	}
	return Column{}, &noColumn{t, name}
}

// noColumn says that a table has no column of a name. Which one may be meant is found only if it is
// printed: a header of thousands of names asks for each of them.
type noColumn struct {
	table *Table
	name  string
}

func (e *noColumn) Error() string {
	if e.table.Markers {
		return fmt.Sprintf(
			"the statement has no marker :%s%s",
			shorten(e.name),
			DidYouMean(e.name, e.table.Names()),
		)
	}
	return fmt.Sprintf(
		"table %s has no column %q%s",
		e.table,
		shorten(e.name),
		DidYouMean(e.name, e.table.Names()),
	)
}

// ResolveAll resolves a list of names and refuses one that comes twice.
func (t *Table) ResolveAll(names []string) ([]Column, error) {
	cols := make([]Column, 0, len(names))
	for _, name := range names {
		c, err := t.Resolve(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(cols, func(o Column) bool { return o.Name == c.Name }) {
			return nil, fmt.Errorf("column %q of %s is named twice", c.Name, t)
		}
		cols = append(cols, c)
	}
	return cols, nil
}
