package pace

import (
	"context"
	"math/rand/v2"
	"time"
)

// DefaultAttempts is how often a request is tried before it is given up, unless the
// user says otherwise.
const DefaultAttempts = 10

// Backoff is the wait between attempts: it doubles from Base up to Max, and each
// wait is drawn between a half and the whole of that, so that workers that failed
// together do not come back together. The zero value waits 100 ms up to 10 s; a
// Base above Max counts as Max.
type Backoff struct {
	Base, Max time.Duration
}

// Delay is the wait after the given number of failed attempts, from 1 up.
func (b Backoff) Delay(failures int) time.Duration {
	base, limit := b.Base, b.Max
	if base <= 0 {
		base = 100 * time.Millisecond
	}
	if limit <= 0 {
		limit = 10 * time.Second
	}
	d := min(base, limit)
	for range failures - 1 {
		if d >= limit/2 {
			d = limit
			break
		}
		d *= 2
	}
	return d/2 + rand.N(d/2+1)
}

// Sleep waits, or returns early with the context's error when it ends first. It
// does not wait at all when it has ended already.
func Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
