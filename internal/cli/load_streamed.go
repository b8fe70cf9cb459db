package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// tellStreamed says what a load by streaming left on the nodes.
func (s streams) tellStreamed(r operation.LoadReport) {
	if r.DryRun || r.Files != nil || len(r.Stream.Nodes) == 0 {
		return
	}
	var sizes []int64
	var total int64
	longest := r.Stream.Nodes[0]
	for _, n := range r.Stream.Nodes {
		for _, size := range n.Sizes {
			sizes, total = append(sizes, size), total+size
		}
		if n.Time > longest.Time {
			longest = n
		}
	}
	slices.Sort(sizes)
	what := "SSTables landed"
	if !r.Stream.Whole {
		what = "files of rows landed, an SSTable or more each,"
	}
	line := fmt.Sprintf("%s %s on %s nodes: %s by median, %s in all", printer.Count(int64(len(sizes))), what, printer.Count(int64(len(r.Stream.Nodes))),
		printer.Size(sizes[len(sizes)/2]), printer.Size(total))
	if r.Stream.Slices > 1 {
		line += fmt.Sprintf(", in %s slices", printer.Count(r.Stream.Slices))
	}
	if len(r.Stream.Nodes) > 1 {
		line += fmt.Sprintf("; %s took longest, %v", longest.Node, longest.Time.Round(time.Millisecond))
	}
	s.warn("%s", line)
	if c := r.Compaction; c != nil {
		s.warn("%s", compactionLine(c))
	}
}

// compactionLine says what nodes told of their compaction.
func compactionLine(c *operation.Compaction) string {
	nodes := printer.Count(int64(c.Told))
	if c.Told < c.Nodes {
		nodes += " of " + printer.Count(int64(c.Nodes))
	}
	if c.Active+c.Pending == 0 {
		return fmt.Sprintf("compaction on %s nodes: nothing under way or waiting", nodes)
	}
	line := fmt.Sprintf("compaction on %s nodes, of all tables: %s tasks under way, %s waiting", nodes, printer.Count(int64(c.Active)), printer.Count(int64(c.Pending)))
	if c.Left > 0 {
		line += fmt.Sprintf("; of this table %s are yet to be read", printer.Size(c.Left))
	}
	return line
}
