package format

import (
	"io"

	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Delimited is delimited text, such as CSV. Its records have fields in an order.
type Delimited struct{ dsv.Format }

// CSV is delimited text according to RFC 4180: with commas and double quotes.
var CSV = Delimited{dsv.DefaultFormat}

// Named implements Format.
func (Delimited) Named() bool { return false }

// Rejected implements Format.
func (d Delimited) Rejected() Format { return d }

// Split implements Format. It panics if the delimiters are not valid.
func (d Delimited) Split(in io.Reader, o SplitOptions) Splitter {
	return delimitedSplitter{dsv.NewSplitter(in, d.Format, o)}
}

// delimitedSplitter makes a Splitter of one of delimited text.
type delimitedSplitter struct{ *dsv.Splitter }

func (s delimitedSplitter) Header() (Header, error) {
	line, err := s.Splitter.Header()
	return HeaderOf(line), err
}

// HeaderOf returns a record of delimited text as a header. It keeps the bytes of the record.
func HeaderOf(line TextRecord) Header {
	h := Header{Raw: line.Raw}
	if len(line.Fields) > 0 {
		h.Names = make([]string, len(line.Fields))
	}
	for i, field := range line.Fields {
		h.Names[i] = string(field.Text)
	}
	return h
}

// TextRecord is a record of delimited text with the texts of its fields, for guesses about text
// that does not fit.
type TextRecord = dsv.Record

// TextField is a field of a TextRecord.
type TextField = dsv.Field

// TextFormat is what separates and quotes the fields of delimited text.
type TextFormat = dsv.Format

// Records returns the records of a text, at most the given number; 0: all. The records own their
// fields, and share the bytes of the text.
func (d Delimited) Records(text []byte, most int) (all []TextRecord) {
	p := dsv.NewParser(d.Format)
	p.Reset(dsv.Chunk{Data: text, Line: 1})
	for (most == 0 || len(all) < most) && p.Next() {
		rec := p.Record()
		rec.OwnFields()
		all = append(all, rec)
	}
	return all
}
