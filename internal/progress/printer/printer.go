// Package printer shows where a run stands: in one live line on a terminal, and in a line
// every few seconds elsewhere. It never writes where data go.
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

// DefaultInterval is the time between lines where there is no terminal.
const DefaultInterval = 5 * time.Second

// redraw is the time between two looks of the live line.
const redraw = 200 * time.Millisecond

// Options say how a run is shown.
type Options struct {
	// Screen is where the live line is drawn; nil, or what it cannot be drawn on: nowhere.
	Screen io.Writer
	// Tell is called with a reading at every Interval; nil, or an interval of 0: it is not.
	Tell     func(progress.Reading)
	Interval time.Duration
	// Color says whether the live line has colours.
	Color Color
}

// Start begins to show the counters of a run, named by its command and table, and returns
// the function that ends it, which must be called before anything is written to the screen
// that shall stay, and may be called again.
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
	if o.Tell != nil && o.Interval > 0 {
		shown.Go(func() { lines(ctx, read, o.Interval, o.Tell) })
	}
	return func() {
		cancel()
		shown.Wait()
	}
}

// IsTerminal says whether what is written to w is seen on a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Draws says whether a live line can be drawn on w: a terminal that knows how to take a line
// away.
func Draws(w io.Writer) bool { return IsTerminal(w) && os.Getenv("TERM") != "dumb" }

// lines tells a reading at every interval.
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
