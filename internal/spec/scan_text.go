package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// ScanText says how a scan writes values and records as text.
type ScanText struct {
	Dialect string // cqlbulk or cqlsh; before Check also one of the presets
	// Escape is written before a quote, and before itself; empty: that of the dialect. If it is the
	// quote, quotes are doubled.
	Escape string
	// EscapeInQuotes writes the escape before others only inside quotes.
	EscapeInQuotes bool
	// NewlineEscapes writes LF and CR as n and r behind the escape, so that each row is one line.
	NewlineEscapes bool

	Null string // text for null values in csv and tsv
	// How dates and times are written; the zero value: as CQL does. There is at most one pattern of
	// a kind.
	TimeTexts
	// Timestamps are numbers of s, ms, us or ns since 1970; empty: they are times.
	TimestampUnit  string
	BoolStyle      string // two words, with a comma between them; empty: those of the dialect
	DecimalSep     string // empty: a point
	ThousandsSep   string // empty: none
	EscapeFormulas bool
	OmitNulls      bool // JSON: objects have no members for null values
	ValueTexts
	// The digits of floats and doubles in cqlsh's dialect, as for cqlshtext.WriterOptions.
	FloatPrecision, DoublePrecision int
}

func newScanText() ScanText {
	return ScanText{Dialect: DialectCQLBulk, ValueTexts: newValueTexts()}
}

func (o *ScanText) settings() setting.List {
	return slices.Concat(setting.List{
		{Name: "dialect", Field: &o.Dialect, Among: allDialects},
		{Name: "escape", Field: &o.Escape},
		{Name: "escape-in-quotes", Field: &o.EscapeInQuotes},
		{Name: "newline-escapes", Field: &o.NewlineEscapes},
		{Name: "null-string", Field: &o.Null},
	}, o.TimeTexts.settings(), o.ValueTexts.settings(), setting.List{
		{Name: "timestamp-unit", Field: &o.TimestampUnit, Among: TimestampUnits},
		{Name: "boolstyle", Field: &o.BoolStyle},
		{Name: "decimalsep", Field: &o.DecimalSep},
		{Name: "thousandssep", Field: &o.ThousandsSep},
		{Name: "floatprecision", Field: &o.FloatPrecision},
		{Name: "doubleprecision", Field: &o.DoublePrecision},
		{Name: "escape-formulas", Field: &o.EscapeFormulas},
		{Name: "omit-nulls", Field: &o.OmitNulls},
	})
}

// CQLSH reports whether the text is that of cqlsh's COPY TO.
func (o *ScanText) CQLSH() bool { return o.Dialect == DialectCQLSH }

// check returns an error if values cannot be written as asked for in a format (csv, tsv, json).
func (o *ScanText) check(form string) error {
	return errors.Join(
		o.checkDialect(form),
		o.CheckValues(o.Dialect, form),
		o.checkTimes(),
		o.checkForm(form),
	)
}

func (o *ScanText) checkDialect(form string) error {
	switch cqlsh := o.CQLSH(); {
	case !slices.Contains(Dialects, o.Dialect):
		return ErrDialect(o.Dialect)
	case cqlsh && form == "json":
		return errors.New("--dialect cqlsh: cqlsh knows no JSON")
	case cqlsh && o.EscapeFormulas:
		return errors.New("--escape-formulas: cqlsh has no such text; leave --dialect cqlsh out")
	case cqlsh && o.TimestampUnit != "":
		return errors.New("--timestamp-unit: cqlsh writes times; leave --dialect cqlsh out")
	case !cqlsh && o.FloatPrecision+o.DoublePrecision != 0:
		return errors.New(
			"--floatprecision, --doubleprecision: all digits are written; these require --dialect cqlsh",
		)
	case o.FloatPrecision < 0 || o.DoublePrecision < 0:
		return errors.New("--floatprecision, --doubleprecision: must be at least 1 digit")
	case o.DecimalSep != "" && o.DecimalSep == o.ThousandsSep:
		return ErrSeparators(o.DecimalSep)
	case !cqlsh && o.ThousandsSep == "." && o.DecimalSep == "":
		return errors.New("--thousandssep .: the decimal point is the same; give --decimalsep, too")
	case strings.ContainsAny(o.DecimalSep+o.ThousandsSep, "0123456789"):
		return errors.New("--decimalsep, --thousandssep: must not be digits")
	}
	_, _, err := BoolWords(o.BoolStyle)
	return err
}

