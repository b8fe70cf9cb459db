package simcluster

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
)

// Cluster is a running simulated cluster.
type Cluster struct {
	options   Options
	port      int // of all nodes
	awarePort int // the shard-aware one; 0 for Cassandra
	layout    atomic.Pointer[layout]
	schema    catalog
	plain     *table // the table of Options.Table; nil when there are Options.Tables
	parsed    sync.Map
	faults    weather
	peers     peers
	log       log
	streams   struct {
		sync.Mutex
		all []Stream
	}

	// holding is held for writing while rows go from node to node, and ranges change their owners.
	holding sync.RWMutex

	// life guards what starts and ends: nodes, and all of them together.
	life     sync.Mutex
	random   *rand.Rand // of what happens later to the layout
	closed   bool
	done     chan struct{}
	handlers sync.WaitGroup
}

// Start makes a cluster whose nodes all listen. An error says what of the options
// makes no sense, or that no port could be had.
func Start(o Options) (*Cluster, error) {
	for attempt := 1; ; attempt++ {
		c, err := start(o)
		if o.Base == Anywhere && attempt < mostBases && errors.Is(err, syscall.EADDRINUSE) {
			continue // another cluster is at those addresses
		}
		return c, err
	}
}

// mostBases is how many bases are drawn for a cluster until its ports are free.
const mostBases = 5

func start(o Options) (*Cluster, error) {
	c := &Cluster{options: o.withDefaults(), done: make(chan struct{})}
	c.faults.init()
	if err := c.Disturb(c.options.Faults); err != nil {
		return nil, err
	}
	c.random = rand.New(rand.NewPCG(c.options.Seed, 1))
	if err := c.makeNodes(); err != nil {
		return nil, err
	}
	if err := c.makeTables(rand.New(rand.NewPCG(c.options.Seed, 2))); err != nil {
		return nil, err
	}
	for _, t := range c.schema.list() {
		c.distribute(t)
	}
	nodes := c.layout.Load().nodes
	if err := c.listen(nodes); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		n.serve()
	}
	return c, nil
}

// Close ends all nodes and waits until nothing of them runs any more. What is
// asked of a closed cluster later, but for what it has written down, has no effect.
func (c *Cluster) Close() {
	c.life.Lock()
	if !c.closed {
		c.closed = true
		close(c.done)
	}
	for _, n := range c.layout.Load().nodes {
		n.stop()
	}
	c.life.Unlock()
	c.handlers.Wait()
}

// Hosts lists the addresses of the nodes, also of those that have left.
func (c *Cluster) Hosts() []string {
	nodes := c.layout.Load().nodes
	hosts := make([]string, len(nodes))
	for i, n := range nodes {
		hosts[i] = n.address.String()
	}
	return hosts
}

// Port is the port that all nodes listen on.
func (c *Cluster) Port() int { return c.port }

// HostID is the host id of a node.
func (c *Cluster) HostID(node int) string { return c.layout.Load().nodes[node].id.String() }
