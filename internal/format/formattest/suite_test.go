package formattest

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// broken is CSV with parts that are exchanged; nil: CSV's own.
type broken struct {
	format.Delimited
	splitter func(in io.Reader, o format.SplitOptions) format.Splitter
	reader   func(r format.RowReader) format.RowReader
	output   func(o format.Output) format.Output
}

func (b broken) Split(in io.Reader, o format.SplitOptions) format.Splitter {
	if b.splitter == nil {
		return b.Delimited.Split(in, o)
	}
	return b.splitter(in, o)
}

func (b broken) NewReader() format.RowReader {
	if b.reader == nil {
		return b.Delimited.NewReader()
	}
	return b.reader(b.Delimited.NewReader())
}

func (b broken) Output(c []schema.Selector, o format.OutputOptions) (format.Output, error) {
	out, err := b.Delimited.Output(c, o)
	if err == nil && b.output != nil {
		out = b.output(out)
	}
	return out, err
}

// rowReader is a reader with parts that are exchanged.
type rowReader struct {
	format.RowReader
	left      int
	next      func(r *rowReader) bool
	appendRow func(r *rowReader, v *format.Values, t format.Times) *format.Fault
	rejected  func(raw []byte) []byte
}

func (r *rowReader) Reset(c format.Chunk, p format.Plan) {
	r.left = c.Records
	r.RowReader.Reset(c, p)
}

func (r *rowReader) Next() bool {
	if r.next == nil {
		return r.RowReader.Next()
	}
	return r.next(r)
}

func (r *rowReader) AppendRow(v *format.Values, t format.Times) *format.Fault {
	if r.appendRow == nil {
		return r.RowReader.AppendRow(v, t)
	}
	return r.appendRow(r, v, t)
}

func (r *rowReader) AppendRejected(dst []byte) []byte {
	if r.rejected == nil {
		return r.RowReader.AppendRejected(dst)
	}
	return append(dst, r.rejected(r.RowReader.AppendRejected(nil))...)
}

// readers returns a function that makes such readers.
func readers(parts rowReader) func(format.RowReader) format.RowReader {
	return func(r format.RowReader) format.RowReader {
		of := parts
		of.RowReader = r
		return &of
	}
}

// losesLast loses the last record of each chunk.
func losesLast(r *rowReader) bool {
	r.left--
	return r.left > 0 && r.RowReader.Next()
}

// endsAtFault takes a damaged record for the end.
func endsAtFault(r *rowReader, v *format.Values, t format.Times) *format.Fault {
	fault := r.RowReader.AppendRow(v, t)
	if fault != nil {
		r.next = func(*rowReader) bool { return false }
	}
	return fault
}

// losesFaults forgets which column a fault is of.
func losesFaults(r *rowReader, v *format.Values, t format.Times) *format.Fault {
	fault := r.RowReader.AppendRow(v, t)
	if fault != nil {
		fault.Column, fault.Time = -1, -1
	}
	return fault
}

// swapsNull takes null for an empty value, and an empty one for null.
func swapsNull(r *rowReader, v *format.Values, t format.Times) *format.Fault {
	from := len(v.Cells)
	fault := r.RowReader.AppendRow(v, t)
	for i := range v.Cells[from:] {
		switch c := &v.Cells[from+i]; {
		case c.State != row.Set:
			*c = row.Cell{Bytes: []byte{}, State: row.Set}
		case len(c.Bytes) == 0:
			*c = row.Cell{}
		}
	}
	return fault
}

// allocates allocates for each row.
func allocates(r *rowReader, v *format.Values, t format.Times) *format.Fault {
	r.rejected = bytes.Clone // a function value that escapes
	sink = make([]byte, 100)
	return r.RowReader.AppendRow(v, t)
}

var sink []byte

// lineSplitter cuts at each line end, those in quotes as well.
type lineSplitter struct {
	format.Splitter
	in     []byte
	offset int64
	line   int64
	header bool
}

func splitsLines(in io.Reader, o format.SplitOptions) format.Splitter {
	text, err := io.ReadAll(in)
	return &lineSplitter{
		Splitter: format.CSV.Split(bytes.NewReader(text), o),
		in:       text, offset: o.Offset, line: max(o.Line, 1), header: err == nil,
	}
}

func (s *lineSplitter) Header() (format.Header, error) {
	h, err := s.Splitter.Header()
	s.in, s.offset = s.in[len(h.Raw):], s.offset+int64(len(h.Raw))
	s.line += int64(bytes.Count(h.Raw, []byte{'\n'}))
	return h, err
}

func (s *lineSplitter) Next([]byte) (format.Chunk, error) {
	if len(s.in) == 0 {
		return format.Chunk{}, io.EOF
	}
	end := bytes.IndexByte(s.in, '\n') + 1
	c := format.Chunk{Data: s.in[:end], Offset: s.offset, Line: s.line, Records: 1}
	s.in, s.offset, s.line = s.in[end:], s.offset+int64(end), s.line+1
	return c, nil
}

