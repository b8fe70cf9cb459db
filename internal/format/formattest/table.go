package formattest

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// suite is a case with a table that it writes and reads. The first column is the key, an int. The
// last two are the time to live and the write time of the column before them.
type suite struct {
	Case
	selectors []schema.Selector
	columns   []schema.Column // without the times
	rows      [][][]byte      // of cells, nil for null
}

// newSuite makes the table. It has a column of each type. The rows go through the values and null
// of each column, and end with a row of nulls.
func newSuite(c Case) (*suite, error) {
	s := &suite{Case: c}
	s.selectors = append(s.selectors, selector("k", &cqltype.Type{Kind: cqltype.Int}))
	var values [][][]byte
	most := 0
	for i, of := range append(typed, struct {
		cql   string
		texts []string
	}{"counter", counters}) {
		t, wires, err := parse(of.cql, of.texts)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("c%d", i)
		if i < len(names) {
			name = names[i]
		}
		s.selectors = append(s.selectors, selector(name, t))
		values = append(values, append(wires, nil))
		most = max(most, len(wires)+1)
	}
	for _, time := range []struct {
		name string
		kind cqltype.Kind
	}{{"ttl(v)", cqltype.Int}, {"writetime(v)", cqltype.Bigint}} {
		s.selectors = append(s.selectors, selector(time.name, &cqltype.Type{Kind: time.kind}))
	}
	for _, column := range s.selectors[:len(s.selectors)-2] {
		s.columns = append(s.columns, column.Column)
	}
	for i := range most {
		cells := [][]byte{number(i)}
		for _, of := range values {
			cells = append(cells, of[i%len(of)])
		}
		cells = append(cells, number(i), append(number(0), number(i)...))
		if i%3 == 0 {
			cells[len(cells)-2] = nil
		}
		s.rows = append(s.rows, cells)
	}
	last := make([][]byte, len(s.selectors))
	last[0] = number(most)
	s.rows = append(s.rows, last)
	return s, nil
}

// written is a file, and where its rows end. The first end is that of its beginning.
type written struct {
	text []byte
	ends []int
}

// write writes rows. Each encoder writes some of them in turn.
func (s *suite) write(rows [][][]byte, encoders int) (w written, o format.Output, err error) {
	if o, err = s.Format.Output(s.selectors, s.Output); err != nil {
		return w, nil, err
	}
	var all []format.Encoder
	for range encoders {
		all = append(all, o.NewEncoder())
	}
	w.text = o.AppendBegin(nil)
	w.ends = append(w.ends, len(w.text))
	for i, cells := range rows {
		if w.text, err = all[i%encoders].AppendRow(w.text, cells); err != nil {
			return w, o, fmt.Errorf("row %d: %w", i, err)
		}
		w.ends = append(w.ends, len(w.text))
	}
	w.text = o.AppendEnd(w.text)
	return w, o, nil
}

// record is a record that was read.
type record struct {
	format.Record
	cells    [][]byte
	times    [2]string
	rejected []byte
	fault    *format.Fault // nil: it makes a row
	more     []format.Fault
	// of the fault
	line   int64
	column int
	text   string
}

// SetTime implements format.Times.
func (r *record) SetTime(time int, text []byte, null bool) error {
	if r.times[time] = string(text); null {
		r.times[time] = "null"
	}
	return nil
}

// plan plans the table for a format.
func (s *suite) plan(f format.Format) (format.Plan, error) {
	o := format.PlanOptions{Columns: s.columns, Width: len(s.selectors)}
	if s.Output.Null != "" {
		o.Nulls = []string{s.Output.Null}
	}
	if f.Named() {
		o.Names = make(map[string]int)
		for i, c := range s.selectors {
			o.Names[c.Name] = i
		}
		o.Find = func(name []byte, _ format.Members) (int, error) {
			return 0, fmt.Errorf("unexpected name %q", name)
		}
	}
	for i := range s.selectors {
		if i < len(s.columns) {
			o.Fields = append(o.Fields, i)
		} else {
			o.Times = append(o.Times, i)
		}
	}
	return f.Plan(o)
}

// reading is an input with the way to read it.
type reading struct {
	of     format.Format
	text   []byte
	header bool // the input begins with a header
	sizes  format.SplitOptions
}

// chunk is a chunk of an input.
type chunk struct {
	offset, line int64
	first        int // number of records before it
}

// whole reads a file in one chunk.
func (s *suite) whole(text []byte) reading {
	return reading{of: s.Format, text: text, header: s.Output.Header}
}

