package simcluster

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// node is one server.
type node struct {
	cluster  *Cluster
	index    int
	address  net.IP
	dc, rack string
	id       uuid
	prepared sync.Map // texts of the statements that it knows

	plain *net.TCPListener
	aware *net.TCPListener // the shard-aware port; nil for Cassandra

	copies  sync.Map               // by id: the node's own rows of a table
	seen    atomic.Pointer[layout] // what it knows of the ring; nil: what there is
	joining atomic.Bool            // it has no CQL port yet
	gone    atomic.Bool            // it does not come back

	storage    net.Listener // nil: nothing can be streamed in
	endStorage func()

	mu      sync.Mutex
	stopped bool
	conns   map[*conn]struct{}

	ahead  atomic.Int64 // of this host's clock, in nanoseconds
	astray atomic.Bool  // it has a schema of its own
}

// serve takes connections until the node is stopped.
func (n *node) serve() {
	n.serveClients()
	if n.storage != nil {
		n.serveStorage()
	}
}

// serveClients takes connections on the ports for CQL, where they are open.
func (n *node) serveClients() {
	if n.joining.Load() {
		return
	}
	n.cluster.handlers.Add(1)
	go n.accept(n.plain, n.freeShard)
	if n.aware != nil {
		n.cluster.handlers.Add(1)
		go n.accept(n.aware, n.shardByPort)
	}
}

// listen opens the cluster's ports; of the first node to do so, any that are free.
func (n *node) listen() error {
	if err := n.listenToClients(); err != nil {
		return err
	}
	var err error
	if n.aware == nil && n.cluster.options.Storage != nil {
		n.storage, err = net.ListenTCP(
			"tcp",
			&net.TCPAddr{IP: n.address, Port: n.cluster.options.StoragePort},
		)
	}
	return err
}

// listenToClients opens the ports for CQL, unless the node is joining.
func (n *node) listenToClients() error {
	if n.joining.Load() {
		return nil
	}
	var err error
	if n.plain, err = net.ListenTCP(
		"tcp",
		&net.TCPAddr{IP: n.address, Port: n.cluster.port},
	); err != nil {
		return err
	}
	if n.cluster.options.Shards > 0 {
		n.aware, err = net.ListenTCP("tcp", &net.TCPAddr{IP: n.address, Port: n.cluster.awarePort})
	}
	return err
}

func (n *node) unlisten() {
	for _, l := range []*net.TCPListener{n.plain, n.aware} {
		if l != nil {
			_ = l.Close()
		}
	}
	if n.storage != nil {
		_ = n.storage.Close()
	}
}

func (n *node) accept(l *net.TCPListener, shard func(net.Conn) int) {
	defer n.cluster.handlers.Done()
	for {
		socket, err := l.Accept()
		if err != nil {
			return
		}
		if c := n.admit(socket, shard); c != nil {
			go func() {
				defer n.cluster.handlers.Done()
				c.serve()
			}()
		}
	}
}

// admit registers a connection; nil when the node has been stopped.
func (n *node) admit(socket net.Conn, shard func(net.Conn) int) *conn {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped {
		_ = socket.Close()
		return nil
	}
	c := &conn{node: n, socket: n.secured(socket), shard: shard(socket), gone: make(chan struct{})}
	n.conns[c] = struct{}{}
	n.cluster.handlers.Add(1)
	return c
}

// secured is a connection behind TLS, where the node speaks that.
func (n *node) secured(socket net.Conn) net.Conn {
	if n.cluster.options.TLS == nil {
		return socket
	}
	return tls.Server(socket, n.cluster.options.TLS(n.address))
}

// now is the time by the node's clock.
func (n *node) now() time.Time { return time.Now().Add(time.Duration(n.ahead.Load())) }

// freeShard is the shard with the fewest connections, as ScyllaDB chooses on its
// plain port. The caller holds the lock.
func (n *node) freeShard(net.Conn) int {
	if n.cluster.options.Shards == 0 {
		return 0
	}
	count := make([]int, n.cluster.options.Shards)
	for c := range n.conns {
		count[c.shard]++
	}
	free := 0
	for shard := range count {
		if count[shard] < count[free] {
			free = shard
		}
	}
	return free
}

// shardByPort is the shard that the client chose by its own port, as ScyllaDB lets
// it do on the shard-aware port.
func (n *node) shardByPort(socket net.Conn) int {
	return socket.RemoteAddr().(*net.TCPAddr).Port % n.cluster.options.Shards
}

func (n *node) leave(c *conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, c)
}

// stop says whether the node was up.
func (n *node) stop() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	was := !n.stopped
	n.stopped = true
	n.unlisten()
	if n.endStorage != nil {
		n.endStorage()
	}
	for c := range n.conns {
		_ = c.socket.Close()
	}
	n.prepared.Clear()
	return was
}

// restart listens again.
func (n *node) restart() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.stopped {
		return nil
	}
	if err := n.listen(); err != nil {
		n.unlisten()
		return err
	}
	n.stopped = false
	n.serve()
	return nil
}

func (n *node) up() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.stopped
}
