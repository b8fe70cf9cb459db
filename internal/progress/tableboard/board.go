// Package tableboard makes the board of a run over a table. The board shows what the run is, the
// nodes, and the ring with the ranges that the run reads or the rows that it writes.
package tableboard

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Kind is what the ring of a board shows.
type Kind int

// The kinds of rings.
const (
	NoRing   Kind = iota
	ReadRing      // the ranges that are read
	RowsRing      // where rows are written
)

// New returns the board of a run over the table. It lists the nodes of the other tables too.
func New(
	t *table.Table,
	c *progress.Counters,
	kind Kind,
	others ...*table.Table,
) *board.Board {
	var ring *board.Ring
	owners := make(map[string]bool)
	if placement := t.Plan.Placement(); placement != nil && kind != NoRing {
		owned := make([]board.Owned, placement.Len())
		for i := range owned {
			owned[i].Range = placement.Range(i)
			if nodes := t.Plan.Owners(i); len(nodes) > 0 {
				owned[i].Node = nodes[0]
				owners[nodes[0]] = true
			}
		}
		ring = board.NewRing(t.Plan.Partitioner(), owned, kind == RowsRing)
	}
	var members []board.Member
	for _, s := range append([]*table.Table{t}, others...) {
		for _, n := range s.Cluster.Nodes {
			known := slices.ContainsFunc(members, func(m board.Member) bool { return m.ID == n.ID })
			if !known && (n.DC == s.Cluster.LocalDC || owners[n.ID]) {
				members = append(
					members,
					board.Member{ID: n.ID, Address: n.Address, DC: n.DC, Rack: n.Rack},
				)
			}
		}
	}
	return &board.Board{Counters: c, Nodes: members, Ring: ring}
}

// About returns the description that every run over the table has.
func About(t *table.Table, work, via string, inputs []string) board.About {
	a := board.About{Work: work, Via: via}
	if via == spec.ViaCQL {
		a.Consistency = t.Consistency
	}
	if t.Cluster != nil {
		a.Cluster, a.DC = t.Cluster.Name, t.Cluster.LocalDC
	}
	a.SetInputs(inputs)
	return a
}

// ShowResume shows the command that resumes the run of a run directory. Nothing is shown on a nil
// board.
func ShowResume(b *board.Board, runDir string) {
	if b == nil {
		return
	}
	dir := advice.Step{RunDir: runDir}.FromAnywhere().RunDir
	b.ShowNext("cqlbulk " + run.CommandResume + " " + setting.ShellQuote(dir))
}
