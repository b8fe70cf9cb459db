package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
	"github.com/cqlbulk/cqlbulk/pkg/jsonl"
)

func newRetryCommand(s streams) *cobra.Command {
	opts := &againOptions{}
	c := &cobra.Command{
		Use:   "retry RUN_DIR",
		Short: "Try again what failed in a scan or load",
		Long: `Try again what failed in a run, and nothing else, with the options that it was
begun with.

Of a load, the rejected rows are loaded again, mended or as they are, from the files
in its run directory. As long as no rows were added or taken away, each is written
with the timestamp that it had, so that it does not replace a later row of its key.
Rows in doubt are left alone unless --repeat-in-doubt is given. What is rejected again
is kept in a run directory inside the first.

Of a scan, the token ranges that failed are read, and when all of them are, the output
gets its name.
` + exitHelp,
		Example: `  cqlbulk retry cqlbulk-load-demo.flights-20260102T150405Z-4711`,
		Args:    oneRunDir,
		RunE:    func(c *cobra.Command, args []string) error { return runRetry(c, s, args[0], opts.RepeatInDoubt) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runRetry(c *cobra.Command, s streams, dir string, doubtful bool) error {
	status, err := journal.Read(dir, func(journal.Record) error { return nil })
	if err != nil {
		return err
	}
	if status.Live {
		return fmt.Errorf("run %s is under way in %s", dir, status.Holder)
	}
	if status.Manifest.Command != "load" {
		return runResume(c, s, dir)
	}
	l, err := resume.OpenLoad(dir) // nobody else may take it up meanwhile
	if err != nil {
		return err
	}
	defer func() { _ = l.Abandon() }()
	if end := l.Loaded().End; end == nil || end.Outcome != resume.Partly {
		return fmt.Errorf("run %s has not come to its end: go on with it first: cqlbulk resume %s", dir, dir)
	}
	options, err := recordedIn(status.Manifest)
	if err != nil {
		return err
	}
	o := &LoadOptions{retried: l.Loaded().Retried, begin: l.Retry}
	inner := loadCommand(s, o)
	if err := options.apply(inner.Flags()); err != nil {
		return err
	}
	if err := override(inner.Flags(), c.Flags(), isSet); err != nil {
		return err
	}
	o.SkipRows, o.MaxRows = 0, -1
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	args, left, err := rejected(dir, doubtful)
	if err != nil {
		return err
	}
	if err := inner.Flags().Set("rejects-of", dir); err != nil {
		return err
	}
	if o.RunDir, err = nextFolder(dir); err != nil {
		return err
	}
	inner.SetContext(c.Context())
	if err := inner.RunE(inner, append([]string{status.Manifest.Table}, args...)); err != nil {
		return err
	}
	if left > 0 {
		s.warn("%d rows in doubt were left alone: they are in %s, and --repeat-in-doubt writes them again", left, dir)
		return partly()
	}
	s.warn("all of it is loaded: %s is not needed any more", dir)
	return nil
}

// rejected finds the files of rejected rows in a run directory, and how many rows in
// doubt are left alone.
func rejected(dir string, doubtful bool) (paths []string, left int, err error) {
	kept, err := reject.Find(dir)
	if err != nil {
		return nil, 0, err
	}
	for _, k := range kept {
		if k.Doubt && !doubtful {
			left += len(k.Stamps)
		} else {
			paths = append(paths, k.Path)
		}
	}
	switch {
	case len(paths) == 0 && left > 0:
		return nil, left, fmt.Errorf("%s: no row was rejected, but %d rows are in doubt: --repeat-in-doubt writes them again", dir, left)
	case len(paths) == 0:
		return nil, 0, fmt.Errorf("%s: no row was rejected", dir)
	}
	return paths, left, nil
}

// findStamps finds the timestamps that the rows of inputs had which are the rejects
// of an earlier run.
func (o *LoadOptions) findStamps(c *cobra.Command, s streams) error {
	if o.RejectsOf == "" {
		return nil
	}
	kept, err := reject.Find(o.RejectsOf)
	if err != nil {
		return err
	}
	o.stamps = make(map[string][]int64)
	for _, k := range kept {
		records, err := o.countRecords(c, k.Path)
		if err != nil {
			return err
		}
		if records == len(k.Stamps) {
			o.stamps[k.Path] = k.Stamps
		} else {
			s.warn("%s has %d rows instead of the %d that were rejected: they are written as of now", k.Path, records, len(k.Stamps))
		}
	}
	return nil
}

// countRecords counts the rows of a file of rejects.
func (o *LoadOptions) countRecords(c *cobra.Command, path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	records := 0
	options := dsv.Options{Bad: func(b dsv.Bad) error {
		if b.First {
			records++
		}
		return nil
	}}
	var next func([]byte) (dsv.Chunk, error)
	if o.Format == "json" {
		next = jsonl.NewSplitter(f, options).Next
	} else {
		format, err := o.format(c, o.Format)
		if err != nil {
			return 0, err
		}
		if _, err := o.textOptions.settle(o.Format, o.Nulls, &format); err != nil {
			return 0, err
		}
		splitter := dsv.NewSplitter(f, format, options)
		if o.Header {
			if _, err := splitter.Header(); err != nil {
				return 0, fmt.Errorf("%s: header: %w", path, err)
			}
		}
		next = splitter.Next
	}
	var buffer []byte
	for {
		c, err := next(buffer[:0])
		if errors.Is(err, io.EOF) {
			return records, nil
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		buffer = c.Data
		records += c.Records
	}
}

// nextFolder names the folder of the next try in a run directory.
func nextFolder(dir string) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, fmt.Sprintf("retry-%d", n))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", err
		}
	}
}

// beginRetry refuses to load rejects a second time where that counts twice.
func (o *LoadOptions) beginRetry(t *target) error {
	if o.begin == nil {
		return nil
	}
	if o.retried && !o.RepeatInDoubt && !t.session.Writer(t.table, t.table.Columns).Idempotent() {
		return fmt.Errorf("what was rejected was loaded again before, and rows of %s count twice when they are written twice: what was rejected then is in %s; --repeat-in-doubt writes all of it again",
			t.table, filepath.Join(o.RejectsOf, "retry-1"))
	}
	return o.begin()
}
