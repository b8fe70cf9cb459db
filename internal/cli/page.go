package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/web"
)

// addPageFlag adds the flag of the page that shows a run while it goes.
func (o *showOptions) addPageFlag(f *pflag.FlagSet) {
	f.StringVar(&o.HTTP, "http", "", "HOST:PORT, or :PORT for this host alone: serve a page that shows the run while it goes, with /status.json, /healthz and /metrics for Prometheus; anybody who reaches it sees rejected values (default: none)")
}

// page is the page that shows a run while it goes. A nil page shows nothing.
type page struct {
	server *web.Server
	watch  *board.Watch
	warn   func(format string, args ...any)
	ended  bool
}

// phases are the ends of runs as pages show them.
var phases = map[operation.Outcome]board.Phase{
	operation.Done: board.Done, operation.Partly: board.Partly, operation.Interrupted: board.Interrupted, operation.Failed: board.Failed,
}

// shown is an operation that a page can show.
type shown interface {
	Table() string
	Board() *board.Board
}

// withPage serves the page of a command, where one is wanted. What is said from then on stands there, too. The
// page must be closed at the end.
func (s streams) withPage(o showOptions, command string) (streams, error) {
	if o.HTTP == "" {
		return s, nil
	}
	server, err := web.Listen(o.HTTP)
	if err != nil {
		return s, fmt.Errorf("--http %w", err)
	}
	p := &page{server: server, watch: board.NewWatch(command, Version()), warn: s.warn}
	server.Serve(p.watch)
	if !o.Quiet {
		s.note("the run is shown at %s", server.URL())
	}
	s.page, s.log.page = p, p
	return s, nil
}

// say notes a line that the user is told.
func (p *page) say(line string) {
	if p != nil {
		p.watch.Say(line)
	}
}

// show has the page show an operation that is about to run.
func (p *page) show(o shown) {
	if p != nil {
		p.watch.Show(o.Table(), o.Board())
	}
}

// end notes how the run ended, also in its run directory where there is one left.
func (p *page) end(outcome operation.Outcome, err error, runDir string) {
	if p == nil {
		return
	}
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	p.watch.End(phases[outcome], problem)
	p.ended = true
	if runDir == "" {
		return
	}
	if err := operation.KeepPage(runDir, p.watch.State()); err != nil {
		p.warn("what the page showed cannot be kept: %v", err)
	}
}

// close ends the page, with the error that the command ends with.
func (p *page) close(err error) {
	if p == nil {
		return
	}
	if status := (*exitError)(nil); err != nil && !p.ended && !errors.As(err, &status) {
		p.end(operation.Failed, err, "")
	}
	p.server.Close()
}
