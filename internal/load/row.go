package load

import (
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// parsed is a row that is ready to be written.
type parsed struct {
	row.Row
	more  []row.Row // the rest of it, where its columns have times of their own
	chunk *chunk
	set   *Set
	size  int // estimate of the mutation, bytes
	sum   rowsum.Sum
	stamp int64 // by its place in the input
	source
}

// source is where a row stood in its input.
type source struct {
	raw    []byte
	line   int64
	offset int64
}

// statements is how many statements write the row.
func (p *parsed) statements() int { return 1 + len(p.more) }

// finish makes a row of the cells from the given one on, or says why there is none.
func (p *parser) finish(c *chunk, m *Mapping, from int, at source, size int, stamp int64) *badField {
	cells := c.cells[from:len(c.cells):len(c.cells)]
	if bad := p.checkKey(m, cells); bad != nil {
		c.cells = c.cells[:from]
		return bad
	}
	if err := p.run.job.Limits.refuse(m, cells, size); err != nil {
		c.cells = c.cells[:from]
		return badRow(err)
	}
	out := parsed{Row: row.Row{Cells: cells, Timestamp: stamp}, chunk: c, size: size, stamp: stamp, sum: p.sum.row(m, cells), source: at}
	if p.anyTime {
		out.Row, out.more = p.timed(c, m, cells, moment{stamp: stamp})
		out.size += len(out.more) * size
	}
	out.Token, out.set = p.place(m, cells)
	for i := range out.more {
		out.more[i].Token = out.Token
	}
	c.rows = append(c.rows, out)
	return nil
}

// place finds the row's token and replicas.
func (p *parser) place(m *Mapping, cells []row.Cell) (token.Token, *Set) {
	if len(m.key) == 1 {
		return p.run.job.Router.Route(cells[m.key[0]].Bytes)
	}
	p.parts = p.parts[:0]
	for _, i := range m.key {
		p.parts = append(p.parts, cells[i].Bytes)
	}
	p.key = token.AppendKey(p.key[:0], p.parts...)
	return p.run.job.Router.Route(p.key)
}
