package pace

import "context"

// ResponseLimiter limits the rate of items that come in responses, such as the rows of a page.
// Their number is known only when the response is there. Items count from their request until the
// rate allows them. They are never more than the rate allows in a quarter of a second, unless a
// response has more than was requested. So the requests at the start make no burst. A nil
// ResponseLimiter does not limit. It is safe for concurrent use.
type ResponseLimiter struct {
	limiter  *Limiter
	reserved *Budget // requested, or not yet within the rate
}

// NewResponseLimiter makes a limiter of perSecond items a second; nil if perSecond is not above
// zero.
func NewResponseLimiter(perSecond float64) *ResponseLimiter {
	l := NewLimiter(perSecond)
	if l == nil {
		return nil
	}
	return &ResponseLimiter{l, NewBudget(int64(l.burst))}
}

// Most returns the largest number of items that may be reserved at the same time, at least one. A
// larger reservation is only made alone.
func (m *ResponseLimiter) Most() int { return m.limiter.burst }

// Reserve waits until about want() items may be requested. It calls want again each time that
// others complete; want must call no method of the limiter. The error is the context's. Otherwise
// the caller must call Complete once.
func (m *ResponseLimiter) Reserve(ctx context.Context, want func() int64) (Reservation, error) {
	if m == nil {
		return Reservation{}, nil
	}
	n, err := m.reserved.AcquireBy(ctx, func() int64 { return max(want(), 1) })
	return Reservation{m, n}, err
}

// Reservation is the right to request a number of items.
type Reservation struct {
	limiter *ResponseLimiter
	n       int64
}

// Complete ends the reservation with the number of items that came, which may be 0. It waits until
// the rate allows them. The error is the context's; the reservation ends in that case, too.
func (a Reservation) Complete(ctx context.Context, came int64) error {
	if a.limiter == nil {
		return nil
	}
	a.limiter.reserved.Resize(a.n, came)
	defer a.limiter.reserved.Release(came)
	return a.limiter.limiter.Wait(ctx, int(came))
}
