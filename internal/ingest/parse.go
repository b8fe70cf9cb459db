package ingest

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// parser turns chunks into rows. It belongs to one goroutine.
type parser struct {
	run  *run
	rows format.RowReader
	key  []byte
	// rows without a partition key so far, which go to all nodes in turn
	keyless uint64
	parts   [][]byte
	sum     summer

	view   *view // that a chunk is read by
	last   bool  // there is no other one for what it makes no row of
	again  []int // records that are left to it, where there was one before; in order
	failed []int // records that it has left to the next

	moments []moment // by column, what a row's values are written with
	written []bool   // by column, whether the row has its write time
	anyTime bool     // the row says so for some column
}

func newParser(r *run) *parser {
	return &parser{run: r, rows: r.job.Format.NewReader()}
}

// work parses chunks until there are no more.
func (p *parser) work(ctx context.Context) error {
	for first := range p.run.chunks {
		for c := first; c != nil; c = c.next {
			if err := p.parse(c); err != nil {
				return err
			}
			if p.forget(); c.large() {
				*p = *newParser(p.run)
			}
			if err := p.run.countParsed(len(c.rows), c.count-len(c.rows)); err != nil {
				return err
			}
			p.run.reweigh(c)
			if c.tracker.inDoubt {
				p.run.rejectInDoubt(c)
			}
		}
		if err := p.run.putGroup(ctx, first); err != nil {
			return err
		}
	}
	return nil
}

// forget lets go of the text and the values of the last row, which may be large.
func (p *parser) forget() {
	p.rows.Reset(format.Chunk{}, nil)
	clear(p.sum.values)
}

// putChunk gives the chunk's rows to the target, and closes the parser's part of them.
func (r *run) putChunk(ctx context.Context, c *chunk) error {
	a := c.tracker
	c.order = c.listRows(c.order[:0])
	from := 0
	for i, v := range c.views {
		end := min(c.ends[i], len(c.rows)) // of rows in doubt none are left
		if from < end || i == len(c.views)-1 {
			if err := v.intake.Put(ctx, c.order[from:end]); err != nil {
				return err
			}
		}
		from = end
	}
	if err := a.completeRows(1); err != nil {
		return err
	}
	r.free(c, 1)
	return nil
}

// parse fills the chunk's rows from its text, by one view after the other.
func (p *parser) parse(c *chunk) error {
	c.values.Arena, c.rows, c.ends = c.values.Arena[:0], c.rows[:0], c.ends[:0]
	for i, v := range c.views {
		p.view, p.last = v, i == len(c.views)-1
		p.again, p.failed = p.failed, p.again[:0]
		if i == 0 || len(p.again) > 0 {
			if err := p.parseBy(c, i == 0); err != nil {
				return err
			}
		}
		c.ends = append(c.ends, len(c.rows))
	}
	return nil
}

// takes says whether a record of the chunk, in their order, is for the present view.
func (p *parser) takes(c *chunk, n int, first bool) bool {
	switch {
	case n < c.skip:
		return false
	case first:
		return true
	case len(p.again) == 0 || p.again[0] != n:
		return false
	}
	p.again = p.again[1:]
	return true
}

// parseBy adds the rows that the present view makes. The cells of all rows share one array and one
// arena. Both may move while they grow, and what was cut from the old ones stays valid.
func (p *parser) parseBy(c *chunk, first bool) error {
	m := p.view.mapping
	// A row has at least a byte for each of its fields.
	fields := len(m.Columns)
	if need := fields * min(c.Records, len(c.Data)/fields+1); first && cap(c.values.Cells) < need {
		c.values.Cells = make([]row.Cell, 0, need)
	} else if first {
		c.values.Cells = c.values.Cells[:0]
	}
	p.moments = slices.Grow(p.moments[:0], fields)[:fields]
	p.written = slices.Grow(p.written[:0], fields)[:fields]
	p.rows.Reset(c.Chunk, m.plan)
	for n := 0; p.rows.Next() && n < c.skip+c.count; n++ {
		if !p.takes(c, n, first) {
			continue
		}
		fault := p.row(c, m, n)
		if fault == nil {
			continue
		}
		if !p.last {
			p.failed = append(p.failed, n)
			continue
		}
		if err := p.reject(c, fault, c.stamps.at(n)); err != nil {
			return err
		}
	}
	return nil
}

// nameOf returns the name of the column or the time that a fault is about; empty: it is about the
// record as a whole.
func (m *Mapping) nameOf(fault *format.Fault) string {
	switch {
	case fault.Time >= 0:
		return m.times[fault.Time].name
	case fault.Column >= 0:
		return m.Columns[fault.Column].Name
	default:
		return ""
	}
}

// row appends the row of the chunk's nth record to it, or returns why there is none.
func (p *parser) row(c *chunk, m *Mapping, n int) *format.Fault {
	from := len(c.values.Cells)
	p.resetTimes(m, c.stamps.at(n))
	fault := p.rows.AppendRow(&c.values, p)
	rec := p.rows.Record()
	cells := c.values.Cells[from:]
	size := rowOverhead
	for i := range cells {
		switch cells[i].State {
		case row.Set:
			size += m.shapes[i].size(cells[i].Bytes)
		case row.Null:
			size += cellOverhead
		}
	}
	if p.view.times != nil {
		p.noteTimes(cells, c.file.name, rec.Line)
	}
	if fault != nil {
		c.values.Cells = c.values.Cells[:from]
		return fault
	}
	return p.finish(c, m, from, c.source(rec, n), size)
}

// noteTimes has the values of a row recorded. A row with a fault has those before it.
func (p *parser) noteTimes(cells []row.Cell, file string, line int64) {
	for i := range cells {
		if noter := p.view.times[i]; noter != nil && cells[i].State == row.Set {
			noter.NoteTime(cells[i].Bytes, p.rows.Text(i), file, line)
		}
	}
}

// valueShown is the number of bytes of a bad value that a message quotes.
const valueShown = 100

// reject hands over a record that made no row, with its place.
func (p *parser) reject(c *chunk, fault *format.Fault, stamp int64) error {
	m, rec := p.view.mapping, p.rows.Record()
	p.hintFault(fault, rec.Raw)
	rej := Reject{
		File: c.file.name, Header: c.file.header, Raw: rec.Raw, Line: rec.Line, Field: rec.Column,
		Offset: rec.Offset, Stamp: stamp, Reason: fault.Reason(), Stage: Parse,
		Column: m.nameOf(fault), Settings: settingsOf(fault.Err), Guess: guessOf(fault.Err),
	}
	var syntax *format.SyntaxError
	if errors.As(fault.Err, &syntax) {
		rej.Line, rej.Field, rej.Reason = syntax.Line, syntax.Column, syntax.Msg
		p.hintEscape(&rej, rec.Raw)
	}
	field := fault.Field
	if field < 0 && fault.Column >= 0 {
		field = p.rows.FieldOf(fault.Column)
	}
	if field >= 0 {
		var text []byte
		rej.Line, rej.Field, text = p.rows.Field(field)
		rej.Value = shorten(text)
		rej.Reason = p.hintEncoding(rej.Reason, text)
	}
	rej.More = p.more(fault)
	return c.tracker.keepReject(rej)
}

// shorten cuts a long text, but not in the middle of a character.
func shorten(text []byte) string {
	if len(text) <= valueShown {
		return string(text)
	}
	n := valueShown
	for n > valueShown-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return string(text[:n]) + "..."
}
