package sample

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// mostOrdered is the largest number of columns for which the order of fields is judged.
const mostOrdered = 200

// orderJudge finds which columns accept which fields of an input without names.
type orderJudge struct {
	columns []schema.Column
	codecs  []format.Codec
	nulls   []string
	scratch []byte

	values []int       // by field: values that are not null
	first  []string    // by field: the first of them
	fits   [][]bool    // by field and column: all values may be of the column
	took   []int       // by column: values of its own field that it accepts, in some form
	mates  map[int]int // by column: its field, in the order that is being searched
}

// orderOf judges the order of fields in the first text of an input.
func orderOf(
	head []byte,
	job *ingest.Job,
	plan func(schema.Column) (format.Codec, error),
) (o doctor.Order) {
	if job.Format.Named() || job.Header && len(job.Columns) == 0 ||
		len(job.Fields.Renamed)+len(job.Fields.Skipped) > 0 {
		return o // fields have names
	}
	o.Columns, o.Listed = job.Columns, len(job.Columns) > 0
	if !o.Listed {
		o.Columns = job.Table.Names()
	}
	p, known := newOrderJudge(o.Columns, job, plan)
	if !known {
		return doctor.Order{}
	}
	for i, rec := range headRecords(head, job) {
		switch {
		case rec.Err != nil || len(rec.Fields) != len(p.columns):
		case i > 0:
			p.note(rec)
		case job.Header:
		case isHeader(rec, job.Table):
			o.Header = strings.TrimRight(string(rec.Raw), "\r\n")
		default:
			p.note(rec)
		}
	}
	for i := range p.columns {
		if p.values[i] > 0 && p.took[i] == 0 && o.Column == "" {
			o.Column, o.Value = p.columns[i].Name, p.first[i]
		}
	}
	if o.Column == "" {
		return o
	}
	var order []string
	if order, o.Other = p.order(); o.Other && p.only() {
		o.Only = order
	}
	return o
}

// headRecords returns the complete records of an input's first text, at most Rows.
func headRecords(head []byte, job *ingest.Job) []format.TextRecord {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if len(head) >= sampledHead-len("\xef\xbb\xbf") {
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	head = job.WithoutSkipped(head)
	return format.Delimited{Format: format.Delimiters(job.Format)}.Records(head, Rows)
}

// isHeader reports whether all fields of a record are names of columns.
func isHeader(rec format.TextRecord, t *schema.Table) bool {
	return !slices.ContainsFunc(rec.Fields, func(f format.TextField) bool {
		_, err := t.Select(string(f.Text))
		return err != nil
	})
}

func newOrderJudge(
	names []string,
	job *ingest.Job,
	plan func(schema.Column) (format.Codec, error),
) (p *orderJudge, known bool) {
	if len(names) > mostOrdered {
		return nil, false
	}
	p = &orderJudge{
		nulls:  job.Nulls,
		values: make([]int, len(names)),
		first:  make([]string, len(names)),
		took:   make([]int, len(names)),
	}
	for _, name := range names {
		s, err := job.Table.Select(name)
		if err != nil || !s.Plain {
			return nil, false
		}
		codec, err := plan(s.Column)
		if err != nil {
			return nil, false
		}
		p.columns, p.codecs = append(p.columns, s.Column), append(p.codecs, codec)
	}
	for range names {
		p.fits = append(p.fits, slices.Repeat([]bool{true}, len(names)))
	}
	return p, true
}

// note judges the fields of a record.
func (p *orderJudge) note(rec format.TextRecord) {
	for field := range rec.Fields {
		text := rec.Fields[field].Text
		if len(text) == 0 || slices.Contains(p.nulls, string(text)) ||
			doctor.NullWord(string(text)) != "" {
			continue
		}
		if p.values[field]++; p.values[field] == 1 {
			p.first[field] = string(text)
		}
		for column := range p.columns {
			if column != field && !p.fits[field][column] {
				continue
			}
			takes, likely := p.takes(column, text)
			p.fits[field][column] = p.fits[field][column] && likely
			if column == field && takes {
				p.took[column]++
			}
		}
	}
}

// takes reports whether a column accepts a text, or would in another form, and whether the text is
// likely meant for it.
func (p *orderJudge) takes(column int, text []byte) (takes, likely bool) {
	t := p.columns[column].Type
	if cqltext.TextLike(t) {
		return true, true
	}
	var err error
	p.scratch, err = p.codecs[column].AppendWire(p.scratch[:0], text)
	form := strings.TrimSpace(string(text))
	switch takes = err == nil; {
	case HasDates(t):
		time := doctor.LooksLikeTime(form, t.Kind == cqltype.Date)
		return takes || time, time
	case takes:
	case kindOf(t) == doctor.Truth:
		takes = doctor.LooksLikeTruth(form)
	case kindOf(t) != doctor.Other:
		takes = doctor.LooksLikeNumber(form)
	}
	return takes, takes
}

// order returns an order of the columns in which each accepts its field; false if there is none.
func (p *orderJudge) order() (names []string, found bool) {
	p.mates = make(map[int]int)
	for field := range p.fits {
		if !p.place(field, make([]bool, len(p.columns))) {
			return nil, false
		}
	}
	names = make([]string, len(p.columns))
	for column, field := range p.mates {
		names[field] = p.columns[column].Name
	}
	return names, true
}

// place finds a column for a field, and other columns for fields that have to move: it searches an
// augmenting path.
func (p *orderJudge) place(field int, tried []bool) bool {
	for column, fits := range p.fits[field] {
		if !fits || tried[column] {
			continue
		}
		tried[column] = true
		if other, taken := p.mates[column]; !taken || p.place(other, tried) {
			p.mates[column] = field
			return true
		}
	}
	return false
}

// only reports whether the order that was found is the only one: there is none without any one of
// its pairs.
func (p *orderJudge) only() bool {
	for column, field := range p.mates {
		q := &orderJudge{columns: p.columns, fits: make([][]bool, len(p.fits))}
		for i := range p.fits {
			q.fits[i] = slices.Clone(p.fits[i])
		}
		q.fits[field][column] = false
		if _, found := q.order(); found {
			return false
		}
	}
	return true
}
