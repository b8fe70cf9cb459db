package sstable

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Column is a column of a table.
type Column struct {
	Name string // as it is stored, without quotes
	Type *cqltype.Type
	Desc bool // of a clustering column: greater values come first
}

// Table lists the columns of a file. It may have fewer static and regular columns than the schema:
// only those with values in the file. A file does not have the names of its key columns.
type Table struct {
	Key, Clustering   []Column // in the order of the primary key
	Statics, Regulars []Column // in any order
}

// Schema is a Table that was planned. It may be used by any number of goroutines.
type Schema struct {
	table                              Table
	key, clustering, statics, regulars []columnPlan
}

// columnPlan is how the values of a column stand.
type columnPlan struct {
	name    string
	kind    cqltype.Kind
	fixed   int  // bytes of each value, or -1: after their length
	desc    bool // of a clustering column
	complex bool // its elements are cells
	layout  *cqlwire.Layout
	order   *cqlorder.Order // of its values
	paths   *cqlorder.Order // of the paths of its cells, where it is complex; nil: of their bytes
}

// Plan plans a table. It fails if a type cannot be planned, or if two columns have one name. It
// also fails if there are static columns but no clustering columns, which no server allows.
func Plan(t *Table) (*Schema, error) {
	s := &Schema{table: Table{
		Key: slices.Clone(t.Key), Clustering: slices.Clone(t.Clustering),
		Statics: ordered(t.Statics), Regulars: ordered(t.Regulars),
	}}
	if len(t.Key) == 0 {
		return nil, errors.New("a table has no partition key")
	}
	if len(t.Statics) > 0 && len(t.Clustering) == 0 {
		return nil, errors.New("a table has static columns but no clustering columns")
	}
	seen := make(map[string]bool)
	all := &s.table
	for _, list := range [][]Column{all.Key, all.Clustering, all.Statics, all.Regulars} {
		for _, c := range list {
			if c.Name != "" && seen[c.Name] {
				return nil, fmt.Errorf("column %.100q is there twice", c.Name)
			}
			seen[c.Name] = true
		}
	}
	var err error
	if s.key, err = planColumns(s.table.Key); err != nil {
		return nil, err
	}
	if s.clustering, err = planColumns(s.table.Clustering); err != nil {
		return nil, err
	}
	if s.statics, err = planColumns(s.table.Statics); err != nil {
		return nil, err
	}
	s.regulars, err = planColumns(s.table.Regulars)
	return s, err
}

// planColumns plans the columns of one kind.
func planColumns(columns []Column) ([]columnPlan, error) {
	plans := make([]columnPlan, len(columns))
	for i, c := range columns {
		layout, err := cqlwire.Plan(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
		}
		order, err := cqlorder.Plan(c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
		}
		plan := columnPlan{
			name:    c.Name,
			kind:    c.Type.Kind,
			fixed:   layout.FixedLen(),
			desc:    c.Desc,
			complex: c.Type.MultiCell(),
			layout:  layout,
			order:   order,
		}
		switch {
		case plan.complex && c.Type.Kind == cqltype.List:
			plan.paths, err = cqlorder.Plan(&cqltype.Type{Kind: cqltype.TimeUUID})
		case plan.complex && c.Type.Kind != cqltype.UDT:
			plan.paths, err = cqlorder.Plan(c.Type.Elems[0])
		}
		if err != nil {
			return nil, fmt.Errorf("column %.100q: %w", c.Name, err)
		}
		plans[i] = plan
	}
	return plans, nil
}

// ordered returns the columns in the order of a file: first those of one cell, then those of many.
// Each group is ordered by the bytes of the names (ColumnMetadata.compareTo).
func ordered(columns []Column) []Column {
	columns = slices.Clone(columns)
	slices.SortStableFunc(columns, func(a, b Column) int {
		if x, y := a.Type != nil &&
			a.Type.MultiCell(), b.Type != nil &&
			b.Type.MultiCell(); x != y {
			if y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return columns
}

// Table returns the table that was planned, with its static and regular columns in the order of the
// file, which is what Cell.Column counts. It is not to be changed.
func (s *Schema) Table() *Table { return &s.table }

// columns returns the columns of a static row, or of another one.
func (s *Schema) columns(static bool) []columnPlan {
	if static {
		return s.statics
	}
	return s.regulars
}
