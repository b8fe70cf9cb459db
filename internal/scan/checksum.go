package scan

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Checksum is which cells of a row are summed, and in which order: that of the table's columns,
// whatever the order of the output.
type Checksum struct {
	Cells []int
	Types []*cqltype.Type // of those cells
}

// ChecksumOf returns the sum over the columns of a selection in the table's order. Two scans of the
// same columns can then be compared whatever their order. Times to live and write times are not
// summed.
func ChecksumOf(t *schema.Table, selection []schema.Selector) Checksum {
	var sum Checksum
	for _, c := range t.Columns {
		at := slices.IndexFunc(
			selection,
			func(s schema.Selector) bool { return s.Plain && s.Column.Name == c.Name },
		)
		if at >= 0 {
			sum.Cells = append(sum.Cells, at)
			sum.Types = append(sum.Types, c.Type)
		}
	}
	return sum
}

func (c Checksum) hasher() *hasher {
	return &hasher{cells: c.Cells, picked: make([][]byte, len(c.Cells)), sum: rowsum.New(c.Types)}
}

// hasher sums the rows of one worker.
type hasher struct {
	cells  []int
	picked [][]byte
	sum    *rowsum.Hasher
}

func (h *hasher) row(cells [][]byte) rowsum.Sum {
	for i, from := range h.cells {
		h.picked[i] = cells[from]
	}
	return h.sum.Row(h.picked)
}
