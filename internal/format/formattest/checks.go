package formattest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// checkTypes checks that values of each type are read as they were written, and sum up to the same.
func (s *suite) checkTypes() error {
	w, _, err := s.write(s.rows, 1)
	if err != nil {
		return err
	}
	got, _, err := s.read(s.whole(w.text))
	if err != nil {
		return err
	}
	return s.compare(s.rows, got)
}

// checkHeader checks the names of the fields.
func (s *suite) checkHeader() error {
	w, _, err := s.write(s.rows, 1)
	if err != nil {
		return err
	}
	var want []string
	if s.Output.Header && !s.Format.Named() {
		for _, c := range s.selectors {
			want = append(want, c.Name)
		}
	}
	if !s.Output.Header && !s.Format.Named() {
		return nil
	}
	got, err := s.Format.Split(bytes.NewReader(w.text), format.SplitOptions{}).Header()
	if err != nil {
		return err
	}
	if !slices.Equal(got.Names, want) {
		return fmt.Errorf("names are %q instead of %q", got.Names, want)
	}
	return nil
}

// checkNoRows checks a file without rows.
func (s *suite) checkNoRows() error {
	w, _, err := s.write(nil, 1)
	if err != nil {
		return err
	}
	got, _, err := s.read(s.whole(w.text))
	if err != nil {
		return err
	}
	return s.compare(nil, got)
}

// sizes are those of chunks: from one record for each up to all in one.
var sizes = []format.SplitOptions{
	{ChunkSize: 1}, {MaxRecords: 1}, {MaxRecords: 2}, {MaxRecords: 3}, {ChunkSize: 100},
	{ChunkSize: 5000}, {ChunkSize: 1 << 20}, {ChunkSize: 1 << 12, MaxRecords: 5},
}

// checkChunks checks that records do not depend on where an input is cut.
func (s *suite) checkChunks() error {
	w, _, err := s.write(s.rows, 1)
	if err != nil {
		return err
	}
	whole, _, err := s.read(s.whole(w.text))
	if err != nil {
		return err
	}
	for _, size := range sizes {
		in := s.whole(w.text)
		in.sizes = size
		got, _, err := s.read(in)
		if err == nil {
			err = s.compare(s.rows, got)
		}
		if err == nil {
			err = samePlaces(whole, got)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", described(size), err)
		}
	}
	return nil
}

// described returns sizes for a message.
func described(o format.SplitOptions) string {
	return fmt.Sprintf("chunks of %d bytes and %d records (0: the default)", o.ChunkSize, o.MaxRecords)
}

// samePlaces compares the places of records.
func samePlaces(want, got []record) error {
	for i := range got {
		a, b := want[i].Record, got[i].Record
		if a.Line != b.Line || a.Offset != b.Offset || !bytes.Equal(a.Raw, b.Raw) {
			return fmt.Errorf("record %d is at line %d, byte %d instead of line %d, byte %d",
				i, b.Line, b.Offset, a.Line, a.Offset)
		}
	}
	return nil
}

// checkResumedChunks checks that the beginning of any chunk is a place to read from.
func (s *suite) checkResumedChunks() error {
	w, _, err := s.write(s.rows, 1)
	if err != nil {
		return err
	}
	in := s.whole(w.text)
	in.sizes.MaxRecords = 2
	whole, chunks, err := s.read(in)
	if err != nil {
		return err
	}
	if len(chunks) < len(s.rows)/2 {
		return fmt.Errorf("%d chunks of 2 records for %d rows", len(chunks), len(s.rows))
	}
	for i, c := range chunks {
		in.sizes.Offset, in.sizes.Line = c.offset, c.line
		got, rest, err := s.read(in)
		if err == nil {
			err = s.compare(s.rows[c.first:], got)
		}
		if err == nil {
			err = samePlaces(whole[c.first:], got)
		}
		if err == nil && len(rest) != len(chunks)-i {
			err = fmt.Errorf("%d chunks instead of %d", len(rest), len(chunks)-i)
		}
		if err != nil {
			return fmt.Errorf("from chunk %d on: %w", i, err)
		}
	}
	return nil
}

