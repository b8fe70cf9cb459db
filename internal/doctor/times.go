package doctor

import (
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/amount"
)

// Times counts the timestamps of one column of an input that another unit of numbers would make
// likelier: those of January 1970, where seconds since 1970 were read as milliseconds, and those
// after 2100, where microseconds or nanoseconds were.
type Times struct {
	Column string
	File   string // that the first of them is in
	values int64  // 1970-01-01T00:00:00Z left out, which often stands for none

	seconds, micros, nanos oddTimes
}

// oddTimes are timestamps that are unlikely for one reason.
type oddTimes struct {
	number int64
	file   string // of the first
	line   int64
	ms     int64
}

// The bounds in milliseconds since 1970. All times from 1970 to 2054 are in January 1970 when their
// seconds are taken for milliseconds.
const (
	endOfJanuary1970 = 31 * 24 * 3600 * 1000
	beginOf1980      = 315_532_800_000
	beginOf2100      = 4_102_444_800_000
)

// Note counts a timestamp, in milliseconds since 1970, of the row in a line.
func (t *Times) Note(ms, line int64) {
	if ms == 0 {
		return
	}
	t.values++
	likely := func(ms int64) bool { return beginOf1980 <= ms && ms < beginOf2100 }
	switch {
	case 0 < ms && ms < endOfJanuary1970:
		t.seconds.add(ms, t.File, line)
	case ms >= beginOf2100 && likely(ms/1000):
		t.micros.add(ms, t.File, line)
	case ms >= beginOf2100 && likely(ms/1_000_000):
		t.nanos.add(ms, t.File, line)
	}
}

func (o *oddTimes) add(ms int64, file string, line int64) {
	if o.number++; o.number == 1 || line < o.line { // parsers run side by side
		o.file, o.line, o.ms = file, line, ms
	}
}

// first returns the first of them as a number and as a time.
func (o *oddTimes) first() string {
	return fmt.Sprintf("%d (%s)", o.ms, time.UnixMilli(o.ms).UTC().Format("2006-01-02T15:04:05Z"))
}

// AllSeconds reports whether every timestamp that was noted, and at least that many, is in January
// 1970. It returns the place of the first of them, and that as a number and as a time.
func (t *Times) AllSeconds(least int64) (place, first string, all bool) {
	s := t.seconds
	return fmt.Sprintf("%s:%d", s.file, s.line), s.first(), s.number >= least && s.number == t.values
}

// merge adds the timestamps of the same column in another input.
func (t *Times) merge(o Times) {
	t.values += o.values
	t.seconds.merge(o.seconds)
	t.micros.merge(o.micros)
	t.nanos.merge(o.nanos)
}

func (o *oddTimes) merge(other oddTimes) {
	number := o.number + other.number
	if o.number == 0 {
		*o = other
	}
	o.number = number
}

// oddity is what is odd about half of the timestamps or more.
type oddity struct {
	oddTimes
	early bool   // they are in January 1970, else after the year 2100
	unit  string // that would make them likely, if they were read as milliseconds
	words string // for what that unit counts
	steps int    // units that are finer than that which they were read in; of early ones it is not known
}

// odd returns what is odd about a column; false: nothing.
func (t *Times) odd() (oddity, bool) {
	for _, o := range []oddity{{t.seconds, true, "s", "seconds", 0}, {t.micros, false, "us", "microseconds", 1}, {t.nanos, false, "ns", "nanoseconds", 2}} {
		if o.number > 0 && 2*o.number >= t.values {
			return o, true
		}
	}
	return oddity{}, false
}

// of says which timestamps of a column are odd.
func (o *oddity) of(name string, t *Times) string {
	where := "after the year 2100"
	if o.early {
		where = "in January 1970"
	}
	return fmt.Sprintf("%s, column %q: %s of %s, such as %s, %s %s", name, t.Column,
		amount.Count(o.number), amount.Of(t.values, "value"), o.first(), amount.Verb(o.number, "is", "are"), where)
}

// finding returns what is odd about half of the timestamps or more.
func (t *Times) finding(name string) (Finding, bool) {
	o, odd := t.odd()
	if !odd {
		return Finding{}, false
	}
	return Warn("--timestamp-unit "+o.unit, "%s: %s since 1970, read as milliseconds?", o.of(name, t), o.words).
		with(map[string][]string{"timestamp-unit": {o.unit}}), true
}

// Units says whether the numbers in columns of timestamps look as if they were of another unit than
// the one that they are read in. given: the user named that unit; empty: none was named.
func Units(samples []Sample, given string) []Finding {
	if given != "" {
		return unlikeGiven(samples, given)
	}
	var out []Finding
	units := make(map[string]bool) // that columns seem to be in
	for _, s := range readable(samples) {
		for _, t := range s.Times {
			f, odd := t.finding(s.Name)
			if odd {
				out = append(out, f)
			}
			if t.values > 0 {
				units[f.Do] = true // "": as they are read
			}
		}
	}
	if len(units) > 1 {
		for i := range out {
			out[i].Do, out[i].Settings = out[i].Do+", but only if no other column of timestamps has numbers of another unit: it is the unit of all", nil
		}
	}
	return fewUnits(out)
}

// unlikeGiven warns of columns whose numbers are not of the unit that the user named. The user is believed if all
// columns are in January 1970: that name confirms it.
func unlikeGiven(samples []Sample, given string) []Finding {
	units := []string{"s", "ms", "us", "ns"}
	usual := false // a column has timestamps that are not odd
	differ := make(map[oddity]bool)
	for _, s := range readable(samples) {
		for _, t := range s.Times {
			o, odd := t.odd()
			usual = usual || !odd && t.values > 0
			if odd {
				differ[oddity{early: o.early, steps: o.steps}] = true
			}
		}
	}
	mixed := usual || len(differ) > 1
	var out []Finding
	for _, s := range readable(samples) {
		for _, t := range s.Times {
			o, odd := t.odd()
			if !odd || o.early && !mixed {
				continue
			}
			do := "--timestamp-unit is the unit of all columns: load the file once for each unit, and leave the columns of other units out with --skipcols"
			if unit := slices.Index(units, given) + o.steps; !mixed && unit < len(units) {
				do = "--timestamp-unit " + units[unit]
			}
			out = append(out, Warn(do, "%s: numbers of another unit than %s?", o.of(s.Name, &t), given))
		}
	}
	return fewUnits(out)
}

// fewUnits cuts a long list of findings.
func fewUnits(out []Finding) []Finding {
	if more := len(out) - namesShown; more > 0 {
		out = append(out[:namesShown], Warn(out[0].Do, "and %s like it", amount.Of(more, "more column")))
	}
	return out
}
