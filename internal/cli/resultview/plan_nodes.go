package resultview

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
)

const (
	// mostNodes is the most nodes that a plan has a line for, each.
	mostNodes = 20
	// mostNamed is the most addresses that stand in one line.
	mostNamed = 5
)

// sumOfCores writes the cores of nodes as a sum, equal ones of many nodes as a product.
func sumOfCores(cores []int) string {
	sum := 0
	for _, n := range cores {
		sum += n
	}
	if len(cores) <= mostNodes {
		return strings.Trim(
			strings.ReplaceAll(fmt.Sprint(cores), " ", " + "),
			"[]",
		) + " " + human.Noun(
			sum,
			"core",
		)
	}
	nodes := make(map[int]int)
	for _, n := range cores {
		nodes[n]++
	}
	var terms []string
	for n, of := range nodes {
		terms = append(terms, fmt.Sprintf("%s x %d", human.Count(of), n))
	}
	slices.SortFunc(
		terms,
		func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) },
	)
	if len(terms) > mostNamed {
		return human.Count(sum) + " cores of " + human.Of(len(cores), "node")
	}
	return strings.Join(terms, " + ") + " cores"
}

// assumedCores notes that nodes of the data center do not report their cores; empty: all do.
func assumedCores(r operation.PlanReport) string {
	for _, n := range r.Nodes {
		if n.DC == r.DC && n.Cores == 0 {
			return "; nodes that do not report their cores count with an assumed number (--cores)"
		}
	}
	return ""
}

// nodeGroup is the nodes of a rack with one version, or of a data center.
type nodeGroup struct {
	dc, rack, version              string
	nodes, up, cores, told, tokens int
	holds, reads                   float64
	bytes                          int64
}

// add adds a node.
func (g *nodeGroup) add(n operation.PlanNode) {
	g.nodes++
	if n.Up {
		g.up++
	}
	if n.Cores > 0 {
		g.told++
	}
	g.cores, g.tokens = g.cores+n.Cores, g.tokens+n.Tokens
	g.holds, g.reads, g.bytes = g.holds+n.Holds, g.reads+n.Reads, g.bytes+n.Bytes
}

// groupNodes puts nodes together, by rack and version if that makes few groups, else by data
// center.
func groupNodes(nodes []operation.PlanNode) []*nodeGroup {
	byRack, byDC := groupBy(nodes, true), groupBy(nodes, false)
	if len(byRack) > mostNodes {
		return byDC
	}
	return byRack
}

func groupBy(nodes []operation.PlanNode, racks bool) (groups []*nodeGroup) {
	for _, n := range nodes {
		of := nodeGroup{dc: n.DC, rack: "*", version: "*"}
		if racks {
			of.rack, of.version = n.Rack, n.Version
		}
		i := slices.IndexFunc(
			groups,
			func(g *nodeGroup) bool {
				return g.dc == of.dc && g.rack == of.rack && g.version == of.version
			},
		)
		if i < 0 {
			i, groups = len(groups), append(groups, &of)
		}
		groups[i].add(n)
		if len(groups) > mostNodes && racks {
			return groups
		}
	}
	return groups
}

// writeNodeGroups writes many nodes as a few lines, and which of them are down.
func writeNodeGroups(w io.Writer, nodes []operation.PlanNode) {
	fmt.Fprintln(w, "DC\tRACK\tVERSION\tNODES\tUP\tCORES\tTOKENS\tHOLDS\tREADS\tESTIMATE")
	groups := groupNodes(nodes)
	for _, g := range groups[:min(len(groups), mostNodes)] {
		cores := fmt.Sprint(g.cores)
		if g.told < g.nodes {
			cores = "?"
		}
		fmt.Fprintf(
			w,
			"%s\t%s\t%s\t%d\t%d\t%s\t%d\t%.1f%%\t%.1f%%\t%s\n",
			safetext.Line(g.dc),
			safetext.Line(g.rack),
			safetext.Line(g.version),
			g.nodes,
			g.up,
			cores,
			g.tokens,
			100*g.holds,
			100*g.reads,
			human.Size(g.bytes),
		)
	}
	if more := len(groups) - mostNodes; more > 0 {
		fmt.Fprintf(w, "and %s; --json has each node\n", human.Of(more, "other data center"))
	}
	var down []string
	for _, n := range nodes {
		if !n.Up {
			down = append(down, safetext.Line(n.Address))
		}
	}
	if len(down) > 0 {
		more := ""
		if n := len(down) - mostNamed; n > 0 {
			more = fmt.Sprintf(" and %s", human.Of(n, "other"))
		}
		fmt.Fprintf(w, "down: %s%s\n", strings.Join(down[:min(len(down), mostNamed)], ", "), more)
	}
}
