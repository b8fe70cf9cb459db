package cli

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/runview"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/run/retry"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
)

// chosenRun is the run that a command is about: one that is named, or the newest of this folder.
type chosenRun struct {
	last  bool
	dir   string // its run directory, once the arguments are taken
	found bool   // by --last
}

// lastFlag asks for the newest run.
const lastFlag = "last"

// chosenNote is where the commands that have one note their run directory, for the configuration,
// which is applied before they run.
const chosenNote = "cqlbulk_run"

func (r *chosenRun) addFlag(f *pflag.FlagSet, which string) {
	flagset.AddOwn(f, &r.last, lastFlag, which+", in place of its name", flagset.Of(flagset.GroupInput), flagset.Once, flagset.Everyday)
}

// take wants one run directory, or --last.
func (r *chosenRun) take(c *cobra.Command, args []string) error {
	switch {
	case r.last && len(args) > 0:
		return fmt.Errorf(
			"--last is the newest run of this folder: give %s or --last, not both",
			args[0],
		)
	case !r.last && len(args) != 1:
		return fmt.Errorf(
			"give one run directory: cqlbulk %s RUN_DIR, or cqlbulk %[1]s --last for the newest of this folder",
			c.Name(),
		)
	case !r.last:
		r.dir = args[0]
	default:
		doubt := c.Flags().Lookup("repeat-in-doubt")
		dir, err := status.Newest(".", c.Name(), doubt != nil && doubt.Value.String() == "true")
		if err != nil {
			return fmt.Errorf("--last: %w", err)
		}
		r.dir, r.found = dir, true
	}
	if c.Annotations == nil {
		c.Annotations = make(map[string]string)
	}
	c.Annotations[chosenNote] = r.dir
	return nil
}

// takeOrNone wants a run directory or a folder, --last, or nothing.
func (r *chosenRun) takeOrNone(c *cobra.Command, args []string) error {
	if r.last {
		return r.take(c, args)
	}
	if len(args) > 1 {
		return fmt.Errorf(
			"give one run directory or folder: cqlbulk %s [RUN_DIR | FOLDER]",
			c.Name(),
		)
	}
	return nil
}

// noteFound prints which run --last found.
func (r *chosenRun) noteFound(s streams, show *showOptions, what string) {
	s.warnOwner(r.dir)
	if r.found && !show.Quiet {
		s.note("%s is the newest run of this folder that %s", r.dir, what)
	}
}

// warnOwner warns of a run directory of another user whose settings are used.
func (s streams) warnOwner(dir string) {
	if other := status.Owner(dir); other != "" {
		s.warn("run directory %s belongs to user %s: its settings are what that user wrote there, "+
			"the hosts that get the password among them", dir, other)
	}
}

// warnWriter warns that what is shown of a run is what another user wrote.
func (s streams) warnWriter(path string) {
	if other := status.Owner(path); other != "" {
		s.warn("%s belongs to user %s: what is shown is what that user wrote there", path, other)
	}
}

// commandOf returns the command of the run that a command resumes or retries. It is empty if there
// is no such run, or if it is not known.
func commandOf(c *cobra.Command) string {
	if dir := c.Annotations[chosenNote]; dir != "" && c.Name() != "status" {
		return operation.CommandOf(dir)
	}
	return ""
}

// warnRetried warns of rejects that were loaded before. The warning says how they are read now.
func (s streams) warnRetried(before []retry.Earlier) {
	for _, b := range before {
		files := someOf(b.Files)
		text := fmt.Sprintf(
			"a load of %s was begun before, in %s; all of its rows are loaded again",
			files,
			b.Dir,
		)
		if b.Done {
			text = fmt.Sprintf(
				"all rows of %s were loaded before, by run %s in %s, which is done; they are loaded again",
				files,
				b.Run,
				b.Dir,
			)
		}
		if len(b.Reading) > 0 {
			text += fmt.Sprintf(
				", and read as then (%s) where no flag says otherwise",
				runview.FlagsWith(b.Reading),
			)
		}
		s.warn("%s", text)
	}
}

// printRereading prints what a change in how text is read means.
func (s streams) printRereading(r *operation.Rereading) {
	if r == nil {
		return
	}
	for _, change := range r.Settings {
		s.note("read otherwise: %s", runview.ChangeText(change))
	}
	loaded := fmt.Sprintf(
		"the %s that %s loaded %s as %s read",
		human.Of(r.Loaded, "row"),
		human.Verb(r.Loaded, "is", "are"),
		human.Verb(r.Loaded, "stays", "stay"),
		human.Verb(r.Loaded, "it was", "they were"),
	)
	if r.Retried {
		s.note(
			"the %[2]s %[1]s read this way; %[3]s",
			human.Verb(r.Rejected, "is", "are"),
			human.Of(r.Rejected, "rejected row"),
			loaded,
		)
		return
	}
	s.note(
		"the rest of the inputs is read this way; %s. Rows that were under way are written as they may have been. The %s rejected before %s read so when %s retried",
		loaded,
		human.Of(r.Rejected, "row"),
		human.Verb(r.Rejected, "is", "are"),
		human.Verb(r.Rejected, "it is", "they are"),
	)
}
