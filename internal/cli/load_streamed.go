package cli

import (
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
)

// printStreamed says what was left on the nodes that were streamed to.
func (s streams) printStreamed(stats operation.StreamStats, c *operation.Compaction) {
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
	what := human.Of(len(sizes), "SSTable") + " landed"
	if !stats.Whole {
		what = human.Of(len(sizes), "file") + " of rows landed, an SSTable or more each,"
	}
	line := fmt.Sprintf(
		"%s on %s: %s by median, %s in all",
		what,
		human.Of(len(stats.Nodes), "node"),
		human.Size(sizes[len(sizes)/2]),
		human.Size(total),
	)
	if stats.Slices > 1 {
		line += fmt.Sprintf(", in %s", human.Of(stats.Slices, "slice"))
	}
	if len(stats.Nodes) > 1 {
		line += fmt.Sprintf("; %s took longest, %s", longest.Node, human.Elapsed(longest.Time))
	}
	s.note("%s", line)
	if c != nil {
		s.note("%s", compactionLine(c))
	}
}

// compactionLine returns what nodes reported about their compaction.
func compactionLine(c *operation.Compaction) string {
	nodes := human.Of(c.Told, "node")
	if c.Told < c.Nodes {
		nodes = human.Count(c.Told) + " of " + human.Of(c.Nodes, "node")
	}
	if c.Active+c.Pending == 0 {
		return fmt.Sprintf("compaction on %s: nothing under way or waiting", nodes)
	}
	line := fmt.Sprintf(
		"compaction on %s, of all tables: %s under way, %s waiting",
		nodes,
		human.Of(c.Active, "task"),
		human.Count(c.Pending),
	)
	if c.Left > 0 {
		line += fmt.Sprintf("; of this table %s remain to be read", human.Size(c.Left))
	}
	return line
}
