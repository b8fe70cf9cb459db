package spec

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Scan says what a scan reads, and where it writes it.
type Scan struct {
	Connection
	TableName
	Reading
	Planning
	Text
	Output
	Pacing
	// How dates and times are written; the zero value: as CQL does. There is at most one pattern of
	// a kind.
	TimeTexts
	// Timestamps are numbers of s, ms, us or ns since 1970; empty: they are times.
	TimestampUnit  string
	Null           string // text for null values in csv and tsv
	Where          string // CQL condition that rows must meet besides
	AllowFiltering bool
	EscapeFormulas bool
	Limit          int64  // at most, in rows to read; -1: all
	RunDir         string // empty: named after the table and the time, beside the output
	NoJournal      bool
	Given          setting.Given // never nil
}

// NewScan has the defaults.
func NewScan() *Scan {
	return &Scan{
		Connection: NewConnection(ReadConsistency),
		Reading:    newReading(),
		Planning:   newPlanning(),
		Text:       newText(),
		Pacing:     NewPacing(),
		Limit:      -1,
		Given:      setting.Given{},
	}
}

// Settings names the fields.
func (s *Scan) Settings() setting.List {
	values := append(
		s.TimeTexts.settings(),
		setting.Setting{Name: "timestamp-unit", Field: &s.TimestampUnit, Among: TimestampUnits},
	)
	return slices.Concat(s.Output.settings(), s.Text.settings(), values, setting.List{
		{Name: "null-string", Field: &s.Null},
		{Name: "escape-formulas", Field: &s.EscapeFormulas},
		{Name: "where", Field: &s.Where},
		{Name: "allow-filtering", Field: &s.AllowFiltering},
		{Name: "limit", Field: &s.Limit},
		{Name: "run-dir", Field: &s.RunDir, Use: setting.Private},
		{Name: "no-journal", Field: &s.NoJournal},
	}, s.Reading.settings(), s.Planning.settings(), s.Pacing.settings(), s.Connection.settings())
}

// Check validates what is not validated elsewhere and gives the delimiters.
func (s *Scan) Check(continued bool) (dsv.Format, error) {
	if !continued { // else the output is there
		if err := s.CheckName(); err != nil {
			return dsv.Format{}, err
		}
	}
	if err := s.Output.Complete(); err != nil {
		return dsv.Format{}, err
	}
	if err := errors.Join(
		s.Pacing.check(),
		s.CheckOrder(),
		s.Reading.check(&s.Pacing),
		s.checkTimes(),
		s.checkRead(),
	); err != nil {
		return dsv.Format{}, err
	}
	if s.EscapeFormulas && s.Format == "json" {
		return dsv.Format{}, errors.New(
			"--escape-formulas: spreadsheets read csv and tsv, not json",
		)
	}
	if s.Limit < -1 || s.Limit == 0 {
		return dsv.Format{}, fmt.Errorf("--limit %d: must be -1 or at least 1", s.Limit)
	}
	format, err := s.Delimited(s.Format, s.Given)
	if err == nil && format.NeedsQuotes([]byte(s.Null)) {
		err = fmt.Errorf(
			"--null-string %q: must not hold the delimiter, the quote or a line break",
			s.Null,
		)
	}
	return format, err
}

// checkTimes returns an error if dates or times cannot be written as asked for.
func (s *Scan) checkTimes() error {
	for flag, patterns := range map[string][]string{
		"datetimeformat": s.DateTimeFormats,
		"dateformat":     s.DateFormats,
		"timeformat":     s.TimeFormats,
	} {
		if len(Patterns(patterns)) > 1 {
			return fmt.Errorf("--%s: a scan writes by one pattern: give it once", flag)
		}
	}
	if s.TimestampUnit != "" {
		if len(Patterns(s.DateTimeFormats)) > 0 {
			return errors.New("--datetimeformat and --timestamp-unit exclude each other")
		}
		if _, err := unitOf(s.TimestampUnit); err != nil {
			return err
		}
	}
	_, err := s.Location()
	return errors.Join(s.CheckPatterns(false), err)
}

// Unit returns what timestamps count that are written as numbers; 0: they are times.
func (s *Scan) Unit() time.Duration {
	unit, err := unitOf(s.TimestampUnit)
	if err != nil {
		return 0
	}
	return unit
}

// ManifestPath is where the manifest goes; empty for the standard output.
func (s *Scan) ManifestPath() string {
	if s.Place() == "" {
		return ""
	}
	return manifest.Path(s.Place(), s.Dir != "")
}
