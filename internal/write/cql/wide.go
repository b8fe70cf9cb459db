package cql

import (
	"context"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// fewIntakes is the number of lists of columns that have a statement each. Servers prepare every
// statement, and rows of different statements share no batch.
const fewIntakes = 64

// widening takes rows of some columns as rows of all columns, where the others are unset: to the
// servers that is the same.
type widening struct {
	*intake         // of all columns
	narrow  *intake // of some
	places  []int   // of those, in all columns
}

// widen returns an intake that writes rows of a list of columns by the statement of all columns. It
// returns nil if the list has a statement of its own.
func (t *Target) widen(narrow *intake, columns []schema.Column) write.Intake {
	if t.intakes++; len(t.o.Wide) == 0 || t.intakes <= fewIntakes {
		return nil
	}
	w := &widening{narrow: narrow}
	for _, c := range columns {
		at := slices.IndexFunc(t.o.Wide, func(o schema.Column) bool { return o.Name == c.Name })
		if at < 0 {
			return nil
		}
		w.places = append(w.places, at)
	}
	for i, c := range t.o.Wide {
		if c.IsKey() && !slices.Contains(w.places, i) {
			return nil // it writes static columns alone
		}
	}
	if t.wide == nil {
		t.wide = t.newIntake(t.o.Wide)
	}
	w.intake = t.wide
	return w
}

// Put is a method of write.Intake. Rows without a row marker keep their statement: an UPDATE names
// what it sets.
func (w *widening) Put(ctx context.Context, rows []*write.Row) error {
	if slices.ContainsFunc(rows, func(r *write.Row) bool { return r.Update || len(r.More) > 0 }) {
		return w.narrow.Put(ctx, rows)
	}
	width := len(w.o.Wide)
	all := make([]row.Cell, len(rows)*width)
	for i := range all {
		all[i].State = row.Unset
	}
	for i, r := range rows {
		cells := all[i*width : (i+1)*width : (i+1)*width]
		for from, to := range w.places {
			cells[to] = r.Cells[from]
		}
		r.Cells = cells
	}
	return w.intake.Put(ctx, rows)
}

// PutGroup is a method of write.Intake.
func (w *widening) PutGroup(
	ctx context.Context,
	rows []*write.Row,
) error {
	return w.Put(ctx, rows)
}
