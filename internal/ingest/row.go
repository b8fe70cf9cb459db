package ingest

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// finish makes a row of the cells from the given one on. If there is none, it returns the reason.
func (p *parser) finish(c *chunk, m *Mapping, from int, at write.Source, size int) *format.Fault {
	cells := c.values.Cells[from:len(c.values.Cells):len(c.values.Cells)]
	if bad := p.checkKey(m, cells); bad != nil {
		c.values.Cells = c.values.Cells[:from]
		return bad
	}
	if bad := checkMarkers(m, cells); bad != nil {
		c.values.Cells = c.values.Cells[:from]
		return bad
	}
	if bad := p.checkTimes(m, cells); bad != nil {
		c.values.Cells = c.values.Cells[:from]
		return bad
	}
	if err := p.run.job.Limits.refuse(m, cells, size); err != nil {
		c.values.Cells = c.values.Cells[:from]
		return format.RowFault(err)
	}
	out := write.Row{
		Row: row.Row{
			Cells:     cells,
			Timestamp: at.Stamp,
		},
		MutationSize: size,
		Sum:          p.sum.row(m, cells),
		Tracker:      c.tracker,
		Source:       at,
	}
	if p.anyTime {
		out.Row, out.More = p.timed(c, m, cells, moment{stamp: at.Stamp})
		out.MutationSize += len(out.More) * size
	}
	out.Token, out.Replicas = p.place(m, cells)
	for i := range out.More {
		out.More[i].Token = out.Token
	}
	c.rows = append(c.rows, out)
	return nil
}

// source says where the chunk's nth record stands.
func (c *chunk) source(rec format.Record, n int) write.Source {
	return write.Source{
		Raw:    rec.Raw,
		Line:   rec.Line,
		Column: rec.Column,
		Offset: rec.Offset,
		Stamp:  c.stamps.at(n),
		Place:  c.stamps.place(n),
	}
}

// place finds the row's token and replicas.
func (p *parser) place(m *Mapping, cells []row.Cell) (token.Token, *write.Replicas) {
	if len(m.key) == 1 {
		return p.run.job.Router.Route(cells[m.key[0]].Bytes)
	}
	if len(m.key) == 0 { // of a statement; each row is a request of its own
		p.keyless++
		p.key = binary.BigEndian.AppendUint64(p.key[:0], p.keyless)
		return p.run.job.Router.Route(p.key)
	}
	p.parts = p.parts[:0]
	for _, i := range m.key {
		p.parts = append(p.parts, cells[i].Bytes)
	}
	p.key = token.AppendKey(p.key[:0], p.parts...)
	return p.run.job.Router.Route(p.key)
}
