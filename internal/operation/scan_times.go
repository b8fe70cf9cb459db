package operation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/scan/times"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// elementTimes reports whether the times of the elements of a collection can be read: servers
// report them since Cassandra 5.0 (CASSANDRA-8877), and SSTables have them.
func (s *Scan) elementTimes() bool {
	if s.t.Files != nil {
		return true
	}
	if s.t.IsScylla() {
		return false
	}
	for _, n := range s.t.Cluster.Nodes {
		major, _, _ := strings.Cut(n.Version, ".")
		if version, err := strconv.Atoi(major); err != nil || version < 5 {
			return false
		}
	}
	return true
}

// preserveTimes adds the times of the columns to what is selected, and warns of columns that have
// none. A resumed scan has the columns that its output began with.
func (s *Scan) preserveTimes(selection []schema.Selector) ([]schema.Selector, error) {
	all, left := times.Preserved(selection, s.elementTimes())
	var names []string
	for _, selector := range all {
		names = append(names, selector.Name)
	}
	if s.run.continued {
		if !slices.Equal(names, s.begunWith.Times) {
			return nil, run.Refused(errors.New(
				"the nodes report other times than when the scan began, as after an upgrade: " +
					"run it again from the start",
			))
		}
		return all, nil
	}
	s.begunWith.Times = names
	if len(left) > 0 {
		s.env.Warn(
			"--preserve-times: %s: the times of counters and lists, and before Cassandra 5.0 those of "+
				"all collections that are not frozen, cannot be loaded again: cqlbulk clone keeps them",
			strings.Join(left, ", "),
		)
	}
	return all, nil
}

// selectWritten adds the write times that rows are selected by to what is read.
func (s *Scan) selectWritten(selected []schema.Selector) ([]schema.Selector, error) {
	var err error
	s.times = new(times.Times)
	if s.times.Since, s.times.Until, err = s.spec.Written(); err != nil {
		return nil, err
	}
	if s.times.Since == nil && s.times.Until == nil {
		return selected, nil
	}
	for _, c := range s.t.Schema.Columns {
		written, _, ok := c.Times()
		switch {
		case !ok && !c.IsKey():
			return nil, fmt.Errorf(
				"--written-since, --written-until: %s has counters, which have no write time",
				s.t.Schema,
			)
		case ok && written.Elements && !s.elementTimes():
			return nil, fmt.Errorf(
				"--written-since, --written-until: column %q is %s, and nodes report the write times of "+
					"its elements since Cassandra 5.0: --via stream or --via sstables reads them",
				c.Name,
				c.Type,
			)
		}
	}
	return times.Selecting(s.t.Schema, selected), nil
}

// readTimes has the job select rows by their write times, and its reader make one time of those of
// a column's elements.
func (s *Scan) readTimes() {
	if s.times.Since != nil || s.times.Until != nil {
		s.job.Selects = s.times.Selects
	}
	s.job.Reader = s.times.Reader(s.job.Reader)
}

// warnOfMixedTimes says which columns have elements of different times.
func (s *Scan) warnOfMixedTimes() {
	s.times.Mixed(func(column string, rows int64) {
		s.env.Warn(
			"column %s: its elements have different times in %d rows: "+
				"the output has the last write time and the longest time to live; cqlbulk clone keeps each",
			column,
			rows,
		)
	})
}
