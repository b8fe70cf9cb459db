package spec

import (
	"errors"
	"fmt"
	"slices"

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
	return slices.Concat(s.Output.settings(), s.Text.settings(), setting.List{
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

// ManifestPath is where the manifest goes; empty for the standard output.
func (s *Scan) ManifestPath() string {
	if s.Place() == "" {
		return ""
	}
	return manifest.Path(s.Place(), s.Dir != "")
}
