package spec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Dialect says how the text of values and records is read, besides what a scan shares.
type Dialect struct {
	Name string // cqlbulk or cqlsh; before ChooseFormat also one of the presets
	// what stands before a character that is taken as it is; empty: that of the dialect
	Escape string
	// EscapeInQuotes has the escape mean itself outside quotes.
	EscapeInQuotes bool
	// NewlineEscapes reads n, r and t behind the escape as LF, CR and tab.
	NewlineEscapes bool
	Unescape       bool
	TimeTexts      // cqlsh's dialect has at most one pattern, of timestamps

	ValueTexts
	Integers string   // plain or decimal, where 12.0 is the whole number 12
	Currency []string // signs before or after numbers, which are passed over

	BoolStyle     string
	DecimalSep    string
	ThousandsSep  string
	Encoding      string // utf-8 or latin1
	TimestampUnit string // s, ms, us or ns

	Comment  string // a line that begins with it is no record; empty: there are no comments
	Trailing bool   // records end in a delimiter that begins no field
	Trim     bool   // blanks around fields, and around their quotes, are no part of values
	LineEnd  string // lf, which may follow a CR, or cr: a CR alone
	// lines of each input before its header or first row, which are passed over
	SkipLines int64
	// ExtraFields and MissingFields are what records with more or fewer fields than the header
	// become. FieldsReject rejects the row. FieldsIgnore drops the fields behind the last one of
	// the header, and FieldsNull takes those that are missing at the end for null.
	ExtraFields, MissingFields string
}

// NewDialect has the defaults.
func NewDialect() Dialect {
	return Dialect{
		Name:          DialectCQLBulk,
		ValueTexts:    newValueTexts(),
		Integers:      integersPlain,
		Encoding:      "utf-8",
		TimestampUnit: "ms",
		LineEnd:       "lf",
		ExtraFields:   FieldsReject,
		MissingFields: FieldsReject,
	}
}

// The dialects. DialectCQLSH is that of cqlsh's COPY, and CQLSHEscape what it escapes with.
const (
	DialectCQLBulk = "cqlbulk"
	DialectCQLSH   = "cqlsh"
	CQLSHEscape    = `\`
)

// The dialects and encodings there are.
var (
	Dialects       = []string{DialectCQLBulk, DialectCQLSH}
	encodings      = []string{"utf-8", "latin1"}
	TimestampUnits = []string{"s", "ms", "us", "ns"}
	LineEnds       = []string{"lf", "cr"}
	extraFields    = []string{FieldsReject, FieldsIgnore}
	missingFields  = []string{FieldsReject, FieldsNull}
)

// What records with more or fewer fields than the header become.
const (
	FieldsReject = "reject"
	FieldsIgnore = "ignore"
	FieldsNull   = "null"
)

func (o *Dialect) settings() setting.List {
	return slices.Concat(setting.List{
		{Name: "dialect", Field: &o.Name, Among: allDialects},
		{Name: "escape", Field: &o.Escape},
		{Name: "escape-in-quotes", Field: &o.EscapeInQuotes},
		{Name: "newline-escapes", Field: &o.NewlineEscapes},
		{Name: "unescape", Field: &o.Unescape},
	}, o.TimeTexts.settings(), o.ValueTexts.settings(), setting.List{
		{Name: "integers", Field: &o.Integers, Among: integers},
		{Name: "currency", Field: &o.Currency},
		{Name: "boolstyle", Field: &o.BoolStyle},
		{Name: "decimalsep", Field: &o.DecimalSep},
		{Name: "thousandssep", Field: &o.ThousandsSep},
		{Name: "encoding", Field: &o.Encoding, Among: encodings},
		{Name: "timestamp-unit", Field: &o.TimestampUnit, Among: TimestampUnits},
		{Name: "comment", Field: &o.Comment},
		{Name: "trailing-delimiter", Field: &o.Trailing},
		{Name: "trim", Field: &o.Trim},
		{Name: "line-end", Field: &o.LineEnd, Among: LineEnds},
		{Name: "skiplines", Field: &o.SkipLines},
		{Name: "extra-fields", Field: &o.ExtraFields, Among: extraFields},
		{Name: "missing-fields", Field: &o.MissingFields, Among: missingFields},
	})
}

// CheckFields checks what records with more or fewer fields than the header become.
func (o *Dialect) CheckFields(form string) error {
	for _, f := range []struct {
		flag, text string
		among      []string
	}{
		{"extra-fields", o.ExtraFields, extraFields},
		{"missing-fields", o.MissingFields, missingFields},
	} {
		switch {
		case !slices.Contains(f.among, f.text):
			return fmt.Errorf(
				"--%s %q: must be %s",
				f.flag,
				f.text,
				strings.Join(f.among, " or "),
			)
		case form == "json" && f.text != FieldsReject:
			return fmt.Errorf("--%s is for delimited text: an object may have any members", f.flag)
		}
	}
	return nil
}

// Unit is what a timestamp given as a number counts.
func (o *Dialect) Unit() (time.Duration, error) { return unitOf(o.TimestampUnit) }

func unitOf(name string) (time.Duration, error) {
	switch name {
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
			name,
			strings.Join(TimestampUnits, ", "),
		)
	}
}

// WriteTime is the write time of all rows in microseconds since the epoch, nil
// when none is given.
func (o *Load) WriteTime() (*int64, error) { return writeTime("timestamp", o.Timestamp) }

// writeTime parses a write time, in microseconds since the epoch; nil for an empty text.
func writeTime(flag, text string) (*int64, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // most commands have none
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return &n, nil
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, fmt.Errorf(
			"--%s %q: must be microseconds since 1970, or a time such as 2006-01-02T15:04:05Z",
			flag,
			text,
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
	return doctor.StampMistake("timestamp", n)
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
