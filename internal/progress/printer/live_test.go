package printer

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// shared is a screen that another program draws on, until it was claimed a number of times.
type shared struct {
	drawn chan string
	asked int
	met   neighbors
}

const otherLeaves = 3

// Write passes on what is drawn, one write at a time.
func (s *shared) Write(b []byte) (int, error) {
	s.drawn <- string(b)
	return len(b), nil
}

func (s *shared) width() int                      { return 80 }
func (s *shared) leave()                          {}
func (s *shared) meet(progress.Reading) neighbors { return s.met }
func (s *shared) claim() bool {
	s.asked++
	return s.asked > otherLeaves
}

// play runs the live line until it has drawn once. It returns that, and what it draws last.
func play(s *shared, run string) (first, last string) {
	s.drawn = make(chan string)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		live(
			ctx,
			s,
			func(time.Time) progress.Reading { return progress.Reading{Run: run} },
			false,
			time.Millisecond,
		)
	}()
	first = <-s.drawn
	cancel()
	for {
		select {
		case last = <-s.drawn:
		case <-ended:
			return first, last
		}
	}
}

// While another program draws, nothing is written. When that one has left, this one draws, and
// clears its line at the end.
func TestLiveLineWaitsForItsTurn(t *testing.T) {
	var s shared
	first, last := play(&s, "load ks.t")
	require.Equal(t, Clear+"            0 rows          0 rows/s  load ks.t", first)
	require.Equal(t, Clear, last)
	require.Greater(t, s.asked, otherLeaves)
}

// The program that draws does so for all, in the order of the pipe.
func TestLiveLineOfSeveralPrograms(t *testing.T) {
	s := shared{
		met: neighbors{
			before: []progress.Reading{{Run: "scan ks.t", Rows: 1}},
			after:  []progress.Reading{{Run: "count ks.t", Rows: 2}},
		},
	}
	first, _ := play(&s, "load ks.t")
	require.Equal(
		t,
		Clear+"scan ks.t:      1 row      0/s | load:     0 rows      0/s | count:     2 rows",
		first,
	)
}

// If the terminal has become narrower, the line takes several lines.
func TestErase(t *testing.T) {
	require.Equal(t, Clear, erase(60, 80, 80))
	require.Equal(t, Clear, erase(60, 80, 60))
	require.Equal(t, Clear, erase(60, 60, 100))
	require.Equal(t, "\x1b[1A\r\x1b[J", erase(60, 80, 59))
	require.Equal(t, "\x1b[1A\r\x1b[J", erase(60, 80, 30))
	require.Equal(t, "\x1b[2A\r\x1b[J", erase(60, 80, 20))
	require.Equal(t, Clear, erase(60, 80, 0))
}
