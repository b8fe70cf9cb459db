package scan

import (
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// Checksum is which cells of a row are summed, and in which order: that of the table's columns,
// whatever the order of the output.
type Checksum struct {
	Cells []int
	Types []*cqltype.Type // of those cells
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
