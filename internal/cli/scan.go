package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/sink"
)

// ScanOptions are the settings of scan.
type ScanOptions struct {
	connectOptions
	tableOptions
	planOptions
	formatOptions
	Output      string
	Force       bool
	Null        string
	PageSize    int
	MaxAttempts int
}

// AddFlags adds the flags of scan.
func (o *ScanOptions) AddFlags(f *pflag.FlagSet) {
	o.tableOptions.AddFlags(f)
	f.StringVarP(&o.Output, "output", "o", "", "file to write (default: the standard output)")
	f.BoolVar(&o.Force, "force", false, "write over an output file that exists")
	o.formatOptions.AddFlags(f)
	f.StringSliceVar(&o.Columns, "columns", nil, "columns to read, in this order (default: all, key columns first)")
	f.StringVar(&o.Null, "null-string", "", "text for null values (default: nothing between the delimiters)")
	o.planOptions.AddFlags(f)
	f.IntVar(&o.PageSize, "pagesize", 0, "rows of a page (default: as many as make about 1 MiB)")
	f.IntVar(&o.MaxAttempts, "maxattempts", 10, "attempts for a page before its token range is given up")
	o.connectOptions.AddFlags(f)
}

func newScanCommand(s streams) *cobra.Command {
	opts := &ScanOptions{}
	c := &cobra.Command{
		Use:   "scan [keyspace.table] [-o FILE]",
		Short: "Read a whole table and write it as CSV",
		Long: `Read a whole table, every row once, and write it as CSV (RFC 4180, UTF-8).

The ring of tokens is cut into many small ranges, none across the border of a
vnode, in random order; cores x smudge requests for each node are under way at
once, each sent to a replica of its range. A page that fails is asked for again,
from another replica where there is one. A range that cannot be read is listed
at the end, and the exit status is 2.

The text is lossless: loading it again gives the same bytes for every CQL type.
Null is nothing between the delimiters; the empty text is "". Collections, tuples
and user-defined types are CQL literals.

The output file is written as FILE.part and renamed when it is whole.
` + exitHelp,
		Example: `  # a table to a file
  cqlbulk scan demo.flights -o flights.csv --hosts 10.0.0.1

  # some columns to a pipe, without a header
  cqlbulk scan demo.flights --columns carrier,flight,tailnum --header=false | sort | uniq -c

  # at a consistency that takes in every replica that answers, and twice as hard
  cqlbulk scan demo.flights -o flights.csv --consistency LOCAL_QUORUM --smudge 6

  # everything from cqlbulk.yaml, but for one setting
  cqlbulk scan --smudge 3`,
		RunE: func(c *cobra.Command, args []string) error { return runScan(c, s, opts, args) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runScan(c *cobra.Command, s streams, o *ScanOptions, args []string) error {
	args, err := o.take(c, args)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: the output file is named with --output", args[0])
	}
	format, err := o.format()
	if err != nil {
		return err
	}
	if format.NeedsQuotes([]byte(o.Null)) {
		return fmt.Errorf("--null-string %q: must not hold the delimiter, the quote or a line break", o.Null)
	}
	planning, err := o.planOptions.options()
	if err != nil {
		return err
	}
	cfg, err := o.config(s)
	if err != nil {
		return err
	}
	ctx := c.Context()
	t, err := openTarget(ctx, cfg, o.tableOptions, planning)
	if err != nil {
		return err
	}
	defer t.close()
	columns := t.table.Columns
	if len(o.Columns) > 0 {
		if columns, err = t.table.ResolveAll(o.Columns); err != nil {
			return err
		}
	}
	if t.plan.Serial != "" {
		s.warn("reading the table as one range: %s", t.plan.Serial)
	}
	out := sink.Stream(s.out)
	if o.Output != "" {
		if out, err = sink.File(o.Output, o.Force); err != nil {
			return err
		}
	}
	counters := &progress.Counters{}
	job := &scan.Job{
		Columns:  columns,
		Format:   format,
		Header:   o.Header,
		Null:     o.Null,
		Reader:   t.session.Reader(t.table, columns, t.plan.Partitioner()),
		Splits:   t.plan.Splits,
		Sweep:    t.sweep(o.MaxAttempts, o.PageSize),
		Output:   out,
		Counters: counters,
	}
	begin := time.Now()
	// Rows and a progress line would get in each other's way on one terminal.
	mixed := o.Output == "" && printer.IsTerminal(s.out)
	stop := printer.Start(ctx, s.err, "scan "+t.table.String(), counters, o.Quiet || mixed)
	result, err := job.Run(ctx)
	stop()
	if err == nil {
		err = t.settle(s, result)
	} else {
		err = fatal(err)
	}
	if err != nil {
		if o.Output != "" {
			s.warn("the output is not whole: what there is was kept as %s.part", o.Output)
		}
		if abort := out.Abort(); abort != nil {
			s.warn("%v", abort)
		}
	} else if err = out.Commit(); err != nil {
		return fatal(err)
	}
	if !o.Quiet {
		s.summary("scan of "+t.table.String(), counters, begin, fmt.Sprintf("%s token ranges, seed %d", printer.Count(int64(len(result.Done))), t.plan.Seed))
	}
	return err
}
