package operation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Dialect says how the text of values and records is read, besides what a scan shares.
type Dialect struct {
	Name           string // cqlbulk or cqlsh
	Escape         string // what stands before a character that is taken as it is; empty: that of the dialect
	Unescape       bool
	DateTimeFormat string
	BoolStyle      string
	DecimalSep     string
	ThousandsSep   string
	DateFormat     string // of columns of the type date; not in cqlsh's dialect
	Encoding       string // utf-8 or latin1
	TimestampUnit  string // s, ms, us or ns

	Comment  string // a line that begins with it is no record; empty: there are no comments
	Trailing bool   // records end in a delimiter that begins no field
	LineEnd  string // lf, which may follow a CR, or cr: a CR alone
}

// newDialect has the defaults.
func newDialect() Dialect {
	return Dialect{Name: "cqlbulk", Encoding: "utf-8", TimestampUnit: "ms", LineEnd: "lf"}
}

// dialectCQLSH is the dialect of cqlsh's COPY, and cqlshEscape what it escapes with.
const (
	dialectCQLSH = "cqlsh"
	cqlshEscape  = `\`
)

// The dialects and encodings there are.
var (
	dialects  = []string{"cqlbulk", dialectCQLSH}
	encodings = []string{"utf-8", "latin1"}
	units     = []string{"s", "ms", "us", "ns"}
	lineEnds  = []string{"lf", "cr"}
)

func (o *Dialect) settings() setting.List {
	return setting.List{
		{Name: "dialect", Field: &o.Name, Among: dialects},
		{Name: "escape", Field: &o.Escape},
		{Name: "unescape", Field: &o.Unescape},
		{Name: "datetimeformat", Field: &o.DateTimeFormat},
		{Name: "boolstyle", Field: &o.BoolStyle},
		{Name: "decimalsep", Field: &o.DecimalSep},
		{Name: "thousandssep", Field: &o.ThousandsSep},
		{Name: "dateformat", Field: &o.DateFormat},
		{Name: "encoding", Field: &o.Encoding, Among: encodings},
		{Name: "timestamp-unit", Field: &o.TimestampUnit, Among: units},
		{Name: "comment", Field: &o.Comment},
		{Name: "trailing-delimiter", Field: &o.Trailing},
		{Name: "line-end", Field: &o.LineEnd, Among: lineEnds},
	}
}

// timestampUnit is what a timestamp given as a number counts.
func (o *Dialect) timestampUnit() (time.Duration, error) {
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
		return 0, fmt.Errorf("--timestamp-unit %q: must be %s", o.TimestampUnit, strings.Join(units, ", "))
	}
}

// codecs sets in a format what the dialect says of records, and returns what plans the codecs of columns, in JSON those of
// its strings; nil for cqlbulk's own.
func (o *Dialect) codecs(form string, nulls []string, format *dsv.Format) (func(*cqltype.Type) (ingest.Codec, error), error) {
	cqlsh := o.Name == dialectCQLSH
	switch {
	case !slices.Contains(dialects, o.Name):
		return nil, fmt.Errorf("--dialect %q: must be %s", o.Name, strings.Join(dialects, " or "))
	case cqlsh && form == "json":
		return nil, errors.New("--dialect cqlsh: cqlsh knows no JSON")
	case cqlsh && len(nulls) > 1:
		return nil, errors.New("--dialect cqlsh: cqlsh knows one text for null: give --null-string once")
	case cqlsh && o.DateFormat != "":
		return nil, errors.New("--dateformat: cqlsh has no pattern for dates; leave --dialect cqlsh out")
	case o.DecimalSep != "" && o.DecimalSep == o.ThousandsSep:
		return nil, fmt.Errorf("--decimalsep and --thousandssep are both %q", o.DecimalSep)
	case !cqlsh && o.Unescape:
		return nil, errors.New("--unescape requires --dialect cqlsh")
	case form == "json" && (o.Comment != "" || o.Trailing || o.LineEnd == "cr"):
		return nil, errors.New("--comment, --trailing-delimiter and --line-end are for delimited text, not for JSON")
	}
	if err := o.cut(format); err != nil {
		return nil, err
	}
	options, err := o.options(nulls)
	switch {
	case err != nil:
		return nil, err
	case cqlsh:
		return func(t *cqltype.Type) (ingest.Codec, error) { return cqlshtext.Plan(t, options) }, nil
	case form == "json":
		return conventions{options, o.DateFormat}.other, nil
	case o.DateTimeFormat+o.DateFormat+o.BoolStyle+o.DecimalSep+o.ThousandsSep == "" && options.TimestampUnit == time.Millisecond:
		return nil, nil
	}
	return conventions{options, o.DateFormat}.plan, nil
}

// cut sets in a format how records and fields are cut.
func (o *Dialect) cut(format *dsv.Format) error {
	for _, c := range []struct {
		flag, text string
		into       *byte
	}{{"escape", o.Escape, &format.Escape}, {"comment", o.Comment, &format.Comment}} {
		if len(c.text) > 1 {
			return fmt.Errorf("--%s %q: must be one ASCII character", c.flag, c.text)
		}
		if c.text != "" {
			*c.into = c.text[0]
		}
	}
	if o.Escape == "" && o.Name == dialectCQLSH {
		format.Escape = cqlshEscape[0]
	}
	if !slices.Contains(lineEnds, o.LineEnd) {
		return fmt.Errorf("--line-end %q: must be %s", o.LineEnd, strings.Join(lineEnds, " or "))
	}
	format.Trailing, format.CR = o.Trailing, o.LineEnd == "cr"
	if err := format.Validate(); err != nil {
		return fmt.Errorf("--escape, --delimiter, --quote or --comment: %w", err)
	}
	return nil
}

// options are those of cqlsh's texts, which conventions use too.
func (o *Dialect) options(nulls []string) (cqlshtext.Options, error) {
	unit, err := o.timestampUnit()
	if err != nil {
		return cqlshtext.Options{}, err
	}
	options := cqlshtext.Options{
		DateTimeFormat: o.DateTimeFormat, DecimalSep: o.DecimalSep, ThousandsSep: o.ThousandsSep, Unescape: o.Unescape, TimestampUnit: unit,
	}
	if o.BoolStyle != "" {
		words := strings.Split(o.BoolStyle, ",")
		if len(words) != 2 {
			return options, fmt.Errorf("--boolstyle %q: must be two words with a comma between them", o.BoolStyle)
		}
		options.BoolTrue, options.BoolFalse = strings.TrimSpace(words[0]), strings.TrimSpace(words[1])
	}
	if len(nulls) == 1 {
		options.Null = nulls[0]
	}
	for _, p := range []struct{ flag, pattern string }{{"datetimeformat", o.DateTimeFormat}, {"dateformat", o.DateFormat}} {
		if err := checkPattern(p.flag, p.pattern); err != nil {
			return options, err
		}
	}
	if _, err := cqlshtext.Plan(&cqltype.Type{Kind: cqltype.Timestamp}, options); err != nil {
		return options, fmt.Errorf("--datetimeformat, --boolstyle, --decimalsep or --thousandssep: %w", err)
	}
	return options, nil
}

// checkPattern refuses a pattern by which no date can be read. Both kinds of patterns are of dates: a column of the type time
// is read by none.
func checkPattern(flag, pattern string) error {
	if pattern == "" {
		return nil
	}
	if !strings.Contains(pattern, "%") {
		return fmt.Errorf("--%s %q: names no part of a date: write it as %%Y-%%m-%%d or %%d/%%m/%%Y", flag, pattern)
	}
	lacks, err := cqlshtext.Lacks(pattern)
	switch {
	case err != nil:
		return fmt.Errorf("--%s: %w", flag, err)
	case lacks != "":
		return fmt.Errorf("--%s %q: has no %s: values would be read as other times than they are", flag, pattern, lacks)
	}
	return nil
}

// timestamp is the write time of all rows in microseconds since the epoch, nil
// when none is given.
func (o *LoadSpec) timestamp() (*int64, error) {
	if o.Timestamp == "" {
		return nil, nil
	}
	if n, err := strconv.ParseInt(o.Timestamp, 10, 64); err == nil {
		return &n, nil
	}
	t, err := time.Parse(time.RFC3339Nano, o.Timestamp)
	if err != nil {
		return nil, fmt.Errorf("--timestamp %q: must be microseconds since 1970, or a time such as 2006-01-02T15:04:05Z", o.Timestamp)
	}
	n := t.UnixMicro()
	return &n, nil
}

// timestampMistake says why a number given as the write time may be meant as something else; empty: it is likely, or none
// was given. sure: it is hardly meant.
func (o *LoadSpec) timestampMistake() (mistake string, sure bool) {
	n, err := strconv.ParseInt(o.Timestamp, 10, 64)
	if err != nil {
		return "", false
	}
	return doctor.StampMistake(n)
}

// latin1 says whether the inputs are in windows-1252, which most files are in that are called Latin-1.
func (o *LoadSpec) latin1() (bool, error) {
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(o.Dialect.Encoding)) {
	case "utf8":
		return false, nil
	case "latin1", "iso88591", "windows1252", "cp1252":
		if o.Format == "json" {
			return false, errors.New("--encoding latin1: JSON is always UTF-8")
		}
		return true, nil
	default:
		return false, fmt.Errorf("--encoding %q: must be %s", o.Dialect.Encoding, strings.Join(encodings, " or "))
	}
}
