package pace

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const mib = 1 << 20

// Nodes that keep up are never limited, however long their answers take.
func TestThrottleIsOffWhileNothingIsSlow(t *testing.T) {
	all := NewThrottles()
	for _, took := range []time.Duration{
		5 * time.Second, 7 * time.Second, 9 * time.Second, 4 * time.Second,
	} {
		for _, node := range []string{"a", "b"} {
			all.Node(node).Observe(500*mib, 10*time.Second, took)
			require.Zero(t, all.Node(node).Rate())
		}
	}
	all.Node("a").Observe(mib, time.Millisecond, 900*time.Millisecond)
	require.Zero(t, all.Node("a").Rate(), "of a small file, and less than a second")
	all.Node("a").Observe(0, time.Second, time.Hour)
	require.Zero(t, all.Node("a").Rate())
}

// A node that falls behind gets less, the others as much as before. When it has caught up, it gets
// all again, step by step.
func TestThrottleOfASlowNode(t *testing.T) {
	all := NewThrottles()
	slow, quick := all.Node("slow"), all.Node("quick")
	require.Same(t, slow, all.Node("slow"))
	quick.Observe(100*mib, time.Second, 100*time.Millisecond)
	slow.Observe(100*mib, time.Second, 4*time.Second)
	require.InDelta(t, 0.7*20*mib, slow.Rate(), 1, "of what it kept up with")
	require.Zero(t, quick.Rate())

	quick.Observe(100*mib, time.Second, 100*time.Millisecond)
	slow.Observe(100*mib, 7*time.Second, 3*time.Second)
	require.InDelta(t, 0.7*10*mib, slow.Rate(), 1)
	for range 100 {
		quick.Observe(100*mib, time.Second, 100*time.Millisecond)
		slow.Observe(mib, 7*time.Second, 3*time.Second)
	}
	require.EqualValues(t, mib, slow.Rate(), "and never less")

	last, answers := slow.Rate(), 0
	for ; slow.Rate() > 0; answers++ {
		slow.Observe(100*mib, 10*time.Second, 100*time.Millisecond)
		require.True(t, slow.Rate() > last || slow.Rate() == 0)
		last = slow.Rate()
	}
	require.Equal(t, 16, answers, "from nothing to twice of what it had, an eighth at a time")
}

// If all nodes become slower for good, that is the new quickest time.
func TestThrottleForgetsTheQuickestAnswer(t *testing.T) {
	all := NewThrottles()
	node := all.Node("a")
	node.Observe(100*mib, time.Second, 10*time.Millisecond)
	node.Observe(100*mib, time.Second, 2*time.Second)
	require.Positive(t, node.Rate())
	for range 200 {
		node.Observe(100*mib, time.Second, 2*time.Second)
	}
	require.Zero(t, node.Rate())
}

// A slow node has one session at a time, others any number.
func TestThrottleOfSessions(t *testing.T) {
	all := NewThrottles()
	slow, quick := all.Node("slow"), all.Node("quick")
	for range 3 {
		require.NoError(t, slow.Acquire(t.Context()))
		require.NoError(t, quick.Acquire(t.Context()))
	}
	quick.Observe(100*mib, time.Second, 100*time.Millisecond)
	slow.Observe(100*mib, time.Second, 4*time.Second)
	require.NoError(t, quick.Acquire(t.Context()))
	passed := make(chan error)
	go func() { passed <- slow.Acquire(t.Context()) }()
	for range 3 {
		require.Empty(t, passed)
		slow.Release()
	}
	require.NoError(t, <-passed)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, slow.Acquire(ended), context.Canceled)
	require.ErrorIs(t, slow.Wait(ended, 100*mib), context.Canceled, "that must wait")
	require.NoError(t, quick.Wait(ended, 100*mib), "nothing waits here")
	slow.Release()
	require.Panics(t, slow.Release)
}
