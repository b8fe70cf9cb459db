package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// Count says what is counted, and how.
type Count struct {
	Connection
	TableName
	Reading
	Planning
	Pacing
	// host, range or partition: what the number is broken down by; empty: nothing
	By             string
	Top            int    // partitions to list, the largest first
	Where          string // CQL condition that rows must meet besides
	AllowFiltering bool
}

// NewCount has the defaults.
func NewCount() *Count {
	return &Count{
		Connection: NewConnection(ReadConsistency),
		Reading:    newReading(),
		Planning:   newPlanning(),
		Pacing:     NewPacing(),
		Top:        10,
	}
}

// Settings names the fields.
func (s *Count) Settings() setting.List {
	return slices.Concat(setting.List{
		{Name: "by", Field: &s.By, Among: countWays},
		{Name: "top", Field: &s.Top},
		{Name: "where", Field: &s.Where},
		{Name: "allow-filtering", Field: &s.AllowFiltering},
	}, s.Reading.settings(), s.Planning.settings(), s.Pacing.settings(), s.Connection.settings())
}

// What a count can be broken down by.
const (
	ByHost      = "host"
	ByRange     = "range"
	ByPartition = "partition"
)

var countWays = []string{ByHost, ByRange, ByPartition}

// Check returns an error for settings that are wrong or do not go together.
func (s *Count) Check() error {
	if s.By != "" && !slices.Contains(countWays, s.By) {
		return fmt.Errorf(
			"--by %q: the ways are %s%s",
			s.By,
			strings.Join(countWays, ", "),
			schema.DidYouMean(s.By, countWays),
		)
	}
	if s.Top < 1 {
		return fmt.Errorf("--top %d: must be at least 1", s.Top)
	}
	if s.MaxBytesPerSec > 0 {
		return errors.New(
			"--max-bytes-per-sec: means nothing for a count, which takes in numbers and no rows; --rate bounds the rows that the servers read",
		)
	}
	return errors.Join(
		s.Pacing.check(),
		s.Reading.check(&s.Pacing),
		s.checkRead(),
		s.checkStream(s.Via),
		refuseURLs(s.Settings(), "", s.Inputs),
	)
}
