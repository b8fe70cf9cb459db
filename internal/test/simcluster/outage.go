package simcluster

import (
	"errors"
	"math/rand/v2"
	"syscall"
	"time"
)

// Delay is how long requests have to wait: Min, and on top of it a time that has an exponential
// distribution with the given Mean. The sum is at most Max; the default of Max is Min and ten times
// Mean.
type Delay struct{ Min, Mean, Max time.Duration }

func (d Delay) draw(random *rand.Rand) time.Duration {
	if d == (Delay{}) {
		return 0
	}
	most := d.Max
	if most == 0 {
		most = d.Min + 10*d.Mean
	}
	return min(d.Min+time.Duration(random.ExpFloat64()*float64(d.Mean)), most)
}

// Slow makes a node let all requests wait from now on; the zero Delay ends it.
func (c *Cluster) Slow(node int, d Delay) {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	c.faults.slow[node] = d
}

// member is one of the nodes that have not left.
func (c *Cluster) member(which uint64) int {
	l := c.layout.Load()
	var members []int
	for i := range l.nodes {
		if l.member[i] {
			members = append(members, i)
		}
	}
	return members[which%uint64(len(members))]
}

// takeDown decides that a node goes down, if none is, and comes back later or when
// the faults end. The caller holds the weather.
func (w *weather) takeDown(c *Cluster, d *decision, which uint64, after time.Duration) {
	if w.down {
		return
	}
	w.down = true
	w.tally.Downs++
	calm := w.calm
	d.then = append(d.then, func() {
		node := c.member(which)
		if !c.layout.Load().nodes[node].up() { // it was stopped by the test
			w.back()
			return
		}
		c.halt(node, false)
		// It is a request that runs this, so that the cluster still waits for its handlers.
		c.handlers.Go(func() {
			defer w.back()
			timer := time.NewTimer(after)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-calm:
			case <-c.done:
				return
			}
			c.bringBack(node)
		})
	})
}

// portWait is how long a node waits for its port, which a connection of another process may have
// for a moment.
const portWait = 10 * time.Millisecond

// bringBack starts a node again, unless it has left or the cluster is closed, as soon as
// its port is free.
func (c *Cluster) bringBack(node int) {
	for errors.Is(c.Restart(node), syscall.EADDRINUSE) {
		select {
		case <-time.After(portWait):
		case <-c.done:
			return
		}
	}
}

func (w *weather) back() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
