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

	"github.com/cheggaaa/pb/v3"
	"golang.org/x/term"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// interval is the time between lines where there is no terminal.
const interval = 5 * time.Second

// Start begins to show the counters on w under a title and returns the function
// that ends it, which must be called before anything else is written to w, and may be
// called again.
// quiet shows nothing.
func Start(ctx context.Context, w io.Writer, title string, c *progress.Counters, quiet bool) (stop func()) {
	if quiet {
		return func() {}
	}
	show := lines
	every := interval
	if IsTerminal(w) {
		show, every = bar, 200*time.Millisecond
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		show(ctx, w, title, c, every)
	}()
	return func() {
		cancel()
		<-done
	}
}

// IsTerminal says whether what is written to w is seen on a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
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
			fmt.Fprintln(w, line+troubles(c))
		}
	}
}

// template is the live line: what, how far, how many, how fast, how long still.
const template = `{{string . "title"}} {{bar . "[" "=" ">" " " "]"}} {{percent .}} {{string . "rows"}} {{string . "rate"}} {{string . "left"}}{{string . "troubles"}}`

// bar keeps one line on a terminal up to date.
func bar(ctx context.Context, w io.Writer, title string, c *progress.Counters, every time.Duration) {
	p := pb.New64(c.Total.Load()).SetTemplateString(template)
	p.SetWriter(w).SetRefreshRate(every).Set("title", title).Set(pb.CleanOnFinish, true)
	begin := time.Now()
	observer := newObserver(begin)
	update := func(now time.Time) {
		stands := observer.observe(now, c)
		p.SetTotal(c.Total.Load()).SetCurrent(c.Done.Load())
		p.Set("rows", stands.rows).Set("rate", stands.rate).Set("left", stands.left).Set("troubles", troubles(c))
	}
	update(begin)
	p.Start()
	defer p.Finish()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			update(now)
		}
	}
}

// troubles names what went wrong so far, nothing when all is well.
func troubles(c *progress.Counters) string {
	text := ""
	for _, t := range []struct {
		n    int64
		name string
	}{{c.Retries.Load(), "retries"}, {c.Rejected.Load(), "rejected"}, {c.Failed.Load(), "ranges failed"}} {
		if t.n > 0 {
			text += fmt.Sprintf(", %s %s", Count(t.n), t.name)
		}
	}
	return text
}
