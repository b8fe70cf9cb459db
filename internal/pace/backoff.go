package pace

import (
	"context"
	"math/rand/v2"
	"time"
)

// DefaultAttempts is the default number of attempts of a request before it is given up.
const DefaultAttempts = 10

// Backoff is the wait between attempts. It doubles from Base up to Max. Each wait is random, from
// half of that to all of it, so that workers that failed together do not retry together. The zero
// value waits 100 ms up to 10 s. A Base above Max counts as Max.
type Backoff struct {
	Base, Max time.Duration
}

// Delay returns the wait after the given number of failed attempts, at least 1.
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

// Sleep waits for d, or returns the context's error if that ends first. If it has already ended,
// Sleep does not wait.
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
