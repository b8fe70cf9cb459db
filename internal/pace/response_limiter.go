package pace

import "context"

// ResponseLimiter holds to a rate what shows how much it is only when it comes, as the rows of a page do:
// what was asked for and has not come, or has come and is more than the rate allows by now, is
// never more than the rate lets pass in a quarter of a second. So a start, with many who ask at
// once, is no burst. A nil ResponseLimiter does not hold. It is safe for concurrent use.
type ResponseLimiter struct {
	limiter  *Limiter
	reserved *Budget // asked for, and not let pass
}

// NewResponseLimiter makes a meter of so many items a second; nil when perSecond is not above zero.
func NewResponseLimiter(perSecond float64) *ResponseLimiter {
	l := NewLimiter(perSecond)
	if l == nil {
		return nil
	}
	return &ResponseLimiter{l, NewBudget(int64(l.burst))}
}

// Most is how many may be asked for and not have passed, at least one; who asks for more than that
// does so alone.
func (m *ResponseLimiter) Most() int { return m.limiter.burst }

// Reserve waits until about as many may be asked for as want says, which is asked again each time that
// others have passed and calls no method of the meter. The error is the context's. Any other end
// must be followed by one Settle.
func (m *ResponseLimiter) Reserve(ctx context.Context, want func() int64) (Reservation, error) {
	if m == nil {
		return Reservation{}, nil
	}
	n, err := m.reserved.AcquireBy(ctx, func() int64 { return max(want(), 1) })
	return Reservation{m, n}, err
}

// Reservation is what somebody has asked for, and nobody else may meanwhile.
type Reservation struct {
	limiter *ResponseLimiter
	n       int64
}

// Complete takes how many came instead, which may be none, and waits until the rate lets them pass.
// The error is the context's; then, too, all is settled.
func (a Reservation) Complete(ctx context.Context, came int64) error {
	if a.limiter == nil {
		return nil
	}
	a.limiter.reserved.Resize(a.n, came)
	defer a.limiter.reserved.Release(came)
	return a.limiter.limiter.Wait(ctx, int(came))
}
