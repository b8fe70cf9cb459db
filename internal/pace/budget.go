package pace

import (
	"context"
	"fmt"
)

// Budget shares out a number of bytes, or other units, among goroutines. It is a weighted
// semaphore: first come, first served. A request for more than the whole budget passes alone, once
// everything else was released, so a single huge row still moves.
//
// A goroutine that holds a part must not wait for another one: two such goroutines could wait for
// each other without end. Resize never waits, so it is the way to take more.
//
// It is safe for concurrent use.
type Budget struct {
	queue waitQueue
	size  int64
	used  int64
}

// NewBudget makes a budget of size bytes. If size is zero or less, every request passes alone.
func NewBudget(size int64) *Budget {
	b := &Budget{size: size}
	b.queue.fits = func(n int64) bool { return b.used == 0 || n <= b.size-b.used }
	b.queue.take = func(n int64) { b.used += n }
	return b
}

// Acquire waits until n bytes are free, or all of them if n is more than the budget, and takes
// them. A request for 0 bytes passes at once. The error is the context's; then nothing is taken. It
// panics if n is negative.
func (b *Budget) Acquire(ctx context.Context, n int64) error {
	if n < 0 {
		panic(fmt.Sprintf("pace: acquire of %d bytes", n))
	}
	if n == 0 {
		return ctx.Err()
	}
	return b.queue.acquire(ctx, n)
}

// AcquireBy acquires the number of bytes that want returns, and returns that number. It calls want
// again each time that bytes are released. want must be quick, return more than zero, and call no
// method of the budget.
func (b *Budget) AcquireBy(ctx context.Context, want func() int64) (int64, error) {
	return b.queue.acquireBy(ctx, want)
}

// Release releases n bytes. It panics if that is more than was taken, which is an error of the
// caller.
func (b *Budget) Release(n int64) { b.Resize(n, 0) }

// Resize corrects an estimate: the caller had taken held bytes, and from now on has want. It never
// waits, so the budget may be exceeded. In that case no request passes until enough was released.
// It panics if held is more than was taken, or want is negative.
func (b *Budget) Resize(held, want int64) {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	if held < 0 || want < 0 || held > b.used {
		panic(fmt.Sprintf("pace: %d bytes become %d, of %d that are taken", held, want, b.used))
	}
	b.used += want - held
	b.queue.wakeLocked()
}

// Used returns the number of bytes taken. It can be more than the budget.
func (b *Budget) Used() int64 {
	b.queue.mu.Lock()
	defer b.queue.mu.Unlock()
	return b.used
}
