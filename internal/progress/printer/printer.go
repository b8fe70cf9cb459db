// Package printer shows a run's counters to a person: a live line on a terminal,
// a line every few seconds elsewhere. Both go to the standard error; nothing of
// it ever mixes with data.
package printer

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// interval is the time between lines where there is no terminal, and redraw that between
// two looks of the live line.
const (
	interval = 5 * time.Second
	redraw   = 200 * time.Millisecond
)

// Start begins to show the counters on w under a title and returns the function
// that ends it, which must be called before anything else is written to w, and may be
// called again.
// quiet shows nothing.
func Start(ctx context.Context, w io.Writer, title string, c *progress.Counters, quiet bool) (stop func()) {
	if quiet {
		return func() {}
	}
	show := func(ctx context.Context) { lines(ctx, w, title, c, interval) }
	if f, ok := terminalOf(w); ok {
		show = func(ctx context.Context) { live(ctx, newTerminal(f), title, c, redraw) }
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		show(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// IsTerminal says whether what is written to w is seen on a terminal.
func IsTerminal(w io.Writer) bool {
	_, ok := terminalOf(w)
	return ok
}

func terminalOf(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
}

// lines prints a line at every interval.
func lines(ctx context.Context, w io.Writer, title string, c *progress.Counters, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	observer := newObserver(time.Now())
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			stands := observer.observe(now, c)
			line := fmt.Sprintf("%s: %s, %s", title, stands.rows, stands.rate)
			if share, ok := c.Share(); ok {
				line += fmt.Sprintf(", %.1f%% done", 100*share)
			}
			if stands.left != "" {
				line += ", " + stands.left
			}
			if stands.sent != "" {
				line += ", " + stands.sent
			}
			if text := troubles(trouble{c.Rejected.Load(), "rejected"}, trouble{c.Failed.Load(), "ranges failed"}, trouble{c.Retries.Load(), "retries"}); text != "" {
				line += ", " + text
			}
			fmt.Fprintln(w, line)
		}
	}
}
