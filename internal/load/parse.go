package load

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// maxKeyComponent is the longest value of a key column: its length is kept in
// two bytes.
const maxKeyComponent = 1<<16 - 1

// parsed is a row that is ready to be written.
type parsed struct {
	row.Row
	token  token.Token
	set    *Set
	size   int    // estimate of the mutation, bytes
	raw    []byte // the record in the chunk
	line   int64
	offset int64
}

// parser turns chunks into batches. It belongs to one goroutine.
type parser struct {
	run   *run
	dsv   *dsv.Parser
	cells []row.Cell
	key   []byte
	parts [][]byte
	nulls [][]byte
}

func newParser(r *run) *parser {
	p := &parser{run: r, dsv: dsv.NewParser(r.job.Format)}
	for _, n := range r.job.Nulls {
		p.nulls = append(p.nulls, []byte(n))
	}
	return p
}

// work parses chunks until there are no more.
func (p *parser) work(ctx context.Context) error {
	for c := range p.run.chunks {
		if err := p.parse(c); err != nil {
			return err
		}
		if err := p.run.group(ctx, c); err != nil {
			return err
		}
		p.run.release(c)
	}
	return nil
}

// parse fills the chunk's rows from its text. The cells of all rows share one
// array and one arena, which may move while they grow; what was cut from the old
// ones stays valid.
func (p *parser) parse(c *chunk) error {
	m := c.file.mapping
	c.arena, c.rows = c.arena[:0], c.rows[:0]
	// The array of cells goes to the writers with the rows, so each chunk
	// gets a new one.
	p.cells = make([]row.Cell, 0, c.Records*len(m.Columns))
	p.dsv.Reset(c.Chunk)
	for stamp := c.stamp; p.dsv.Next(); stamp++ {
		rec := p.dsv.Record()
		bad := p.row(c, m, rec, stamp)
		if bad == nil {
			continue
		}
		if err := p.reject(c, rec, bad); err != nil {
			return err
		}
	}
	return nil
}

// badField is why a record makes no row.
type badField struct {
	field int // index, -1 when the record as a whole is meant
	err   error
}

// row appends one record's row to the chunk, or says why there is none.
func (p *parser) row(c *chunk, m *Mapping, rec dsv.Record, stamp int64) *badField {
	if rec.Err != nil {
		return &badField{-1, rec.Err}
	}
	if len(rec.Fields) != len(m.Columns) {
		return &badField{-1, fmt.Errorf("row has %d fields instead of %d", len(rec.Fields), len(m.Columns))}
	}
	from := len(p.cells)
	size := rowOverhead
	for i := range rec.Fields {
		f := &rec.Fields[i]
		if p.isNull(f, m.text[i]) {
			p.cells = append(p.cells, row.Cell{})
			continue
		}
		at := len(c.arena)
		var err error
		if c.arena, err = m.codecs[i].AppendWire(c.arena, f.Text); err != nil {
			p.cells = p.cells[:from]
			return &badField{i, err}
		}
		wire := c.arena[at:len(c.arena):len(c.arena)]
		p.cells = append(p.cells, row.Cell{Bytes: wire, State: row.Set})
		size += cellSize(wire, m.wide[i])
	}
	cells := p.cells[from:len(p.cells):len(p.cells)]
	if bad := p.checkKey(m, cells); bad != nil {
		p.cells = p.cells[:from]
		return bad
	}
	if limit := p.run.job.Limits.MaxMutationBytes; size > limit {
		p.cells = p.cells[:from]
		return &badField{-1, fmt.Errorf("row of about %d bytes is larger than the cluster's max_mutation_size of %d bytes", size, limit)}
	}
	token, set := p.place(m, cells)
	c.rows = append(c.rows, parsed{
		Row: row.Row{Cells: cells, Timestamp: stamp}, token: token, set: set, size: size,
		raw: rec.Raw, line: rec.Line, offset: rec.Offset,
	})
	return nil
}

// isNull says whether a field stands for null: nothing between delimiters, or
// one of the null texts. In a text column quotes make the difference between
// null and a text; elsewhere an empty value has no meaning, quoted or not.
func (p *parser) isNull(f *dsv.Field, text bool) bool {
	if text && f.Quoted {
		return false
	}
	if len(f.Text) == 0 {
		return true
	}
	for _, n := range p.nulls {
		if string(n) == string(f.Text) {
			return true
		}
	}
	return false
}

var errNullKey = errors.New("primary key column must not be null")

// checkKey makes sure of a whole primary key that the server will take.
func (p *parser) checkKey(m *Mapping, cells []row.Cell) *badField {
	for _, i := range m.key {
		if cells[i].State != row.Set {
			return &badField{i, errNullKey}
		}
		if len(cells[i].Bytes) == 0 && len(m.key) == 1 {
			return &badField{i, errors.New("a partition key of one column must not be empty")}
		}
		if len(cells[i].Bytes) > maxKeyComponent {
			return &badField{i, tooLong(cells[i])}
		}
	}
	null := -1
	for _, i := range m.cluster {
		if cells[i].State != row.Set {
			null = i
		} else if len(cells[i].Bytes) > maxKeyComponent {
			return &badField{i, tooLong(cells[i])}
		}
	}
	if null < 0 {
		return nil
	}
	// A partition that has only static columns is scanned as a row whose
	// clustering columns are all null.
	allNull := !slices.ContainsFunc(m.cluster, func(i int) bool { return cells[i].State == row.Set })
	if m.statics && allNull {
		return nil
	}
	return &badField{null, errNullKey}
}

func tooLong(c row.Cell) error {
	return fmt.Errorf("key value of %d bytes is longer than %d bytes", len(c.Bytes), maxKeyComponent)
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

// valueShown is how much of a bad value a message quotes.
const valueShown = 100

// reject hands over a record that made no row, with its place.
func (p *parser) reject(c *chunk, rec dsv.Record, bad *badField) error {
	rej := Reject{
		File: c.file.name, Header: c.file.header, Raw: rec.Raw, Line: rec.Line, Field: 1,
		Offset: rec.Offset, Reason: bad.err.Error(), Stage: Parse,
	}
	var syntax *dsv.SyntaxError
	if errors.As(bad.err, &syntax) {
		rej.Line, rej.Field, rej.Reason = syntax.Line, syntax.Column, syntax.Msg
	}
	if bad.field >= 0 {
		rej.Line, rej.Field = rec.FieldPosition(bad.field)
		rej.Column = c.file.mapping.Columns[bad.field].Name
		rej.Value = shorten(rec.Fields[bad.field].Text)
	}
	return p.run.reject(rej)
}

func shorten(text []byte) string {
	if len(text) <= valueShown {
		return string(text)
	}
	return string(text[:valueShown]) + "..."
}
