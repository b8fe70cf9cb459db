package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // zones of machines that have none, such as containers

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// TimeTexts says how dates and times are written as text. A load may have several patterns of a
// kind, and a scan one.
type TimeTexts struct {
	// Patterns of package timepattern for timestamps, dates and times of day; none: the forms of
	// CQL.
	DateTimeFormats, DateFormats, TimeFormats []string
	// ColumnTexts has patterns of single columns, as NAME=TYPE:PATTERN.
	ColumnTexts []string
	TimeZone    string // of times without an offset; empty: UTC
}

func (o *TimeTexts) settings() setting.List {
	return setting.List{
		{Name: "datetimeformat", Field: &o.DateTimeFormats},
		{Name: "dateformat", Field: &o.DateFormats},
		{Name: "timeformat", Field: &o.TimeFormats},
		{Name: "column", Field: &o.ColumnTexts},
		{Name: "timezone", Field: &o.TimeZone},
	}
}

// Patterns returns the patterns of a list. A list of an empty text has none.
func Patterns(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return text == "" })
}

// CheckCQLSH returns an error if the patterns or the zone are none of cqlsh's COPY.
func (o *TimeTexts) CheckCQLSH(dialect string) error {
	switch {
	case dialect != DialectCQLSH:
		return nil
	case len(Patterns(o.DateFormats))+len(Patterns(o.TimeFormats))+len(o.ColumnTexts) > 0:
		return errors.New(
			"--dateformat, --timeformat, --column: cqlsh has no such pattern; leave --dialect cqlsh out",
		)
	case len(Patterns(o.DateTimeFormats)) > 1:
		return errors.New("--dialect cqlsh: cqlsh knows one pattern: give --datetimeformat once")
	case o.TimeZone != "":
		return errors.New(
			"--timezone: a time of cqlsh without an offset is UTC; leave --dialect cqlsh out",
		)
	}
	return nil
}

// CheckPatterns refuses patterns by which no date, time or timestamp can be read or written.
// directives: patterns of Java's letters are refused, too.
func (o *TimeTexts) CheckPatterns(directives bool) error {
	for _, texts := range []struct {
		flag string
		kind cqltype.Kind
		all  []string
	}{
		{"datetimeformat", cqltype.Timestamp, o.DateTimeFormats},
		{"dateformat", cqltype.Date, o.DateFormats},
		{"timeformat", cqltype.Time, o.TimeFormats},
	} {
		for _, text := range Patterns(texts.all) {
			if directives && !strings.Contains(text, "%") {
				return fmt.Errorf(
					"--%s %q: names no part of a date: write it as %%Y-%%m-%%d or %%d/%%m/%%Y",
					texts.flag,
					text,
				)
			}
			if err := checkPattern(texts.flag, texts.kind, text); err != nil {
				return err
			}
		}
	}
	_, err := o.PatternsByColumn()
	return err
}

// checkPattern refuses a pattern by which no value of a kind can be read or written.
func checkPattern(flag string, kind cqltype.Kind, text string) error {
	pattern, err := timepattern.Parse(text)
	if err != nil {
		return fmt.Errorf("--%s: %w", flag, err)
	}
	lacks := pattern.LacksOfDate()
	if kind == cqltype.Time {
		lacks = lacksOfTime(pattern)
	}
	if lacks != "" {
		return fmt.Errorf(
			"--%s %q: has no %s: values would be read as other times than they are",
			flag,
			text,
			lacks,
		)
	}
	return nil
}

// lacksOfTime returns what a pattern lacks to be one of times of day.
func lacksOfTime(p *timepattern.Pattern) string {
	if p.HasDate() {
		return "place in a column of the type time, which has no date"
	}
	return p.LacksOfTime()
}

// Location returns the location of times without an offset.
func (o *TimeTexts) Location() (*time.Location, error) {
	if o.TimeZone == "" {
		return time.UTC, nil
	}
	location, err := time.LoadLocation(o.TimeZone)
	if err != nil || location == time.Local {
		return nil, fmt.Errorf(
			"--timezone %q: no such zone: give a name such as Europe/Berlin, or UTC", o.TimeZone,
		)
	}
	return location, nil
}
