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
	ScanText
	Query          string // SELECT whose columns and condition are read; empty: Columns and Where
	Where          string // CQL condition that rows must meet besides
	AllowFiltering bool
	Keys           string // file of keys to read, or "-" for the standard input; empty: the table
	Missing        string // file for the keys without a row; empty: beside the output
	PreserveTimes  bool   // write the write time and the time to live of each column
	WrittenSince   string // write time from which rows are read; empty: all
	WrittenUntil   string // write time before which rows are read; empty: all
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
		ScanText:   newScanText(),
		Limit:      -1,
		Given:      setting.Given{},
	}
}

// Settings names the fields.
func (s *Scan) Settings() setting.List {
	text := append(s.Text.settings(), s.ScanText.settings()...)
	return slices.Concat(s.Output.settings(), text, setting.List{
		{Name: "query", Field: &s.Query},
		{Name: "where", Field: &s.Where},
		{Name: "allow-filtering", Field: &s.AllowFiltering},
		{Name: "keys", Field: &s.Keys},
		{Name: "missing", Field: &s.Missing, Use: setting.Path},
		{Name: "preserve-times", Field: &s.PreserveTimes},
		{Name: "written-since", Field: &s.WrittenSince},
		{Name: "written-until", Field: &s.WrittenUntil},
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
		if err := s.useQuery(); err != nil {
			return dsv.Format{}, err
		}
	}
	if err := s.Output.Complete(); err != nil {
		return dsv.Format{}, err
	}
	var err error
	if s.Given, err = usePreset(
		&s.Dialect,
		s.Format,
		s.Settings(),
		NewScan().Settings(),
		s.Given,
	); err != nil {
		return dsv.Format{}, err
	}
	selected, err := s.Selected()
	if err != nil {
		return dsv.Format{}, err
	}
	if err := errors.Join(
		s.Pacing.check(),
		s.CheckOrder(),
		s.Reading.check(&s.Pacing),
		s.ScanText.check(s.Format),
		s.checkKeys(selected),
		s.checkTimes(),
		s.checkRead(),
		s.checkStream(s.Via),
		refuseURLs(s.Settings(), s.RunDir, s.Inputs),
	); err != nil {
		return dsv.Format{}, err
	}
	if s.Limit < -1 || s.Limit == 0 {
		return dsv.Format{}, fmt.Errorf("--limit %d: must be -1 or at least 1", s.Limit)
	}
	format, err := s.Delimited(s.Format, s.Given)
	if err != nil {
		return format, err
	}
	return format, s.delimit(&format)
}

// ManifestPath is where the manifest goes; empty for the standard output.
func (s *Scan) ManifestPath() string {
	if s.Place() == "" {
		return ""
	}
	return manifest.Path(s.Place(), s.Dir != "")
}
