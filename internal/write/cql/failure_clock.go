package cql

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// failureClock measures for how long a load has sent writes and none was taken, though nodes
// answered. Several sets of replicas must have failed, because rows of one set may fail for reasons
// of that set. Only time with writes in flight counts: neither the waits for an input nor those for
// a rate. It is safe for concurrent use.
type failureClock struct {
	took  atomic.Bool   // a write was taken, or refused for what is in it
	pulse pace.Liveness // its silence is the time since the first failure
	first atomic.Int64  // duration of the write that failed first, nanoseconds; 0: none failed
}

// leastFailedSets is the number of sets of replicas that must have failed, or all if there are
// fewer.
const leastFailedSets = 4

// checkNoneTaken counts a write that began then and failed for reason. It returns an error of class
// Fatal if no write was taken since the load began, and that has lasted longer than the patience.
func (t *Target) checkNoneTaken(
	ctx context.Context,
	s *write.Replicas,
	begun time.Time,
	reason error,
) error {
	h := &t.failureClock
	if h.took.Load() || !fault.Answered(reason) && !t.answers(ctx, s.Hosts) {
		return nil
	}
	h.first.CompareAndSwap(0, int64(time.Since(begun)))
	lasted := time.Duration(h.first.Load()) + h.pulse.Failed()
	least := int64(min(len(t.replicaHealth), leastFailedSets))
	if lasted < t.o.Patience || t.failedSets.Load() < least {
		return nil
	}
	if h.took.Load() { // while nodes were asked whether they answer
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, err)
	}
	return fault.New(
		fault.Fatal,
		fmt.Errorf("no write has succeeded for %s, though nodes answer: %w",
			lasted.Round(time.Second), reason),
	)
}
