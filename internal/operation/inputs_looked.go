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
	watches []watched
	noted   []noted
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

// hasDates says whether texts of a column stand for days.
func hasDates(t *cqltype.Type) bool { return t.Kind == cqltype.Timestamp || t.Kind == cqltype.Date }

// kindOf says what the texts of a column stand for, of those that other programs write in other ways.
func kindOf(t *cqltype.Type) doctor.Kind {
	switch t.Kind {
	case cqltype.Boolean:
		return doctor.Truth
	case cqltype.Float, cqltype.Double, cqltype.Decimal:
		return doctor.Number
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Varint, cqltype.Counter:
		return doctor.Whole
	}
	return doctor.Other
}

// plan is the codec of a column; that of one with dates, numbers or truth values notes them.
func (l *lookedAt) plan(t *cqltype.Type) (codec ingest.Codec, err error) {
	if l.codec != nil {
		codec, err = l.codec(t)
	} else {
		codec, err = cqltext.Plan(t)
	}
	if err != nil {
		return codec, err
	}
	noting := noticing{Codec: codec}
	if kind := kindOf(t); hasDates(t) {
		w := watched{t, new(doctor.Watch)}
		l.watches = append(l.watches, w)
		noting.note = w.Note
	} else if kind != doctor.Other {
		n := noted{t, doctor.NewNoted(kind)}
		l.noted = append(l.noted, n)
		noting.note = n.Note
	} else {
		return codec, nil
	}
	if own, ok := codec.(interface{ IsNull(text []byte) bool }); ok {
		return noticingNull{noting, own.IsNull}, nil
	}
	return noting, nil
}

// noticing is a codec whose texts are noted.
type noticing struct {
	ingest.Codec
	note func(text []byte, taken bool)
}

func (n noticing) AppendWire(dst, text []byte) ([]byte, error) {
	dst, err := n.Codec.AppendWire(dst, text)
	n.note(text, err == nil)
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
		w := slices.IndexFunc(l.watches, func(w watched) bool { return w.of == l.columns[at].Type })
		if w < 0 {
			l.watches = append(l.watches, watched{l.columns[at].Type, new(doctor.Watch)})
			w = len(l.watches) - 1
		}
		l.watches[w].Note([]byte(strings.Trim(r.Value, `"`)), false)
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
			if d, some := w.Dates(c.Name); some && w.of == c.Type {
				d.OfDate = c.Type.Kind == cqltype.Date
				s.Dates = append(s.Dates, d)
			}
		}
		for _, n := range l.noted {
			if v, some := n.Values(c.Name); some && n.of == c.Type {
				s.Values = append(s.Values, v)
			}
		}
		if t := l.times[c.Name]; t != nil {
			s.Times = append(s.Times, *t)
		}
	}
	s.Unmet = slices.Sorted(maps.Keys(l.unmet))
}
