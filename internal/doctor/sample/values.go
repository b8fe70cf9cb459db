package sample

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// values collects facts about the values of an input's rows.
type values struct {
	fields  ingest.Fields
	table   *schema.Table
	named   bool // fields have names, as in JSON
	file    string
	columns []schema.Column
	watches []watched
	noted   []noted
	words   []worded
	timed   map[string]*timed // by name of each column with timestamps
	stamps  doctor.Stamps
	// the column that is the write time of a statement; empty: none is
	writeTime string
	// members that options name and no object has; nil for delimited text
	unmet map[string]bool
}

func newValues(file string, job *ingest.Job) *values {
	l := &values{
		fields:  job.Fields,
		table:   job.Table,
		named:   job.Format.Named(),
		columns: job.Table.Columns,
		file:    file,
		timed:   make(map[string]*timed),
	}
	l.stamps, l.writeTime = doctor.Stamps{File: file}, job.WriteTime
	for _, c := range l.columns {
		if found := planTimestamps(c.Type); found != nil {
			l.timed[c.Name] = &timed{
				timestamps: found,
				times: doctor.Times{
					Column: c.Name,
					File:   file,
					Unit:   UnitName(job.Fields.TimestampUnit),
				},
			}
		}
	}
	if job.Format.Named() {
		l.unmet = make(map[string]bool)
		for name := range job.Fields.Renamed {
			l.unmet[name] = true
		}
		for _, name := range job.Fields.Skipped {
			l.unmet[name] = true
		}
	}
	return l
}

// watched is a column of dates.
type watched struct {
	of *cqltype.Type // of this column alone
	*doctor.Watch
}

// noted is a column of numbers or of truth values.
type noted struct {
	of *cqltype.Type // of this column alone
	*doctor.Noted
}

// worded is a column of text, whose values may be words for null.
type worded struct {
	of *cqltype.Type // of this column alone
	*doctor.NotedWords
}

// timed is a column with timestamps in its values.
type timed struct {
	*timestamps
	times doctor.Times

	mu    sync.Mutex
	texts map[int64]*given // by timestamp, of values that are one timestamp
}

// given is the text of a timestamp in one row or more.
type given struct {
	text string
	row  bool // a row that was not rejected has it
}

// keep stores the text of a timestamp.
func (t *timed) keep(text, wire []byte) {
	if len(wire) != 8 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil {
		t.texts = make(map[int64]*given)
	}
	if ms := int64(binary.BigEndian.Uint64(wire)); t.texts[ms] == nil {
		t.texts[ms] = &given{text: strings.TrimSpace(string(text))}
	}
}

// text returns the text of a timestamp in a row; empty: it is not known.
func (t *timed) text(ms int64) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.texts[ms]
	if g == nil {
		return ""
	}
	g.row = true
	return g.text
}

// found returns the timestamps of the rows. It counts those of rejected rows once each: a rejected
// row may be read twice to find all its faults.
func (t *timed) found() doctor.Times {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, ms := range slices.Sorted(maps.Keys(t.texts)) {
		if g := t.texts[ms]; !g.row {
			t.times.Note(ms, doctor.NoLine, g.text)
		}
	}
	return t.times
}

// HasDates reports whether the texts of a column are dates.
func HasDates(t *cqltype.Type) bool { return t.Kind == cqltype.Timestamp || t.Kind == cqltype.Date }

// kindOf returns the kind of a column's texts, for the kinds that other programs write in other
// forms.
func kindOf(t *cqltype.Type) doctor.Kind {
	switch t.Kind {
	case cqltype.Boolean:
		return doctor.Truth
	case cqltype.Float, cqltype.Double, cqltype.Decimal:
		return doctor.Number
	case cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Varint,
		cqltype.Counter:
		return doctor.Whole
	}
	return doctor.Other
}

// watch makes the codecs of a job note the texts of the columns: fields, or strings of JSON.
func (l *values) watch(job *ingest.Job) {
	if l.named {
		job.Fields.Strings = l.plan
	} else {
		job.Fields.Codec = l.plan
	}
}

// read returns the codec of a column as the load has it; nil for JSON's own codec of strings.
func (l *values) read(c schema.Column) (format.Codec, error) {
	switch {
	case l.named && l.fields.Strings != nil:
		return l.fields.Strings(c)
	case l.named:
		return nil, nil
	case l.fields.Codec != nil:
		return l.fields.Codec(c)
	default:
		return cqltext.Plan(c.Type)
	}
}

// plan returns the codec of a column. That of a column of dates, numbers or truth values notes
// them.
func (l *values) plan(c schema.Column) (format.Codec, error) {
	t := c.Type
	kind := kindOf(t)
	codec, err := l.read(c)
	worded, text := l.word(t)
	if l.fields.Patterned != nil && l.fields.Patterned(c.Name) {
		return codec, err
	}
	if err != nil || kind == doctor.Other && !HasDates(t) && !text {
		return codec, err
	}
	if codec == nil {
		codec, err = format.JSON{}.StringCodec(t, l.fields.TimestampUnit)
		if err != nil {
			return nil, err
		}
	}
	noting := noticing{Codec: codec}
	switch {
	case text:
		noting.note = worded.Note
	case HasDates(t):
		w := watched{t, new(doctor.Watch)}
		l.watches = append(l.watches, w)
		noting.note, noting.keep = w.Note, l.keeper(t)
	default:
		n := noted{t, doctor.NewNoted(kind)}
		l.noted = append(l.noted, n)
		noting.note = n.Note
	}
	if _, ok := codec.(interface{ TakesEmpty() }); ok {
		return noticingEmpty{noting}, nil
	}
	if own, ok := codec.(interface{ IsNull(text []byte) bool }); ok {
		return noticingNull{noting, own.IsNull}, nil
	}
	return noting, nil
}

