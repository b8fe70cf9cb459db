package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
)

func newRetryCommand(s streams) *cobra.Command {
	opts := &resumeOptions{}
	c := &cobra.Command{
		Use:   "retry RUN_DIR | --last",
		Short: "Try again what failed in a scan or load",
		Long: `Try again what failed in a run, and nothing else, with the options that it was
begun with. To name the newest run of this folder in which something failed: --last.

Of a load, the rejected rows are loaded again, mended or as they are, from the files in
its run directory. If no rows were added or removed, each keeps its timestamp. So it does
not replace a later row of its key. If an earlier load may have written a row in another
form, the row gets a later timestamp, and replaces that form.
Rows in doubt are not loaded again unless --repeat-in-doubt is given. Rows of counters, and
with lists that are not frozen, are loaded again once. What is rejected again is kept
in a run directory inside the first.

You may change how the rejected rows are read, if that is why they were rejected. That is
what null looks like (--null-string NA), the formats of values, and which column a field
goes to. Rows that are in stay as they were read. Rejects that were retried before can be
retried again; they are read as the last retry read them, unless a flag says otherwise.

Of a scan, the token ranges that failed are read, and when all of them are, the output
gets its name.
` + help.ExitStatus,
		Example: `  cqlbulk retry cqlbulk-load-demo.flights-20260102T150405Z-4711
  cqlbulk retry --last --null-string NA`,
		Args:              opts.take,
		ValidArgsFunction: completeRunDir,
		RunE: func(c *cobra.Command, _ []string) error {
			opts.noteFound(s, &opts.showOptions, "has something that failed")
			return runRetry(
				c.Context(),
				s,
				opts.showOptions,
				spec.Resume{RunDir: opts.dir, Changes: flagset.Changes(c.Flags())},
			)
		},
	}
	c.Flags().SortFlags = false
	opts.addFlag(c.Flags(), "the newest run of this folder in which something failed")
	opts.AddFlags(c.Flags())
	return c
}

func runRetry(ctx context.Context, s streams, show showOptions, settings spec.Resume) error {
	s, err := s.withPage(show, "retry")
	if err != nil {
		return err
	}
	run, err := operation.PrepareRetry(ctx, show.environment(s), settings)
	switch {
	case err != nil:
		return err
	case run.Scan != nil:
		return finishScan(ctx, s, show, run.Scan)
	}
	s.warnRetried(run.Before)
	s.printRereading(run.Load.Rereading())
	ended := finishLoad(ctx, s, show, run.Load)
	switch {
	case run.LeftInDoubt > 0:
		s.wrong(
			"%s in doubt %s in %s, and --repeat-in-doubt writes %s again",
			human.Of(run.LeftInDoubt, "row"),
			human.Verb(
				run.LeftInDoubt,
				"was not retried: it is",
				"were not retried: they are",
			),
			run.DoubtDir,
			human.Verb(run.LeftInDoubt, "it", "them"),
		)
		s.end.document.LeaveInDoubt(
			run.LeftInDoubt,
			advice.Step{Command: "retry", RunDir: run.DoubtDir, RepeatInDoubt: true},
			ended != nil,
		)
		if ended == nil {
			ended = partly()
		}
	case ended == nil:
		s.printRetried(run)
	}
	return ended
}

// printRetried says what a retry that loaded all has left in the run directory.
func (s streams) printRetried(r *operation.Retry) {
	left, err := r.LeftOver()
	if err != nil {
		s.warn("what earlier retries left over is not known: %v", err)
		return
	}
	done := "nothing is left to retry"
	if removed := r.Removed(); removed > 0 {
		done += fmt.Sprintf(
			", %s from the files of rejects",
			human.Of(removed, "row")+human.Verb(removed, " was removed", " were removed"),
		)
	}
	kept, err := r.NotApplied()
	switch {
	case err != nil:
		s.warn("whether rows were not applied is not known: %v", err)
	case len(left) > 0:
		s.note(
			"the rows of this retry are written; an earlier retry left rows: cqlbulk status %s",
			setting.ShellQuote(left[0]),
		)
	case len(kept) > 0:
		s.note("%s; rows that were not applied are in %s", done, someOf(kept))
	default:
		s.note("%s: %s is not needed any more", done, r.RunDir)
	}
}
