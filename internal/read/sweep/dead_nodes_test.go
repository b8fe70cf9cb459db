package sweep

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// deadAnswers is a Ping that all nodes answer at once, except for the one called dead.
func deadAnswers(_ context.Context, host string) error {
	if host == "dead" {
		time.Sleep(5 * time.Second)
		return errHangs
	}
	return nil
}

// A node that hangs costs one timeout. Then the other ranges are read at full speed. Its own ranges
// are given up, with its name, once it was silent for longer than the patience.
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
		var silent []string
		o := Options{
			Workers: 4, Hosts: placed, PageRows: 5, Ping: deadAnswers, Patience: time.Minute,
			NodeName: func(host string) string { return "called " + host },
			OnSilent: func(host string) { silent = append(silent, host) },
		}
		result, err := Run(bg(), splits, table, o, take(table).consumer)
		require.NoError(t, err)
		require.ElementsMatch(t, lost(splits), rangesOf(result.Failed), "none is cut")
		require.ErrorContains(t, result.Failed[0].Err, "node called dead has answered nothing for ")
		require.ErrorIs(t, result.Failed[0].Err, errHangs)
		require.Len(t, result.Done, 100)
		require.LessOrEqual(t, dead, 4, "one by each worker")
		require.Equal(t, []string{"dead"}, silent)
		require.LessOrEqual(t, last, 40*time.Second, "a time limit, and a question")
		require.Less(t, time.Since(begin), 2*time.Minute)
	})
}

// When a node is found dead, the requests in flight to it end, and delay no others.
func TestRequestsToADeadNodeEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(40, rand.New(rand.NewPCG(1, 14)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
		begin := time.Now()
		ended := 0
		var mu sync.Mutex
		table.Fail = func(ctx context.Context, r sweeptest.Request) error {
			if r.Host != "dead" {
				time.Sleep(7 * time.Second)
				return nil
			}
			// this one is answered, so that the next request begins later
			if time.Since(begin) == 0 {
				time.Sleep(20 * time.Second)
				return nil
			}
			select {
			case <-time.After((10 + time.Since(begin)/time.Second) * time.Second):
				return errHangs
			case <-ctx.Done():
				mu.Lock()
				defer mu.Unlock()
				ended++
				return fault.New(fault.Canceled, ctx.Err())
			}
		}
		result, err := Run(
			bg(),
			splits,
			table,
			Options{
				Workers:  8,
				Hosts:    placed,
				PageRows: 50,
				Ping:     deadAnswers,
				Patience: time.Minute,
			},
			take(table).consumer,
		)
		require.NoError(t, err)
		require.Positive(t, ended)
		requireCover(t, splits, result)
		require.ErrorContains(t, result.Failed[0].Err, "node dead has answered nothing for ")
	})
}

// If a node is found dead while a request to it waits at the gate, that request is not sent.
func TestRequestsThatWaitForTheGateAreNotSentToADeadNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(40, rand.New(rand.NewPCG(1, 15)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(200)}
		dead := 0
		var mu sync.Mutex
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Host == "dead" {
				mu.Lock()
				dead++
				mu.Unlock()
				time.Sleep(30 * time.Second)
				return errHangs
			}
			return nil
		}
		gate := pace.NewGate(pace.GateOptions{Ceiling: 1})
		// longer than two timeouts: else a read check asks the node once more
		o := Options{
			Workers:  8,
			Hosts:    placed,
			PageRows: 50,
			Ping:     deadAnswers,
			Patience: 5 * time.Minute,
			Gate:     gate,
		}
		result, err := Run(bg(), splits, table, o, take(table).consumer)
		require.NoError(t, err)
		requireCover(t, splits, result)
		require.LessOrEqual(t, dead, 2, "one more while the node is asked")
	})
}

// If a node is away for less than the patience, all of its ranges are read, including the one
// during which it became silent.
func TestNodeThatComesBack(t *testing.T) {
	for _, silence := range []error{errRefused, errHangs} {
		synctest.Test(t, func(t *testing.T) {
			splits := sweeptest.Splits(200, rand.New(rand.NewPCG(1, 12)))
			table := &sweeptest.Table{Rows: sweeptest.Numbered(1000)}
			begin := time.Now()
			away := func(host string) bool {
				since := time.Since(begin)
				return host == "dead" && since > 25*time.Second && since < 3*time.Minute
			}
			table.Fail = func(_ context.Context, r sweeptest.Request) error {
				time.Sleep(10 * time.Second)
				if away(r.Host) {
					return silence
				}
				return nil
			}
			ping := func(ctx context.Context, host string) error {
				if away(host) {
					return deadAnswers(ctx, host)
				}
				return nil
			}
			k := take(table)
			o := Options{
				Workers:  4,
				Hosts:    placed,
				PageRows: 2,
				Ping:     ping,
				Patience: 5 * time.Minute,
			}
			result, err := Run(bg(), splits, table, o, k.consumer)
			require.NoError(t, err)
			require.Empty(t, result.Failed)
			requireCover(t, splits, result)
			k.requireRows(t, table, result)
		})
	}
}

// A node that answers some pings, and no read, does not keep a sweep from its end.
func TestNodeThatFallsSilentRepeatedly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(20, rand.New(rand.NewPCG(1, 13)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(100)}
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Host == "dead" {
				time.Sleep(30 * time.Second)
				return errHangs
			}
			return nil
		}
		var asked atomic.Int64
		ping := func(ctx context.Context, host string) error {
			if host == "dead" && asked.Add(1)%2 == 1 {
				return deadAnswers(ctx, host)
			}
			return nil
		}
		result, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 1, Hosts: placed, PageRows: 5, Ping: ping, MaxAttempts: 3},
			take(table).consumer,
		)
		require.NoError(t, err)
		require.Len(t, result.Done, 10)
		requireCover(t, splits, result)
		require.ErrorContains(t, result.Failed[0].Err, "node dead")
	})
}

// A range that is too large to be answered in time is cut even if no server reports a timeout,
// because its node answers a ping.
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
		result, err := Run(
			bg(),
			splits,
			table,
			Options{Workers: 2, Hosts: placed, PageRows: 1000, Ping: answering},
			take(table).consumer,
		)
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		require.Greater(t, len(result.Done), 8)
		requireCover(t, splits, result)
	})
}
