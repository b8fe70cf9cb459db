package pace

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// Limiter limits a stream of items to a rate. A nil Limiter does not limit. It is safe for
// concurrent use.
type Limiter struct {
	l     *rate.Limiter
	burst int
}

// NewLimiter makes a limiter of perSecond items a second; nil if perSecond is not above zero. If up
// to a quarter of a second was not used, it may be made up for. So a short pause of the machine
// does not lower the rate. At the beginning there is nothing to make up for: the mean rate never
// exceeds the limit.
func NewLimiter(perSecond float64) *Limiter {
	if perSecond <= 0 {
		return nil
	}
	burst := max(int(perSecond/4), 1)
	l := rate.NewLimiter(rate.Limit(perSecond), burst)
	l.AllowN(time.Now(), burst-1)
	return &Limiter{l: l, burst: burst}
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