// read reads an input.
func (s *suite) read(in reading) (all []record, chunks []chunk, err error) {
	plan, err := s.plan(in.of)
	if err != nil {
		return nil, nil, err
	}
	in.sizes.Bad = func(b format.Bad) error {
		if b.First {
			r := record{Record: format.Record{Offset: b.Offset, Line: b.Line}, line: b.Line}
			r.fault = format.RowFault(errors.New(b.Reason))
			all = append(all, r)
		}
		last := &all[len(all)-1]
		last.rejected = append(last.rejected, b.Piece...)
		return nil
	}
	in.sizes.Size = int64(len(in.text))
	splitter := in.of.Split(bytes.NewReader(in.text[in.sizes.Offset:]), in.sizes)
	if in.header && in.sizes.Line == 0 {
		if _, err := splitter.Header(); err != nil {
			return nil, nil, fmt.Errorf("header: %w", err)
		}
	}
	rows := in.of.NewReader()
	var buffer []byte
	for {
		c, err := splitter.Next(buffer[:0])
		if errors.Is(err, io.EOF) {
			return all, chunks, nil
		}
		if err != nil {
			return nil, nil, err
		}
		buffer = c.Data
		chunks = append(chunks, chunk{c.Offset, c.Line, len(all)})
		rows.Reset(c, plan)
		n := 0
		for ; rows.Next(); n++ {
			all = append(all, s.next(rows))
		}
		if n != c.Records {
			return nil, nil, fmt.Errorf("chunk of %d records has %d", c.Records, n)
		}
	}
}

// next reads a record.
func (s *suite) next(rows format.RowReader) (r record) {
	var v format.Values
	r.fault = rows.AppendRow(&v, &r)
	r.Record = rows.Record()
	r.Raw = bytes.Clone(r.Raw)
	r.rejected = rows.AppendRejected(nil)
	r.line = r.Line
	if r.fault != nil {
		if r.fault.Field >= 0 {
			var text []byte
			r.line, r.column, text = rows.Field(r.fault.Field)
			r.text = string(text)
		}
		r.more = rows.Faults(r.fault, &record{})
		return r
	}
	for _, c := range v.Cells {
		switch {
		case c.State != row.Set:
			r.cells = append(r.cells, nil)
		case c.Bytes == nil:
			r.cells = append(r.cells, []byte{})
		default:
			r.cells = append(r.cells, c.Bytes)
		}
	}
	return r
}

// compare returns what differs between the rows that were written and the records that were read.
func (s *suite) compare(want [][][]byte, got []record) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d records instead of %d", len(got), len(want))
	}
	for i, r := range got {
		if r.fault != nil {
			return fmt.Errorf("record %d: %w", i, r.fault.Err)
		}
		if len(r.cells) != len(s.columns) {
			return fmt.Errorf("record %d: %d cells instead of %d", i, len(r.cells), len(s.columns))
		}
		for c, cell := range r.cells {
			if (cell == nil) != (want[i][c] == nil) || !bytes.Equal(cell, want[i][c]) {
				return fmt.Errorf("record %d: column %q (%s) is %s instead of %s",
					i, s.columns[c].Name, s.columns[c].Type, shown(cell), shown(want[i][c]))
			}
		}
		for c, time := range r.times {
			if text := decimal(want[i][len(s.columns)+c]); text != time {
				return fmt.Errorf("record %d: time %d is %q instead of %q", i, c, time, text)
			}
		}
	}
	if a, b := s.sum(want), s.sum(cellsOf(got)); a != b {
		return fmt.Errorf("sum %s instead of %s", b, a)
	}
	return nil
}

// sum returns the checksum of rows without the times.
func (s *suite) sum(rows [][][]byte) (sum rowsum.Sum) {
	types := make([]*cqltype.Type, len(s.columns))
	for i, c := range s.columns {
		types[i] = c.Type
	}
	h := rowsum.New(types)
	for _, cells := range rows {
		sum = sum.Add(h.Row(cells[:len(types)]))
	}
	return sum
}

func cellsOf(all []record) [][][]byte {
	rows := make([][][]byte, len(all))
	for i, r := range all {
		rows[i] = r.cells
	}
	return rows
}

// shown returns a cell for a message.
func shown(cell []byte) string {
	if cell == nil {
		return "null"
	}
	return fmt.Sprintf("0x%x (%q)", cell[:min(len(cell), 40)], cell[:min(len(cell), 40)])
}
