package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// CountOptions are the settings of count.
type CountOptions struct {
	connectOptions
	tableOptions
	planOptions
	MaxAttempts int
}

// AddFlags adds the flags of count.
func (o *CountOptions) AddFlags(f *pflag.FlagSet) {
	o.tableOptions.AddFlags(f)
	o.planOptions.AddFlags(f)
	f.IntVar(&o.MaxAttempts, "maxattempts", 10, "attempts for a token range before it is given up")
	o.connectOptions.AddFlags(f)
}

func newCountCommand(s streams) *cobra.Command {
	opts := &CountOptions{}
	c := &cobra.Command{
		Use:   "count [keyspace.table]",
		Short: "Count the rows of a table",
		Long: `Count the rows of a table: each token range is counted by a replica of it, and
only the sums travel. A range that takes too long is cut in two.

The number goes to the standard output, alone on a line; it is the number of rows
that scan gives. When a range could not be counted there is no number, the ranges
are listed, and the exit status is 2.
` + exitHelp,
		Example: `  cqlbulk count demo.flights --hosts 10.0.0.1
  rows=$(cqlbulk count demo.flights --quiet)`,
		RunE: func(c *cobra.Command, args []string) error { return runCount(c, s, opts, args) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runCount(c *cobra.Command, s streams, o *CountOptions, args []string) error {
	t, err := o.open(c, s, args)
	if err != nil {
		return err
	}
	defer t.close()
	ctx := c.Context()
	counters := &progress.Counters{}
	job := &count.Job{
		Reader:   t.session.Counter(t.table, t.plan.Partitioner()),
		Splits:   t.plan.Splits,
		Sweep:    t.sweep(o.MaxAttempts, countPage),
		Counters: counters,
	}
	begin := time.Now()
	stop := printer.Start(ctx, s.err, "count "+t.table.String(), counters, o.Quiet)
	rows, result, err := job.Run(ctx)
	stop()
	if err != nil {
		return fatal(err)
	}
	if err := t.settle(s, result); err != nil {
		s.warn("counted %s rows in the ranges that answered", printer.Count(rows))
		return err
	}
	if !o.Quiet {
		s.summary("count of "+t.table.String(), counters, begin, fmt.Sprintf("%s token ranges", printer.Count(int64(len(result.Done)))))
	}
	_, err = fmt.Fprintln(s.out, rows)
	return fatal(err)
}

// countPage is the page size of a count: the server reads that many rows at a
// time while it counts.
const countPage = 5000

// open connects and plans for a command that takes nothing but a table.
func (o *CountOptions) open(c *cobra.Command, s streams, args []string) (*target, error) {
	args, err := o.take(c, args)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("unexpected argument %q", args[0])
	}
	planning, err := o.planOptions.options()
	if err != nil {
		return nil, err
	}
	cfg, err := o.config(s)
	if err != nil {
		return nil, err
	}
	return openTarget(c.Context(), cfg, o.tableOptions, planning)
}
