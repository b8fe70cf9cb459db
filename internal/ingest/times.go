package ingest

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// A scan writes the time to live and the write time of a column as fields of their
// own, ttl(c) and writetime(c). Loaded again, the column is written with them. A
// statement has but one of each, so a row whose columns differ in them becomes
// several statements, of one partition and in one request.

// timing is a field that holds a time of a column.
type timing struct {
	name   string // ttl(c) or writetime(c)
	field  int    // of the record; no meaning for JSON
	column int    // of the mapping, that the time is of
	ttl    bool
}

// moment is what a value is written with.
type moment struct {
	stamp int64
	ttl   int32
}

// MaxTTL is the longest time to live that the servers take, in seconds: 20 years
// (Cassandra's Attributes.MAX_TTL).
const MaxTTL = 20 * 365 * 24 * 60 * 60

// resetTimes forgets the times of the row before.
func (p *parser) resetTimes(m *Mapping, stamp int64) {
	p.anyTime = false
	if len(m.times) == 0 {
		return
	}
	for i := range p.moments {
		p.moments[i] = moment{stamp: stamp}
	}
}

// setTime takes a time of the row over. Null is the time to live of a value that
// does not expire, and the write time of no value.
func (p *parser) setTime(t *timing, text []byte, null bool) *badField {
	p.anyTime = true
	if null {
		if t.ttl {
			p.moments[t.column].ttl = row.Forever
		}
		return nil
	}
	bits := 64 // of a bigint; a time to live is an int
	if t.ttl {
		bits = 32
	}
	n, err := strconv.ParseInt(string(text), 10, bits)
	switch {
	case err != nil:
		return &badField{column: -1, time: t, err: fmt.Errorf("no number of %d bits", bits)}
	case t.ttl && (n < 0 || n > MaxTTL):
		return &badField{column: -1, time: t, err: fmt.Errorf("time to live %d: must be from 0 to %d seconds", n, MaxTTL)}
	case t.ttl:
		p.moments[t.column].ttl = int32(n)
		if n == 0 {
			p.moments[t.column].ttl = row.Forever
		}
	default:
		p.moments[t.column].stamp = n
	}
	return nil
}

// timed parts a row by what its values are written with. Nulls that delete, and a
// row without values, are written as at plain.
func (p *parser) timed(c *chunk, m *Mapping, cells []row.Cell, plain moment) (first row.Row, more []row.Row) {
	var few [4]moment
	distinct := few[:0]
	for i, cell := range cells {
		if cell.State == row.Null {
			p.moments[i] = plain
		}
		if cell.State != row.Unset && !m.Columns[i].IsKey() && !slices.Contains(distinct, p.moments[i]) {
			distinct = append(distinct, p.moments[i])
		}
	}
	if len(distinct) == 0 {
		distinct = append(distinct, plain)
	}
	if len(distinct) == 1 {
		return row.Row{Cells: cells, Timestamp: distinct[0].stamp, TTL: distinct[0].ttl}, nil
	}
	for i, d := range distinct {
		part := row.Row{Cells: p.part(c, m, cells, d), Timestamp: d.stamp, TTL: d.ttl}
		if i == 0 {
			first = part
		} else {
			more = append(more, part)
		}
	}
	return first, more
}

// part copies the key and the cells that are written at a moment. Static columns
// alone take no clustering columns with them, lest they make a row.
func (p *parser) part(c *chunk, m *Mapping, cells []row.Cell, at moment) []row.Cell {
	from := len(c.cells)
	regular := false
	for i, cell := range cells {
		if !m.Columns[i].IsKey() && p.moments[i] != at {
			cell = row.Cell{}
		}
		c.cells = append(c.cells, cell)
		regular = regular || cell.State != row.Unset && m.Columns[i].Kind == schema.Regular
	}
	out := c.cells[from:len(c.cells):len(c.cells)]
	if !regular {
		for _, i := range m.cluster {
			out[i] = row.Cell{}
		}
	}
	return out
}
