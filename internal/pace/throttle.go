package pace

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Throttles limit what is streamed to nodes that are slow to store it. Each node has its own
// throttle, so one that has fallen behind does not slow the others. If no node is slow, nothing is
// limited.
//
// A node acknowledges a file when it has stored it. The time from the last byte to that answer
// shows how far the node is behind. It is compared with the quickest answer of any node, per byte.
// The time that an idle node takes depends on its disks and its other work. The quickest time rises
// slowly, so that one lucky answer does not hold back a cluster for good.
//
// It is safe for concurrent use.
type Throttles struct {
	mu    sync.Mutex
	least float64 // seconds per byte of the quickest answer
	nodes map[string]*Throttle
}

// Throttle limits one node, by additive increase and multiplicative decrease. A slow answer cuts
// the rate to a share of what the node has kept up with. Each other answer adds a step. When the
// rate is well above the rate before the first cut, the limit ends. While there is a limit, a node
// has one session at a time.
type Throttle struct {
	all      *Throttles
	limiter  atomic.Pointer[Limiter] // nil: no limit
	queue    waitQueue
	sessions int // in progress

	// bytes per second, now and before the first cut; 0: no limit; guarded by the queue's lock
	rate, first float64
}

const (
	// slowAfter is the time that every answer may take.
	slowAfter = time.Second
	// slowTimes is how many times the quickest answer's time an answer may take.
	slowTimes = 4
	// decay is the factor by which the quickest time rises with each answer.
	decay = 1.05
	// cutTo is the share of the rate that is left after a slow answer. Each other answer adds
	// stepOf of the first rate. At liftAt times the first rate, the limit ends.
	cutTo, stepOf, liftAt = 0.7, 1.0 / 8, 2
	// leastRate is the lowest rate, in bytes per second: sessions must not end by their timeouts.
	leastRate = 1 << 20
)

// NewThrottles makes throttles without limits.
func NewThrottles() *Throttles { return &Throttles{nodes: make(map[string]*Throttle)} }

// Node returns the throttle of a node.
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

// slow records an answer, and reports whether it is a slow one.
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

// Acquire waits until one more session may begin. The error is the context's. Otherwise the caller
// must call Release once.
func (n *Throttle) Acquire(ctx context.Context) error { return n.queue.acquire(ctx, 1) }

// Release ends a session. It panics if there is none.
func (n *Throttle) Release() {
	n.queue.mu.Lock()
	defer n.queue.mu.Unlock()
	if n.sessions == 0 {
		panic("pace: more releases of a throttle than sessions")
	}
	n.sessions--
	n.queue.wakeLocked()
}

// Wait blocks until that many more bytes may be sent, or the context ends.
func (n *Throttle) Wait(ctx context.Context, bytes int) error {
	return n.limiter.Load().Wait(ctx, bytes)
}

// Observe records an answer: the bytes that were sent, how long they were sent for, and how long
// the node then took to acknowledge them. Without bytes it does nothing.
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

// Rate returns the rate of the node, in bytes per second; 0: no limit.
func (n *Throttle) Rate() float64 {
	n.queue.mu.Lock()
	defer n.queue.mu.Unlock()
	return n.rate
}
