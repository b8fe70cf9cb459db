package sample

import (
	"fmt"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// RejectedDates adds rejects to the folder of a run, and notes the dates in them. It counts rows
// whose dates the given pattern does not read, but would if day, month and year stood in another
// order. Then the load may have read dates that fit both orders as other days. A nil RejectedDates
// has no dates. It is safe for concurrent use.
type RejectedDates struct {
	*reject.Dir
	json    bool
	columns map[string][]turned      // by name of a column with a pattern: the other orders
	dates   map[string]*doctor.Watch // by name of a column: dates in rejected rows
	usual   cqltext.Codec            // reads timestamps as CQL writes them

	mu   sync.Mutex
	rows int64
	seen []*contradiction // in the order of their first values
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

// NewRejectedDates returns nil if no column has dates. A pattern that is empty has no other orders.
func NewRejectedDates(
	to *reject.Dir,
	columns []schema.Column,
	json bool,
	timestamps, dates string,
) *RejectedDates {
	c := &RejectedDates{
		Dir:     to,
		json:    json,
		columns: make(map[string][]turned),
		dates:   make(map[string]*doctor.Watch),
	}
	for _, column := range columns {
		var others []turned
		switch column.Type.Kind {
		case cqltype.Timestamp:
			others = turns(timestamps)
		case cqltype.Date:
			others = turns(dates)
		}
		if others != nil {
			c.columns[column.Name] = others
		}
		if HasDates(column.Type) {
			c.dates[column.Name] = new(doctor.Watch)
		}
	}
	var err error
	c.usual, err = cqltext.Plan(&cqltype.Type{Kind: cqltype.Timestamp})
	if err != nil || len(c.dates) == 0 {
		return nil
	}
	return c
}

// turns returns the other orders of a pattern in which day and month are numbers. A year of two
// digits can change places with the day, too.
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

// Add notes the dates in rejects, and adds these to the folder.
func (c *RejectedDates) Add(rejects []ingest.Reject) error {
	for i := range rejects {
		c.note(&rejects[i])
	}
	return c.Dir.Add(rejects)
}

// note notes the values of a row that could not be parsed.
func (c *RejectedDates) note(r *ingest.Reject) {
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

// value notes a value. If the value is a date of another order, it counts it and returns true.
func (c *RejectedDates) value(r *ingest.Reject, column, value string, line int64) bool {
	text, isString := StringOf(value)
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
		// The codec also reads dates as CQL writes them, and whole numbers. A column of dates does
		// not accept whole numbers.
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

func (c *RejectedDates) count(by turned, r ingest.Reject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.seen {
		if s.column == r.Column && s.by.pattern == by.pattern {
			if s.values++; r.File == s.first.File && r.Line < s.first.Line {
				s.first = r // several goroutines parse the rows of a file
			}
			return
		}
	}
	c.seen = append(c.seen, &contradiction{r.Column, by, 1, r})
}

// AddTo adds the dates in all rejected rows to a sample of these rows.
func (c *RejectedDates) AddTo(rejects *doctor.Sample, columns []schema.Column) {
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

// Warn warns of each column with dates of another order. It returns the number of their rows.
func (c *RejectedDates) Warn(warn func(format string, args ...any)) int64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.seen {
		warn("%s:%d: column %q: %s", s.first.File, s.first.Line, s.column, fmt.Sprintf(
			"%s such as %s can only be read by %s, and not by %s: dates that both read were read by the latter, and may be other days; "+
				"see which order each file has, and load those of the other order again",
			human.Of(s.values, "date"),
			s.first.Value,
			s.by.pattern,
			s.by.given,
		))
	}
	return c.rows
}
