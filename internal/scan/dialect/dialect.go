// Package dialect returns the texts of values that a scan does not write as CQL does ([Texts]).
// These are all values in cqlsh's dialect. Otherwise they are dates and times by patterns, in a
// time zone, or as numbers; numbers with separators; and other words for true and false.
package dialect

import (
	"encoding/binary"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// Texts returns the texts of a scan's values that are not CQL's, for format.OutputOptions. The
// settings of the scan have to be checked.
func Texts(o *spec.ScanText) (func(schema.Selector) (format.ValueText, error), error) {
	if o.CQLSH() {
		return cqlshTexts(o)
	}
	columns, err := o.PatternsByColumn()
	if err != nil {
		return nil, err
	}
	texts, err := timeTexts(&o.TimeTexts)
	if err != nil {
		return nil, err
	}
	if unit := o.Unit(); unit != 0 {
		own, err := cqltext.Plan(&cqltype.Type{Kind: cqltype.Timestamp})
		if err != nil {
			return nil, err
		}
		texts[cqltype.Timestamp] = epoch{own, unit}
	}
	return func(column schema.Selector) (format.ValueText, error) {
		t := column.Type
		if column.Time {
			return nil, nil // a load reads ttl(c) and writetime(c) as plain numbers only
		}
		if own, given := columns[column.Name]; given {
			if err := own.Check(column.Name, t); err != nil {
				return nil, err
			}
			return columnText(o, own)
		}
		if text := texts[t.Kind]; text != nil {
			return text, nil
		}
		return conventionText(o, t)
	}, nil
}

// columnText returns the text of a column that has patterns of its own.
func columnText(o *spec.ScanText, own spec.ColumnPatterns) (format.ValueText, error) {
	texts, err := timeTexts(&spec.TimeTexts{
		DateTimeFormats: own.Texts,
		DateFormats:     own.Texts,
		TimeFormats:     own.Texts,
		TimeZone:        o.TimeZone,
	})
	return texts[own.Kind], err
}

// timeTexts returns the texts of dates and times by their types.
func timeTexts(o *spec.TimeTexts) (map[cqltype.Kind]format.ValueText, error) {
	location, err := o.Location()
	if err != nil {
		return nil, err
	}
	texts := make(map[cqltype.Kind]format.ValueText)
	for _, kind := range []struct {
		cqltype.Kind
		patterns []string
		read     func(wire []byte) (time.Time, bool)
	}{
		{cqltype.Timestamp, o.DateTimeFormats, timestampIn(location)},
		{cqltype.Date, o.DateFormats, dateOf},
		{cqltype.Time, o.TimeFormats, timeOf},
	} {
		own, err := cqltext.Plan(&cqltype.Type{Kind: kind.Kind})
		if err != nil {
			return nil, err
		}
		patterns := spec.Patterns(kind.patterns)
		if len(patterns) > 0 {
			pattern, err := timepattern.Parse(patterns[0])
			if err != nil {
				return nil, err
			}
			texts[kind.Kind] = patterned{own, pattern, kind.read}
		} else if kind.Kind == cqltype.Timestamp && location != time.UTC {
			texts[kind.Kind] = patterned{own, offsetForm, kind.read}
		}
	}
	return texts, nil
}

// offsetForm is the form of CQL for a time of a zone.
var offsetForm = mustParse("yyyy-MM-dd'T'HH:mm:ss.SSSXXX")

func mustParse(text string) *timepattern.Pattern {
	p, err := timepattern.Parse(text)
	if err != nil {
		panic(err)
	}
	return p
}

// patterned writes dates and times by a pattern. It writes years before 1 and after 9999 as CQL
// does, and values of the type time that are no time of day.
type patterned struct {
	own     cqltext.Codec
	pattern *timepattern.Pattern
	read    func(wire []byte) (time.Time, bool)
}

// IsNumber implements format.ValueText.
func (p patterned) IsNumber() bool { return false }

// AppendText implements format.ValueText.
func (p patterned) AppendText(dst, wire []byte) ([]byte, error) {
	if t, ok := p.read(wire); ok {
		mark := len(dst)
		if dst, ok = p.pattern.Append(dst, t); ok {
			return dst, nil
		}
		dst = dst[:mark]
	}
	return p.own.AppendText(dst, wire)
}

func timestampIn(location *time.Location) func(wire []byte) (time.Time, bool) {
	// Years from 1 to 9999; time.Time counts others wrongly far out.
	const first, last = -62135596800000, 253402300799999
	return func(wire []byte) (t time.Time, ok bool) {
		if len(wire) != 8 {
			return t, false
		}
		ms := int64(binary.BigEndian.Uint64(wire))
		return time.UnixMilli(ms).In(location), ms >= first && ms <= last
	}
}

func dateOf(wire []byte) (t time.Time, ok bool) {
	if len(wire) != 4 {
		return t, false
	}
	const day = 24 * 60 * 60
	days := int64(binary.BigEndian.Uint32(wire)) - cqlwire.DateEpoch
	return time.Unix(days*day, 0).UTC(), true
}

func timeOf(wire []byte) (t time.Time, ok bool) {
	if len(wire) != 8 {
		return t, false
	}
	nanos := int64(binary.BigEndian.Uint64(wire))
	return time.Unix(0, nanos).UTC(), nanos >= 0 && nanos < int64(24*time.Hour)
}

// epoch writes timestamps as numbers of units since 1970-01-01T00:00:00Z. Seconds have a fraction
// if the timestamp has one.
type epoch struct {
	own  cqltext.Codec
	unit time.Duration
}

// IsNumber implements format.ValueText.
func (e epoch) IsNumber() bool { return true }

// AppendText implements format.ValueText.
func (e epoch) AppendText(dst, wire []byte) ([]byte, error) {
	if len(wire) != 8 {
		return e.own.AppendText(dst, wire)
	}
	ms := int64(binary.BigEndian.Uint64(wire))
	switch e.unit {
	case time.Second:
		return appendSeconds(dst, ms), nil
	case time.Millisecond:
		return strconv.AppendInt(dst, ms, 10), nil
	}
	// The number may have more than 64 bits.
	dst = strconv.AppendInt(dst, ms, 10)
	if ms == 0 {
		return dst, nil
	}
	for unit := e.unit; unit < time.Millisecond; unit *= 10 {
		dst = append(dst, '0')
	}
	return dst, nil
}

func appendSeconds(dst []byte, ms int64) []byte {
	whole, part := ms/1000, ms%1000
	if ms < 0 && whole == 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, whole, 10)
	if part == 0 {
		return dst
	}
	part = max(part, -part)
	digits := [...]byte{'.', byte('0' + part/100), byte('0' + part/10%10), byte('0' + part%10)}
	n := len(digits)
	for digits[n-1] == '0' {
		n--
	}
	return append(dst, digits[:n]...)
}
