package printer

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

func TestLiveLine(t *testing.T) {
	c := &progress.Counters{}
	c.Total.Store(8)
	c.Done.Store(4)
	c.Rows.Store(1234567)
	stands := standing{"1,234,567 rows", "8,901 rows/s", "5m0s left", ""}
	const name = "load demo.flights"
	for columns, want := range map[int]string{
		120: "load demo.flights [==========================>                           ] 50.00% 1,234,567 rows 8,901 rows/s 5m0s left",
		80:  "load demo.flights [======>       ] 50.00% 1,234,567 rows 8,901 rows/s 5m0s left",
		72:  "load demo.flights 50.00% 1,234,567 rows 8,901 rows/s 5m0s left",
		60:  "load demo.flights 50.00% 1,234,567 rows 8,901 rows/s",
		40:  "load demo.flights 50.00% 1,234,567 rows",
		30:  "50.00% 1,234,567 rows",
		10:  "50.00%",
		4:   "",
		0:   "",
	} {
		require.Equal(t, want, strings.TrimRight(fit(name, c, stands, columns), " "), columns)
	}
	c.Rejected.Store(1234)
	c.Failed.Store(5)
	c.Retries.Store(678)
	for columns, want := range map[int]string{
		140: "load demo.flights [=============>              ] 50.00% 1,234,567 rows 8,901 rows/s 5m0s left, 1,234 rejected, 5 ranges failed, 678 retries",
		120: "load demo.flights [===>    ] 50.00% 1,234,567 rows 8,901 rows/s 5m0s left, 1,234 rejected, 5 ranges failed, 678 retries",
		100: "load demo.flights 50.00% 1,234,567 rows 8,901 rows/s, 1,234 rejected, 5 ranges failed, 678 retries",
		80:  "load demo.flights 50.00% 1,234,567 rows, 1,234 rejected, 5 ranges failed",
		60:  "50.00% 1,234,567 rows, 1,234 rejected, 5 ranges failed",
		40:  "50.00%, 1,234 rejected, 5 ranges failed",
		30:  "1,234 rejected, 5 ranges fail",
	} {
		require.Equal(t, want, fit(name, c, stands, columns), columns)
	}
}

// The line is never wider than the terminal, and what failed is on it wherever there is room.
func TestLiveLineFits(t *testing.T) {
	c := &progress.Counters{}
	c.Total.Store(1000)
	c.Rejected.Store(7)
	for columns := range 200 {
		for done := int64(0); done <= 1000; done += 50 {
			c.Done.Store(done)
			line := fit("scan größe.t", c, standing{"1,234 rows (567 before)", "89 rows/s", "3s left", ""}, columns)
			require.LessOrEqual(t, utf8.RuneCountInString(line), max(columns-1, 0))
			require.Equal(t, columns > len("7 rejected"), strings.HasSuffix(line, "7 rejected"), line)
		}
	}
}

// While the total is not known there is neither a share nor a bar.
func TestLiveLineWithoutATotal(t *testing.T) {
	require.Equal(t, "load ks.t 5 rows 1 rows/s", fit("load ks.t", &progress.Counters{}, standing{"5 rows", "1 rows/s", "", ""}, 80))
}

// shared is a screen that another program draws on, until it has been asked for it so often.
type shared struct {
	tape
	asked int
}

const otherLeaves = 3

func (s *shared) width() int { return 80 }
func (s *shared) leave()     {}
func (s *shared) claim() bool {
	s.asked++
	return s.asked > otherLeaves
}

// As long as another program draws, nothing is written; when that one has left, this one does,
// and takes its line away at the end.
func TestLiveLineWaitsForItsTurn(t *testing.T) {
	s := &shared{tape: make(tape)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		live(ctx, s, "load ks.t", &progress.Counters{}, time.Millisecond)
	}()
	require.Equal(t, Clear+"load ks.t 0 rows 0 rows/s", <-s.tape)
	cancel()
	last := ""
	for {
		select {
		case text := <-s.tape:
			last = text
			continue
		case <-ended:
		}
		break
	}
	require.Equal(t, Clear, last)
	require.Greater(t, s.asked, otherLeaves)
}
