package retry

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

// RefuseTwice refuses rejects that an earlier load has loaded, if their rows would count twice.
// With countsTwice, each row that is written twice counts twice.
func (r *Rejects) RefuseTwice(countsTwice bool) error {
	for _, f := range r.files {
		earlier, taken := r.Loaded().Retried[f.name()]
		// With other timestamps, what is appended to a list is appended once more.
		twice := countsTwice ||
			r.load.Spec.AppendCollections && (f.Stamps == nil || r.corrected)
		own := r.load.Resumed != nil && earlier.Run == r.load.Resumed.Manifest().Run
		if taken && twice && !own {
			return loadedBefore(r.load.Spec.RejectsOf, earlier.Dir)
		}
	}
	return nil
}

// loadedBefore refuses to load rejects again that the load in a folder of the run has loaded, or
// begun to load.
func loadedBefore(dir, folder string) error {
	const before = "what was rejected was loaded again before"
	try := filepath.Join(dir, folder)
	if _, err := os.Lstat(try); err != nil {
		return fmt.Errorf("%s: %s, and nothing of it was left over", dir, before)
	}
	return fmt.Errorf(
		"%s, or begun to be, by the load in %s, and rows count twice that are written twice: see cqlbulk status %s",
		before,
		try,
		setting.ShellQuote(try),
	)
}

// refuseUnfinished refuses to retry a load that has not come to its end.
func refuseUnfinished(dir string, end *records.End) error {
	switch {
	case end != nil && (end.Outcome == records.Partly || end.Outcome == records.Done):
		return nil
	case end != nil && end.Outcome == records.Failed: // a limit on errors may stop it again
		return fmt.Errorf(
			"run %s failed before its end: resume it first, as this says: cqlbulk status %s",
			dir,
			setting.ShellQuote(dir),
		)
	default:
		return fmt.Errorf(
			"run %s has not come to its end: resume it first: cqlbulk resume %s",
			dir,
			setting.ShellQuote(dir),
		)
	}
}

// refuseNothing refuses a retry without files of rejects. It reports the rows in doubt, which this
// retry does not write. If skipped is not empty, it is the folder of an earlier retry of the same
// rejects.
func refuseNothing(dir string, inDoubt int, skipped string) error {
	switch {
	case inDoubt > 0:
		return fmt.Errorf(
			"%s: no row was rejected, but %s %s in doubt: --repeat-in-doubt writes %s again",
			dir,
			human.Of(inDoubt, "row"),
			human.Verb(inDoubt, "is", "are"),
			human.Verb(inDoubt, "it", "them"),
		)
	case skipped != "":
		return loadedBefore(dir, skipped)
	default:
		return fmt.Errorf("%s: no row was rejected", dir)
	}
}

// refuseRepeats refuses rows in doubt that have been written again as often as there are timestamps
// for.
func refuseRepeats(k reject.Kept) error {
	if k.Doubt && k.Repeats+1 >= ingest.MaxStampStep {
		return fmt.Errorf(
			"%s: its rows were written again %d times: once more, they could get the timestamps of the rows after them; "+
				"cqlbulk load takes the file as new rows",
			k.Path,
			k.Repeats,
		)
	}
	return nil
}
