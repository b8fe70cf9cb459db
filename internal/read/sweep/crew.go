package sweep

import "sync"

// crew is the workers of a sweep. More of them are started when the gate lets more requests pass,
// or, if the crew is lazy, when there are pieces that none of them waits for. It is safe for
// concurrent use.
type crew struct {
	hire  func(turn int) (*worker, error)
	start func(w *worker, err error) // starts a worker, or ends the sweep with an error
	most  int
	lazy  bool

	mu      sync.Mutex
	workers int
	allowed int // workers at most for the requests that may be under way
}

// first makes the workers to begin with, and starts none.
func (c *crew) first(n int) (workers []*worker, err error) {
	for ; c.workers < n; c.workers++ {
		w, err := c.hire(c.workers)
		if err != nil {
			return nil, err
		}
		workers = append(workers, w)
	}
	return workers, nil
}

// size returns how many workers there are.
func (c *crew) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.workers
}

// spareWorkers is the number of requests for which there is one worker more: some workers are
// between two ranges, or have the next page already.
const spareWorkers = 4

// follow starts workers, so that there are enough for the requests that may be under way.
func (c *crew) follow(requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.allowed = max(c.allowed, min(requests+requests/spareWorkers, c.most))
	for !c.lazy && c.workers < min(c.allowed, c.most) {
		c.add()
	}
}

// another starts one more worker, if there may be one.
func (c *crew) another() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers < min(c.allowed, c.most) {
		c.add()
	}
}

// add starts a worker.
func (c *crew) add() {
	w, err := c.hire(c.workers)
	c.workers++
	if err != nil {
		c.most = 0
	}
	c.start(w, err)
}
