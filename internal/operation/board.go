package operation

import (
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/progress/tableboard"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// Board returns the board that shows the scan while it runs. It is called before Run.
func (s *Scan) Board() *board.Board {
	s.board = tableboard.New(s.t.Table, s.job.Counters, tableboard.ReadRing)
	s.board.ShowAbout(s.about())
	return s.board
}

// Board returns the board that shows the count while it runs. It is called before Run.
func (c *Count) Board() *board.Board {
	c.board = tableboard.New(c.t.Table, c.job.Counters, tableboard.ReadRing)
	c.board.ShowAbout(c.about())
	return c.board
}

// Board returns the board that shows the clone while it runs. It is called before Run.
func (c *Clone) Board() *board.Board {
	c.board = tableboard.New(c.from.Table, c.counters, tableboard.ReadRing, c.t)
	c.board.ShowAbout(c.about())
	return c.board
}

// Board returns the board that shows the load while it runs. It is called before Run.
func (l *Load) Board() *board.Board {
	kind := tableboard.RowsRing
	if l.delivery != nil {
		kind = tableboard.NoRing // rows are written when they have been sorted
	}
	l.board = tableboard.New(l.t, l.counters, kind)
	l.board.ShowAbout(l.about())
	return l.board
}

// shown returns a writer that shows on the board where w writes, or w itself if no ring is shown.
func (l *Load) shown(w cql.Writer) cql.Writer { return tableboard.Writer(l.board, w) }

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

// about returns the description of the scan.
func (s *Scan) about() board.About {
	a := tableboard.About(s.t.Table, run.CommandScan, s.spec.Via, s.spec.Inputs)
	a.Output = s.spec.Place()
	if s.ToStdout() {
		a.Output = "the standard output"
	}
	return a
}

func (l *Load) about() board.About {
	a := tableboard.About(l.t, run.CommandLoad, l.spec.Via, inputNames(l.job.Inputs))
	a.DryRun = l.spec.DryRun
	if l.spec.Via == spec.ViaFiles {
		a.Output = l.spec.Dir
	}
	return a
}

func inputNames(inputs []ingest.Input) []string {
	names := make([]string, len(inputs))
	for i, in := range inputs {
		names[i] = in.Name
	}
	return names
}

func (c *Count) about() board.About {
	return tableboard.About(c.t.Table, "count", c.spec.Via, c.spec.Inputs)
}

func (c *Clone) about() board.About {
	a := tableboard.About(c.t, "clone", c.spec.Writing.Via, c.spec.From.Inputs)
	a.DryRun = c.spec.DryRun
	return a
}

// show shows on the board the command that resumes the run, if the run keeps a journal.
func (d *runDirectory) show(b *board.Board) {
	if d.journal != nil {
		tableboard.ShowResume(b, d.path)
	}
}
