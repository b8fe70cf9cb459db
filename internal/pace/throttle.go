package pace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Throttles hold back what is sent to nodes that are slow to keep it, each node by itself: one that
// has fallen behind does not slow the others, and as long as none has nothing is held back.
//
// A node tells that it has something for good when it has it, and how long that takes after the
// last byte says how far it is behind. It is compared with the quickest answer of any node, by
// bytes, since how long a node that is idle takes hangs on its disks and on what it has to do. The
// quickest is forgotten slowly, lest one lucky answer hold back a cluster for good.
//
// It is safe for concurrent use.
type Throttles struct {
	mu    sync.Mutex
	least float64 // seconds for a byte: the quickest answer
	nodes map[string]*Throttle
}

// Throttle is what one node gets. Its rule is additive increase and multiplicative decrease: a slow
// answer cuts the rate to a part of what the node kept up with until then, each other one adds a
// step, and when the rate is well above what it was when it was first cut, there is none. While
// there is a rate a node has one session at a time.
type Throttle struct {
	all      *Throttles
	limiter  atomic.Pointer[Limiter] // nil: none
	queue    waitQueue
	sessions int // sessions under way

	rate, first float64 // bytes a second, and before it was cut; 0: none. Of the line's lock
}

const (
	// slowAfter is how long an answer may take in any case.
	slowAfter = time.Second
	// slowTimes is how many times as long as the quickest one an answer may take.
	slowTimes = 4
	// decay is how much slower the quickest answer is taken to have been with each answer.
	decay = 1.05
	// cutTo is the part of the rate that is left after a slow answer, stepOf that of the first one
	// which others add, and liftAt how many times the first one is enough to do without.
	cutTo, stepOf, liftAt = 0.7, 1.0 / 8, 2
	// leastRate is below what nothing is cut: sessions must not end by their time limits.
	leastRate = 1 << 20
)

// NewThrottles makes throttles that are off.
func NewThrottles() *Throttles { return &Throttles{nodes: make(map[string]*Throttle)} }

// Node is the throttle of a node.
func (t *Throttles) Node(node string) *Throttle {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.nodes[node]
	if n == nil {
		n = &Throttle{all: t}
		n.queue.fits = func(int64) bool { return n.rate == 0 || n.sessions == 0 }
		n.queue.take = func(int64) { n.sessions++ }
		t.nodes[node] = n
	}
	return n
}

// slow takes an answer, and says whether it is a slow one.
func (t *Throttles) slow(bytes int64, took time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	each := took.Seconds() / float64(bytes)
	if t.least == 0 || each <= t.least {
		t.least = each
		return false
	}
	slow := took > slowAfter && each > slowTimes*t.least
	t.least = min(each, t.least*decay)
	return slow
}

// Acquire waits until one more session may begin. The error is the context's; any other end must be
// followed by one Release.
func (n *Throttle) Acquire(ctx context.Context) error { return n.queue.acquire(ctx, 1) }

// Release ends a session. It panics when there is none.
func (n *Throttle) Release() {
	n.queue.mu.Lock()
	defer n.queue.mu.Unlock()
	if n.sessions == 0 {
		panic("pace: release of a throttle that nobody has passed")
	}
	n.sessions--
	n.queue.wakeLocked()
}

// Wait blocks until so many more bytes may go, or the context ends.
func (n *Throttle) Wait(ctx context.Context, bytes int) error {
	return n.limiter.Load().Wait(ctx, bytes)
}

// Observe takes an answer: of how many bytes, how long they were on their way, and how long the
// node then took to say that it has them. Of no bytes it does nothing.
func (n *Throttle) Observe(bytes int64, sending, took time.Duration) {
	if bytes <= 0 {
		return
	}
	slow := n.all.slow(bytes, took)
	n.queue.mu.Lock()
	defer n.queue.mu.Unlock()
	switch kept := float64(bytes) / max(sending+took, time.Millisecond).Seconds(); {
	case slow && n.rate == 0:
		n.first = max(kept, leastRate)
		n.rate = max(kept*cutTo, leastRate)
	case slow:
		n.rate = max(min(n.rate, kept)*cutTo, leastRate)
	case n.rate == 0:
		return
	default:
		if n.rate += n.first * stepOf; n.rate >= liftAt*n.first {
			n.rate, n.first = 0, 0
		}
	}
	n.limiter.Store(NewLimiter(n.rate))
	n.queue.wakeLocked()
}

// Rate is what the node gets, in bytes a second; 0: as much as it takes.
func (n *Throttle) Rate() float64 {
	n.queue.mu.Lock()
	defer n.queue.mu.Unlock()
	return n.rate
}
