package sstable

import (
	"fmt"
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/internal/fields"
)

// largeSet is the number of columns from which on a row lists its columns by their places, not by a
// bitmap (Columns.Serializer).
const largeSet = 64

// subset is which columns a row has.
type subset struct {
	count int    // of the columns that it has
	bits  uint64 // which they are, of the first 64
}

// present finds the columns that a row has. It refuses cells and deletions that are not in the
// order of the columns. If a column has one cell, it refuses a second cell and a deletion.
func (s *Schema) present(r *Row, columns []columnPlan) (subset, error) {
	var set subset
	cells, deletions := r.Cells, r.Deletions
	last := -1
	for len(cells) > 0 || len(deletions) > 0 {
		column := firstColumn(cells, deletions)
		if column <= last {
			return set, errOrder
		}
		if column >= len(columns) {
			return set, errColumn(column, len(columns))
		}
		last = column
		set.count++
		if column < largeSet {
			set.bits |= 1 << column
		}
		n := 0
		for n < len(cells) && cells[n].Column == column {
			n++
		}
		if n > 1 && !columns[column].complex {
			return set, errOrder
		}
		cells = cells[n:]
		if len(deletions) > 0 && deletions[0].Column == column {
			if !columns[column].complex {
				return set, fmt.Errorf(
					"column %.100q has one cell and cannot have a deletion besides",
					columns[column].name,
				)
			}
			deletions = deletions[1:]
		}
	}
	return set, nil
}

// firstColumn returns the first column of cells and deletions that are ordered by column and are
// not both empty.
func firstColumn(cells []Cell, deletions []ColumnDeletion) int {
	switch {
	case len(deletions) == 0:
		return cells[0].Column
	case len(cells) == 0:
		return deletions[0].Column
	default:
		return min(cells[0].Column, deletions[0].Column)
	}
}

// append appends the set of a row's columns. columns is their number in the schema; the row lacks
// at least one.
func (set subset) append(dst []byte, r *Row, columns int) []byte {
	if columns < largeSet {
		return cqlwire.AppendUvint(dst, ^set.bits&(1<<columns-1))
	}
	dst = cqlwire.AppendUvint(dst, uint64(columns-set.count))
	listPresent := set.count < columns/2
	cells, deletions := r.Cells, r.Deletions
	next := 0 // first column that is not written yet
	for len(cells) > 0 || len(deletions) > 0 {
		column := firstColumn(cells, deletions)
		for len(cells) > 0 && cells[0].Column == column {
			cells = cells[1:]
		}
		if len(deletions) > 0 && deletions[0].Column == column {
			deletions = deletions[1:]
		}
		if listPresent {
			dst = cqlwire.AppendUvint(dst, uint64(column))
			continue
		}
		for ; next < column; next++ {
			dst = cqlwire.AppendUvint(dst, uint64(next))
		}
		next++
	}
	for ; !listPresent && next < columns; next++ {
		dst = cqlwire.AppendUvint(dst, uint64(next))
	}
	return dst
}

// columnSet iterates over the columns of a row, as its body lists them.
type columnSet struct {
	total   int
	bits    uint64        // those that are left, where there are fewer than largeSet
	listed  fields.Reader // else the places of those that it has, or has not
	present bool          // which of the two
	left    int           // of the places
	place   int           // the last one read
	column  int           // the next one, where those are listed that it has not
}

// allColumns is the set of all columns.
func allColumns(total int) columnSet {
	return columnSet{total: total, bits: 1<<min(total, largeSet) - 1, place: -1}
}

// decode reads what subset.append writes.
func (s *columnSet) decode(in *fields.Reader) {
	missing := in.Uvint()
	if s.total < largeSet {
		if missing&^s.bits != 0 {
			in.Fail("row without the columns 0x%x, where there are %d", missing, s.total)
		}
		s.bits &^= missing
		return
	}
	if missing > uint64(s.total) {
		in.Fail("row without %d columns, where there are %d", missing, s.total)
		return
	}
	s.left = int(missing)
	if has := s.total - s.left; has < s.total/2 {
		s.present, s.left = true, has
	}
	// The list is read twice: here for its end, and by next as the columns come.
	s.listed = *in
	last := -1
	for range s.left {
		place := in.Uvint()
		if place >= uint64(s.total) || int(place) <= last {
			in.Fail(
				"row with or without column %d after column %d, where there are %d",
				place,
				last,
				s.total,
			)
			return
		}
		last = int(place)
	}
}

// next returns the next column that the row has, or a number that no column has.
func (s *columnSet) next() int {
	if s.total < largeSet {
		column := bits.TrailingZeros64(s.bits)
		s.bits &= s.bits - 1
		return column
	}
	if s.present {
		if s.left == 0 {
			return s.total
		}
		s.left--
		return int(s.listed.Uvint())
	}
	for {
		if s.place < s.column && s.left > 0 {
			s.left--
			s.place = int(s.listed.Uvint())
		}
		s.column++
		if s.place != s.column-1 {
			return s.column - 1
		}
	}
}
