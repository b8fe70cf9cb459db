package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/cqlshcopy"
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/copystmt"
)

func newCopyCommand(s streams) *cobra.Command {
	opts := &copyOptions{}
	c := &cobra.Command{
		Use:   "copy STATEMENT | -",
		Short: "Run a COPY statement of cqlsh",
		Long: `Run a COPY statement of cqlsh, with load (FROM) or scan (TO). The statement
is one argument, or comes from the standard input ("-"). --explain shows the command
line that does the same. A flag wins over the statement. Each option without a
counterpart is printed in a line; an option that cqlsh does not have is an error.

FROM reads the files as cqlsh does: without a header, or with HEADER = true past its
names. Fields go to the columns in the order of the statement. Without columns there,
key columns come first, and then all others by name. \ before a character takes it as it
is. NULL is known only by its text, and deletes the value in the table (--nulls unset
keeps it). Unless the statement has the option, there is no ingest rate, batches are
cqlbulk's, and any number of rows may be rejected.
Rejected rows are in the run directory. At the end ERRFILE gets them too, as they were in
the file and without a header; an earlier ERRFILE is renamed, as by cqlsh.

TO writes the text of cqlsh, byte for byte, except where COPY FROM would read another value.
As there, a float has 5 digits and a double 12, unless FLOATPRECISION and DOUBLEPRECISION
say otherwise. A file that exists is overwritten only with --force. A file whose name ends
in .gz, .zst, .lz4 or .sz is compressed. MAXOUTPUTSIZE writes f, f.1 and f.2, with a header
only in f.

REPORTFREQUENCY is --progress. RATEFILE gets the lines that cqlsh writes to it.

Options in sections [copy], [copy-from], [copy:keyspace.table] and so on of the cqlshrc, or
of the file that CONFIGFILE names, count where the statement has none. The connection is
that of the cqlshrc, too: [connection], [authentication], [ssl], [certfiles] and the file of
credentials. Flags, the environment and the configuration file of cqlbulk win over those.

At its end it prints the last line of cqlsh, which scripts parse, on the standard output.
It does not if rows go there, or with --quiet or --json.

To resume a run that was stopped: cqlbulk resume RUN_DIR.
` + help.ExitStatus,
		Example: `  cqlbulk copy "COPY demo.visits (day, page) FROM 'a.csv' WITH HEADER = true"
  cqlbulk copy "COPY demo.flights (origin, day) TO 'flights.csv'" --explain
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
		return errors.New(
			`give one COPY statement, in quotes, or "-" to read it from the standard input`,
		)
	}
	return nil
}

func runCopy(c *cobra.Command, s streams, o *copyOptions, text string) error {
	fromInput := text == "-"
	if fromInput {
		var err error
		s.printTerminal([]string{text})
		if text, err = readStatement(c.Context(), s.in); err != nil {
			return err
		}
	}
	statement, err := copystmt.Parse(text)
	if err != nil {
		return fmt.Errorf("the statement: %w", err)
	}
	if fromInput && statement.Standard && statement.Direction == copystmt.From {
		return errors.New(
			"COPY FROM STDIN: the statement itself came from the standard input: give it as an argument",
		)
	}
	t, err := translateCopy(s, o, c.Flags(), statement)
	if err != nil {
		return err
	}
	load, scan := spec.NewLoad(), spec.NewScan()
	if t.Direction == copystmt.From {
		err = fillFromCopy(t, load.Settings(), load.Given, c.Flags())
		load.Given["nulls"] = c.Flags().
			Changed("nulls")
			// else it is the way of COPY, which does not matter to counters
		load.Given["timestamp-unit"] = true // COPY counts milliseconds, whatever they look like
	} else {
		err = fillFromCopy(t, scan.Settings(), scan.Given, c.Flags())
	}
	if err != nil {
		return err
	}
	if o.Explain {
		fmt.Fprintln(s.text(), t.CommandLine(typedForCopy(c.Flags())))
		for _, note := range t.CopyAlone {
			s.warn("%s", note)
		}
	}
	for _, note := range t.Notes {
		s.warn("%s", note)
	}
	if t.Progress > 0 && !c.Flags().Changed(progressFlag) {
		o.Progress = t.Progress
	}
	switch {
	case o.Explain:
		return nil
	case t.Direction == copystmt.From:
		load.TableName, load.Inputs = t.Table, t.Args[1:]
		return o.copyFrom(c.Context(), s, t, load)
	default:
		scan.TableName = t.Table
		return o.copyTo(c.Context(), s, t, scan)
	}
}

// maxStatement bounds what is read for a statement's sake.
const maxStatement = 1 << 20

// readStatement reads a statement until the input ends. A read of the standard input cannot be
// interrupted, so it continues when the context ends.
func readStatement(ctx context.Context, in io.Reader) (string, error) {
	var text []byte
	var err error
	read := make(chan struct{})
	go func() {
		defer close(read)
		text, err = io.ReadAll(io.LimitReader(in, maxStatement+1))
	}()
	select {
	case <-read:
	case <-ctx.Done():
		return "", fault.New(fault.Canceled, ctx.Err())
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("reading the statement: %w", err)
	case len(text) > maxStatement:
		return "", errors.New(
			"the standard input holds more than a statement: it is longer than 1MiB",
		)
	}
	return string(text), nil
}

// fillFromCopy sets the settings of a spec. It begins with the connection of cqlsh. Then come the
// configuration file and the environment for copy, the statement, and the flags.
func fillFromCopy(
	t *cqlshcopy.Command, to setting.List, given setting.Given, own *pflag.FlagSet,
) error {
	for _, s := range t.Connection.Settings {
		if err := to.Set(s.Flag, s.Value); err != nil {
			return err
		}
	}
	if t.Connection.Password != "" {
		if err := to.Set("password", t.Connection.Password); err != nil {
			return err
		}
	}
	set := flagset.Changes(own)
	if err := to.Change(nil, given, set); err != nil {
		return err
	}
	for _, s := range t.Settings {
		if err := to.Set(s.Flag, s.Values...); err != nil {
			return err
		}
		given[s.Flag] = true
	}
	var failures []error
	own.VisitAll(func(f *pflag.Flag) {
		if !f.Changed || slices.Contains(copyAlone, f.Name) || slices.Contains(copyShown, f.Name) {
			return
		}
		if _, ok := to.Find(f.Name); !ok {
			failures = append(
				failures,
				fmt.Errorf("--%s: a COPY %s has no such setting", f.Name, t.Direction),
			)
			return
		}
		failures = append(failures, to.Set(f.Name, flagset.Texts(f)...))
	})
	return errors.Join(failures...)
}

// typedForCopy are the flags that were typed for copy and that its command has too. A password is
// left out.
func typedForCopy(own *pflag.FlagSet) (typed []*pflag.Flag) {
	own.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "password" && !slices.Contains(copyAlone, f.Name) {
			typed = append(typed, f)
		}
	})
	return typed
}
