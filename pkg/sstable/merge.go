package sstable

import (
	"bytes"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// expiredTTL is the TTL of a row's liveness that materialized views use to say that it is over
// (LivenessInfo.EXPIRED_LIVENESS_TTL).
const expiredTTL = math.MaxInt32

// Merger merges rows with equal clusterings, or static rows, into one. Servers do so when they
// read or compact (Row.Merger, Cells.reconcile). Counters whose contexts
// CheckCounter does not take are not added up. It is not safe for concurrent use.
type Merger struct {
	schema  *Schema
	active  Deletion
	rows    [2]Row
	current int // of rows, the one that was made last
	decoded Row

	counter  Cell   // that was made of two
	contexts []byte // of such counters, since Reset
}

// NewMerger returns a merger of rows of a schema.
func NewMerger(s *Schema) *Merger { return &Merger{schema: s} }

// Reset begins a new row. active is the deletion of the partition, or the stronger one of a range
// around the row. What it deletes is left out.
func (m *Merger) Reset(active Deletion) {
	m.active = active
	m.rows[m.current].Reset()
	m.contexts = m.contexts[:0]
}

// Add merges a row into the one that is made. Of two cells that are alike the one added first
// stays, and so does the first clustering, where equal ones differ in their bytes. The row's slices
// may be used again; its values are parts of what is made and must stay.
func (m *Merger) Add(r *Row) {
	next := 1 - m.current
	m.merge(&m.rows[next], &m.rows[m.current], r)
	m.current = next
}

// AddEncoded is Add for a row as AppendRow of this codec has it.
func (m *Merger) AddEncoded(c *Codec, encoded []byte) error {
	if err := c.DecodeRow(encoded, &m.decoded); err != nil {
		return err
	}
	m.Add(&m.decoded)
	return nil
}

// Row returns the row that was made of those added since Reset. It may be Empty, and must then not
// be written. It may be read until the next Add or Reset.
func (m *Merger) Row() *Row { return &m.rows[m.current] }

// merge makes dst of a, which was made before, and b.
func (m *Merger) merge(dst, a, b *Row) {
	dst.Reset()
	dst.Static = b.Static
	dst.Clustering = append(dst.Clustering, a.Clustering...)
	if len(a.Clustering) == 0 {
		dst.Clustering = append(dst.Clustering, b.Clustering...)
	}
	dst.Liveness = a.Liveness
	if b.Liveness.supersedes(&a.Liveness) {
		dst.Liveness = b.Liveness
	}
	active := m.active
	for _, d := range [...]Deletion{a.Deletion, b.Deletion} {
		if d.Supersedes(active) {
			active, dst.Deletion = d, d
		}
	}
	if active.Deletes(dst.Liveness.Timestamp) {
		dst.Liveness = Liveness{}
	}
	columns := m.schema.columns(b.Static)
	cellsA, cellsB, deletionsA, deletionsB := a.Cells, b.Cells, a.Deletions, b.Deletions
	for {
		column := min(first(cellsA, deletionsA), first(cellsB, deletionsB))
		if column >= len(columns) {
			return
		}
		var ofA, ofB []Cell
		ofA, cellsA = cut(cellsA, column)
		ofB, cellsB = cut(cellsB, column)
		strongest := active
		for _, list := range [...]*[]ColumnDeletion{&deletionsA, &deletionsB} {
			if len(*list) > 0 && (*list)[0].Column == column {
				if d := (*list)[0].Deletion; d.Supersedes(strongest) {
					strongest = d
				}
				*list = (*list)[1:]
			}
		}
		if strongest != active {
			dst.Deletions = append(
				dst.Deletions,
				ColumnDeletion{Column: column, Deletion: strongest},
			)
		}
		dst.Cells = m.mergeCells(dst.Cells, &columns[column], ofA, ofB, strongest)
	}
}

// first returns the first column of cells and deletions, or a number that no column has.
func first(cells []Cell, deletions []ColumnDeletion) int {
	if len(cells) == 0 && len(deletions) == 0 {
		return math.MaxInt
	}
	return firstColumn(cells, deletions)
}

// cut parts the cells of the first column from the others.
func cut(cells []Cell, column int) (of, rest []Cell) {
	n := 0
	for n < len(cells) && cells[n].Column == column {
		n++
	}
	return cells[:n], cells[n:]
}

// mergeCells appends the cells of one column, but those that are deleted.
func (m *Merger) mergeCells(dst []Cell, p *columnPlan, a, b []Cell, active Deletion) []Cell {
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(a) == 0:
			order = 1
		case len(b) == 0:
			order = -1
		case p.complex:
			order = p.comparePaths(a[0].Path, b[0].Path)
		}
		var cell *Cell
		switch {
		case order < 0:
			cell, a = &a[0], a[1:]
		case order > 0:
			cell, b = &b[0], b[1:]
		default:
			cell = &a[0]
			if p.kind == cqltype.Counter {
				cell = m.resolveCounter(cell, &b[0], active)
			} else if b[0].supersedes(cell) {
				cell = &b[0]
			}
			a, b = a[1:], b[1:]
		}
		if !active.Deletes(cell.Timestamp) {
			dst = append(dst, *cell)
		}
	}
	return dst
}

// supersedes reports whether l is what stays of two livenesses (LivenessInfo.supersedes).
func (l *Liveness) supersedes(m *Liveness) bool {
	switch {
	case !l.Set || !m.Set:
		return l.Set
	case l.Timestamp != m.Timestamp:
		return l.Timestamp > m.Timestamp
	case (l.TTL == expiredTTL) != (m.TTL == expiredTTL):
		return l.TTL == expiredTTL
	case (l.TTL != 0) != (m.TTL != 0):
		return l.TTL != 0
	case l.Expiry != m.Expiry:
		return l.Expiry > m.Expiry
	default:
		return l.TTL < m.TTL
	}
}

// supersedes reports whether c is what stays of two cells of one column and path
// (Cells.resolveRegular).
func (c *Cell) supersedes(d *Cell) bool {
	switch {
	case c.Timestamp != d.Timestamp:
		return c.Timestamp > d.Timestamp
	case c.Kind != d.Kind:
		return c.Kind > d.Kind // a tombstone before one that expires, that one before a live one
	case c.Kind != Live && c.Time != d.Time:
		return c.Time > d.Time
	case c.Kind == Expiring && c.TTL != d.TTL:
		return c.TTL < d.TTL
	default:
		return bytes.Compare(c.Value, d.Value) > 0
	}
}
