package sweep

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

var (
	errRefused = fault.New(fault.Transient, errors.New("there is no connection to it"))
	errHangs   = fault.New(fault.Unknown, errors.New("no answer within 12s"))
)

// placed returns the node of a vnode range: ranges alternate between two nodes.
func placed(vnode int) []string { return []string{[]string{"good", "dead"}[vnode%2]} }

// lost returns the ranges that only the dead node has.
func lost(splits []token.Split) []token.Range {
	var ranges []token.Range
	for _, s := range splits {
		if placed(s.Set)[0] == "dead" {
			ranges = append(ranges, s.Range)
		}
	}
	return ranges
}

func rangesOf(failures []Failure) []token.Range {
	var ranges []token.Range
	for _, f := range failures {
		ranges = append(ranges, f.Range)
	}
	return ranges
}

// answering is the Ping of a cluster in which some node always answers.
func answering(context.Context, string) error { return nil }

// Ranges whose only replica is dead are listed, even if all others were read long before, so that
// at the end no request goes to a node that answers.
func TestDeadRangesAreListed(t *testing.T) {
	for _, c := range []struct {
		name    string
		err     error
		after   time.Duration // until the dead node's failure shows
		page    time.Duration // of the good node
		workers int
	}{
		{"refused, the others at once", errRefused, 0, 0, 4},
		{"refused, the others slow", errRefused, 0, 40 * time.Second, 4},
		{"refused, one worker", errRefused, 0, time.Second, 1},
		{"hanging, the others at once", errHangs, 12 * time.Second, 0, 4},
		{"hanging, the others slow", errHangs, 12 * time.Second, 5 * time.Minute, 4},
		{"hanging, more workers than ranges", errHangs, 12 * time.Second, time.Second, 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				splits := sweeptest.Splits(12, rand.New(rand.NewPCG(1, 1)))
				table := &sweeptest.Table{Rows: sweeptest.Numbered(120)}
				table.Fail = func(_ context.Context, r sweeptest.Request) error {
					if r.Host == "dead" {
						time.Sleep(c.after)
						return c.err
					}
					time.Sleep(c.page)
					return nil
				}
				k := take(table)
				result, err := Run(
					bg(),
					splits,
					table,
					Options{Workers: c.workers, Hosts: placed, PageRows: 5, Ping: answering},
					k.consumer,
				)
				require.NoError(t, err)
				require.NoError(t, table.Check())
				requireCover(t, splits, result)
				require.Len(t, result.Done, 6, "all others are read")
				for _, f := range rangesOf(result.Failed) {
					require.Condition(t, func() bool {
						for _, dead := range lost(splits) {
							if dead.Contains(f.End) {
								return true
							}
						}
						return false
					}, "range %v", f)
				}
				k.requireRows(t, table, result)
			})
		})
	}
}

// A slow sweep may wait for minutes between two pages. That time does not count as silence, even if
// the requests before and after it went to a dead node.
func TestTimeInWhichNothingIsAskedIsNoSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		splits := sweeptest.Splits(8, rand.New(rand.NewPCG(1, 2)))
		table := &sweeptest.Table{Rows: sweeptest.Numbered(40)}
		table.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Host == "dead" {
				return errRefused
			}
			return nil
		}
		result, err := Run(bg(), splits, table, Options{
			Hosts: placed, PageRows: 1, Ping: answering,
			Pace: func(ctx context.Context, _, _ func() int64) (Admission, error) {
				time.Sleep(5 * time.Minute)
				return func(ctx context.Context, _, _ int64) error {
					time.Sleep(5 * time.Minute)
					return ctx.Err()
				}, ctx.Err()
			},
		}, take(table).consumer)
		require.NoError(t, err)
		require.Len(t, result.Done, 4)
		require.ElementsMatch(t, lost(splits), rangesOf(result.Failed))
	})
}

// While the whole cluster is silent, no attempts count. If it is back within the patience,
// everything is read. One attempt may count when the silence begins, since others were answered
// just before, and one when it ends.
func TestSilenceThatPassesLosesNothing(t *testing.T) {
	for _, silent := range []error{errRefused, errHangs} {
		for _, away := range []time.Duration{10 * time.Second, 40 * time.Second} {
			synctest.Test(t, func(t *testing.T) {
				splits := sweeptest.Splits(12, rand.New(rand.NewPCG(1, 3)))
				table := &sweeptest.Table{Rows: sweeptest.Numbered(120)}
				begin := time.Now()
				gone := func() bool {
					since := time.Since(begin)
					return since > 5*time.Second && since < 5*time.Second+away
				}
				table.Fail = func(context.Context, sweeptest.Request) error {
					time.Sleep(time.Second)
					if gone() {
						return silent
					}
					return nil
				}
				ping := func(context.Context, string) error {
					time.Sleep(time.Second)
					if gone() {
						return silent
					}
					return nil
				}
				k := take(table)
				result, err := Run(
					bg(),
					splits,
					table,
					Options{Workers: 4, MaxAttempts: 3, PageRows: 5, Ping: ping},
					k.consumer,
				)
				require.NoError(t, err)
				require.Empty(t, result.Failed)
				requireCover(t, splits, result)
				k.requireRows(t, table, result)
			})
		}
	}
}

// If no node of a cluster answers, the run ends with an error of class Fatal when the patience is
// over, and not before.
func TestSilentClusterEndsTheRun(t *testing.T) {
	for _, ping := range []func(
		context.Context, string,
	) error{nil, func(context.Context, string) error {
		time.Sleep(5 * time.Second)
		return errHangs
	}} {
		synctest.Test(t, func(t *testing.T) {
			table := &sweeptest.Table{Rows: sweeptest.Numbered(120)}
			table.Fail = func(context.Context, sweeptest.Request) error {
				time.Sleep(3 * time.Second)
				return errHangs
			}
			begin := time.Now()
			result, err := Run(
				bg(),
				many(8),
				table,
				Options{Workers: 3, Hosts: placed, Ping: ping},
				blind().consumer,
			)
			require.Equal(t, fault.Fatal, fault.ClassOf(err))
			require.ErrorContains(t, err, "the cluster has answered no read for 1m")
			require.Empty(t, result.Failed)
			require.Greater(t, time.Since(begin), time.Minute)
			require.Less(t, time.Since(begin), 90*time.Second)
		})
	}
}

// Workers that wait for an answer at the same time share one ping.
func TestNodesAreAskedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := &sweeptest.Table{
			Fail: func(context.Context, sweeptest.Request) error { return errRefused },
		}
		var asked atomic.Int64
		_, err := Run(bg(), many(50), table, Options{
			Workers: 50, MaxAttempts: 1,
			Ping: func(context.Context, string) error {
				asked.Add(1)
				time.Sleep(time.Second)
				return nil
			},
		}, blind().consumer)
		require.NoError(t, err)
		require.EqualValues(t, 1, asked.Load())
	})
}

// A canceled run does not wait for a ping, and leaves no goroutine behind.
func TestCancelWhileNodesAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(bg())
		table := &sweeptest.Table{
			Fail: func(context.Context, sweeptest.Request) error { return errRefused },
		}
		begin := time.Now()
		_, err := Run(
			ctx,
			many(4),
			table,
			Options{Workers: 4, Ping: func(ctx context.Context, _ string) error {
				cancel()
				<-ctx.Done()
				return ctx.Err()
			}},
			blind().consumer,
		)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))
		require.Zero(t, time.Since(begin))
	})
}
