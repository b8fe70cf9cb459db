// Package formattest is the suite that each [format.Format] has to pass.
//
// [Run] runs it as subtests, and [Check] returns what it finds. The package's own test shows that
// it finds the faults of broken formats.
package formattest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/format"
)

// Case is a format with the options that it is tested with.
type Case struct {
	Format format.Format
	Output format.OutputOptions
	// Damaged is the text of a record that cannot be read. It takes the place of a record. nil: the
	// format is no text, and its own tests damage it.
	Damaged []byte
}

// checks are the parts of the suite, in their order.
var checks = []struct {
	name  string
	check func(*suite) error
}{
	{"types", (*suite).checkTypes},
	{"header", (*suite).checkHeader},
	{"no rows", (*suite).checkNoRows},
	{"chunks", (*suite).checkChunks},
	{"resumed chunks", (*suite).checkResumedChunks},
	{"damaged record", (*suite).checkDamaged},
	{"bad value", (*suite).checkBadValue},
	{"rejected records", (*suite).checkRejected},
	{"marks", (*suite).checkMarks},
	{"malformed value", (*suite).checkMalformed},
	{"allocations", (*suite).checkAllocations},
}

// Run runs the suite as subtests.
func Run(t *testing.T, c Case) {
	for _, part := range checks {
		t.Run(part.name, func(t *testing.T) {
			if err := c.run(part.check); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Check runs the suite. It returns an error for each part that the format fails.
func Check(c Case) error {
	var all []error
	for _, part := range checks {
		if err := c.run(part.check); err != nil {
			all = append(all, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	return errors.Join(all...)
}

// run runs one part. A panic of the format is an error, so that the other parts run as well.
func (c Case) run(check func(*suite) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	s, err := newSuite(c)
	if err != nil {
		return err
	}
	return check(s)
}
