package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/cli/resultview"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// countOptions are the flags of count.
type countOptions struct {
	tableOptions
	showOptions
	spec *spec.Count
}

// AddFlags adds the flags of count.
func (o *countOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings()}
	o.tableOptions.AddFlags(f)
	b.In(flagset.GroupOutput).Add("by", "host, range or partition: break the number down", flagset.Everyday)
	b.In(flagset.GroupOutput).
		Add("top", "partitions to list with --by partition, the largest first", flagset.Everyday)
	b.In(flagset.GroupRows).Add("where", "CQL condition that rows must meet besides", flagset.Everyday)
	b.In(flagset.GroupRows).
		Add("allow-filtering", "let the servers read rows that the condition then leaves out")
	addReadFlags(b)
	addPlanFlags(b)
	addPaceFlags(b)
	addConnectionFlags(b, readLevelHelp)
	o.showOptions.AddFlags(f)
	o.addPageFlag(f)
}

func newCountCommand(s streams) *cobra.Command {
	opts := &countOptions{spec: spec.NewCount()}
	c := &cobra.Command{
		Use:   "count [keyspace.table] [SSTABLES...]",
		Short: "Count the rows of a table",
		Long: `Count the rows of a table: each token range is counted by a replica of it, and
only the sums travel. A range that takes too long is cut in two, or with --by partition
behind the partitions that have been counted.

The number goes to the standard output, on a line of its own. It is the number of rows
that scan writes. With --by there is a line for each part instead, its columns
separated by tabs. For host these are the node that owns the rows' range, the rows and
their share. For range they are the bounds of each vnode range, the rows and their share.
For partition they are the key and the rows of the largest partitions.

One replica of each range is read (LOCAL_ONE), and what it has missed is not counted. If
some replicas missed writes, a count at LOCAL_QUORUM may give another number.

With --via stream the nodes send their SSTables here. With --via sstables cqlbulk reads
those of the folders that are named. Both work as in a scan: see cqlbulk scan --help.

If a range could not be counted, there is no number, the ranges are listed, and the exit
status is 2.
` + help.ExitStatus,
		Example: `  cqlbulk count demo.flights --hosts 10.0.0.1
  rows=$(cqlbulk count demo.flights --quiet)
  cqlbulk count demo.flights --by partition --top 20`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			find := opts.find
			if !opts.spec.FromFiles() {
				find = opts.findAlone
			}
			if opts.spec.TableName, opts.spec.Inputs, err = find(c, args); err != nil {
				return err
			}
			return runCount(c.Context(), s, opts)
		},
	}
	c.Flags().SortFlags = false
	c.ValidArgsFunction = completeTable(&opts.spec.Connection, true)
	opts.AddFlags(c.Flags())
	return c
}

func runCount(ctx context.Context, s streams, o *countOptions) error {
	s, err := s.withPage(o.showOptions, "count")
	if err != nil {
		return err
	}
	count, err := operation.PrepareCount(ctx, o.environment(s), *o.spec)
	if err != nil {
		return err
	}
	defer count.Close()
	stop := o.run(ctx, s, "count "+count.Table(), count.Counters(), false)
	s.page.show(count)
	result, err := count.Run(ctx)
	stop()
	s.end.document = report.OfCount(result)
	s.printFailed(result.Failed)
	if result.Outcome == run.Partly {
		s.wrong("counted %s in the ranges that answered", human.Of(result.Rows, "row"))
	}
	if err != nil || result.Outcome != run.Done || o.JSON {
		return runError(err, result.Outcome)
	}
	out := s.out
	if printer.IsTerminal(out) {
		out = s.text() // keys are what others wrote
	}
	return fatal(resultview.WriteCount(out, o.spec.By, result))
}
