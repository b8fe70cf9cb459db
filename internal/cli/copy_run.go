package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshcopy"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

// copyFrom runs the load of a COPY FROM, and prints what cqlsh prints at its end.
func (o *copyOptions) copyFrom(
	ctx context.Context, s streams, t *cqlshcopy.Command, settings *spec.Load,
) error {
	s, load, err := prepareLoad(ctx, s, o.showOptions, settings)
	if err != nil {
		return err
	}
	inputs := load.Inputs()
	stopRates := func() {}
	if !load.DryRun() {
		err = checkRateFile(t, append(slices.Clone(inputs), t.ErrFile))
		if err == nil {
			err = makeWay(t, inputs)
		}
		if err == nil {
			stopRates, err = s.startRates(t, load.Counters())
		}
		if err != nil {
			load.Close()
			return err
		}
	}
	err = finishLoad(ctx, s, o.showOptions, load)
	stopRates()
	result := s.end.document.Load
	if result == nil || result.DryRun || refused(err) {
		return err
	}
	if result.Rejected > 0 {
		s.wrong("%s", cqlshcopy.Failed(result.Rejected, s.keepRejects(t, load)))
	}
	took := time.Duration(result.Seconds * float64(time.Second))
	o.printEnd(s, cqlshcopy.Imported(result.Rows, len(inputs), took, settings.SkipRows))
	return err
}

// makeWay moves aside an earlier file of the name in ERRFILE, so that the file is of this copy. It
// refuses a file that cannot be made before a row is written.
func makeWay(t *cqlshcopy.Command, inputs []string) error {
	if t.ErrFile == "" {
		return nil
	}
	err := checkMakeable(t.ErrFile)
	if err == nil && isOneOf(inputs, t.ErrFile) {
		err = errors.New("is an input: it would be renamed; name another file")
	}
	if err == nil {
		err = cqlshcopy.MoveAside(t.ErrFile, time.Now())
	}
	if err != nil {
		return fmt.Errorf("ERRFILE %s: %w", t.ErrFile, err)
	}
	return nil
}

// checkRateFile returns an error if the file in RATEFILE is another one that the copy reads or
// writes.
func checkRateFile(t *cqlshcopy.Command, others []string) error {
	beside := t.Direction == copystmt.To && isBeside(others[0], t.RateFile)
	if t.RateFile == "" || !beside && !isOneOf(others, t.RateFile) {
		return nil
	}
	return fmt.Errorf(
		"RATEFILE %s: is another file of the copy: it would be removed; name another file",
		t.RateFile,
	)
}

// startRates writes the pace of a copy to the file in RATEFILE until stop is called.
func (s streams) startRates(
	t *cqlshcopy.Command, c *progress.Counters,
) (stop func(), err error) {
	if t.RateFile == "" {
		return func() {}, nil
	}
	rows := func() int64 { return c.Rows.Load() + c.Rejected.Load() }
	stopFile, err := cqlshcopy.StartRates(t.RateFile, t.RateEvery, rows)
	if err != nil {
		return nil, fmt.Errorf("RATEFILE %s: %w", t.RateFile, err)
	}
	return func() {
		if err := stopFile(); err != nil {
			s.warn("RATEFILE %s could not be written: %v", t.RateFile, err)
		}
	}, nil
}

// isOneOf reports whether a name is that of one of the files, which may not be there yet.
func isOneOf(files []string, name string) bool {
	own, err := os.Stat(name)
	return slices.ContainsFunc(files, func(file string) bool {
		if absolute(file) == absolute(name) {
			return true
		}
		other, otherErr := os.Stat(file)
		return err == nil && otherErr == nil && os.SameFile(own, other)
	})
}

// isBeside reports whether a scan may give a file beside its output that name. Beside f it has
// f.part, f.1, f.1.part and f.manifest.json.
func isBeside(output, name string) bool {
	more, found := strings.CutPrefix(absolute(name), absolute(output)+".")
	first, _, _ := strings.Cut(more, ".")
	_, err := strconv.Atoi(first)
	return output != "" && found && (first == "part" || first == "manifest" || err == nil)
}

// absolute returns a path from the root, if the working directory is known.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return filepath.Clean(path)
}

// keepRejects writes the rejected rows to the file in ERRFILE. It returns the name of the file that
// has them: without ERRFILE, that of the run directory.
func (s streams) keepRejects(t *cqlshcopy.Command, load *operation.Load) string {
	kept := someOf(load.RejectFiles())
	if t.ErrFile == "" {
		return kept
	}
	if err := cqlshcopy.WriteErrorFile(t.ErrFile, load.WriteRejects); err != nil {
		s.wrong("ERRFILE %s could not be written: %v", t.ErrFile, err)
		return kept
	}
	return t.ErrFile
}

// copyTo runs the scan of a COPY TO, and prints what cqlsh prints at its end. If the rows go to the
// standard output, that is nothing.
func (o *copyOptions) copyTo(
	ctx context.Context, s streams, t *cqlshcopy.Command, settings *spec.Scan,
) error {
	s, scan, err := prepareScan(ctx, s, o.showOptions, settings)
	if err != nil {
		return err
	}
	stopRates := func() {}
	if err = checkRateFile(t, []string{settings.Path}); err == nil {
		stopRates, err = s.startRates(t, scan.Counters())
	}
	if err != nil {
		scan.Close()
		return err
	}
	err = finishScan(ctx, s, o.showOptions, scan)
	stopRates()
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
