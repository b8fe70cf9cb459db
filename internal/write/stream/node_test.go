package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// The share of a slice that is done grows with what is sent, and is all of it when its rows count
// as written. That holds also if files were sent in vain. Then the next slice begins with nothing.
func TestProgressIsWhatNodesHave(t *testing.T) {
	p := &pieces{}
	rows, _ := many(p, 2000)
	var c progress.Counters
	var mu sync.Mutex
	var parts []float64
	attempts := 0
	tg, _ := newTarget(t, func(o *Options) {
		o.Progress = &c
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			mu.Lock()
			defer mu.Unlock()
			f.Transfer.Sent(int(f.Bytes), int(f.Bytes))
			parts = append(parts, c.Slice.Sent())
			if attempts++; attempts%3 == 0 {
				return fault.New(fault.Transient, errors.New("lost"))
			}
			return nil
		})
	})
	p.mayBeWritten = func() bool { return c.Slice.Sent() == 1 }
	require.NoError(t, load(t, tg, rows))
	require.False(t, p.writtenTooEarly)
	require.Zero(t, c.Slice.Sent())
	require.True(t, slices.IsSorted(parts))
	require.Greater(t, len(slices.Compact(parts)), 5)

	stats := tg.Stats()
	files, bytes, sent := 0, int64(0), int64(0)
	for _, n := range stats.Nodes {
		files += len(n.Sizes)
		for _, size := range n.Sizes {
			bytes += size
		}
	}
	for _, n := range c.Streams.List() {
		sent += n.Bytes
		require.Zero(t, n.Sessions)
	}
	require.Len(t, stats.Nodes, 3)
	require.EqualValues(t, stats.Files, files)
	require.Equal(t, stats.Bytes, bytes)
	require.Greater(t, sent, bytes, "some were sent twice")
}

// A node that is slow to say that it has its files gets them one at a time, and the others theirs
// as before.
func TestSlowNodeSlowsItselfAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pieces{}
		rows, _ := many(p, 4000)
		var mu sync.Mutex
		under, most := map[string]int{}, map[string]int{}
		throttled := false
		tg, _ := newTarget(t, func(o *Options) {
			o.Sessions = 8
			o.Sender = senderFunc(func(ctx context.Context, node string, f File) error {
				mu.Lock()
				under[node]++
				if throttled {
					most[node] = max(most[node], under[node])
				}
				mu.Unlock()
				if err := f.Transfer.Wait(ctx, int(f.Bytes)); err != nil {
					return err
				}
				f.Transfer.Sent(int(f.Bytes), int(f.Bytes))
				lag := 100 * time.Millisecond
				if node == "node1" {
					lag = 5 * time.Second
				}
				time.Sleep(lag)
				f.Transfer.Received(lag)
				mu.Lock()
				defer mu.Unlock()
				under[node]--
				throttled = throttled || node == "node1" && under[node] == 0
				return nil
			})
		})
		require.NoError(t, load(t, tg, rows))
		require.Positive(t, tg.throttles.Node("node1").Rate())
		require.Zero(t, tg.throttles.Node("node0").Rate())
		require.Zero(t, tg.throttles.Node("node2").Rate())
		require.Equal(t, 1, most["node1"])
		var times []time.Duration
		for _, n := range tg.Stats().Nodes {
			times = append(times, n.Time)
		}
		require.Greater(t, times[1], times[0])
		require.Greater(t, times[1], times[2])
		require.Equal(t, 4000, p.written)
	})
}

// Who sends without a word of how it gets on needs no transfer.
func TestNoTransfer(t *testing.T) {
	var tr *Transfer
	require.NoError(t, tr.Wait(t.Context(), 1<<30))
	tr.Sent(1, 1)
	tr.Received(time.Second)
}

// What is announced to be sent is what goes over the network: rows are compressed on their way.
func TestAnnouncedBytesAreThoseOfTheNetwork(t *testing.T) {
	p := &pieces{}
	var c progress.Counters
	c.Stage.Begin(progress.StageSorting, progress.StageSending)
	var wired atomic.Int64
	tg, _ := newTarget(t, func(o *Options) {
		o.Progress = &c
		o.Sender = senderFunc(func(_ context.Context, _ string, f File) error {
			half := int(f.Size() / 2)
			for _, plain := range []int{half, int(f.Size()) - half} {
				f.Transfer.Sent(plain/2, plain)
				wired.Add(int64(plain / 2))
			}
			return nil
		})
	})
	rows, _ := many(p, 2000)
	done := int64(0)
	p.mayBeWritten = func() bool {
		s := c.ReadNow(time.Now()).Stage
		require.InDelta(t, wired.Load(), s.Total, 0.1*float64(wired.Load()))
		done = s.Done
		return true
	}
	require.NoError(t, load(t, tg, rows))
	require.InDelta(t, wired.Load(), done, 0.1*float64(wired.Load()))
	require.Equal(t, wired.Load(), tg.Stats().Bytes)
}
