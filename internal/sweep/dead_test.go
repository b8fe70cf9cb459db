package sweep

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/sweep/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// deadAnswers is how the nodes answer when the one called dead does not: each at once.
func deadAnswers(_ context.Context, host string) error {
	if host == "dead" {
		time.Sleep(5 * time.Second)
		return errHangs
	}
	return nil
}

// A node that hangs costs its own ranges alone, and little time: the others are read
// first, none of its ranges is cut as if it were too large, and once a range has used up
// its attempts the rest of them are asked for once.
func TestHangingNodeHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(200, rand.New(rand.NewPCG(1, 11)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(1000)}
		begin := time.Now()
		var mu sync.Mutex
		var last time.Duration // until the last request to the good node
		dead := 0
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Host == "dead" {
				mu.Lock()
				dead++
				mu.Unlock()
				time.Sleep(30 * time.Second)
				return errHangs
			}
			mu.Lock()
			defer mu.Unlock()
			last = time.Since(begin)
			return nil
		}
		result, err := Run(bg(), splits, table, Options{Workers: 4, Hosts: placed, PageRows: 5, Ping: deadAnswers}, take(table).consumer)
		require.NoError(t, err)
		require.ElementsMatch(t, lost(splits), rangesOf(result.Failed), "none is cut")
		require.Len(t, result.Done, 100)
		require.LessOrEqual(t, dead, 4*10+100)
		require.Less(t, last, 8*time.Minute, "as long as a few attempts take")
		require.Less(t, time.Since(begin), 30*time.Minute)
	})
}

// A node that was away for minutes gives its ranges all the same, but for those that
// used up their attempts meanwhile.
func TestNodeThatComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(200, rand.New(rand.NewPCG(1, 12)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(1000)}
		begin := time.Now()
		away := func() bool { return time.Since(begin) < 3*time.Minute }
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Host == "dead" && away() {
				return errRefused
			}
			time.Sleep(10 * time.Second)
			return nil
		}
		k := take(table)
		result, err := Run(bg(), splits, table, Options{Workers: 4, Hosts: placed, PageRows: 5, Ping: deadAnswers}, k.consumer)
		require.NoError(t, err)
		require.NotEmpty(t, result.Failed)
		require.LessOrEqual(t, len(result.Failed), 4)
		requireCover(t, splits, result)
		k.requireRows(t, table, result)
	})
}

// A range that is too large to be answered in time is cut though no server says so, as
// its node answers other questions.
func TestSlowRangeOfANodeThatAnswersIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &sweeptest.Table{Rows: sweeptest.Numbered(500)}
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if token.Fraction(r.Within, token.Murmur3) > 0.1 {
				time.Sleep(30 * time.Second)
				return errHangs
			}
			return nil
		}
		splits := many(2)
		result, err := Run(bg(), splits, table, Options{Workers: 2, Hosts: placed, PageRows: 1000, Ping: answering}, take(table).consumer)
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		require.Greater(t, len(result.Done), 8)
		requireCover(t, splits, result)
	})
}
