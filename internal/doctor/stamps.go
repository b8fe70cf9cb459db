package doctor

import (
	"fmt"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Stamps counts the write times that rows of an input give their columns, in fields such as
// writetime(c). Each column counts.
type Stamps struct {
	File string

	all      int64
	mistaken oddTimes // whose numbers seem to be of another unit than microseconds
}

// Note counts a write time, in microseconds since 1970, of the row in a line.
func (s *Stamps) Note(micros, line int64) {
	s.all++
	if unit, _ := StampUnit(micros); unit != "" {
		s.mistaken.add(micros, s.File, line, "")
	}
}

// merge adds the write times in another input.
func (s *Stamps) merge(o Stamps) {
	s.all += o.all
	s.mistaken.merge(o.mistaken)
}

// AsStamps says whether write times seem to be of another unit than microseconds.
func AsStamps(samples []Sample) (out []Finding) {
	for _, s := range readable(samples) {
		m := &s.Stamps.mistaken
		if m.number == 0 {
			continue
		}
		unit, _ := StampUnit(m.ms)
		out = append(
			out,
			Fail(
				"write them in microseconds: newer values hide what is written for the past, and what is written for the future hides them",
				"%s: %s of %s, such as %d in %s, %s like %s: read as microseconds it is %s",
				s.Name,
				human.Count(m.number),
				human.Of(s.Stamps.all, "write time"),
				m.ms,
				m.place(),
				human.Verb(m.number, "looks", "look"),
				unit,
				micros(m.ms),
			),
		)
	}
	return out
}

// StampUnit returns the unit that makes a write time one of 1980 to 2100, if that is not the
// microsecond, and that time.
func StampUnit(n int64) (unit string, at time.Time) {
	const likely = beginOf1980 / 1000
	switch {
	case likely <= n && n < beginOf2100/1000:
		return "seconds", time.Unix(n, 0).UTC()
	case beginOf1980 <= n && n < beginOf2100:
		return "milliseconds", time.UnixMilli(n).UTC()
	case beginOf1980*1_000_000 <= n && n/1_000_000 < beginOf2100:
		return "nanoseconds", time.Unix(0, n).UTC()
	}
	return "", time.Time{}
}

// micros writes microseconds since 1970 as a time.
func micros(n int64) string { return time.UnixMicro(n).UTC().Format("2006-01-02T15:04:05.999999Z") }

// StampMistake says why a flag's write time, in microseconds, may be meant as something else. It is
// empty for a likely one. sure: it is hardly meant.
func StampMistake(flag string, n int64) (mistake string, sure bool) {
	if unit, at := StampUnit(n); unit != "" {
		return fmt.Sprintf(
			"it looks like %s, and is read as microseconds since 1970, which is %s; say --%s %d",
			unit,
			micros(n),
			flag,
			at.UnixMicro(),
		), true
	}
	for i := range compactForms {
		f := &compactForms[i]
		if text := strconv.FormatInt(n, 10); f.more == 0 && f.reads(text) {
			at, _ := time.Parse(f.layout, text)
			return fmt.Sprintf(
				"it looks like a date, and is read as microseconds since 1970, which is %s; say --%s %s",
				micros(n),
				flag,
				at.Format("2006-01-02T15:04:05Z"),
			), true
		}
	}
	switch {
	case n < beginOf1980*1000:
		return fmt.Sprintf(
			"that is %s: what is in the table already, or was deleted since then, hides rows of that time",
			micros(n),
		), false
	case n >= beginOf2100*1000:
		return fmt.Sprintf(
			"that is %s: such rows hide what is written or deleted later",
			micros(n),
		), false
	}
	return "", false
}
