package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshcopy"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// copyFrom runs the load of a COPY FROM, and prints what cqlsh prints at its end.
func (o *copyOptions) copyFrom(ctx context.Context, s streams, settings *spec.Load) error {
	s, load, err := prepareLoad(ctx, s, o.showOptions, settings)
	if err != nil {
		return err
	}
	inputs := load.Inputs()
	err = finishLoad(ctx, s, o.showOptions, load)
	result := s.end.document.Load
	if result == nil || result.DryRun || refused(err) {
		return err
	}
	if result.Rejected > 0 {
		s.wrong("%s", cqlshcopy.Failed(result.Rejected, someOf(load.RejectFiles())))
	}
	took := time.Duration(result.Seconds * float64(time.Second))
	o.printEnd(s, cqlshcopy.Imported(result.Rows, len(inputs), took, settings.SkipRows))
	return err
}

// copyTo runs the scan of a COPY TO, and prints what cqlsh prints at its end. If the rows go to the
// standard output, that is nothing.
func (o *copyOptions) copyTo(ctx context.Context, s streams, settings *spec.Scan) error {
	s, scan, err := prepareScan(ctx, s, o.showOptions, settings)
	if err != nil {
		return err
	}
	err = finishScan(ctx, s, o.showOptions, scan)
	result := s.end.document.Scan
	if result == nil || settings.ToStdout() || refused(err) {
		return err
	}
	files := len(result.Files) + len(result.Unfinished)
	took := time.Duration(result.Seconds * float64(time.Second))
	o.printEnd(s, cqlshcopy.Exported(result.Rows, files, took))
	return err
}

// refused reports whether a run did nothing, as what was asked for cannot be.
func refused(err error) bool { return errors.As(err, new(*spec.UsageError)) }

// printEnd prints the last line of cqlsh on the standard output, unless that is to be silent or has
// the answer as JSON.
func (o *copyOptions) printEnd(s streams, line string) {
	if o.Quiet || o.JSON {
		return
	}
	if _, err := io.WriteString(s.text(), line); err != nil {
		s.wrong("the last line of cqlsh could not be written: %v", err)
	}
}
