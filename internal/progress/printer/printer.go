// Package printer shows the progress of a run: in one live line on a terminal, and else in a line
// every few seconds. It never writes to where data go.
package printer

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// DefaultInterval is the time between lines without a terminal.
const DefaultInterval = 5 * time.Second

// redraw is the time between two updates of the live line.
const redraw = 200 * time.Millisecond

// Options are how a run is shown.
type Options struct {
	// Screen is where the live line is drawn. If it is nil, or no terminal, there is no live line.
	Screen io.Writer
	// Report is called with a reading at every Interval. If it is nil, or the interval is 0, it is
	// not.
	Report   func(progress.Reading)
	Interval time.Duration
	// Color is whether the live line has colors.
	Color Color
}

// Start starts to show the counters of a run, named by its command and table. It returns the
// function that ends that. It must be called before anything else is written to the screen, and may
// be called several times.
func Start(ctx context.Context, run string, c *progress.Counters, o Options) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	read := func(now time.Time) progress.Reading {
		r := c.Read(now)
		r.Run = run
		return r
	}
	read(time.Now()) // the run's time begins
	var shown sync.WaitGroup
	if f, ok := o.Screen.(*os.File); ok && Draws(f) {
		shown.Go(func() { live(ctx, newTerminal(f), read, o.Color.On(f), redraw) })
	}
	if o.Report != nil && o.Interval > 0 {
		shown.Go(func() { lines(ctx, read, o.Interval, o.Report) })
	}
	return func() {
		cancel()
		shown.Wait()
	}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Draws reports whether a live line can be drawn on w: a terminal that can clear a line.
func Draws(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

// lines reports a reading at every interval.
func lines(
	ctx context.Context,
	read func(time.Time) progress.Reading,
	every time.Duration,
	tell func(progress.Reading),
) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			tell(read(now))
		}
	}
}