// faulty checks that one record, in the place of a row, is rejected with its place, and that all
// others are read.
func (s *suite) faulty(at int, bad []byte) (fault record, err error) {
	w, _, err := s.write(s.rows, 1)
	if err != nil {
		return fault, err
	}
	text := slices.Concat(w.text[:w.ends[at]], bad, w.text[w.ends[at+1]:])
	for _, size := range sizes {
		in := s.whole(text)
		in.sizes = size
		got, _, err := s.read(in)
		if err != nil {
			return fault, fmt.Errorf("%s: %w", described(size), err)
		}
		if len(got) <= at || got[at].fault == nil {
			return fault, fmt.Errorf("%s: the record makes a row", described(size))
		}
		fault = got[at]
		line := 1 + int64(bytes.Count(text[:w.ends[at]], []byte{'\n'}))
		if fault.Offset != int64(w.ends[at]) || fault.Line != line {
			return fault, fmt.Errorf("%s: the record is at line %d, byte %d instead of line %d, byte %d",
				described(size), fault.Line, fault.Offset, line, w.ends[at])
		}
		if string(fault.rejected) != string(bad) {
			return fault, fmt.Errorf("rejected as %q instead of %q", fault.rejected, bad)
		}
		if err := s.compare(slices.Delete(slices.Clone(s.rows), at, at+1),
			slices.Delete(got, at, at+1)); err != nil {
			return fault, fmt.Errorf("%s: besides the record: %w", described(size), err)
		}
	}
	return fault, nil
}

// checkDamaged checks a record that cannot be read, in the place of some rows.
func (s *suite) checkDamaged() error {
	if s.Damaged == nil {
		return nil
	}
	for at := 0; at < len(s.rows); at += 14 {
		if _, err := s.faulty(at, s.Damaged); err != nil {
			return fmt.Errorf("in the place of row %d: %w", at, err)
		}
	}
	return nil
}

// checkBadValue checks a record with two texts that are no values of their columns. The first one
// is the fault, and the other one is found besides.
func (s *suite) checkBadValue() error {
	if s.Damaged == nil {
		return nil
	}
	const at = 3
	column, other := s.columnOf(cqltype.Int), s.columnOf(cqltype.Smallint)
	bad := slices.Clone(s.selectors)
	bad[column].Type = &cqltype.Type{Kind: cqltype.Text}
	bad[other].Type = bad[column].Type
	o, err := s.Format.Output(bad, s.Output)
	if err != nil {
		return err
	}
	cells := slices.Clone(s.rows[at])
	cells[column], cells[other] = []byte("twelve"), []byte("eleven")
	text, err := o.NewEncoder().AppendRow(nil, cells)
	if err != nil {
		return err
	}
	r, err := s.faulty(at, text)
	if err != nil {
		return err
	}
	begin := bytes.LastIndexByte(text[:bytes.Index(text, []byte("twelve"))], '\n') + 1
	rest := string(text[begin+r.column-1:])
	switch {
	case r.fault.Column != column:
		return fmt.Errorf("the fault is of column %d instead of %d", r.fault.Column, column)
	case r.text != "twelve" && r.text != `"twelve"`:
		return fmt.Errorf("the text of the field is %q", r.text)
	case len(rest) < len(r.text) || rest[:len(r.text)] != r.text:
		return fmt.Errorf("the field is not in column %d of its line", r.column)
	case len(r.more) != 1 || r.more[0].Column != other:
		return fmt.Errorf("faults besides the first: %v, instead of one of column %d", r.more, other)
	}
	return nil
}

// columnOf returns the index of the first column of a kind behind the key.
func (s *suite) columnOf(kind cqltype.Kind) int {
	return 1 + slices.IndexFunc(s.columns[1:], func(c schema.Column) bool {
		return c.Type.Kind == kind
	})
}

// checkRejected checks that each record can be read again from the text that a reject has of it.
func (s *suite) checkRejected() error {
	w, _, err := s.write(s.rows, 1)
	if err != nil {
		return err
	}
	all, _, err := s.read(s.whole(w.text))
	if err != nil {
		return err
	}
	var text []byte
	for _, r := range all {
		text = append(text, r.rejected...)
	}
	got, _, err := s.read(reading{of: s.Format.Rejected(), text: text})
	if err != nil {
		return err
	}
	return s.compare(s.rows, got)
}

