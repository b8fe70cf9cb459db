package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// errOverflows is the answer of a node to a condition that it cannot evaluate.
var errOverflows = &fault.Error{
	Class:    fault.Transient,
	Err:      errors.New("StackOverflowError"),
	Answered: true,
}

// If nodes answer and every request fails, even for a single token, the run ends within the
// patience and one wait between attempts, by the clock of the bubble.
func TestARunWhoseEveryRequestFailsEndsWithTheReason(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		after   time.Duration // until a failure shows
		workers int
		most    time.Duration
	}{
		{"at once", errOverflows, time.Millisecond, 4, 20 * time.Second},
		{"one worker", errOverflows, time.Millisecond, 1, 20 * time.Second},
		{"time runs out", errHangs, 5 * time.Second, 4, 25 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				splits := sweeptest.Splits(400, rand.New(rand.NewPCG(1, 1)))
				table := &sweeptest.Table{Rows: sweeptest.Numbered(120)}
				table.Fail = func(ctx context.Context, _ sweeptest.Request) error {
					time.Sleep(c.after)
					return c.err
				}
				begun := time.Now()
				o := Options{
					Workers:  c.workers,
					Hosts:    placed,
					Ping:     answering,
					Patience: 5 * time.Second,
				}
				_, err := Run(bg(), splits, table, o, take(table).consumer)
				require.Equal(t, fault.Fatal, fault.ClassOf(err))
				require.ErrorIs(t, err, c.err)
				require.ErrorContains(t, err, "no read has succeeded for")
				require.LessOrEqual(t, time.Since(begun), c.most)
			})
		})
	}
}

// If any request succeeds, in the run or in the check, the run continues to its end. Only what is
// broken is listed.
func TestARunOfWhichSomethingCanSucceedIsNotEnded(t *testing.T) {
	splits := sweeptest.Splits(12, rand.New(rand.NewPCG(1, 1)))
	size := func(r token.Range) int {
		n := 0
		for {
			half, _, ok := token.Halve(r)
			if !ok {
				return n
			}
			r, n = half, n+1
		}
	}
	for _, c := range []struct {
		name   string
		splits []token.Split
		fail   func(r sweeptest.Request) error
		failed int // ranges
	}{
		{"the first ranges are broken", splits, func(r sweeptest.Request) error {
			for _, s := range splits[:6] {
				if s.Range == r.Within {
					return errOverflows
				}
			}
			return nil
		}, 6},
		{"a single range is read, and broken", splits[:1], func(r sweeptest.Request) error {
			if r.Within == splits[0].Range {
				return errOverflows
			}
			return nil
		}, 1},
		{"the ranges are too large at first", splits, func(r sweeptest.Request) error {
			if size(r.Within) > 55 {
				time.Sleep(12 * time.Second)
				return errHangs
			}
			return nil
		}, 0},
		{"one node fails all that it is asked", splits, func(r sweeptest.Request) error {
			if r.Host == "dead" {
				return errOverflows
			}
			time.Sleep(20 * time.Second)
			return nil
		}, len(lost(splits))},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				table := &sweeptest.Table{Rows: sweeptest.Numbered(120)}
				table.Fail = func(_ context.Context, r sweeptest.Request) error { return c.fail(r) }
				o := Options{
					Workers:     2,
					Hosts:       placed,
					Ping:        answering,
					Patience:    5 * time.Second,
					MaxAttempts: 20,
				}
				result, err := Run(bg(), c.splits, table, o, take(table).consumer)
				require.NoError(t, err)
				require.Len(t, result.Failed, c.failed)
			})
		})
	}
}

// Nodes that fail while they start are retried for the time of the patience.
func TestAClusterThatComesBackIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(12, rand.New(rand.NewPCG(1, 1)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(120)}
		begun := time.Now()
		table.Fail = func(context.Context, sweeptest.Request) error {
			if time.Since(begun) < 50*time.Second {
				return errTransient
			}
			return nil
		}
		k := take(table)
		o := Options{Workers: 4, Hosts: placed, Ping: answering, MaxAttempts: 100}
		result, err := Run(bg(), splits, table, o, k.consumer)
		require.NoError(t, err)
		require.Empty(t, result.Failed)
	})
}
