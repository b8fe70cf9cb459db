package pace

import (
	"context"

	"golang.org/x/time/rate"
)

// Limiter holds a stream of items to a rate. A nil Limiter does not limit. It is
// safe for concurrent use.
type Limiter struct {
	l     *rate.Limiter
	burst int
}

// NewLimiter makes a limiter of so many items a second; nil when perSecond is
// not above zero. Up to a twentieth of a second's worth may pass at once.
func NewLimiter(perSecond float64) *Limiter {
	if perSecond <= 0 {
		return nil
	}
	burst := max(int(perSecond/20), 1)
	return &Limiter{l: rate.NewLimiter(rate.Limit(perSecond), burst), burst: burst}
}

// Wait blocks until n items may pass, or the context ends.
func (l *Limiter) Wait(ctx context.Context, n int) error {
	if l == nil {
		return nil
	}
	for n > 0 {
		take := min(n, l.burst)
		if err := l.l.WaitN(ctx, take); err != nil {
			return err
		}
		n -= take
	}
	return nil
}
