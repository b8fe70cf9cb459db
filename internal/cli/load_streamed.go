package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
)

// tellStreamed says what was left on the nodes that were streamed to.
func (s streams) tellStreamed(stats operation.StreamStats, c *operation.Compaction) {
	if len(stats.Nodes) == 0 {
		return
	}
	var sizes []int64
	var total int64
	longest := stats.Nodes[0]
	for _, n := range stats.Nodes {
		for _, size := range n.Sizes {
			sizes, total = append(sizes, size), total+size
		}
		if n.Time > longest.Time {
			longest = n
		}
	}
	slices.Sort(sizes)
	what := "SSTables landed"
	if !stats.Whole {
		what = "files of rows landed, an SSTable or more each,"
	}
	line := fmt.Sprintf("%s %s on %s nodes: %s by median, %s in all", printer.Count(int64(len(sizes))), what, printer.Count(int64(len(stats.Nodes))),
		printer.Size(sizes[len(sizes)/2]), printer.Size(total))
	if stats.Slices > 1 {
		line += fmt.Sprintf(", in %s slices", printer.Count(stats.Slices))
	}
	if len(stats.Nodes) > 1 {
		line += fmt.Sprintf("; %s took longest, %v", longest.Node, longest.Time.Round(time.Millisecond))
	}
	s.note("%s", line)
	if c != nil {
		s.note("%s", compactionLine(c))
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
