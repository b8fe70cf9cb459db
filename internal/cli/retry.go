package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/journal"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/resume"
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
Rows in doubt are left alone unless --repeat-in-doubt is given. Rows of counters, and
with lists that are not frozen, are loaded again once. What is rejected again is kept
in a run directory inside the first.

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
	o := &LoadOptions{outer: l}
	inner := loadCommand(s, o)
	if err := options.apply(inner.Flags()); err != nil {
		return err
	}
	if err := override(inner.Flags(), c.Flags(), options.anew); err != nil {
		return err
	}
	o.SkipRows, o.MaxRows = 0, -1
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	args, left, err := rejected(dir, doubtful, l.Loaded().Retried)
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
	if earlier := tries(dir); len(earlier) > 0 {
		s.warn("all of it is loaded; what an earlier try left over is in %s", strings.Join(earlier, ", "))
		return nil
	}
	s.warn("all of it is loaded: %s is not needed any more", dir)
	return nil
}

// rejected finds the files of rejected rows in a run directory, and how many rows in
// doubt are left alone. Rows in doubt are of tables where a row that is written twice
// counts twice; with them, files that were loaded again before are passed over.
func rejected(dir string, doubtful bool, retried map[string]resume.Retry) (paths []string, left int, err error) {
	kept, err := reject.Find(dir)
	if err != nil {
		return nil, 0, err
	}
	passed := ""
	for _, k := range kept {
		by, taken := retried[filepath.Base(k.Path)]
		switch {
		case taken && (doubtful || k.Doubt):
			passed = by.Dir
		case k.Doubt && !doubtful:
			left += len(k.Stamps)
		default:
			paths = append(paths, k.Path)
		}
	}
	switch {
	case len(paths) == 0 && left > 0:
		return nil, left, fmt.Errorf("%s: no row was rejected, but %d rows are in doubt: --repeat-in-doubt writes them again", dir, left)
	case len(paths) == 0 && passed != "":
		return nil, 0, againError(dir, passed)
	case len(paths) == 0:
		return nil, 0, fmt.Errorf("%s: no row was rejected", dir)
	}
	return paths, left, nil
}

// tryPrefix begins the names of the folders of tries.
const tryPrefix = "retry-"

// nextFolder names the folder of the next try in a run directory.
func nextFolder(dir string) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, fmt.Sprint(tryPrefix, n))
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return path, nil
		} else if err != nil {
			return "", err
		}
	}
}

// tries lists what the tries left in a run directory.
func tries(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var found []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tryPrefix) {
			found = append(found, filepath.Join(dir, e.Name()))
		}
	}
	return found
}
