// Package misread checks whether a load reads the text of its inputs as it is meant. It reads the
// first rows before the load begins, and refuses the load or warns. It watches dates and timestamps
// while the load runs. Afterwards it finds the settings that read the rejected rows.
package misread

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/sample"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/recorded"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Check checks how one load reads its inputs. One goroutine uses it, but for what Watch sets up.
type Check struct {
	spec  *spec.Load
	job   *ingest.Job
	warn  func(format string, args ...any)
	retry bool // the inputs are rejects of an earlier load
	// settings that differ from those of the run that the load resumes or retries
	changed []recorded.Change

	// settings that warnings about the first rows named; nil: none did
	named map[string][]string
	// columns with a warning that they mix numbers of several units
	mixed map[string]bool

	rejects *reject.Dir // of the load; set by Watch
	// dates of rejects that another order reads; nil: no pattern has an order
	dates *sample.RejectedDates
	times map[string]*timesOfColumn // by name of a column of timestamps
}

// New returns the check of a load. The check keeps the spec, the job and warn. If the load resumes
// or retries an earlier run, changed has the settings that differ from those of that run.
func New(
	settings *spec.Load,
	job *ingest.Job,
	changed []recorded.Change,
	warn func(string, ...any),
) *Check {
	return &Check{
		spec:    settings,
		job:     job,
		warn:    warn,
		retry:   settings.RejectsOf != "",
		changed: changed,
	}
}

// findings returns what the values of samples show.
func (c *Check) findings(samples []doctor.Sample, all doctor.Sample) []doctor.Finding {
	return append(
		doctor.Encoding(samples, c.job.Latin1),
		doctor.AsValues([]doctor.Sample{all}, sample.ReadingOf(c.spec))...)
}

// readsNew reports whether a setting may read rows that the load before did not read by it. If a
// retry has the pattern of its load, it says nothing new about the rows that were loaded.
func (c *Check) readsNew(name string) bool {
	return !c.retry ||
		slices.ContainsFunc(c.changed, func(c recorded.Change) bool { return c.Name == name })
}
