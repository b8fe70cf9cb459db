package pace

import (
	"container/list"
	"context"
	"sync"
)

// waitQueue is the queue before a Gate or a Budget: first come, first served, so that
// a large request is not overtaken for ever by small ones. fits and take are set
// once and called with the lock held.
type waitQueue struct {
	mu      sync.Mutex
	fits    func(n int64) bool // whether n more may pass now
	take    func(n int64)      // books n more
	waiting list.List          // of *waiter, the longest wait first
}

// waiter is one goroutine in a line.
type waiter struct {
	n      int64
	want   func() int64  // what n is by now
	passed chan struct{} // closed when n has been booked for it
}

// acquire waits its turn. Nil means that n is booked; an error is the context's
// and books nothing.
func (l *waitQueue) acquire(ctx context.Context, n int64) error {
	_, err := l.acquireBy(ctx, func() int64 { return n })
	return err
}

// acquireBy is acquire of what want says at the time it passes. want is asked
// with the lock held: of an answer from before, a release may have come in between, and who
// then waits may wait for one that never comes.
func (l *waitQueue) acquireBy(ctx context.Context, want func() int64) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	l.mu.Lock()
	n := want()
	if l.tryLocked(n) {
		l.mu.Unlock()
		return n, nil
	}
	w := &waiter{n: n, want: want, passed: make(chan struct{})}
	place := l.waiting.PushBack(w)
	l.mu.Unlock()

	select {
	case <-w.passed:
		return w.n, nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-w.passed: // its turn came before the lock did
		return w.n, nil
	default:
	}
	l.waiting.Remove(place)
	l.wakeLocked() // it may have held up smaller ones
	return 0, ctx.Err()
}

// tryLocked books n when nobody waits and it fits.
func (l *waitQueue) tryLocked(n int64) bool {
	if l.waiting.Len() > 0 || !l.fits(n) {
		return false
	}
	l.take(n)
	return true
}

// wakeLocked lets through, in order, whoever fits by now.
func (l *waitQueue) wakeLocked() {
	for place := l.waiting.Front(); place != nil; place = l.waiting.Front() {
		w := place.Value.(*waiter)
		w.n = w.want()
		if !l.fits(w.n) {
			return
		}
		l.take(w.n)
		l.waiting.Remove(place)
		close(w.passed)
	}
}
