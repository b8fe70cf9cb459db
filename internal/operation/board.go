package operation

import (
	"context"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Board returns the board that shows the scan while it runs. It is called before Run.
func (s *Scan) Board() *board.Board {
	s.board = newBoard(s.t.Table, s.job.Counters, readRing)
	s.board.ShowAbout(s.about())
	return s.board
}

// Board returns the board that shows the count while it runs. It is called before Run.
func (c *Count) Board() *board.Board {
	c.board = newBoard(c.t.Table, c.job.Counters, readRing)
	c.board.ShowAbout(c.about())
	return c.board
}

// Board returns the board that shows the clone while it runs. It is called before Run.
func (c *Clone) Board() *board.Board {
	c.board = newBoard(c.from.Table, c.counters, readRing, c.t)
	c.board.ShowAbout(c.about())
	return c.board
}

// Board returns the board that shows the load while it runs. It is called before Run.
func (l *Load) Board() *board.Board {
	kind := rowsRing
	if l.delivery != nil {
		kind = noRing // rows are written when they have been sorted
	}
	l.board = newBoard(l.t, l.counters, kind)
	l.board.ShowAbout(l.about())
	return l.board
}

// What the ring of a board shows.
const (
	noRing = iota
	readRing
	rowsRing
)

// newBoard returns the board of a run over the table. It lists the nodes of the other tables too.
func newBoard(t *table.Table, c *progress.Counters, kind int, others ...*table.Table) *board.Board {
	var ring *board.Ring
	owners := make(map[string]bool)
	if placement := t.Plan.Placement(); placement != nil && kind != noRing {
		owned := make([]board.Owned, placement.Len())
		for i := range owned {
			owned[i].Range = placement.Range(i)
			if nodes := t.Plan.Owners(i); len(nodes) > 0 {
				owned[i].Node = nodes[0]
				owners[nodes[0]] = true
			}
		}
		ring = board.NewRing(t.Plan.Partitioner(), owned, kind == rowsRing)
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

// showSweep shows a sweep on a board. If counts is true, its pages hold numbers of rows and no rows
// of the table.
func showSweep(b *board.Board, o *sweep.Options, r *sweep.Reader, counts bool) {
	*r = shownReader{*r, b.Ring, counts}
	o.OnRead, o.OnFailure = b.Ring.Done, b.Ring.Failed
}

// shownReader shows which ranges a sweep reads.
type shownReader struct {
	sweep.Reader
	ring   *board.Ring
	counts bool
}

// Page is a method of sweep.Reader. Open is that of the embedded reader.
func (r shownReader) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	defer r.ring.Begin(within)()
	page, err := r.Reader.Page(ctx, host, within, state, rows)
	if err == nil && !r.counts {
		r.ring.Read(within, page.Rows())
	}
	return page, err
}

// shown returns a writer that shows on the board where w writes, or w itself if no ring is shown.
func (l *Load) shown(w cql.Writer) cql.Writer {
	if l.board == nil || l.board.Ring == nil {
		return w
	}
	return shownWriter{w, l.board.Ring}
}

// shownWriter shows where on the ring a load writes.
type shownWriter struct {
	cql.Writer
	ring *board.Ring
}

// Write is a method of cql.Writer.
func (w shownWriter) Write(ctx context.Context, host string, rows []row.Row) error {
	end := w.ring.Begin(token.Range{Start: rows[0].Token, End: rows[0].Token})
	err := w.Writer.Write(ctx, host, rows)
	end()
	if err != nil {
		return err // the request is sent again, or its rows are rejected, with the reason
	}
	for from, to := 0, 0; from < len(rows); from = to { // partition by partition
		for to = from + 1; to < len(rows) && rows[to].Token == rows[from].Token; to++ {
		}
		w.ring.Written(rows[from].Token, int64(to-from))
	}
	return nil
}

// showRejects shows the causes of rejects on the board, if there is one.
func (l *Load) showRejects() {
	if l.board == nil {
		return
	}
	rejects := l.rejects
	l.board.ShowCauses(func() []board.Cause {
		var all []board.Cause
		for _, c := range rejects.Causes() {
			all = append(all, status.CauseOf(c))
		}
		return all
	})
}
