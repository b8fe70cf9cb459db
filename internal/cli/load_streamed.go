package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/amount"
	"github.com/cqlbulk/cqlbulk/internal/operation"
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
	line := fmt.Sprintf("%s %s on %s nodes: %s by median, %s in all", amount.Count(len(sizes)), what, amount.Count(len(stats.Nodes)),
		amount.Size(sizes[len(sizes)/2]), amount.Size(total))
	if stats.Slices > 1 {
		line += fmt.Sprintf(", in %s slices", amount.Count(stats.Slices))
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
	nodes := amount.Count(c.Told)
	if c.Told < c.Nodes {
		nodes += " of " + amount.Count(c.Nodes)
	}
	if c.Active+c.Pending == 0 {
		return fmt.Sprintf("compaction on %s nodes: nothing under way or waiting", nodes)
	}
	line := fmt.Sprintf("compaction on %s nodes, of all tables: %s tasks under way, %s waiting", nodes, amount.Count(c.Active), amount.Count(c.Pending))
	if c.Left > 0 {
		line += fmt.Sprintf("; of this table %s are yet to be read", amount.Size(c.Left))
	}
	return line
}
