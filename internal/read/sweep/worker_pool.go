package sweep

import "sync"

// workerPool is the workers of a sweep. It starts more of them when the gate lets more requests
// pass. On demand, it starts them only if there are pieces that no worker waits for. It is safe for
// concurrent use.
type workerPool struct {
	newWorker  func(turn int) (*worker, error)
	start      func(w *worker, err error) // starts a worker, or ends the sweep with an error
	maxWorkers int
	onDemand   bool

	mu      sync.Mutex
	workers int
	allowed int // workers at most, by the requests that may be in flight
}

// create makes the first workers, and starts none.
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

// size returns the number of workers.
func (c *workerPool) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.workers
}

// requestsPerSpare is the number of requests per spare worker. Some workers are between two ranges,
// or already have the next page.
const requestsPerSpare = 4

// grow starts workers, so that there are enough for the requests that may be in flight.
func (c *workerPool) grow(requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.allowed = max(c.allowed, min(requests+requests/requestsPerSpare, c.maxWorkers))
	for !c.onDemand && c.workers < min(c.allowed, c.maxWorkers) {
		c.startWorker()
	}
}

// startOne starts one more worker, if the pool may grow.
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
