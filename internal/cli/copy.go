package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/pkg/cqlcopy"
)

func newCopyCommand(s streams) *cobra.Command {
	opts := &copyOptions{}
	c := &cobra.Command{
		Use:   "copy STATEMENT | -",
		Short: "Do what a COPY statement of cqlsh's says",
		Long: `Do what a COPY statement of cqlsh's says, with load (FROM) or scan (TO). The statement
is one argument, or comes from the standard input ("-"). --explain shows the command
line that does the same. A flag wins over what the statement says. What of it has no
counterpart is told, in a line each; an option that cqlsh does not know is an error.

FROM reads the files as cqlsh does: without a header, or with HEADER = true past its
names; fields go to the columns in the order of the statement, else key columns first
and then all others by name; \ before a character takes it as it is; NULL is told by
its text alone, and deletes what is there (--nulls unset leaves it). How fast it goes
is cqlbulk's own matter: where the statement does not say otherwise, there is no
ingest rate, batches are cqlbulk's, and any number of rows may be rejected. Options in
a cqlshrc are not read.

TO writes the text of cqlbulk, which is lossless CSV (RFC 4180), and NOT that of cqlsh,
which loses digits and characters. Such a file loads again with cqlbulk load, by the
command that is shown, and not with COPY FROM, of cqlsh or here, which reads another
text. A file that exists is written over with --force only. A file whose name ends in
.gz, .zst, .lz4 or .sz is compressed.

A run that was stopped goes on with: cqlbulk resume RUN_DIR.
` + exitHelp,
		Example: `  cqlbulk copy "COPY demo.visits (day, page, visitors) FROM 'part-*.csv' WITH HEADER = true AND NULL = 'NA'"
  cqlbulk copy "COPY demo.flights (origin, month, day) TO 'flights.csv'" --explain

  # from a file
  cqlbulk copy - --hosts 10.0.0.1 < copy.cql`,
		Args: oneStatement,
		RunE: func(c *cobra.Command, args []string) error { return runCopy(c, s, opts, args[0]) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

// oneStatement wants one argument.
func oneStatement(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New(`give one COPY statement, in quotes, or "-" to read it from the standard input`)
	}
	return nil
}

func runCopy(c *cobra.Command, s streams, o *copyOptions, text string) error {
	fromInput := text == "-"
	if fromInput {
		var err error
		if text, err = readStatement(s.in); err != nil {
			return err
		}
	}
	statement, err := cqlcopy.Parse(text)
	if err != nil {
		return fmt.Errorf("the statement: %w", err)
	}
	if fromInput && statement.Standard && statement.Direction == cqlcopy.From {
		return errors.New("COPY FROM STDIN: the statement itself came from the standard input: give it as an argument")
	}
	t, err := translate(statement, o)
	if err != nil {
		return err
	}
	inner := t.make(s)
	if err := t.apply(inner.Flags(), c.Flags()); err != nil {
		return err
	}
	if o.Explain {
		fmt.Fprintln(s.out, t.commandLine(c.Flags()))
	}
	for _, note := range t.notes {
		s.warn("%s", note)
	}
	if o.Explain {
		return nil
	}
	inner.SetContext(c.Context())
	return inner.RunE(inner, t.args)
}

// maxStatement bounds what is read for a statement's sake.
const maxStatement = 1 << 20

func readStatement(in io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxStatement+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the statement: %w", err)
	case len(text) > maxStatement:
		return "", errors.New("the standard input holds more than a statement: it is longer than 1MiB")
	}
	return string(text), nil
}

// make makes the command that does what the statement says.
func (t *translation) make(s streams) *cobra.Command {
	if t.command == "load" {
		return newLoadCommand(s)
	}
	return newScanCommand(s)
}

// apply sets the flags of the command: first those that the configuration file and the
// environment have for copy, then what the statement says, then what was typed.
func (t *translation) apply(to, own *pflag.FlagSet) error {
	if err := override(to, own, isSet); err != nil {
		return err
	}
	for _, set := range t.settings {
		if err := setFlag(to, set.flag, set.values); err != nil {
			return err
		}
	}
	var failures []error
	own.VisitAll(func(f *pflag.Flag) {
		if f.Changed && to.Lookup(f.Name) == nil && !slices.Contains(copyAlone, f.Name) {
			failures = append(failures, fmt.Errorf("--%s: a COPY %s has no such setting", f.Name, t.direction))
		}
	})
	failures = append(failures, override(to, own, wasTyped))
	return errors.Join(failures...)
}

// wasTyped says whether a flag was given on the command line.
func wasTyped(f *pflag.Flag) bool { return f.Changed }
