package pace

import (
	"container/list"
	"context"
	"sync"
)

// waitQueue is the queue before a Gate or a Budget. It is first come, first served, so that small
// requests do not overtake a large one without end. fits and take are set once, and called with the
// lock held.
type waitQueue struct {
	mu      sync.Mutex
	fits    func(n int64) bool // reports whether n more may pass now
	take    func(n int64)      // records that n more have passed
	waiting list.List          // of *waiter, the longest wait first
}

// waiter is one waiting goroutine.
type waiter struct {
	n      int64
	want   func() int64  // returns what n is by now
	passed chan struct{} // closed when n has passed
}

// acquire waits for its turn. Nil: n has passed. An error is the context's, and nothing has passed.
func (l *waitQueue) acquire(ctx context.Context, n int64) error {
	_, err := l.acquireBy(ctx, func() int64 { return n })
	return err
}

// acquireBy is acquire of what want returns at the time it passes. It calls want with the lock
// held. Otherwise a release could come after the call, and the caller would wait with an outdated
// number until the next release.
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
	l.wakeLocked() // it may have delayed smaller ones
	return 0, ctx.Err()
}

// tryLocked lets n pass if it fits and no other waits.
func (l *waitQueue) tryLocked(n int64) bool {
	if l.waiting.Len() > 0 || !l.fits(n) {
		return false
	}
	l.take(n)
	return true
}

// wakeLocked lets waiters pass, in order, while they fit.
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
