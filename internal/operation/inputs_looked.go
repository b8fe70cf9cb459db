package operation

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/target"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// lookedAt is what is noted of the values of an input besides that they fit.
type lookedAt struct {
	file    string
	codec   func(*cqltype.Type) (ingest.Codec, error) // nil: that of cqltext
	columns []schema.Column
	watches []*watched
	times   map[string]*doctor.Times
	unmet   map[string]bool // names of members that the user gave and no object had; nil: of delimited text
}

func newLookedAt(file string, job *ingest.Job) *lookedAt {
	l := &lookedAt{file: file, codec: job.Fields.Codec, columns: job.Table.Columns, times: make(map[string]*doctor.Times)}
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

// watched is a column whose texts are noted.
type watched struct {
	of      *cqltype.Type       // which is the column's alone
	dates   doctor.Watch        // of a column of dates
	numbers *doctor.NumberWatch // of a column of numbers; nil: it is one of dates
}

func (w *watched) note(text []byte, taken bool) {
	switch {
	case w.numbers == nil:
		w.dates.Note(text, taken)
	case !taken:
		w.numbers.Note(text)
	}
}

// watch begins to watch a column of dates or numbers; nil: it has neither.
func (l *lookedAt) watch(t *cqltype.Type) *watched {
	w := &watched{of: t}
	switch {
	case isNumber(t):
		w.numbers = new(doctor.NumberWatch)
	case !hasDates(t):
		return nil
	}
	l.watches = append(l.watches, w)
	return w
}

// hasDates says whether texts of a column stand for days.
func hasDates(t *cqltype.Type) bool { return t.Kind == cqltype.Timestamp || t.Kind == cqltype.Date }

// isNumber says whether texts of a column stand for numbers.
func isNumber(t *cqltype.Type) bool {
	switch t.Kind {
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Counter, cqltype.Varint, cqltype.Decimal, cqltype.Float, cqltype.Double:
		return true
	default:
		return false
	}
}

// plan is the codec of a column; that of one with dates or numbers notes them.
func (l *lookedAt) plan(t *cqltype.Type) (codec ingest.Codec, err error) {
	if l.codec != nil {
		codec, err = l.codec(t)
	} else {
		codec, err = cqltext.Plan(t)
	}
	if err != nil {
		return codec, err
	}
	w := l.watch(t)
	if w == nil {
		return codec, nil
	}
	noting := noticing{codec, w}
	if own, ok := codec.(interface{ IsNull(text []byte) bool }); ok {
		return noticingNull{noting, own.IsNull}, nil
	}
	return noting, nil
}

// noticing is a codec whose texts are noted.
type noticing struct {
	ingest.Codec
	watch *watched
}

func (n noticing) AppendWire(dst, text []byte) ([]byte, error) {
	dst, err := n.Codec.AppendWire(dst, text)
	n.watch.note(text, err == nil)
	return dst, err
}

// noticingNull is one that has a rule of its own for null.
type noticingNull struct {
	noticing
	isNull func(text []byte) bool
}

func (n noticingNull) IsNull(text []byte) bool { return n.isNull(text) }

// rejects notes the dates in values of JSON that were not taken: none that begins with a day or a month is.
func (l *lookedAt) rejects(rejects []ingest.Reject) {
	for _, r := range rejects {
		at := slices.IndexFunc(l.columns, func(c schema.Column) bool { return c.Name == r.Column && hasDates(c.Type) })
		if at < 0 {
			continue
		}
		i := slices.IndexFunc(l.watches, func(w *watched) bool { return w.of == l.columns[at].Type })
		if i < 0 {
			i = len(l.watches)
			l.watch(l.columns[at].Type)
		}
		l.watches[i].note([]byte(strings.Trim(r.Value, `"`)), false)
	}
}

// row notes the timestamps of a row, and the names of an object's members.
func (l *lookedAt) row(columns []schema.Column, r *target.Row) {
	for i, c := range columns {
		cell := r.Cells[i]
		if c.Type.Kind != cqltype.Timestamp || cell.State != row.Set || len(cell.Bytes) != 8 {
			continue
		}
		if l.times[c.Name] == nil {
			l.times[c.Name] = &doctor.Times{Column: c.Name, File: l.file}
		}
		l.times[c.Name].Note(int64(binary.BigEndian.Uint64(cell.Bytes)), r.Line)
	}
	if len(l.unmet) == 0 {
		return
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(r.Raw, &members) == nil {
		maps.DeleteFunc(l.unmet, func(name string, _ bool) bool { _, met := members[name]; return met })
	}
}

// found adds to a sample what was noted, in the order of the table's columns.
func (l *lookedAt) found(s *doctor.Sample) {
	for _, c := range l.columns {
		for _, w := range l.watches {
			if w.of != c.Type {
				continue
			}
			if w.numbers != nil {
				if n, some := w.numbers.Numbers(c.Name); some {
					s.Numbers = append(s.Numbers, n)
				}
			} else if d, some := w.dates.Dates(c.Name); some {
				s.Dates = append(s.Dates, d)
			}
		}
		if t := l.times[c.Name]; t != nil {
			s.Times = append(s.Times, *t)
		}
	}
	s.Unmet = slices.Sorted(maps.Keys(l.unmet))
}
