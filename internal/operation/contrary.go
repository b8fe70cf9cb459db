package operation

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/run/recorded"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// contrary notes the dates in rejected rows. It counts rows whose dates the pattern does not read,
// but would if day, month and year stood in another order. Then dates that both orders read may
// have been loaded as other days. It stands before the rejects of a run.
type contrary struct {
	*reject.Dir
	json    bool
	columns map[string][]turned      // by name, those that a pattern reads
	dates   map[string]*doctor.Watch // by name of a column, dates that no row was made of
	usual   cqltext.Codec            // reads timestamps as CQL has them

	mu   sync.Mutex
	rows int64
	seen []*contradiction // in the order in which they were met
}

// turned is a pattern with its directives in another order.
type turned struct {
	given, pattern string
	codec          cqlshtext.Codec
}

// contradiction is a column with dates of another order.
type contradiction struct {
	column string
	by     turned
	values int64
	first  ingest.Reject
}

// watchDates returns the rejects, and before them what looks at the dates in them, if a column has
// dates.
func (l *Load) watchDates(to *reject.Dir) records.Rejects {
	o := &l.spec.Dialect
	c := &contrary{
		Dir:     to,
		json:    l.spec.Format == "json",
		columns: make(map[string][]turned),
		dates:   make(map[string]*doctor.Watch),
	}
	for _, column := range l.t.Schema.Columns {
		var others []turned
		switch {
		case column.Type.Kind == cqltype.Timestamp && l.readsNew("datetimeformat"):
			others = turns(o.DateTimeFormat)
		case column.Type.Kind == cqltype.Date && l.readsNew("dateformat"):
			others = turns(o.DateFormat)
		}
		if others != nil {
			c.columns[column.Name] = others
		}
		if sample.HasDates(column.Type) {
			c.dates[column.Name] = new(doctor.Watch)
		}
	}
	var err error
	if c.usual, err = cqltext.Plan(
		&cqltype.Type{Kind: cqltype.Timestamp},
	); err != nil ||
		len(c.dates) == 0 {
		return to
	}
	l.contrary = c
	return c
}

// readsNew reports whether a setting may read rows that the load before did not read by it. A retry
// with the pattern of the load has nothing new to say of the rows that are in.
func (l *Load) readsNew(name string) bool {
	return l.retriedRun == nil ||
		slices.ContainsFunc(l.reread.Now, func(c recorded.Change) bool { return c.Name == name })
}

// turns are the other orders of a pattern that has a day and a month in numbers, and those with a
// year of two digits.
func turns(pattern string) (others []turned) {
	if !strings.Contains(pattern, "%m") || !strings.Contains(pattern, "%d") {
		return nil
	}
	swaps := [][2]string{{"%d", "%m"}}
	if strings.Contains(pattern, "%y") {
		swaps = append(swaps, [2]string{"%d", "%y"})
	}
	for _, swap := range swaps {
		other := strings.NewReplacer("%%", "%%", swap[0], swap[1], swap[1], swap[0]).
			Replace(pattern)
		codec, err := cqlshtext.Plan(
			&cqltype.Type{Kind: cqltype.Timestamp},
			cqlshtext.Options{DateTimeFormat: other},
		)
		if err == nil {
			others = append(others, turned{pattern, other, codec})
		}
	}
	return others
}

// Add looks at rejects, and keeps them.
func (c *contrary) Add(rejects []ingest.Reject) error {
	for i := range rejects {
		c.note(&rejects[i])
	}
	return c.Dir.Add(rejects)
}

// note looks at the values of a row of which none could be made.
func (c *contrary) note(r *ingest.Reject) {
	if r.Stage != ingest.Parse {
		return
	}
	found := c.value(r, r.Column, r.Value, r.Line)
	for _, more := range r.More {
		found = c.value(r, more.Column, more.Value, more.Line) || found
	}
	if found {
		c.mu.Lock()
		c.rows++
		c.mu.Unlock()
	}
}

// value notes a value, and reports whether it is a date of another order, which it counts.
func (c *contrary) value(r *ingest.Reject, column, value string, line int64) bool {
	text, isString := sample.StringOf(value)
	if c.json && isString {
		value = text
	}
	if w := c.dates[column]; w != nil && (isString || !c.json || strings.Contains(value, ".")) {
		w.Note([]byte(value), false)
	}
	others := c.columns[column]
	if others == nil {
		return false
	}
	number := strings.Trim(value, "0123456789") == ""
	_, err := c.usual.AppendWire(nil, []byte(value))
	for _, other := range others {
		// The codec also reads what is written as CQL has it, and whole numbers, which a column of
		// dates does not take.
		if plain := err == nil && !number ||
			number && strings.Trim(other.pattern, "%dmyYHMSf") != ""; plain {
			continue
		}
		if _, err := other.codec.AppendWire(nil, []byte(value)); err == nil {
			c.count(other, ingest.Reject{File: r.File, Line: line, Column: column, Value: value})
			return true
		}
	}
	return false
}

func (c *contrary) count(by turned, r ingest.Reject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.seen {
		if s.column == r.Column && s.by.pattern == by.pattern {
			if s.values++; r.File == s.first.File && r.Line < s.first.Line {
				s.first = r // parsers run side by side
			}
			return
		}
	}
	c.seen = append(c.seen, &contradiction{r.Column, by, 1, r})
}

// of adds to a sample of the rejected rows the dates in all of them.
func (c *contrary) of(rejects *doctor.Sample, columns []schema.Column) {
	if c == nil {
		return
	}
	var all []doctor.Dates
	for _, column := range columns {
		if w := c.dates[column.Name]; w != nil {
			if d, some := w.Dates(column.Name); some {
				d.OfDate, d.File = column.Type.Kind == cqltype.Date, rejects.Name
				all = append(all, d)
			}
		}
	}
	rejects.SeeDates(all)
}

// tell warns of each such column, and returns the number of rows. Nothing is wrong with nil.
func (c *contrary) tell(warn func(format string, args ...any)) int64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.seen {
		warn("%s:%d: column %q: %s", s.first.File, s.first.Line, s.column, fmt.Sprintf(
			"%s such as %s can only be read by %s, and not by %s: dates that both read were read by the latter, and may be other days; "+
				"see which order each file has, and load those of the other order anew",
			human.Of(s.values, "date"),
			s.first.Value,
			s.by.pattern,
			s.by.given,
		))
	}
	return c.rows
}
