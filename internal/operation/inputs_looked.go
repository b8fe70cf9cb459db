package operation

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// lookedAt is what is noted of the values of an input besides that they fit.
type lookedAt struct {
	fields  ingest.Fields
	json    bool
	file    string
	columns []schema.Column
	watches []watched
	noted   []noted
	words   []worded
	timed   map[string]*timed // by column; those without timestamps are not in it
	stamps  doctor.Stamps
	// names of members that the user gave and no object had; nil: of delimited text
	unmet map[string]bool
}

func newLookedAt(file string, job *ingest.Job) *lookedAt {
	l := &lookedAt{
		fields:  job.Fields,
		json:    job.JSON,
		columns: job.Table.Columns,
		file:    file,
		timed:   make(map[string]*timed),
	}
	l.stamps = doctor.Stamps{File: file}
	for _, c := range l.columns {
		if found := planTimestamps(c.Type); found != nil {
			l.timed[c.Name] = &timed{
				timestamps: found,
				times: doctor.Times{
					Column: c.Name,
					File:   file,
					Unit:   unitName(job.Fields.TimestampUnit),
				},
			}
		}
	}
	if job.JSON {
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
	of *cqltype.Type // which is the column's alone
	*doctor.Watch
}

// noted is a column of numbers or of truth values.
type noted struct {
	of *cqltype.Type // which is the column's alone
	*doctor.Noted
}

// worded is a column of text, in which words for null may be values.
type worded struct {
	of *cqltype.Type // which is the column's alone
	*doctor.NotedWords
}

// timed is a column with timestamps in its values.
type timed struct {
	*timestamps
	times doctor.Times

	mu    sync.Mutex
	texts map[int64]*given // of values that are one timestamp, by that
}

// given is how a timestamp was given, in one row or more.
type given struct {
	text string
	row  bool // a row was made with it
}

// keep notes what text a timestamp had.
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

// found are the timestamps of the rows, and those of rows that were rejected for something else,
// each time once: a row may be read twice to find all that is wrong with it.
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

// hasDates says whether texts of a column stand for days.
func hasDates(t *cqltype.Type) bool { return t.Kind == cqltype.Timestamp || t.Kind == cqltype.Date }

// kindOf says what the texts of a column stand for, of those that other programs write in other
// ways.
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

// watch has the codecs of a job note the texts of the input's columns: its fields, or in JSON its
// strings.
func (l *lookedAt) watch(job *ingest.Job) {
	if l.json {
		job.Fields.Strings = l.plan
	} else {
		job.Fields.Codec = l.plan
	}
}

// read is the codec of a column, as the load has it; nil: JSON's own, of strings.
func (l *lookedAt) read(t *cqltype.Type) (ingest.Codec, error) {
	switch {
	case l.json && l.fields.Strings != nil:
		return l.fields.Strings(t)
	case l.json:
		return nil, nil
	case l.fields.Codec != nil:
		return l.fields.Codec(t)
	default:
		return cqltext.Plan(t)
	}
}

// quoted reads a text as the decoder of JSON reads a string that has it.
type quoted struct{ cqljson.Decoder }

func (q quoted) AppendWire(dst, text []byte) ([]byte, error) {
	return q.Decoder.AppendWire(dst, cqljson.AppendString(nil, text))
}

// plan is the codec of a column; that of one with dates, numbers or truth values notes them.
func (l *lookedAt) plan(t *cqltype.Type) (ingest.Codec, error) {
	kind := kindOf(t)
	codec, err := l.read(t)
	worded, text := l.word(t)
	if err != nil || kind == doctor.Other && !hasDates(t) && !text {
		return codec, err
	}
	if codec == nil {
		decoder, err := cqljson.PlanDecoderIn(t, cmp.Or(l.fields.TimestampUnit, time.Millisecond))
		if err != nil {
			return nil, err
		}
		codec = quoted{decoder}
	}
	noting := noticing{Codec: codec}
	switch {
	case text:
		noting.note = worded.Note
	case hasDates(t):
		w := watched{t, new(doctor.Watch)}
		l.watches = append(l.watches, w)
		noting.note, noting.keep = w.Note, l.keeper(t)
	default:
		n := noted{t, doctor.NewNoted(kind)}
		l.noted = append(l.noted, n)
		noting.note = n.Note
	}
	if own, ok := codec.(interface{ IsNull(text []byte) bool }); ok {
		return noticingNull{noting, own.IsNull}, nil
	}
	return noting, nil
}

// word begins to note words for null in a column of delimited text; false: the column holds no
// text. In JSON a string in a column of text is never null.
func (l *lookedAt) word(t *cqltype.Type) (worded, bool) {
	if l.json || !cqltext.TextLike(t) {
		return worded{}, false
	}
	w := worded{t, new(doctor.NotedWords)}
	l.words = append(l.words, w)
	return w, true
}

// keeper returns what keeps the texts of a column of timestamps; nil for others.
func (l *lookedAt) keeper(t *cqltype.Type) func(text, wire []byte) {
	for _, c := range l.columns {
		if c.Type == t && t.Kind == cqltype.Timestamp {
			return l.timed[c.Name].keep
		}
	}
	return nil
}

// noticing is a codec whose texts are noted.
type noticing struct {
	ingest.Codec
	note func(text []byte, taken bool)
	keep func(text, wire []byte) // takes those that were taken; nil: nothing does
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

// noticingNull is one that has a rule of its own for null.
type noticingNull struct {
	noticing
	isNull func(text []byte) bool
}

func (n noticingNull) IsNull(text []byte) bool { return n.isNull(text) }

// row notes the timestamps of a row, and the names of an object's members.
func (l *lookedAt) row(columns []schema.Column, r *write.Row) {
	for i, c := range columns {
		if t := l.timed[c.Name]; t != nil && r.Cells[i].State == row.Set {
			t.note(r.Cells[i].Bytes, &t.times, r.Line, t.text)
		}
	}
	l.noteStamps(r)
	if len(l.unmet) == 0 {
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &members) == nil {
		maps.DeleteFunc(
			l.unmet,
			func(name string, _ bool) bool { _, met := members[name]; return met },
		)
	}
}

// noteStamps counts the write times that a row gives its columns: other than by its place in the
// input.
func (l *lookedAt) noteStamps(r *write.Row) {
	if r.Timestamp != r.Stamp {
		l.stamps.Note(r.Timestamp, r.Line)
	}
	for _, more := range r.More {
		if more.Timestamp != r.Stamp {
			l.stamps.Note(more.Timestamp, r.Line)
		}
	}
}

// unitName is the name of a unit of timestamps, as --timestamp-unit has it.
func unitName(unit time.Duration) string {
	for _, name := range spec.TimestampUnits {
		if d, _ := (&spec.Dialect{TimestampUnit: name}).Unit(); d == unit {
			return name
		}
	}
	return ""
}

// stringOf returns the text of a JSON string; false: the value is none.
func stringOf(value string) (text string, ok bool) {
	ok = json.Unmarshal([]byte(value), &text) == nil && value != "null"
	return text, ok
}

// found adds to a sample what was noted, in the order of the table's columns.
func (l *lookedAt) found(s *doctor.Sample) {
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
