package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// CountOptions are the settings of count.
type CountOptions struct {
	connectOptions
	tableOptions
	planOptions
	paceOptions
	By             string
	Top            int
	Where          string
	AllowFiltering bool
}

// AddFlags adds the flags of count.
func (o *CountOptions) AddFlags(f *pflag.FlagSet) {
	o.tableOptions.AddFlags(f)
	f.StringVar(&o.By, "by", "", "host, range or partition: break the number down")
	f.IntVar(&o.Top, "top", 10, "partitions to list with --by partition, the largest first")
	f.StringVar(&o.Where, "where", "", "CQL condition that rows must meet besides")
	f.BoolVar(&o.AllowFiltering, "allow-filtering", false, "let the servers read rows that the condition then leaves out")
	o.planOptions.AddFlags(f)
	o.paceOptions.AddFlags(f)
	o.connectOptions.AddFlags(f, readConsistency, readLevelHelp)
}

func newCountCommand(s streams) *cobra.Command {
	opts := &CountOptions{}
	c := &cobra.Command{
		Use:   "count [keyspace.table]",
		Short: "Count the rows of a table",
		Long: `Count the rows of a table: each token range is counted by a replica of it, and
only the sums travel. A range that takes too long is cut in two, or with --by partition
behind the partitions that have been counted.

The number goes to the standard output, alone on a line; it is the number of rows
that scan gives. With --by there is a line for each part instead, its columns
separated by tabs: the node that owns the rows' range, the rows and their share
(host); the bounds of each vnode range, the rows and their share (range); or the
key and the rows of the largest partitions (partition).

One replica of each range is asked (LOCAL_ONE), and what it has missed is not counted:
after writes that not all replicas took, a count at LOCAL_QUORUM may give another number.

When a range could not be counted there is no number, the ranges are listed, and
the exit status is 2.
` + exitHelp,
		Example: `  cqlbulk count demo.flights --hosts 10.0.0.1
  rows=$(cqlbulk count demo.flights --quiet)

  # the twenty largest partitions
  cqlbulk count demo.flights --by partition --top 20`,
		RunE: func(c *cobra.Command, args []string) error { return runCount(c, s, opts, args) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

// ways are the ways to break a count down.
var ways = []string{"host", "range", "partition"}

func (o *CountOptions) check() error {
	if o.By != "" && !slices.Contains(ways, o.By) {
		return fmt.Errorf("--by %q: the ways are %s%s", o.By, strings.Join(ways, ", "), schema.DidYouMean(o.By, ways))
	}
	if o.Top < 1 {
		return fmt.Errorf("--top %d: must be at least 1", o.Top)
	}
	return o.paceOptions.check()
}

func runCount(c *cobra.Command, s streams, o *CountOptions, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	t, err := openPlain(c, s, args, &o.tableOptions, &o.planOptions, &o.connectOptions)
	if err != nil {
		return err
	}
	defer t.close()
	ctx := c.Context()
	if o.PageSize == 0 {
		o.PageSize = countPage
	}
	job := o.job(t)
	var stopWatch func()
	job.Sweep, stopWatch = o.sweepOptions(ctx, t)
	defer stopWatch()
	begin := time.Now()
	stop := printer.Start(ctx, s.err, "count "+t.table.String(), job.Counters, o.Quiet)
	result, err := job.Run(ctx)
	stop()
	if err != nil {
		return sweepError(err, o.Where, len(result.Done) > 0)
	}
	if err := t.settle(s, result.Result); err != nil {
		s.warn("counted %s rows in the ranges that answered", printer.Count(result.Rows))
		return err
	}
	if !o.Quiet {
		s.summary("count of "+t.table.String(), job.Counters, begin, fmt.Sprintf("%s token ranges%s", printer.Count(int64(len(result.Done))), t.levelNote()))
	}
	return fatal(o.print(s.out, t, result))
}

// countPage is the page size of a count: the server reads that many rows at a
// time while it counts.
const countPage = 5000

func (o *CountOptions) job(t *target) *count.Job {
	query := driver.Count()
	job := &count.Job{Splits: t.plan.Splits, Vnodes: t.plan.Ranges(), Partitioner: t.plan.Partitioner(), Counters: &progress.Counters{}}
	if p := t.plan.Placement(); p != nil {
		job.Find = p.Find
	}
	if o.By == "partition" {
		job.Top = o.Top
		for _, c := range t.table.OfKind(schema.PartitionKey) {
			query.GroupBy = append(query.GroupBy, cqltype.QuoteIdent(c.Name))
		}
		query.Select = append(slices.Clone(query.GroupBy), query.Select...)
	}
	query.Where, query.AllowFiltering = o.Where, o.AllowFiltering
	job.Reader = t.session.Reader(t.table, query, t.plan.Partitioner())
	return job
}

// openPlain connects and plans for a command that takes nothing but a table.
func openPlain(c *cobra.Command, s streams, args []string, name *tableOptions, p *planOptions, conn *connectOptions) (*target, error) {
	args, err := name.take(c, args)
	if err != nil {
		return nil, err
	}
	if len(args) > 0 {
		return nil, fmt.Errorf("unexpected argument %q", args[0])
	}
	planning, err := p.options(*name)
	if err != nil {
		return nil, err
	}
	cfg, err := conn.config(s)
	if err != nil {
		return nil, err
	}
	return openTarget(c.Context(), cfg, *name, planning, true)
}
