package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/resultview"
	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	loadOptions
	Suggest bool // print the load, and nothing else
}

// AddFlags adds the flags of doctor: those of a load that say what is checked, and how it is read.
func (o *doctorOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings()}
	o.tableOptions.AddFlags(f)
	o.addInputFlags(b)
	b.In(flagset.GroupWrites).
		Add("timestamp", "write time of all rows, as load has it; the clocks then do not matter")
	b.In(flagset.GroupWrites).
		Add("if-not-exists", "rows are to be written only where there is none: that needs other rights")
	past := b.In(flagset.GroupPast)
	past.Add("via", "how rows are to go into the table: cql or stream")
	past.Add(
		"storage-port",
		"port that the nodes stream to each other by (default: the one that they report)",
	)
	addInternodeFlags(past)
	pace := b.In(flagset.GroupPace)
	pace.Add("ingestrate", "rows a second that the load is to have; for the time that it takes")
	pace.Add("cores", coresHelp)
	flagset.AddOwn(
		f,
		&o.Suggest,
		"suggest",
		"print the complete load command for the files, and nothing else, on the standard output; what remains to be known goes to the standard error",
		flagset.Of(flagset.GroupShown),
		flagset.Everyday,
	)
	b.In(flagset.GroupErrors).Add("patience", "how long each check may take", flagset.Everyday)
	addConnectionFlags(b, writeLevelHelp)
	o.showOptions.AddFlags(f)
}

func newDoctorCommand(s streams) *cobra.Command {
	opts := &doctorOptions{loadOptions: loadOptions{spec: spec.NewDoctor()}}
	c := &cobra.Command{
		Use:   "doctor [keyspace.table] [FILE... | -]",
		Short: "Check that a cluster, a table and files are ready",
		Long: `Check that a cluster, a table and files are ready, and change nothing. Each
line is ok, a warning or a failure, and says what to do.

Of the cluster it checks the connection, when certificates end, versions, the schema that
the nodes agree on, their clocks, and the storage port. As far as nodes report them, it
also checks their cores, thresholds and free disk. Of a table it checks how many replicas
the consistency level waits for, rights, and whether rows can be streamed. Of files it
checks the encoding, the fields beside the columns, and the values of the first 1,000
rows. It finds dates that begin with the day, and seconds that should be milliseconds, and
estimates how many rows there are.

--suggest prints the complete load command for the files, by their first rows. It has their
delimiter, comments, names of columns, words for null, and patterns of dates and numbers.

The checks run side by side, each for at most --patience. Files are read as load
reads them, with the same flags. The commands load --check and scan --check make the same
checks for themselves, and then prepare all up to the first row.

Exit status:
  0    no failure; there may be warnings
  1    wrong usage or configuration; nothing was checked
  2    something will fail, and is listed
  4    fatal: the answer could not be written
  130  interrupted`,
		Example: `  cqlbulk doctor --hosts 10.0.0.1
  cqlbulk doctor demo.flights
  cqlbulk doctor demo.flights flights.csv --null-string NA
  cqlbulk doctor demo.flights flights.csv --suggest
  cqlbulk load demo.flights flights.csv --via stream --check

  # for a script: what failed
  cqlbulk doctor demo.flights --json | jq -r '.doctor.findings[] | select(.state == "failure") | .found'`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opts.fill(c, args); err != nil {
				return err
			}
			s.printListTerminal(opts.spec.Inputs)
			d, err := operation.PrepareDoctor(c.Context(), opts.environment(s), *opts.spec)
			if err != nil {
				return err
			}
			if opts.Suggest {
				return runSuggest(c, s, opts.showOptions, d)
			}
			s.printTerminal(opts.spec.Inputs)
			return runDoctor(c.Context(), s, opts.showOptions, d)
		},
	}
	c.Flags().SortFlags = false
	c.ValidArgsFunction = completeTable(&opts.spec.Connection, true)
	opts.AddFlags(c.Flags())
	return c
}

// fill fills in what the command line says besides settings. A table need not be named.
func (o *doctorOptions) fill(c *cobra.Command, args []string) error {
	if len(args) == 0 && o.Table == "" {
		o.spec.Given = flagset.Typed(c.Flags())
		return nil
	}
	return o.loadOptions.fill(c, args)
}

// addCheckFlag adds the flag by which a command looks whether it would do well, and does nothing.
func (o *showOptions) addCheckFlag(f *pflag.FlagSet) {
	flagset.AddOwn(
		f,
		&o.Check,
		"check",
		"look at the cluster, the table and the rest as cqlbulk doctor does; and do nothing else: nothing is written",
		flagset.Of(flagset.GroupShown),
		flagset.Everyday,
	)
}

// runDoctor runs the checks, and prints the findings.
func runDoctor(ctx context.Context, s streams, show showOptions, d *operation.Doctor) error {
	s.end.aside = false
	var written error
	result, err := d.Run(ctx, func(f doctor.Finding) {
		if !show.JSON && (!show.Quiet || f.State != doctor.OK) && written == nil {
			written = resultview.WriteFinding(s.text(), f)
		}
	})
	s.end.document = report.OfDoctor(result)
	if err == nil {
		err = written
	}
	return runError(err, result.Outcome)
}
