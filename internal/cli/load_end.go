package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

func (o *LoadOptions) run(ctx context.Context, s streams, t *target, job *load.Job, run *loadRun) error {
	begin := time.Now()
	stop := printer.Start(ctx, s.err, "load "+t.table.String(), job.Counters, o.Quiet)
	stopSync := run.keep()
	stopWatch := s.watch(ctx, job.Linger, stop)
	result, err := job.Run(ctx)
	stopWatch()
	stopSync()
	stop()
	if closeErr := run.close(ctx, result, err); closeErr != nil {
		err = errors.Join(err, closeErr)
	}
	if !o.Quiet {
		mean := float64(result.Written-job.Counters.Earlier.Load()) / float64(max(result.Batches, 1))
		details := fmt.Sprintf("%s read, %s rejected; %s requests of %.1f rows",
			printer.Count(result.Read), printer.Count(result.Rejected()), printer.Count(result.Batches), mean)
		if o.DryRun {
			details += ", none of them sent"
		} else {
			details += fmt.Sprintf(", p50 %v, p99 %v; checksum %s", result.P50, result.P99, result.Sum)
		}
		if o.IfNotExists {
			details += fmt.Sprintf("; %s were there already", printer.Count(result.Existing))
		}
		if result.InDoubt > 0 {
			details += fmt.Sprintf("; %s in doubt", printer.Count(result.InDoubt))
		}
		if !o.DryRun {
			details += t.levelNote()
		}
		s.summary("load of "+t.table.String(), job.Counters, begin, details)
	}
	s.tellRejects(run.rejects)
	run.tell(s, result, err)
	switch {
	case err != nil:
		return runError(t.table, err, result)
	case result.Rejected()+result.InDoubt > 0:
		return partly()
	default:
		return nil
	}
}

// watch tells of an interruption that does not end the load at once, after hide, until
// stop is called.
func (s streams) watch(ctx context.Context, linger time.Duration, hide func()) (stop func()) {
	if linger == 0 {
		return func() {}
	}
	told := make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(told)
		hide()
		s.warn("interrupted: what has been read is written first, which takes %v at the most; a second time ends it at once", linger)
	})
	return func() {
		if !unwatch() {
			<-told
		}
	}
}

// runError gives an error of a run its exit code: a header that does not fit is
// a matter of usage as long as nothing was loaded, a limit that was passed has its
// own, and all else is fatal.
func runError(table *schema.Table, err error, result load.Result) error {
	var mapping *load.MappingError
	if errors.As(err, &mapping) && result.Read == 0 {
		return err
	}
	var limit *load.LimitError
	if errors.As(err, &limit) {
		return &exitError{exitLimit, err}
	}
	if fault.ClassOf(err) == fault.Fatal {
		err = fmt.Errorf("load of %s: %w", table, err)
	}
	return fatal(err)
}

// causesShown is how many causes of rejects the summary lists.
const causesShown = 10

// tellRejects shows why rows were rejected, an example of each cause, and where
// all of them are.
func (s streams) tellRejects(d *reject.Dir) {
	if !d.Used() {
		return
	}
	causes := d.Causes()
	for i, c := range causes {
		if i == causesShown {
			s.warn("and %d more causes", len(causes)-i)
			break
		}
		text := fmt.Sprintf("%s:%d:%d: ", c.First.File, c.First.Line, c.First.Field)
		if c.First.Column != "" {
			text += fmt.Sprintf("column %q, value %q: ", c.First.Column, c.First.Value)
		}
		text += c.First.Reason
		if c.Rows > 1 {
			text += fmt.Sprintf(" (and %s more rows like it)", printer.Count(c.Rows-1))
		}
		s.warn("%s", text)
	}
	s.warn("rejected rows are in %s, their reasons in %s",
		strings.Join(d.Files(), ", "), filepath.Join(d.Path(), journal.ErrorsFile))
}
