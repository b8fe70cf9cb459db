package printer

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tape hands over what is written to it, one write at a time.
type tape chan string

func (t tape) Write(b []byte) (int, error) {
	t <- string(b)
	return len(b), nil
}

// first runs a printer until it has written something that matches, and returns that.
func first(t *testing.T, show func(context.Context, io.Writer), pattern string) string {
	t.Helper()
	out := make(tape)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		show(ctx, out)
	}()
	match := regexp.MustCompile(pattern)
	found := ""
	for found == "" {
		if text := <-out; match.MatchString(text) {
			found = text
		}
	}
	cancel()
	for {
		select {
		case <-out:
		case <-ended:
			return found
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name  string
		set   func(*progress.Counters)
		match string
	}{
		{"nothing known", func(*progress.Counters) {}, `^scan: 0 rows, 0 rows/s\n$`},
		{"rows", func(c *progress.Counters) { c.Rows.Store(1234567) }, `^scan: 1,234,567 rows, [0-9,]+ rows/s\n$`},
		{"share", func(c *progress.Counters) {
			c.Total.Store(8)
			c.Done.Store(1)
		}, `^scan: 0 rows, 0 rows/s, 12\.5% done\n$`},
		{"rows of an earlier run are no speed", func(c *progress.Counters) {
			c.Rows.Store(1234567)
			c.Earlier.Store(1234567)
		}, `^scan: 1,234,567 rows \(1,234,567 before\), 0 rows/s\n$`},
		{"troubles", func(c *progress.Counters) {
			c.Retries.Store(1000)
			c.Rejected.Store(2)
			c.Failed.Store(3)
		}, `^scan: 0 rows, 0 rows/s, 2 rejected, 3 ranges failed, 1,000 retries\n$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			counters := &progress.Counters{}
			c.set(counters)
			got := first(t, func(ctx context.Context, w io.Writer) { lines(ctx, w, "scan", counters, time.Millisecond) }, ".")
			require.Regexp(t, c.match, got)
		})
	}
}

func TestStartWithoutATerminal(t *testing.T) {
	var out bytes.Buffer
	stop := Start(context.Background(), &out, "scan", &progress.Counters{}, false)
	stop()
	require.Empty(t, out.String(), "a run that is over at once shows nothing")
}

func TestQuiet(t *testing.T) {
	var out bytes.Buffer
	Start(context.Background(), &out, "scan", &progress.Counters{}, true)()
	require.Empty(t, out.String())
}

// The printer ends with the run's context, and stop may be called after that.
func TestStopAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	stop := Start(ctx, &out, "scan", &progress.Counters{}, false)
	cancel()
	stop()
	require.Empty(t, out.String())
}
