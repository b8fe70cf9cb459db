package operation

import (
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// aboutTable returns the description that every run over the table has.
func aboutTable(t *table.Table, work, via string, inputs []string) board.About {
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

func (s *Scan) about() board.About {
	a := aboutTable(s.t.Table, run.CommandScan, s.spec.Via, s.spec.Inputs)
	a.Output = s.spec.Place()
	if s.ToStdout() {
		a.Output = "the standard output"
	}
	return a
}

func (l *Load) about() board.About {
	a := aboutTable(l.t, run.CommandLoad, l.spec.Via, inputNames(l.job.Inputs))
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

func (c *Count) about() board.About { return aboutTable(c.t.Table, "count", c.spec.Via, c.spec.Inputs) }

func (c *Clone) about() board.About {
	a := aboutTable(c.t, "clone", c.spec.Writing.Via, c.spec.From.Inputs)
	a.DryRun = c.spec.DryRun
	return a
}

// show shows on the board the command that resumes the run, if the run keeps a journal.
func (d *runDirectory) show(b *board.Board) {
	if b != nil && d.journal != nil {
		b.ShowNext(
			"cqlbulk " + run.CommandResume + " " + setting.ShellQuote(
				advice.Step{RunDir: d.path}.FromAnywhere().RunDir,
			),
		)
	}
}
