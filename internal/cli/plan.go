package cli

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/cli/resultview"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// planOptions are the flags of plan.
type planOptions struct {
	tableOptions
	showOptions
	spec *spec.Plan
}

// AddFlags adds the flags of plan.
func (o *planOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings()}
	o.tableOptions.AddFlags(f)
	addPlanFlags(b)
	b.In(flagset.GroupOutput).
		Add("save-ring", "file to write the nodes and their tokens to; with the replication of all keyspaces, as JSON, for --ring", flagset.Path, flagset.Everyday)
	addConnectionFlags(b, readLevelHelp)
	o.showOptions.AddFlags(f)
}

func newPlanCommand(s streams) *cobra.Command {
	opts := &planOptions{spec: spec.NewPlan()}
	c := &cobra.Command{
		Use:   "plan [keyspace.table]",
		Short: "Show what a scan would do",
		Long: `Show what a scan of a table would do, and do nothing. The plan has the nodes, the number
of requests under way at once (N) and the number of token ranges (M). It also has what the
nodes estimate the table to hold, and each node's share.

HOLDS is the share of the ring that a node has a replica of; READS is the share
of the requests it would get. More than 20 nodes stand together by rack and
version; --json has each of them. The estimates are the nodes' own, of flushed data,
renewed every few minutes. They serve for orientation only.
` + help.ExitStatus,
		Example: `  cqlbulk plan demo.flights --hosts 10.0.0.1`,
		RunE: func(c *cobra.Command, args []string) (err error) {
			if opts.spec.TableName, _, err = opts.findAlone(c, args); err != nil {
				return err
			}
			return runPlan(c.Context(), s, opts)
		},
	}
	c.Flags().SortFlags = false
	c.ValidArgsFunction = completeTable(&opts.spec.Connection, false)
	opts.AddFlags(c.Flags())
	return c
}

func runPlan(ctx context.Context, s streams, o *planOptions) error {
	plan, err := operation.PreparePlan(ctx, o.environment(s), *o.spec)
	if err != nil {
		return err
	}
	defer plan.Close()
	result, err := plan.Run(ctx)
	if err != nil {
		return fatal(err)
	}
	if s.end.document = report.OfPlan(result); o.JSON {
		return nil
	}
	return fatal(resultview.WritePlan(s.text(), result))
}
