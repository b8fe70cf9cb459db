package doctor

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Times counts the timestamps of one column of an input that are given as numbers, by the unit that
// each seems to have. Timestamps that are written as dates do not depend on the unit.
type Times struct {
	Column string
	File   string // that the first of them is in
	Unit   string // that numbers are read in: s, ms, us or ns; empty: ms

	values  int64 // numbers; 1970-01-01T00:00:00Z left out, which often stands for none
	written int64 // timestamps that are written as dates
	january oddTimes
	near    int64    // within ten years of 1970, and of no other unit
	far     oddTimes // after the year 9999, and of no other unit
	// by the unit that makes them likely: stepUsual is the unit that they are read in
	steps   [stepsWide]oddTimes
	compact compacts // dates without separators
}

// steps are units from the one in which numbers are read: at stepUsual-1 is the next coarser unit,
// at stepUsual+1 the next finer one.
const (
	stepUsual = 3
	stepsWide = 2*stepUsual + 1
)

// oddTimes are timestamps that are alike.
type oddTimes struct {
	number int64
	file   string // of the first
	line   int64
	ms     int64
	text   string // of the first, as it was given; empty: not known
}

// The bounds in milliseconds since 1970. All times from 1970 to 2054 are in January 1970 when their
// seconds are taken for milliseconds.
const (
	endOfJanuary1970 = 31 * 24 * 3600 * 1000
	beginOf1960      = -315_619_200_000
	beginOf1980      = 315_532_800_000
	beginOf2100      = 4_102_444_800_000
	beginOf10000     = 253_402_300_800_000
)

// Note counts a timestamp, in milliseconds since 1970, of the row in a line; [NoLine]: not known.
// text is how it was given; empty: not known, and it counts as a number.
func (t *Times) Note(ms, line int64, text string) {
	if ms == 0 {
		return
	}
	if text != "" && !t.isNumber(text, ms) {
		t.written++
		return
	}
	t.values++
	if 0 < ms && ms < endOfJanuary1970 {
		t.january.add(ms, t.File, line, text)
	}
	if step, known := t.step(ms); known {
		t.steps[step].add(ms, t.File, line, text)
	} else if beginOf1960 <= ms && ms < beginOf1980 {
		t.near++
	} else if ms >= beginOf10000 {
		t.far.add(ms, t.File, line, text)
	}
	t.compact.note(
		cmp.Or(text, t.number(ms)),
		oddTimes{file: t.File, line: line, ms: ms},
		text == "",
	)
}

// isNumber reports whether a text was read as a number of units. Digits may also have been read by
// a pattern of dates, which makes another time of them.
func (t *Times) isNumber(text string, ms int64) bool {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.Trim(fraction, "0123456789") != "" {
		return false
	}
	for range t.unit() - 1 {
		n /= 1000
	}
	if t.unit() == 0 {
		n *= 1000
	}
	return n-1000 <= ms && ms <= n+1000
}

// units are those that numbers may count, from the coarsest.
var units = [...]struct{ flag, words string }{
	{"s", "seconds"},
	{"ms", "milliseconds"},
	{"us", "microseconds"},
	{"ns", "nanoseconds"},
}

// unit is the place in units of the unit that numbers are read in.
func (t *Times) unit() int {
	for i, u := range units {
		if u.flag == t.Unit {
			return i
		}
	}
	return 1
}

// step returns by how many units, from stepUsual, a time must be read otherwise to be between 1980
// and 2100; false: by none.
func (t *Times) step(ms int64) (step int, known bool) {
	likely := func(ms int64) bool { return beginOf1980 <= ms && ms < beginOf2100 }
	switch {
	case likely(ms):
		return stepUsual, true
	case 0 < ms && ms < endOfJanuary1970:
		for by := 1; by <= t.unit(); by++ {
			if ms *= 1000; likely(ms) {
				return stepUsual - by, true
			}
		}
	case ms >= beginOf2100:
		for by := 1; by < len(units)-t.unit(); by++ {
			if ms /= 1000; likely(ms) {
				return stepUsual + by, true
			}
		}
	}
	return 0, false
}

// number is the number that gave a time, if nothing finer than a millisecond was in it.
func (t *Times) number(ms int64) string {
	if t.unit() == 0 {
		return strconv.FormatInt(ms/1000, 10)
	}
	for range t.unit() - 1 {
		ms *= 1000
	}
	return strconv.FormatInt(ms, 10)
}

func (o *oddTimes) add(ms int64, file string, line int64, text string) {
	if o.number++; o.number == 1 || line < o.line { // parsers run side by side
		o.file, o.line, o.ms, o.text = file, line, ms, text
	}
}

// first returns the first of them as a number and as a time.
func (t *Times) first(o *oddTimes) string {
	return fmt.Sprintf("%s (%s)", cmp.Or(o.text, t.number(o.ms)), moment(o.ms))
}

// NoLine stands for the line of a row that is not known.
const NoLine = math.MaxInt64

// place is the file and the line of the first.
func (o *oddTimes) place() string {
	if o.line == NoLine {
		return o.file
	}
	return fmt.Sprintf("%s:%d", o.file, o.line)
}

// example is the first as it was given, and its place if that is known.
func (o *oddTimes) example() string {
	if o.line > 0 {
		return o.text + " in " + o.place()
	}
	return o.text
}

// moment writes milliseconds since 1970 as a time.
func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05Z") }

// AllEarly reports whether every timestamp of the column is a number that is read as a time in
// January
// 1970. It returns the place of the first, and that as a number and as a time.
func (t *Times) AllEarly() (place, first string, all bool) {
	o := &t.january
	return o.place(), t.first(o), o.number > 0 && o.number == t.values && t.written == 0
}

// merge adds the timestamps of the same column in another input.
func (t *Times) merge(o Times) {
	t.values, t.written, t.near = t.values+o.values, t.written+o.written, t.near+o.near
	t.january.merge(o.january)
	t.far.merge(o.far)
	for i := range t.steps {
		t.steps[i].merge(o.steps[i])
	}
	t.compact = t.compact.with(o.compact)
}

func (o *oddTimes) merge(other oddTimes) {
	number := o.number + other.number
	if o.number == 0 {
		*o = other
	}
	o.number = number
}
