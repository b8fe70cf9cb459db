package web

import (
	"cmp"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/progress/board"
)

// nodesShown is the number of nodes in the table. Of more nodes, those with trouble come first.
const nodesShown = 24

// nodeTable is the table of the nodes. Columns in which all is zero are left out.
type nodeTable struct {
	Rows                               []nodeRow
	Less                               int // nodes that are left out
	Requests, Failures, Latency, Bytes bool
	UnderWay                           bool // the run is not over
}

// nodeRow is a node of the table.
type nodeRow struct {
	board.NodeState
	Name  string
	Limit int // of its requests; 0: it has none of its own
}

// nodesOf makes the table of a state.
func nodesOf(s board.State) nodeTable {
	limits := make(map[string]int)
	for _, g := range s.Gates {
		limits[g.Node] = g.Limit
	}
	var t nodeTable
	name := namesOf(s)
	for _, n := range s.Nodes {
		row := nodeRow{n, name(n.Address), 0}
		if n.Address != "" {
			row.Limit = limits[n.Address]
		}
		t.Rows = append(t.Rows, row)
		t.Requests = t.Requests || n.Requests+n.InFlight > 0
		t.UnderWay = t.Requests && !s.Phase.Over()
		t.Failures = t.Failures || n.Failures > 0
		t.Latency = t.Latency || n.P99 > 0
		t.Bytes = t.Bytes || n.Streamed > 0 || n.Sessions > 0
	}
	if len(t.Rows) > nodesShown {
		slices.SortStableFunc(t.Rows, func(a, b nodeRow) int {
			return cmp.Or(
				cmp.Compare(b.Failures, a.Failures),
				cmp.Compare(b.P99, a.P99),
				cmp.Compare(b.Streamed, a.Streamed),
				compareNames(a.Name, b.Name),
			)
		})
		t.Less = len(t.Rows) - nodesShown
		t.Rows = t.Rows[:nodesShown]
	}
	return t
}

// limitOf returns the number of requests that the run may have under way now; 0: unknown.
func limitOf(s board.State) (limit int) {
	for _, g := range s.Gates {
		if g.Node == "" {
			return g.Limit
		}
		limit += g.Limit
	}
	return limit
}

// sentOf returns the bytes that were sent to the nodes; 0 while a stage shows them.
func sentOf(s board.State) (bytes int64) {
	if slices.ContainsFunc(
		s.Stages,
		func(stage board.Stage) bool { return stage.Name == "sending" },
	) {
		return 0
	}
	for _, n := range s.Nodes {
		bytes += n.Streamed
	}
	return bytes
}

// logShown is the number of lines of the log on the page, and longestShown the bytes of one.
const (
	logShown     = 60
	longestShown = 600
)

// logOf returns the last lines of the log, long ones cut.
func logOf(s board.State) []board.Line {
	lines := slices.Clone(s.Log[max(len(s.Log)-logShown, 0):])
	for i, l := range lines {
		if len(l.Text) > longestShown {
			lines[i].Text = cut(l.Text, longestShown) + " ..."
		}
	}
	return lines
}