// ErrSeparators is the error of two separators that are the same.
func ErrSeparators(both string) error {
	return fmt.Errorf("--decimalsep and --thousandssep are both %q", both)
}

// BoolWords returns the words of --boolstyle for true and false; none, if it is empty.
func BoolWords(style string) (yes, no string, err error) {
	if style == "" {
		return "", "", nil
	}
	words := strings.Split(style, ",")
	if len(words) != 2 {
		return "", "", fmt.Errorf(
			"--boolstyle %q: must be two words with a comma between them", style,
		)
	}
	yes, no = strings.TrimSpace(words[0]), strings.TrimSpace(words[1])
	if yes == "" || no == "" || strings.EqualFold(yes, no) {
		return "", "", fmt.Errorf("--boolstyle %q: must be two different words", style)
	}
	return yes, no, nil
}

// checkTimes returns an error if dates or times cannot be written as asked for.
func (o *ScanText) checkTimes() error {
	for flag, patterns := range map[string][]string{
		"datetimeformat": o.DateTimeFormats,
		"dateformat":     o.DateFormats,
		"timeformat":     o.TimeFormats,
	} {
		if len(Patterns(patterns)) > 1 {
			return fmt.Errorf("--%s: a scan writes by one pattern: give it once", flag)
		}
	}
	if err := o.CheckCQLSH(o.Dialect); err != nil {
		return err
	}
	columns, err := o.PatternsByColumn()
	if err != nil {
		return err
	}
	for name, own := range columns {
		if len(own.Texts) > 1 {
			return fmt.Errorf("--column %s: a scan writes by one pattern: give it once", name)
		}
	}
	if o.TimestampUnit != "" {
		if len(Patterns(o.DateTimeFormats)) > 0 {
			return errors.New("--datetimeformat and --timestamp-unit exclude each other")
		}
		if _, err := unitOf(o.TimestampUnit); err != nil {
			return err
		}
	}
	_, err = o.Location()
	return errors.Join(o.CheckPatterns(o.CQLSH()), err)
}

// checkForm returns an error for what only other formats have.
func (o *ScanText) checkForm(form string) error {
	switch {
	case o.EscapeFormulas && form == "json":
		return errors.New("--escape-formulas: spreadsheets read csv and tsv, not json")
	case o.Escape != "" && form == "json":
		return errors.New("--escape is for csv and tsv; JSON has escapes of its own")
	case o.EscapeInQuotes && form == "json":
		return errors.New("--escape-in-quotes is for csv and tsv; JSON has escapes of its own")
	case o.NewlineEscapes && form == "json":
		return ErrNewlineEscapes("it is for csv and tsv; JSON has escapes of its own")
	case o.OmitNulls && form != "json":
		return errors.New("--omit-nulls is for JSON; csv and tsv have a field for each column")
	}
	return nil
}

// Unit returns what timestamps count that are written as numbers; 0: they are times.
func (o *ScanText) Unit() time.Duration {
	unit, err := unitOf(o.TimestampUnit)
	if err != nil {
		return 0
	}
	return unit
}

// delimit sets in a text format what is written before a quote. It returns an error for a text of
// null that would need quotes, by which a load knows null from a value.
func (o *ScanText) delimit(format *dsv.Format) error {
	if len(o.Escape) > 1 {
		return fmt.Errorf("--escape %q: must be one ASCII character", o.Escape)
	}
	switch {
	case o.Escape != "":
		format.Escape = o.Escape[0]
	case o.CQLSH():
		format.Escape = CQLSHEscape[0]
	}
	if err := SetEscapes(format, o.CQLSH(), o.EscapeInQuotes, o.NewlineEscapes); err != nil {
		return err
	}
	if err := format.Validate(); err != nil {
		return fmt.Errorf("--escape, --delimiter or --quote: %w", err)
	}
	switch {
	case o.CQLSH():
		return nil
	case format.NeedsQuotes([]byte(o.Null)):
		return fmt.Errorf(
			"--null-string %q: must not hold the delimiter, the quote or a line break",
			o.Null,
		)
	}
	return CheckNull(format, o.Null)
}
