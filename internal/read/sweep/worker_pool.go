package sweep

import "sync"

// workerPool is the workers of a sweep. More of them are started when the gate lets more requests pass,
// or, if the crew is lazy, when there are pieces that none of them waits for. It is safe for
// concurrent use.
type workerPool struct {
	newWorker  func(turn int) (*worker, error)
	start      func(w *worker, err error) // starts a worker, or ends the sweep with an error
	maxWorkers int
	onDemand   bool

	mu      sync.Mutex
	workers int
	allowed int // workers at most for the requests that may be under way
}

// create makes the workers to begin with, and starts none.
func (c *workerPool) create(n int) (workers []*worker, err error) {
	for ; c.workers < n; c.workers++ {
		w, err := c.newWorker(c.workers)
		if err != nil {
			return nil, err
		}
		workers = append(workers, w)
	}
	return workers, nil
}

// size returns how many workers there are.
func (c *workerPool) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.workers
}

// requestsPerSpare is the number of requests for which there is one worker more: some workers are
// between two ranges, or have the next page already.
const requestsPerSpare = 4

// grow starts workers, so that there are enough for the requests that may be under way.
func (c *workerPool) grow(requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.allowed = max(c.allowed, min(requests+requests/requestsPerSpare, c.maxWorkers))
	for !c.onDemand && c.workers < min(c.allowed, c.maxWorkers) {
		c.startWorker()
	}
}

// startOne starts one more worker, if there may be one.
func (c *workerPool) startOne() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers < min(c.allowed, c.maxWorkers) {
		c.startWorker()
	}
}

// startWorker starts a worker.
func (c *workerPool) startWorker() {
	w, err := c.newWorker(c.workers)
	c.workers++
	if err != nil {
		c.maxWorkers = 0
	}
	c.start(w, err)
}
