package load

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// maxKeyComponent is the longest value of a key column, and the longest partition
// key: its length is kept in two bytes.
const maxKeyComponent = token.MaxKeyLen

// parsed is a row that is ready to be written.
type parsed struct {
	row.Row
	token token.Token
	set   *Set
	size  int // estimate of the mutation, bytes
	sum   rowsum.Sum
	source
}

// parser turns chunks into batches. It belongs to one goroutine.
type parser struct {
	run   *run
	dsv   *dsv.Parser
	json  *jsonl.Parser
	key   []byte
	parts [][]byte
	nulls [][]byte
	null  row.Cell // what a null field becomes
	sums  *rowsum.Hasher
	of    *Mapping // that sums is made for
	cells [][]byte // of one row, as sums wants them
}

func newParser(r *run) *parser {
	p := &parser{run: r, dsv: dsv.NewParser(r.job.Format), json: jsonl.NewParser()}
	if !r.job.Table.IsCounter() { // a counter cannot be deleted and counted up again
		p.null.State = r.job.Null
	}
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
	// A row has at least a byte for each of its fields.
	fields := len(m.Columns)
	if need := fields * min(c.Records, len(c.Data)/fields+1); cap(c.cells) < need {
		c.cells = make([]row.Cell, 0, need)
	}
	c.cells = c.cells[:0]
	if m.members != nil {
		return p.parseJSON(c)
	}
	p.dsv.Reset(c.Chunk)
	for n := 0; p.dsv.Next() && n < c.skip+c.take; n++ {
		if n < c.skip {
			continue
		}
		rec := p.dsv.Record()
		bad := p.row(c, m, rec, c.stamp+int64(n))
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
	column int // of the mapping, -1 when the record as a whole is meant
	err    error
}

// row appends one record's row to the chunk, or says why there is none.
func (p *parser) row(c *chunk, m *Mapping, rec dsv.Record, stamp int64) *badField {
	if rec.Err != nil {
		return &badField{-1, rec.Err}
	}
	if len(rec.Fields) != len(m.columns) {
		return &badField{-1, fmt.Errorf("row has %d fields instead of %d", len(rec.Fields), len(m.columns))}
	}
	from := len(c.cells)
	size := rowOverhead
	for i, field := range m.fields {
		f := &rec.Fields[field]
		if p.isNull(f, m.text[i]) {
			c.cells = append(c.cells, p.null)
			if p.null.State == row.Null {
				size += cellOverhead
			}
			continue
		}
		at := len(c.arena)
		var err error
		if c.arena, err = m.codecs[i].AppendWire(c.arena, f.Text); err != nil {
			c.cells = c.cells[:from]
			return &badField{i, err}
		}
		wire := c.arena[at:len(c.arena):len(c.arena)]
		c.cells = append(c.cells, row.Cell{Bytes: wire, State: row.Set})
		size += m.shapes[i].size(wire)
	}
	return p.finish(c, m, from, source{rec.Raw, rec.Line, rec.Offset}, size, stamp)
}

// source is where a row stood in its input.
type source struct {
	raw    []byte
	line   int64
	offset int64
}

// finish makes a row of the cells from the given one on, or says why there is none.
func (p *parser) finish(c *chunk, m *Mapping, from int, at source, size int, stamp int64) *badField {
	cells := c.cells[from:len(c.cells):len(c.cells)]
	if bad := p.checkKey(m, cells); bad != nil {
		c.cells = c.cells[:from]
		return bad
	}
	if limit := p.run.job.Limits.MaxMutationBytes; size > limit {
		c.cells = c.cells[:from]
		return &badField{-1, fmt.Errorf("row of about %d bytes is larger than the cluster's max_mutation_size of %d bytes", size, limit)}
	}
	token, set := p.place(m, cells)
	c.rows = append(c.rows, parsed{
		Row: row.Row{Cells: cells, Timestamp: stamp, Token: token}, token: token, set: set, size: size,
		sum: p.sum(m, cells), source: at,
	})
	return nil
}

// sum is the row's part of the checksum.
func (p *parser) sum(m *Mapping, cells []row.Cell) rowsum.Sum {
	if p.of != m {
		p.of, p.sums, p.cells = m, m.hasher(), make([][]byte, len(m.summed))
	}
	for i, column := range m.summed {
		switch c := cells[column]; {
		case c.State != row.Set:
			p.cells[i] = nil
		case c.Bytes == nil:
			p.cells[i] = []byte{}
		default:
			p.cells[i] = c.Bytes
		}
	}
	return p.sums.Row(p.cells)
}

// isNull says whether a field stands for null: nothing between delimiters, or
// one of the null texts without quotes, which make it a value. Only an empty
// value in quotes is null all the same where the column does not hold text, since
// it has no meaning there.
func (p *parser) isNull(f *dsv.Field, text bool) bool {
	if len(f.Text) == 0 {
		return !f.Quoted || !text
	}
	if f.Quoted {
		return false
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
	length := 0
	for _, i := range m.key {
		length += 3 + len(cells[i].Bytes)
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
	if len(m.key) > 1 && length > maxKeyComponent {
		return &badField{-1, fmt.Errorf("partition key of %d bytes is longer than %d bytes", length, maxKeyComponent)}
	}
	null := -1
	for _, i := range m.cluster {
		if cells[i].State != row.Set {
			if null < 0 {
				null = i
			}
		} else if len(cells[i].Bytes) > maxKeyComponent {
			return &badField{i, tooLong(cells[i])}
		}
	}
	if null < 0 || isStatic(m, cells) {
		return nil
	}
	return &badField{null, errNullKey}
}

// isStatic says whether a row is a partition's static columns and nothing else:
// that is how a partition that has no rows is scanned. Any other value in it
// would have no place to go.
func isStatic(m *Mapping, cells []row.Cell) bool {
	isSet := func(i int) bool { return cells[i].State == row.Set }
	return slices.ContainsFunc(m.statics, isSet) && !slices.ContainsFunc(m.cluster, isSet) && !slices.ContainsFunc(m.regular, isSet)
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
	if m := c.file.mapping; bad.column >= 0 {
		field := m.fields[bad.column]
		rej.Line, rej.Field = rec.FieldPosition(field)
		rej.Column = m.Columns[bad.column].Name
		rej.Value = shorten(rec.Fields[field].Text)
	}
	return p.run.reject(rej)
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
