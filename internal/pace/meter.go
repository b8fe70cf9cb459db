package pace

import "context"

// Meter holds to a rate what shows how much it is only when it comes, as the rows of a page do:
// what was asked for and has not come, or has come and is more than the rate allows by now, is
// never more than the rate lets pass in a quarter of a second. So a start, with many who ask at
// once, is no burst. A nil Meter does not hold. It is safe for concurrent use.
type Meter struct {
	limiter *Limiter
	open    *Budget // asked for, and not let pass
}

// NewMeter makes a meter of so many items a second; nil when perSecond is not above zero.
func NewMeter(perSecond float64) *Meter {
	l := NewLimiter(perSecond)
	if l == nil {
		return nil
	}
	return &Meter{l, NewBudget(int64(l.burst))}
}

// Most is how many may be asked for and not have passed, at least one; who asks for more than that
// does so alone.
func (m *Meter) Most() int { return m.limiter.burst }

// Ask waits until about as many may be asked for as want says, which is asked again each time that
// others have passed and calls no method of the meter. The error is the context's. Any other end
// must be followed by one Settle.
func (m *Meter) Ask(ctx context.Context, want func() int64) (Asked, error) {
	if m == nil {
		return Asked{}, nil
	}
	n, err := m.open.AcquireBy(ctx, func() int64 { return max(want(), 1) })
	return Asked{m, n}, err
}

// Asked is what somebody has asked for, and nobody else may meanwhile.
type Asked struct {
	meter *Meter
	n     int64
}

// Settle takes how many came instead, which may be none, and waits until the rate lets them pass.
// The error is the context's; then, too, all is settled.
func (a Asked) Settle(ctx context.Context, came int64) error {
	if a.meter == nil {
		return nil
	}
	a.meter.open.Resize(a.n, came)
	defer a.meter.open.Release(came)
	return a.meter.limiter.Wait(ctx, int(came))
}
