package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/cli/runview"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
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
	return fatal(printPlan(s.text(), result))
}

// printPlan writes a plan as two tables: facts, then nodes.
func printPlan(out io.Writer, r operation.PlanReport) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	facts := func(name, format string, args ...any) { runview.WriteFact(w, name, format, args...) }
	facts("table", "%s", r.Table)
	facts("statement", "%s", r.Statement)
	facts(
		"cluster",
		"%s, %s",
		r.Cluster,
		r.Partitioner[strings.LastIndexByte(r.Partitioner, '.')+1:],
	)
	facts("data center", "%s of %s", r.DC, strings.Join(r.DCs, ", "))
	facts("replication", "%s", describeReplication(r.Replication))
	if r.Serial != "" {
		facts("serial", "%s", r.Serial)
	} else {
		if r.Asked {
			facts("parallel (N)", "%d, as asked", r.Parallel)
		} else {
			facts(
				"parallel (N)",
				"%d = (%s) x smudge %d%s",
				r.Parallel,
				sumOfCores(r.Cores),
				r.Smudge,
				assumedCores(r),
			)
		}
		large := ""
		if r.Finest > 0 {
			large = fmt.Sprintf(", up to %s if the table is large", human.Count(r.Finest))
		}
		facts(
			"splits (M)",
			"%s of %s%s, seed %d",
			human.Count(r.Splits),
			human.Of(r.Vnodes, "vnode range"),
			large,
			r.Seed,
		)
	}
	facts(
		"estimate",
		"%s, %s, %s a split",
		human.Of(r.Partitions, "partition"),
		human.Size(r.Bytes),
		human.Size(r.Bytes/max(int64(r.Splits), 1)),
	)
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	if len(r.Nodes) > mostNodes {
		writeNodeGroups(w, r.Nodes)
		return w.Flush()
	}
	fmt.Fprintln(w, "NODE\tDC\tRACK\tVERSION\tSTATE\tCORES\tTOKENS\tHOLDS\tREADS\tESTIMATE")
	for _, n := range r.Nodes {
		state := "up"
		if !n.Up {
			state = "down"
		}
		told := "?"
		if n.Cores > 0 {
			told = fmt.Sprint(n.Cores)
		}
		fmt.Fprintf(
			w,
			"%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f%%\t%.1f%%\t%s\n",
			safetext.Line(n.Address),
			safetext.Line(n.DC),
			safetext.Line(n.Rack),
			safetext.Line(n.Version),
			state,
			told,
			n.Tokens,
			100*n.Holds,
			100*n.Reads,
			human.Size(n.Bytes),
		)
	}
	return w.Flush()
}

// describeReplication writes a keyspace's replication as class and factors.
func describeReplication(replication map[string]string) string {
	class := replication["class"]
	text := class[strings.LastIndexByte(class, '.')+1:]
	var keys []string
	for k := range replication {
		if k != "class" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		text += fmt.Sprintf(", %s %s", k, replication[k])
	}
	return text
}
