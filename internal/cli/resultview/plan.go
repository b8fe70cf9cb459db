// Package resultview writes the results of count, plan, inspect, verify and doctor for a reader.
package resultview

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/cqlbulk/cqlbulk/internal/cli/runview"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

// WritePlan writes a plan as two tables: facts, then nodes.
func WritePlan(out io.Writer, r operation.PlanReport) error {
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
