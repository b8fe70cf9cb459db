package cqlshcopy

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

const (
	// defaultRateEvery is cqlsh's REPORTFREQUENCY.
	defaultRateEvery = 250 * time.Millisecond
	// leastRateEvery is the least time between lines in RATEFILE.
	leastRateEvery = 10 * time.Millisecond
	// leastProgress is the least time between lines of progress. A command does not count more
	// often.
	leastProgress = time.Second
	// mostSeconds is a REPORTFREQUENCY that no copy reaches the end of.
	mostSeconds = 1e9
)

// frequencyRule sets the time between lines of progress and between those in RATEFILE.
func frequencyRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	seconds, err := strconv.ParseFloat(strings.TrimSpace(o.Value), 64)
	if err != nil || math.IsNaN(seconds) {
		return errors.New("must be a number of seconds")
	}
	every := time.Duration(min(max(seconds, 0), mostSeconds) * float64(time.Second))
	t.RateEvery, t.Progress = max(every, leastRateEvery), max(every, leastProgress)
	if every < leastProgress {
		t.note("%s: lines of progress come once a second", shownOption(o))
	}
	return nil
}

// rateFileRule sets the file for the pace of the copy.
func rateFileRule(t *Command, _ *copystmt.Statement, o copystmt.Option) error {
	if o.Value == "" {
		return nil
	}
	var err error
	if t.RateFile, err = copiedFile(o.Value); err != nil {
		return err
	}
	t.copyAlone("%s: copy writes that file; %s does not", shownOption(o), t.command)
	return nil
}
