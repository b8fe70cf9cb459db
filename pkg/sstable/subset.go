package sstable

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// largeSet is the number of columns from which on those of a row are told by their places and not by a bitmap
// (Columns.Serializer).
const largeSet = 64

// subset is which columns a row has.
type subset struct {
	count int    // of the columns that it has
	bits  uint64 // which they are, of the first 64
}

// present finds the columns that a row has, and refuses cells and deletions that are not in the order of the columns,
// two cells of a column that has one, and a deletion of such a column.
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
				return set, fmt.Errorf("column %.100q has one cell and cannot have a deletion besides", columns[column].name)
			}
			deletions = deletions[1:]
		}
	}
	return set, nil
}

// firstColumn returns the first column of cells and deletions that are ordered by column and are not both empty.
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

// append appends which columns of so many a row has that does not have them all.
func (set subset) append(dst []byte, r *Row, columns int) []byte {
	if columns < largeSet {
		return cqlwire.AppendUvint(dst, ^set.bits&(1<<columns-1))
	}
	dst = cqlwire.AppendUvint(dst, uint64(columns-set.count))
	listPresent := set.count < columns/2
	cells, deletions := r.Cells, r.Deletions
	next := 0 // column that is not told yet
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