// word adds a column of text to those whose words for null are noted. It returns false for other
// columns, and for JSON, where a string in a column of text is never null.
func (l *values) word(t *cqltype.Type) (worded, bool) {
	if l.named || !cqltext.TextLike(t) {
		return worded{}, false
	}
	w := worded{t, new(doctor.NotedWords)}
	l.words = append(l.words, w)
	return w, true
}

// keeper returns the function that keeps the texts of a column of timestamps; nil for other
// columns.
func (l *values) keeper(t *cqltype.Type) func(text, wire []byte) {
	for _, c := range l.columns {
		if c.Type == t && t.Kind == cqltype.Timestamp {
			return l.timed[c.Name].keep
		}
	}
	return nil
}

// noticing is a codec that notes the texts.
type noticing struct {
	format.Codec
	note func(text []byte, taken bool)
	keep func(text, wire []byte) // called with valid texts; may be nil
}

func (n noticing) AppendWire(dst, text []byte) ([]byte, error) {
	mark := len(dst)
	dst, err := n.Codec.AppendWire(dst, text)
	n.note(text, err == nil)
	if err == nil && n.keep != nil {
		n.keep(text, dst[mark:])
	}
	return dst, err
}

// noticingNull is a noticing codec with its own rule for null.
type noticingNull struct {
	noticing
	isNull func(text []byte) bool
}

// noticingEmpty is noticing for a codec that takes an empty field in quotes for a value.
type noticingEmpty struct{ noticing }

// TakesEmpty says so.
func (noticingEmpty) TakesEmpty() {}

func (n noticingNull) IsNull(text []byte) bool { return n.isNull(text) }

// row notes the timestamps of a row, and the members of its object.
func (l *values) row(columns []schema.Column, r *write.Row) {
	for i, c := range columns {
		if t := l.timed[c.Name]; t != nil && r.Cells[i].State == row.Set {
			t.note(r.Cells[i].Bytes, &t.times, r.Line, t.text)
		}
		if c.Name == l.writeTime && len(r.Cells[i].Bytes) == 8 {
			l.stamps.Note(int64(binary.BigEndian.Uint64(r.Cells[i].Bytes)), r.Line)
		}
	}
	l.noteStamps(r)
	if len(l.unmet) == 0 {
		return
	}
	maps.DeleteFunc(l.unmet, func(name string, _ bool) bool {
		return hasMember(r.Raw, name, l.fields.Inside(l.table, name))
	})
}

// hasMember reports whether an object has a member of that name. A member inside of an object has
// the object's name and a dot before its own; inside counts such members.
func hasMember(object []byte, name string, inside bool) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return false
	}
	if _, has := members[name]; has {
		return true
	}
	for member, value := range members {
		within, of := strings.CutPrefix(name, member+".")
		if inside && of && hasMember(value, within, true) {
			return true
		}
	}
	return false
}

// noteStamps counts the write times that fields of the row set.
func (l *values) noteStamps(r *write.Row) {
	if r.Timestamp != r.Stamp {
		l.stamps.Note(r.Timestamp, r.Line)
	}
	for _, more := range r.More {
		if more.Timestamp != r.Stamp {
			l.stamps.Note(more.Timestamp, r.Line)
		}
	}
}

// UnitName returns the name of a unit of timestamps for --timestamp-unit.
func UnitName(unit time.Duration) string {
	for _, name := range spec.TimestampUnits {
		if d, _ := (&spec.Dialect{TimestampUnit: name}).Unit(); d == unit {
			return name
		}
	}
	return ""
}

// StringOf returns the text of a JSON string. It returns false for any other value.
func StringOf(value string) (text string, ok bool) {
	ok = json.Unmarshal([]byte(value), &text) == nil && value != "null"
	return text, ok
}

// found adds the facts to a sample, in the order of the table's columns.
func (l *values) found(s *doctor.Sample) {
	for _, c := range l.columns {
		for _, w := range l.watches {
			if w.of != c.Type {
				continue
			}
			if d, some := w.Dates(c.Name); some {
				d.OfDate, d.File = c.Type.Kind == cqltype.Date, l.file
				s.Dates = append(s.Dates, d)
			}
		}
		for _, n := range l.noted {
			if n.of != c.Type {
				continue // Values costs much where a table has thousands of columns
			}
			if v, some := n.Values(c.Name); some {
				s.Values = append(s.Values, v)
			}
		}
		for _, w := range l.words {
			if w.of == c.Type {
				s.Words = append(s.Words, w.Uses(c.Name, c.IsKey())...)
			}
		}
		if t := l.timed[c.Name]; t != nil {
			s.RowTimes = append(s.RowTimes, t.times)
			s.Times = append(s.Times, t.found())
		}
	}
	s.Stamps = l.stamps
	s.Unmet = slices.Sorted(maps.Keys(l.unmet))
}
