package ingest

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

// parser turns chunks into rows. It belongs to one goroutine.
type parser struct {
	run   *run
	dsv   *dsv.Parser
	json  *jsonl.Parser
	key   []byte
	parts [][]byte
	null  row.Cell // what a null field becomes
	sum   summer

	view   *view // that a chunk is read by
	last   bool  // there is no other one for what it makes no row of
	again  []int // records that are left to it, where there was one before; in order
	failed []int // records that it has left to the next

	moments []moment // by column, what a row's values are written with
	anyTime bool     // the row says so for some column
	utf8    []byte   // a field in UTF-8 whose input is not, or a string of JSON without its escapes
}

func newParser(r *run) *parser {
	p := &parser{run: r, dsv: dsv.NewParser(r.job.Format), json: jsonl.NewParser()}
	if !r.job.Table.IsCounter() { // a counter cannot be deleted and counted up again
		p.null.State = r.job.Null
	}
	return p
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
	p.dsv.Reset(dsv.Chunk{})
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
	c.arena, c.rows, c.ends = c.arena[:0], c.rows[:0], c.ends[:0]
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
	if need := fields * min(c.Records, len(c.Data)/fields+1); first && cap(c.cells) < need {
		c.cells = make([]row.Cell, 0, need)
	} else if first {
		c.cells = c.cells[:0]
	}
	p.moments = slices.Grow(p.moments[:0], fields)[:fields]
	if m.members != nil {
		return p.parseJSON(c, first)
	}
	p.dsv.Reset(c.Chunk)
	for n := 0; p.dsv.Next() && n < c.skip+c.count; n++ {
		if !p.takes(c, n, first) {
			continue
		}
		rec := p.dsv.Record()
		bad := p.row(c, m, rec, n)
		if bad == nil {
			continue
		}
		if !p.last {
			p.failed = append(p.failed, n)
			continue
		}
		if err := p.reject(c, rec, bad, c.stamps.at(n)); err != nil {
			return err
		}
	}
	return nil
}

// badField is why a record makes no row. With neither a column nor a time the
// record as a whole is meant.
type badField struct {
	column int     // of the mapping, or -1
	time   *timing // or nil
	err    error
}

func badRow(err error) *badField { return &badField{column: -1, err: err} }

// reason says what is wrong. The value is named beside it.
func (b *badField) reason() string {
	var value interface{ Reason() string } // an error of cqltext or cqljson
	if errors.As(b.err, &value) {
		return value.Reason()
	}
	return b.err.Error()
}

// name is that of the column or the time, if any.
func (b *badField) name(m *Mapping) string {
	switch {
	case b.time != nil:
		return b.time.name
	case b.column >= 0:
		return m.Columns[b.column].Name
	default:
		return ""
	}
}

// row appends the row of the chunk's nth record to it, or says why there is none.
func (p *parser) row(c *chunk, m *Mapping, rec dsv.Record, n int) *badField {
	if rec.Err != nil {
		return badRow(rec.Err)
	}
	if len(rec.Fields) != m.width {
		return badRow(p.fieldsError(rec, m.width))
	}
	from := len(c.cells)
	size := rowOverhead
	for i, field := range m.fields {
		f := &rec.Fields[field]
		text := p.decode(f.Text)
		if p.isNull(m, i, text, f.Quoted) {
			c.cells = append(c.cells, p.null)
			if p.null.State == row.Null {
				size += cellOverhead
			}
			continue
		}
		wire, err := m.value(c, i, rec, field, text)
		if err != nil {
			c.cells = c.cells[:from]
			return &badField{column: i, err: err}
		}
		c.cells = append(c.cells, row.Cell{Bytes: wire, State: row.Set})
		size += m.shapes[i].size(wire)
		if p.view.times != nil && p.view.times[i] != nil {
			p.view.times[i].NoteTime(wire, text, c.file.name, rec.Line)
		}
	}
	p.resetTimes(m, c.stamps.at(n))
	for i := range m.times {
		t := &m.times[i]
		f := &rec.Fields[t.field]
		text := p.decode(f.Text)
		if bad := p.setTime(t, text, p.isNullText(text, f.Quoted, false)); bad != nil {
			c.cells = c.cells[:from]
			return bad
		}
	}
	return p.finish(c, m, from, c.source(rec.Raw, rec.Line, rec.Offset, n), size)
}

// isNull says whether a field's text stands for null in a column of the mapping.
func (p *parser) isNull(m *Mapping, column int, text []byte, quoted bool) bool {
	if own := m.nullers[column]; own != nil {
		return own.IsNull(text)
	}
	return p.isNullText(text, quoted, m.text[column])
}

// isNullText says whether a field's text stands for null: nothing between delimiters, or
// one of the null texts without quotes, which make it a value. Only an empty
// value in quotes is null all the same where the column does not hold text, since
// it has no meaning there.
func (p *parser) isNullText(text []byte, quoted, textual bool) bool {
	if len(text) == 0 {
		return !quoted || !textual
	}
	if quoted {
		return false
	}
	for _, n := range p.view.nulls {
		if string(n) == string(text) {
			return true
		}
	}
	return false
}

// valueShown is how much of a bad value a message quotes.
const valueShown = 100

// reject hands over a record that made no row, with its place.
func (p *parser) reject(c *chunk, rec dsv.Record, bad *badField, stamp int64) error {
	rej := Reject{
		File: c.file.name, Header: c.file.header, Raw: rec.Raw, Line: rec.Line, Field: 1,
		Offset: rec.Offset, Stamp: stamp, Reason: bad.reason(), Stage: Parse,
	}
	var syntax *dsv.SyntaxError
	if errors.As(bad.err, &syntax) {
		rej.Line, rej.Field, rej.Reason = syntax.Line, syntax.Column, syntax.Msg
		hintEscape(&rej, p.run.job.Format, rec.Raw)
	}
	if given := settingsOf(bad.err); given != nil {
		rej.Settings, rej.Guess = given, guessOf(bad.err)
	}
	field := -1
	if bad.time != nil {
		field = bad.time.field
	} else if bad.column >= 0 {
		field = p.view.mapping.fields[bad.column]
	}
	if field >= 0 {
		rej.Line, rej.Field = rec.FieldPosition(field)
		rej.Column = bad.name(p.view.mapping)
		rej.Value = shorten(p.decode(rec.Fields[field].Text))
		rej.Reason = p.hintEncoding(rej.Reason, rec.Fields[field].Text)
	}
	rej.More = p.more(p.view.mapping, rec, bad)
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
