package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// PlanOptions are the settings of plan.
type PlanOptions struct {
	connectOptions
	tableOptions
	planOptions
}

// AddFlags adds the flags of plan.
func (o *PlanOptions) AddFlags(f *pflag.FlagSet) {
	o.tableOptions.AddFlags(f)
	o.planOptions.AddFlags(f)
	o.connectOptions.AddFlags(f, readConsistency, readLevelHelp)
}

func newPlanCommand(s streams) *cobra.Command {
	opts := &PlanOptions{}
	c := &cobra.Command{
		Use:   "plan [keyspace.table]",
		Short: "Show what a scan would do",
		Long: `Show what a scan of a table would do, and do nothing: the nodes, the number of
requests under way at once (N), the number of token ranges (M), what the nodes
estimate the table to hold, and each node's share.

HOLDS is the share of the ring that a node has a replica of; READS is the share
of the requests it would get. The estimates are the nodes' own, of flushed data,
renewed every few minutes; they serve for orientation only.
` + exitHelp,
		Example: `  cqlbulk plan demo.flights --hosts 10.0.0.1`,
		RunE:    func(c *cobra.Command, args []string) error { return runPlan(c, s, opts, args) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runPlan(c *cobra.Command, s streams, o *PlanOptions, args []string) error {
	t, err := openPlain(c, s, args, &o.tableOptions, &o.planOptions, &o.connectOptions)
	if err != nil {
		return err
	}
	defer t.close()
	return fatal(t.print(s.out, o.planOptions))
}

// print writes the plan as two tables: facts, then nodes.
func (t *target) print(out io.Writer, o planOptions) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	facts := func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	sum := t.estimate()
	all, err := t.table.Selectors(nil)
	if err != nil {
		return err
	}
	var cores []string
	for i, n := range plan.Cores(t.cluster, plan.Options{Cores: o.Cores}) {
		if t.cluster.Nodes[i].DC == t.cluster.LocalDC {
			cores = append(cores, fmt.Sprint(n))
		}
	}
	facts("table", "%s", t.table)
	facts("statement", "%s", t.session.Reader(t.table, driver.Columns(all), t.plan.Partitioner()).Statement())
	facts("cluster", "%s, %s", t.cluster.Name, t.cluster.Partitioner[strings.LastIndexByte(t.cluster.Partitioner, '.')+1:])
	facts("data center", "%s of %s", t.cluster.LocalDC, strings.Join(t.cluster.DCs(), ", "))
	facts("replication", "%s", describeReplication(t.replication))
	if t.plan.Serial != "" {
		facts("serial", "%s", t.plan.Serial)
	} else {
		if o.Parallel > 0 {
			facts("parallel (N)", "%d, as asked", t.plan.Parallel)
		} else {
			facts("parallel (N)", "%d = (%s cores) x smudge %d", t.plan.Parallel, strings.Join(cores, " + "), o.Smudge)
		}
		facts("splits (M)", "%s of %s vnode ranges, seed %d", printer.Count(int64(len(t.plan.Splits))), printer.Count(int64(t.plan.Ranges())), t.plan.Seed)
	}
	facts("estimate", "%s partitions, %s, %s a split", printer.Count(sum.Partitions), printer.Size(sum.Bytes), printer.Size(sum.Bytes/max(int64(len(t.plan.Splits)), 1)))
	fmt.Fprintln(w)
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w, "NODE\tDC\tRACK\tVERSION\tSTATE\tCORES\tTOKENS\tHOLDS\tREADS\tESTIMATE")
	shares := t.plan.Shares()
	for i, n := range t.cluster.Nodes {
		state := "up"
		if !n.Up {
			state = "down"
		}
		told := "?"
		if n.Cores > 0 {
			told = fmt.Sprint(n.Cores)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f%%\t%.1f%%\t%s\n", n.Address, n.DC, n.Rack, n.Version, state, told,
			len(n.Tokens), 100*shares[i].Holds, 100*shares[i].Reads, printer.Size(t.estimates[i].Bytes))
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