// checkMarks checks that a file can be cut where a mark may fall, and that new encoders continue
// it. It also checks that rows of several encoders may follow each other.
func (s *suite) checkMarks() error {
	w, o, err := s.write(s.rows, 3)
	if err != nil {
		return err
	}
	got, _, err := s.read(s.whole(w.text))
	if err == nil {
		err = s.compare(s.rows, got)
	}
	if err != nil {
		return fmt.Errorf("rows of three encoders: %w", err)
	}
	if o.Marks() != format.MarkAfterRow {
		return nil
	}
	for at, end := range w.ends {
		text := slices.Clone(w.text[:end])
		encoder := o.NewEncoder()
		for _, cells := range s.rows[at:] {
			if text, err = encoder.AppendRow(text, cells); err != nil {
				return err
			}
		}
		got, _, err := s.read(s.whole(o.AppendEnd(text)))
		if err == nil {
			err = s.compare(s.rows, got)
		}
		if err != nil {
			return fmt.Errorf("a mark after %d rows: %w", at, err)
		}
	}
	return nil
}

// checkMalformed checks that a cell that is no value of its type is refused by name, and that the
// encoder can continue.
func (s *suite) checkMalformed() error {
	o, err := s.Format.Output(s.selectors, s.Output)
	if err != nil {
		return err
	}
	encoder := o.NewEncoder()
	cells := slices.Clone(s.rows[1])
	cells[0] = []byte{1, 2, 3}
	_, err = encoder.AppendRow(nil, cells)
	if err == nil || !strings.Contains(err.Error(), `"k"`) {
		return fmt.Errorf("an int of three bytes: error %w", err)
	}
	after, err := encoder.AppendRow(nil, s.rows[1])
	if err != nil {
		return err
	}
	fresh, err := o.NewEncoder().AppendRow(nil, s.rows[1])
	if err == nil && !bytes.Equal(after, fresh) {
		err = fmt.Errorf("the row behind it is %q instead of %q", after, fresh)
	}
	return err
}

// checkAllocations checks that rows of scalars are written and read without an allocation for each.
func (s *suite) checkAllocations() error {
	simple := &suite{Case: s.Case}
	cells := [][]byte{}
	for i, c := range s.columns {
		kind := c.Type.Kind
		scalar := kind <= cqltype.UUID && kind != cqltype.Decimal
		if v := s.rows[1][i]; v != nil && scalar {
			simple.selectors = append(simple.selectors, s.selectors[i])
			simple.columns = append(simple.columns, c)
			cells = append(cells, v)
		}
	}
	const n = 1000
	w, o, err := simple.write(slices.Repeat([][][]byte{cells}, n), 1)
	if err != nil {
		return err
	}
	encoder := o.NewEncoder()
	var text []byte
	if per := testing.AllocsPerRun(n, func() {
		text, err = encoder.AppendRow(text[:0], cells)
	}); per > 0 || err != nil {
		return fmt.Errorf("AppendRow of the encoder: %v allocations for each row, error %w", per, err)
	}
	plan, err := simple.plan(s.Format)
	if err != nil {
		return err
	}
	splitter := s.Format.Split(bytes.NewReader(w.text[w.ends[0]:]), format.SplitOptions{})
	c, err := splitter.Next(nil)
	if err != nil {
		return err
	}
	rows, v, times := s.Format.NewReader(), &format.Values{}, &record{}
	rows.Reset(c, plan)
	for rows.Next() { // makes the memory large enough
		rows.AppendRow(v, times)
	}
	rows.Reset(c, plan)
	if per := testing.AllocsPerRun(n-2, func() {
		if rows.Next() {
			v.Arena, v.Cells = v.Arena[:0], v.Cells[:0]
			rows.AppendRow(v, times)
			_ = rows.Record()
		}
	}); per > 0 {
		return fmt.Errorf("AppendRow of the reader: %v allocations for each row", per)
	}
	return nil
}
