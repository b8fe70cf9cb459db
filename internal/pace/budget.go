package pace

import (
	"context"
	"fmt"
)

// Budget shares out a number of bytes, or of anything else that is counted, among
// goroutines: a weighted semaphore, first come, first served. A request for more
// than the whole budget passes alone, once everything else has been given back, so
// that a single huge row still moves.
//
// Whoever holds a part must not wait for another: two such holders can wait for
// each other without end. Resize is for that; it never waits.
//
// It is safe for concurrent use.
type Budget struct {
	queue waitQueue
	size  int64
	used  int64
}

// NewBudget makes a budget of size bytes. With a size of zero or less every
// request passes alone.
func NewBudget(size int64) *Budget {
	b := &Budget{size: size}
	b.queue.fits = func(n int64) bool { return b.used == 0 || n <= b.size-b.used }
	b.queue.take = func(n int64) { b.used += n }
	return b
}

// Acquire waits until n bytes are free, or all of them when n is more than the
// budget, and takes them. A request for nothing passes at once. The error is the
// context's; then nothing is taken. It panics when n is negative.
func (b *Budget) Acquire(ctx context.Context, n int64) error {
	if n < 0 {
		panic(fmt.Sprintf("pace: acquire of %d bytes", n))
	}
	if n == 0 {
		return ctx.Err()
	}
	return b.queue.acquire(ctx, n)
}

// AcquireBy is Acquire of what want says, asked again each time that bytes come
// back; it says how much was taken. want must be quick, above zero, and call no
// method of the budget.
func (b *Budget) AcquireBy(ctx context.Context, want func() int64) (int64, error) {
	return b.queue.acquireBy(ctx, want)
}

// Release gives n bytes back. It panics when that is more than was taken, which
// is a fault in the caller's books.
func (b *Budget) Release(n int64) { b.Resize(n, 0) }

// Resize corrects an estimate: the caller holds held bytes and from now on holds
// want. It never waits, so the budget may be overdrawn; then nobody passes until
// enough has come back. It panics when held is more than was taken or want is
// negative.
func (b *Budget) Resize(held, want int64) {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	if held < 0 || want < 0 || held > b.used {
		panic(fmt.Sprintf("pace: %d bytes become %d, of %d that are taken", held, want, b.used))
	}
	b.used += want - held
	b.queue.wakeLocked()
}

// Used says how many bytes are taken; it can be more than the budget.
func (b *Budget) Used() int64 {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	return b.used
}