// forgetsPlace is a splitter that counts offsets and lines from where it begins to read.
func forgetsPlace(in io.Reader, o format.SplitOptions) format.Splitter {
	o.Offset = 0
	return format.CSV.Split(in, o)
}

// refusesDamage is a splitter that ends at a record that does not end.
func refusesDamage(in io.Reader, o format.SplitOptions) format.Splitter {
	o.Bad = func(format.Bad) error { return errors.New("damaged") }
	return format.CSV.Split(in, o)
}

// output is an output with parts that are exchanged.
type output struct {
	format.Output
	begin   func(text []byte) []byte
	encoder func(e format.Encoder) format.Encoder
	end     string
}

func (o output) AppendBegin(dst []byte) []byte {
	if o.begin == nil {
		return o.Output.AppendBegin(dst)
	}
	return append(dst, o.begin(o.Output.AppendBegin(nil))...)
}

func (o output) NewEncoder() format.Encoder {
	if o.encoder == nil {
		return o.Output.NewEncoder()
	}
	return o.encoder(o.Output.NewEncoder())
}

func (o output) AppendEnd(dst []byte) []byte { return append(dst, o.end...) }

// encoder is an encoder that changes rows.
type encoder struct {
	format.Encoder
	text func(text []byte) []byte
}

func (e *encoder) AppendRow(dst []byte, cells [][]byte) ([]byte, error) {
	text, err := e.Encoder.AppendRow(nil, cells)
	return append(dst, e.text(text)...), err
}

// separates writes the line end before each row but its first.
func separates(e format.Encoder) format.Encoder {
	first := true
	return &encoder{Encoder: e, text: func(text []byte) []byte {
		text = bytes.TrimSuffix(text, []byte{'\n'})
		if first {
			first = false
			return text
		}
		return append([]byte{'\n'}, text...)
	}}
}

// quotesNull writes null as an empty text.
func quotesNull(e format.Encoder) format.Encoder {
	return &encoder{Encoder: e, text: func(text []byte) []byte {
		return bytes.ReplaceAll(text, []byte(",,"), []byte(`,"",`))
	}}
}

// TestSuiteFindsFaults runs the suite for formats with one fault each. The words are those of the
// part that has to find it.
func TestSuiteFindsFaults(t *testing.T) {
	outputs := func(parts output) func(format.Output) format.Output {
		return func(o format.Output) format.Output {
			of := parts
			of.Output = o
			return of
		}
	}
	for name, c := range map[string]struct {
		format broken
		want   string
	}{
		"none": {},
		"loses the last record": {
			broken{reader: readers(rowReader{next: losesLast})}, "types: chunk of",
		},
		"stops at a damaged record": {
			broken{reader: readers(rowReader{appendRow: endsAtFault})}, "damaged record: ",
		},
		"splits at line ends in quotes": {broken{splitter: splitsLines}, "chunks: "},
		"forgets the place of a chunk":  {broken{splitter: forgetsPlace}, "resumed chunks: "},
		"swaps null and empty": {
			broken{reader: readers(rowReader{appendRow: swapsNull})}, "types: record 0: ",
		},
		"forgets the column of a fault": {
			broken{reader: readers(rowReader{appendRow: losesFaults})}, "bad value: ",
		},
		"allocates": {
			broken{reader: readers(rowReader{appendRow: allocates})}, "allocations: ",
		},
		"rejects other bytes": {
			broken{reader: readers(rowReader{rejected: bytes.ToUpper})}, "rejected records: ",
		},
		"writes null as empty": {
			broken{output: outputs(output{encoder: quotesNull})}, "types: record",
		},
		"has no mark after a row": {
			broken{output: outputs(output{encoder: separates, end: "\n"})}, "marks: ",
		},
		"changes names": {
			broken{output: outputs(output{begin: bytes.ToUpper})}, "header: ",
		},
		"ends with a row": {
			broken{output: outputs(output{end: "the end\n"})}, "no rows: ",
		},
		"panics": {broken{reader: func(format.RowReader) format.RowReader { return nil }}, "panic"},
	} {
		t.Run(name, func(t *testing.T) {
			c.format.Delimited = format.CSV
			err := Check(Case{
				Format:  c.format,
				Output:  format.OutputOptions{Header: true},
				Damaged: []byte("\"1\"x,2\n"),
			})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
		})
	}
	t.Run("refuses damage", func(t *testing.T) {
		err := Check(Case{
			Format:  broken{Delimited: format.CSV, splitter: refusesDamage},
			Damaged: []byte("\"never closed\n"),
		})
		require.ErrorContains(t, err, "damaged")
	})
}
