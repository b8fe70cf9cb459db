package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run/status"
	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/internal/web"
)

// addPageFlag adds the flag of the page that shows a run while it goes.
func (o *showOptions) addPageFlag(f *pflag.FlagSet) {
	flagset.AddOwn(
		f,
		&o.HTTP,
		httpFlag,
		"HOST:PORT, or :PORT for only this host: serve a live page of the run, with /status.json, /healthz and /metrics for Prometheus. All who reach it see rejected values (default: none)",
		flagset.Of(flagset.GroupShown),
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.Report,
		reportFlag,
		"file for what that page shows last, written at the end, which needs no other file (default: none)",
		flagset.Of(flagset.GroupShown),
		flagset.Path,
	)
}

// page is the page that shows a run while it goes. A nil page shows nothing.
type page struct {
	stop   func()
	report string // file for what it shows last; empty: none
	watch  *board.Watch
	warn   func(format string, args ...any)
}

// shown is an operation that a page can show.
type shown interface {
	Table() string
	Board() *board.Board
}

// withPage serves the page of a command, where one is wanted. What is said from then on stands
// there, too. It ends with the command's answer.
func (s streams) withPage(o showOptions, command string) (streams, error) {
	if o.HTTP == "" && o.Report == "" {
		return s, nil
	}
	if err := checkReport(o.Report); err != nil {
		return s, err
	}
	p := &page{
		report: o.Report,
		watch:  board.NewWatch(command, version.Read().Version),
		warn:   s.warn,
	}
	p.watch.Typed(typedLine(s.args))
	if o.HTTP == "" {
		p.stop = p.look()
	} else {
		server, err := web.Listen(o.HTTP)
		if err != nil {
			return s, fmt.Errorf("--http %w", err)
		}
		server.Serve(p.watch)
		p.stop = server.Close
		if !o.Quiet {
			s.note("the run is shown at %s", server.URL())
		}
	}
	s.page, s.end.page = p, p
	s.log.Also(p.watch.Say)
	return s, nil
}

// typedLine returns a command line as one types it.
func typedLine(args []string) string {
	line := "cqlbulk"
	for _, arg := range args {
		line += " " + safetext.ShellWord(arg)
	}
	return line
}

// show has the page show an operation that is about to run.
func (p *page) show(o shown) {
	if p != nil {
		p.watch.Show(o.Table(), o.Board())
	}
}

// end shows how the command ended, notes that also in its run directory where there is one left,
// writes the report, and closes the page.
func (p *page) end(d *report.Document) {
	if p == nil {
		return
	}
	phase := board.Phase(d.Outcome)
	switch d.Outcome {
	case report.Refused:
		phase = board.Failed
	case report.DryRun:
		phase = board.Done
	}
	next := report.Next{}
	if d.Next != nil {
		next = *d.Next
	}
	p.watch.Advise(next.Line, next.Edit)
	p.watch.End(phase, d.Error)
	state := p.watch.State()
	if dir := d.RunDir(); dir != "" {
		if err := status.KeepPage(dir, state); err != nil {
			p.warn("what the page showed cannot be kept: %v", err)
		}
	}
	if p.report != "" {
		if _, err := writePage(
			p.report,
			false,
			web.Report{State: state, Made: made()},
		); err != nil {
			p.warn("--%s %s: %v", reportFlag, p.report, err)
		}
	}
	p.stop()
}

// look has the watch of a page without a server look, until stop is called.
func (p *page) look() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var looking sync.WaitGroup
	looking.Go(func() { p.watch.Run(ctx) })
	return func() {
		cancel()
		looking.Wait()
	}
}

// checkReport refuses a file that cannot be made, before anything is done. It makes a file beside
// it to find out: the permissions of a folder say too little, as /proc has those of any other.
func checkReport(name string) error {
	if name == "" {
		return nil
	}
	if _, err := os.Lstat(name); err == nil {
		return fmt.Errorf("--%s %s: exists already: name another file", reportFlag, name)
	}
	if err := checkMakeable(name); err != nil {
		return fmt.Errorf("--%s %s: %w", reportFlag, name, err)
	}
	return nil
}

// checkMakeable returns an error if a file of that name cannot be made.
func checkMakeable(name string) error {
	folder := filepath.Dir(name)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s: name a file in a folder that exists", folder)
	}
	probe, err := fsync.Nameless(folder, ".cqlbulk-report-*")
	if err != nil {
		return fmt.Errorf(
			"no file can be made in %s: %w; name a file in another folder",
			folder,
			err,
		)
	}
	return probe.Close()
}
