package chaos

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/internode/internodetest"
	"github.com/cqlbulk/cqlbulk/internal/simcluster"
)

// stepsOfALoad is about how many steps the sessions of a streamed load come to.
const stepsOfALoad = 60

// ports are the storage ports of a schedule's cluster. They fail sessions, cut their connections and are taken
// down, and at one step the program is stopped.
type ports struct {
	mu    sync.Mutex
	r     *rand.Rand
	rate  float64 // how often a step goes wrong
	left  int     // harms that are still to come
	after int     // steps until do is called
	do    func()

	cluster *simcluster.Cluster
	wg      sync.WaitGroup
	over    chan struct{}
}

// open tells whose ports they are.
func (p *ports) open(c *simcluster.Cluster) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cluster = c
}

// aim has something done at a later step; nil: nothing.
func (p *ports) aim(after int, do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after, p.do = after, do
}

// calm ends what goes wrong.
func (p *ports) calm() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = 0
}

// of gives a node's port its faults.
func (p *ports) of(node int, port *internodetest.Node) {
	port.Draw = func(internodetest.Step) internodetest.Harm { return p.step(node) }
	port.Before = func(m internode.Message, right []byte) []byte {
		// The node has what it was sent, and says that it has not.
		if m == internode.Complete && p.harmed() {
			return internode.Append(nil, internode.SessionFailed)
		}
		return right
	}
}

// step is what a node does at a step of a session.
func (p *ports) step(node int) internodetest.Harm {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.do != nil {
		if p.after--; p.after <= 0 {
			p.do()
			p.do = nil
		}
	}
	if !p.draw() {
		return ""
	}
	switch p.r.IntN(4) {
	case 0:
		p.takeDown(node, time.Duration(1+p.r.IntN(300))*time.Millisecond)
		return ""
	case 1:
		return internodetest.Fail
	default:
		return internodetest.Close
	}
}

func (p *ports) harmed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draw()
}

// draw says whether something goes wrong now. The caller holds the lock.
func (p *ports) draw() bool {
	if p.left == 0 || p.r.Float64() >= p.rate {
		return false
	}
	p.left--
	totals.harms.Add(1)
	return true
}

// takeDown stops a node, and starts it again after a while.
func (p *ports) takeDown(node int, d time.Duration) {
	c := p.cluster
	p.wg.Go(func() {
		c.Stop(node)
		select {
		case <-time.After(d):
		case <-p.over:
		}
		for c.Restart(node) != nil { // its port may be taken for a moment
			select {
			case <-time.After(10 * time.Millisecond):
			case <-p.over:
				return
			}
		}
	})
}

// close ends the outages.
func (p *ports) close() {
	close(p.over)
	p.wg.Wait()
}
