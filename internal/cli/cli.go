// Package cli is the command line: one file per command, with its options, its flags and the few
// calls that run its operation.
//
// Data and answers go to the standard output, all else to the standard error. Messages begin with
// "cqlbulk:", are lower case, have no full stop, and say what to do next if that is known. A
// password is never shown.
package cli

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/cqlbulk/cqlbulk/internal/cli/configfile"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/cli/logbook"
	"github.com/cqlbulk/cqlbulk/internal/cli/mistakes"
	"github.com/cqlbulk/cqlbulk/internal/config"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// streams are the program's own input and outputs, and what goes to them besides data.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	log *logbook.Log
	end *ending

	args []string // as typed, without the program's name
	page *page    // that shows what is said; nil: there is none
}

func newStreams(in io.Reader, out, err io.Writer) streams {
	return streams{in: in, out: out, err: err, log: logbook.New(err), end: new(ending)}
}

// text is the standard output of answers in words, where what others wrote does nothing.
func (s streams) text() io.Writer { return safetext.NewWriter(s.out) }

// warn prints a warning: something odd that does not stop the run.
func (s streams) warn(format string, args ...any) { s.log.Say(slog.LevelWarn, format, args...) }

// wrong prints what has failed, also with --quiet.
func (s streams) wrong(format string, args ...any) { s.log.Say(slog.LevelError, format, args...) }

// note prints something that is as it should be.
func (s streams) note(format string, args ...any) { s.log.Say(slog.LevelInfo, format, args...) }

// detail prints something only with --verbose.
func (s streams) detail(format string, args ...any) { s.log.Say(slog.LevelDebug, format, args...) }

// Run runs the program and returns its exit code. args are without the program's
// name. stderr is written to from several goroutines.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, endings()...)
	defer stop()
	// A second signal ends the program at once.
	context.AfterFunc(ctx, stop)

	s := newStreams(stdin, stdout, stderr)
	defer s.log.Close()
	return s.guarded(func() int { return s.run(ctx, args) })
}

// endings are the signals that end a run in order. SIGHUP comes when the terminal has gone; nohup
// has it ignored.
func endings() []os.Signal {
	all := []os.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// run runs a command line and returns the exit code.
func (s streams) run(ctx context.Context, args []string) int {
	s.args = args
	root := newRoot(s)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	if c := help.AllOf(root, args); c != nil {
		help.Write(s.out, c, true)
		return exitOK
	}
	var err error
	if len(args) > 0 && isCompletion(args[0]) {
		completeFlags(root)
		root.PersistentPreRunE = nil // completions read the settings that they need
	} else {
		err = mistakes.Find(root, args)
	}
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	return s.answer(ctx, err)
}

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "cqlbulk",
		Short: "Get a table out of Apache Cassandra or ScyllaDB, or into it",
		Long: `cqlbulk reads whole tables out of Apache Cassandra and ScyllaDB, and loads files into
them. It is fast without tuning, exact to the bit, gentle to the cluster, and honest
about every row.`,
		Example: `  cqlbulk scan demo.flights -o flights.csv --hosts 10.0.0.1
  cqlbulk load demo.flights flights.csv
  cqlbulk count demo.flights`,
		Version:       version.Read().Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          mistakes.NoSuchCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetVersionTemplate("cqlbulk {{.Version}}\n")
	flagset.AddOwn(
		root.PersistentFlags(),
		new(string),
		config.FileFlag,
		"configuration file",
		flagset.Of(flagset.GroupEverywhere),
		flagset.Path,
	)
	root.SetFlagErrorFunc(mistakes.ExplainFlag)
	help.Install(root)
	root.AddCommand(
		newScanCommand(s),
		newLoadCommand(s),
		newCountCommand(s),
		newPlanCommand(s),
		newDoctorCommand(s),
		newVerifyCommand(s),
		newResumeCommand(s),
		newStatusCommand(s),
		newPruneCommand(s),
		newRetryCommand(s),
		newCopyCommand(s),
		newCloneCommand(s),
		newInspectCommand(s),
		newReportCommand(s),
		newConfigCommand(s),
		newVersionCommand(s),
		newCompletionCommand(root, s),
	)
	root.SetGlobalNormalizationFunc(flagset.Canonical)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		return applyConfig(root, c, s)
	}
	return root
}

// applyConfig fills in what the command line left open.
func applyConfig(root, c *cobra.Command, s streams) error {
	settings, commands := configfile.Names(root)
	file, err := config.Apply(c.Name(), commandOf(c), c.Flags(), settings, commands)
	if err != nil {
		return err
	}
	s.end.settings = file
	if err := s.prepareLog(c); err != nil {
		return err
	}
	if slices.ContainsFunc(passwordFlags, file.Has) {
		spec.Environment{Warn: s.warn}.WarnReadable("configuration file with a password", file.Path)
	}
	// A file named on the command line wins over a password from elsewhere. The flag of the
	// password stays unchanged, as it does in package config: the user did not type it.
	for _, password := range passwordFlags {
		if f := c.Flags().
			Lookup(password); f != nil && c.Flags().Changed(password+"-file") &&
			!f.Changed {
			if err := f.Value.Set(""); err != nil {
				return err
			}
		}
	}
	return nil
}

// passwordFlags are the flags that passwords are given by, each beside one that names a file.
var passwordFlags = []string{"password", "from-password"}

// ManPages returns the manual pages of the program, of a version and a date.
func ManPages(version, date string) []help.Page {
	return help.Pages(newRoot(streams{}), version, date)
}
