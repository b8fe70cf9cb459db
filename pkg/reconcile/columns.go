package reconcile

import (
	"errors"
	"fmt"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// Dropped is a column that the table does not have any more, or has again: a row of
// system_schema.dropped_columns.
type Dropped struct {
	Name string // as it is stored, without quotes
	// in microseconds since the epoch: cells that are not younger are gone; Forever: all are
	Time int64
}

// Forever is the time of a dropped column all of whose cells are gone, whatever column of its name
// there is.
const Forever = math.MaxInt64

// notDropped is the time of a column that never was.
const notDropped = math.MinInt64

// columns maps the static or the regular columns of a source to those of the table.
type columns struct {
	as       []column // for each column of the source
	same     bool     // they are the table's own, in their order, and nothing of them is left out
	counters bool
	complex  bool // some have cells of elements
}

// column is what becomes of a column of a source.
type column struct {
	name    string
	to      int   // in the table; -1: the table does not have it
	dropped int64 // what is not younger is left out
	counter bool
}

// planColumns finds the columns of a source in the table.
func planColumns(stored, table, other []sstable.Column, dropped map[string]int64) (columns, error) {
	plan := columns{same: len(stored) == len(table)}
	places := make(map[string]int, len(table))
	for i, c := range table {
		places[c.Name] = i
	}
	for i, c := range stored {
		as := column{name: c.Name, to: -1, dropped: notDropped}
		before, gone := dropped[c.Name]
		if gone {
			as.dropped = before
		}
		place, ok := places[c.Name]
		switch {
		case as.dropped == Forever: // its type is no matter
		case ok:
			t := table[place].Type
			if c.Type.MultiCell() != t.MultiCell() || !readable(c.Type, t, false) {
				return plan, fmt.Errorf(
					"column %.100q is %s, where the table has %s",
					c.Name,
					c.Type,
					t,
				)
			}
			as.to, as.counter = place, t.Kind == cqltype.Counter
		case !gone:
			for _, o := range other {
				if o.Name == c.Name {
					return plan, fmt.Errorf(
						"column %.100q is static in one of both, and not in the other: the SSTable and the table",
						c.Name,
					)
				}
			}
			return plan, fmt.Errorf(
				"column %.100q is none of the table, nor one that was dropped",
				c.Name,
			)
		}
		plan.same = plan.same && as.to == i && !gone
		plan.counters = plan.counters || as.counter
		plan.complex = plan.complex || c.Type.MultiCell()
		plan.as = append(plan.as, as)
	}
	plan.same = plan.same && !plan.counters
	return plan, nil
}

// checkKey refuses a source whose key columns are not those of the table.
func checkKey(stored, table *sstable.Table) error {
	if len(stored.Key) != len(table.Key) || len(stored.Clustering) != len(table.Clustering) {
		return fmt.Errorf(
			"the SSTable has %d partition key and %d clustering columns, where the table has %d and %d",
			len(stored.Key),
			len(stored.Clustering),
			len(table.Key),
			len(table.Clustering),
		)
	}
	for i, c := range stored.Key {
		if t := table.Key[i]; !readable(c.Type, t.Type, true) {
			return fmt.Errorf("column %.100q is %s, where the table has %s", t.Name, c.Type, t.Type)
		}
	}
	for i, c := range stored.Clustering {
		t := table.Clustering[i]
		if !readable(c.Type, t.Type, true) {
			return fmt.Errorf("column %.100q is %s, where the table has %s", t.Name, c.Type, t.Type)
		}
		if c.Desc != t.Desc {
			return fmt.Errorf(
				"column %.100q is not in the same order, ascending or descending, as in the table",
				t.Name,
			)
		}
	}
	return nil
}

// errPaths says that the cells of a column do not ascend, without which they cannot be merged.
var errPaths = errors.New("elements are not in their order, or come twice")

// row gives a row of the source, of the schema s, as one of the table: itself, or room. Of a
// counter what active deletes is left out, since a tombstone that is deleted itself must not take
// the place of what is younger. The order of the columns stays: it is the same in all files
// (sstable.Table).
func (c *columns) row(
	s *sstable.Schema,
	r, room *sstable.Row,
	active sstable.Deletion,
) (*sstable.Row, error) {
	if c.complex {
		for i := 1; i < len(r.Cells); i++ {
			a, b := &r.Cells[i-1], &r.Cells[i]
			if a.Column == b.Column && s.ComparePaths(r.Static, a.Column, a.Path, b.Path) >= 0 {
				return nil, fmt.Errorf("column %.100q: %w", c.as[a.Column].name, errPaths)
			}
		}
	}
	if c.same {
		return r, nil
	}
	room.Reset()
	room.Static, room.Liveness, room.Deletion = r.Static, r.Liveness, r.Deletion
	room.Clustering = append(room.Clustering, r.Clustering...)
	for _, d := range r.Deletions {
		as := &c.as[d.Column]
		// One that is not set stands where another column has one.
		if as.to >= 0 && (!d.Set || d.Timestamp > as.dropped) {
			d.Column = as.to
			room.Deletions = append(room.Deletions, d)
		}
	}
	for i := range r.Cells {
		cell := &r.Cells[i]
		as := &c.as[cell.Column]
		if as.to < 0 || cell.Timestamp <= as.dropped && as.dropped != notDropped {
			continue
		}
		if as.counter {
			if active.Deletes(cell.Timestamp) {
				continue
			}
			if cell.Kind != sstable.Tombstone {
				if err := sstable.CheckCounter(cell.Value); err != nil {
					return nil, fmt.Errorf("column %.100q: %w", as.name, err)
				}
			}
		}
		room.Cells = append(room.Cells, *cell)
		room.Cells[len(room.Cells)-1].Column = as.to
	}
	return room, nil
}
