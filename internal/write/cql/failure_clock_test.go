package cql

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// errNone is an answer to a write that was not taken.
var errNone = &fault.Error{Class: fault.Transient, Err: errors.New("unavailable"), Answered: true}

// trying is a target whose writes take a second each.
func trying(ping func(t *Target)) *Target {
	var t *Target
	t = New(write.NewRouter(token.Murmur3, nil, nil), Options{
		InFlight: 1, Patience: time.Minute,
		Ping: func(context.Context, []string) error { ping(t); return nil },
	})
	return t
}

// fails sends a write that fails for a reason.
func (t *Target) fails(ctx context.Context, reason error) error {
	st, s := &t.replicaHealth[0], &write.Replicas{}
	t.begin(st)
	defer t.end(st)
	begun := time.Now()
	time.Sleep(time.Second)
	t.failed(st, reason)
	return t.checkNoneTaken(ctx, s, begun, reason)
}

// A load whose every write fails stops after the patience: no sooner, and no later.
func TestNothingTakenForThePatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tg := trying(func(*Target) {})
		for range 59 {
			require.NoError(t, tg.fails(t.Context(), errNone))
		}
		require.Equal(t, fault.Fatal, fault.ClassOf(tg.fails(t.Context(), errNone)))
	})
}

// Time in which an input has nothing to give is not time in which writes fail.
func TestTimeWithoutWritesIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tg := trying(func(*Target) {})
		for range 59 {
			require.NoError(t, tg.fails(t.Context(), errNone))
			time.Sleep(time.Hour)
		}
		require.ErrorContains(t, tg.fails(t.Context(), errNone), "no write has succeeded for 1m0s")
	})
}

// A load that took one write, late, is not stopped by failures after it.
func TestFailuresAfterASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tg := trying(func(*Target) {})
		for range 59 {
			require.NoError(t, tg.fails(t.Context(), errNone))
		}
		tg.took(&tg.replicaHealth[0])
		for range 600 {
			require.NoError(t, tg.fails(t.Context(), errNone))
		}
	})
}

// A write that is taken while nodes are pinged shows that other writes may be taken.
func TestSuccessWhileNodesAreAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		tg := trying(func(tg *Target) {
			if asked++; asked == 100 {
				tg.took(&tg.replicaHealth[0])
			}
		})
		tg.o.Patience = 100 * time.Second
		for range 100 {
			require.NoError(
				t,
				tg.fails(t.Context(), fault.New(fault.Unknown, errors.New("no answer within 1s"))),
			)
		}
		require.Equal(t, 100, asked)
	})
}
