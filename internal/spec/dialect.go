package spec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones of machines that have none, such as containers

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// Dialect says how the text of values and records is read, besides what a scan shares.
type Dialect struct {
	Name string // cqlbulk or cqlsh
	// what stands before a character that is taken as it is; empty: that of the dialect
	Escape   string
	Unescape bool
	// patterns of timestamps, dates and times of day; none: the forms of CQL, or that of cqlsh
	DateTimeFormats, DateFormats, TimeFormats []string
	TimeZone                                  string // of times without an offset; empty: UTC

	BoolStyle     string
	DecimalSep    string
	ThousandsSep  string
	Encoding      string // utf-8 or latin1
	TimestampUnit string // s, ms, us or ns

	Comment  string // a line that begins with it is no record; empty: there are no comments
	Trailing bool   // records end in a delimiter that begins no field
	LineEnd  string // lf, which may follow a CR, or cr: a CR alone
}

// NewDialect has the defaults.
func NewDialect() Dialect {
	return Dialect{Name: "cqlbulk", Encoding: "utf-8", TimestampUnit: "ms", LineEnd: "lf"}
}

// DialectCQLSH is the dialect of cqlsh's COPY, and CQLSHEscape what it escapes with.
const (
	DialectCQLSH = "cqlsh"
	CQLSHEscape  = `\`
)

// The dialects and encodings there are.
var (
	Dialects       = []string{"cqlbulk", DialectCQLSH}
	encodings      = []string{"utf-8", "latin1"}
	TimestampUnits = []string{"s", "ms", "us", "ns"}
	LineEnds       = []string{"lf", "cr"}
)

func (o *Dialect) settings() setting.List {
	return setting.List{
		{Name: "dialect", Field: &o.Name, Among: Dialects},
		{Name: "escape", Field: &o.Escape},
		{Name: "unescape", Field: &o.Unescape},
		{Name: "datetimeformat", Field: &o.DateTimeFormats},
		{Name: "boolstyle", Field: &o.BoolStyle},
		{Name: "decimalsep", Field: &o.DecimalSep},
		{Name: "thousandssep", Field: &o.ThousandsSep},
		{Name: "dateformat", Field: &o.DateFormats},
		{Name: "timeformat", Field: &o.TimeFormats},
		{Name: "timezone", Field: &o.TimeZone},
		{Name: "encoding", Field: &o.Encoding, Among: encodings},
		{Name: "timestamp-unit", Field: &o.TimestampUnit, Among: TimestampUnits},
		{Name: "comment", Field: &o.Comment},
		{Name: "trailing-delimiter", Field: &o.Trailing},
		{Name: "line-end", Field: &o.LineEnd, Among: LineEnds},
	}
}

// Unit is what a timestamp given as a number counts.
func (o *Dialect) Unit() (time.Duration, error) {
	switch o.TimestampUnit {
	case "s":
		return time.Second, nil
	case "ms":
		return time.Millisecond, nil
	case "us":
		return time.Microsecond, nil
	case "ns":
		return time.Nanosecond, nil
	default:
		return 0, fmt.Errorf(
			"--timestamp-unit %q: must be %s",
			o.TimestampUnit,
			strings.Join(TimestampUnits, ", "),
		)
	}
}

// Patterns returns the patterns of a list. A list of an empty text has none.
func Patterns(list []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(text string) bool { return text == "" })
}

// CheckPatterns refuses patterns by which no date, time or timestamp can be read.
func (o *Dialect) CheckPatterns() error {
	for _, texts := range []struct {
		flag  string
		all   []string
		lacks func(*timepattern.Pattern) string
	}{
		{"datetimeformat", o.DateTimeFormats, (*timepattern.Pattern).LacksOfDate},
		{"dateformat", o.DateFormats, (*timepattern.Pattern).LacksOfDate},
		{"timeformat", o.TimeFormats, lacksOfTime},
	} {
		for _, text := range Patterns(texts.all) {
			if o.Name == DialectCQLSH && !strings.Contains(text, "%") {
				return fmt.Errorf(
					"--%s %q: names no part of a date: write it as %%Y-%%m-%%d or %%d/%%m/%%Y",
					texts.flag,
					text,
				)
			}
			pattern, err := timepattern.Parse(text)
			if err != nil {
				return fmt.Errorf("--%s: %w", texts.flag, err)
			}
			if lacks := texts.lacks(pattern); lacks != "" {
				return fmt.Errorf(
					"--%s %q: has no %s: values would be read as other times than they are",
					texts.flag,
					text,
					lacks,
				)
			}
		}
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
func (o *Dialect) Location() (*time.Location, error) {
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

// WriteTime is the write time of all rows in microseconds since the epoch, nil
// when none is given.
func (o *Load) WriteTime() (*int64, error) {
	if o.Timestamp == "" {
		return nil, nil
	}
	if n, err := strconv.ParseInt(o.Timestamp, 10, 64); err == nil {
		return &n, nil
	}
	t, err := time.Parse(time.RFC3339Nano, o.Timestamp)
	if err != nil {
		return nil, fmt.Errorf(
			"--timestamp %q: must be microseconds since 1970, or a time such as 2006-01-02T15:04:05Z",
			o.Timestamp,
		)
	}
	n := t.UnixMicro()
	return &n, nil
}

// WriteTimeMistake returns why a number that is given as the write time may be meant as something
// else. It is empty if the number is likely, or none was given. sure: it is hardly meant.
func (o *Load) WriteTimeMistake() (mistake string, sure bool) {
	n, err := strconv.ParseInt(o.Timestamp, 10, 64)
	if err != nil {
		return "", false
	}
	return doctor.StampMistake(n)
}

// Latin1 says whether the inputs are in windows-1252, which most files are in that are called
// Latin-1.
func (o *Load) Latin1() (bool, error) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(o.Dialect.Encoding)) {
	case "utf8":
		return false, nil
	case "latin1", "iso88591", "windows1252", "cp1252":
		if o.Format == "json" {
			return false, errors.New("--encoding latin1: JSON is always UTF-8")
		}
		return true, nil
	default:
		return false, fmt.Errorf(
			"--encoding %q: must be %s",
			o.Dialect.Encoding,
			strings.Join(encodings, " or "),
		)
	}
}
