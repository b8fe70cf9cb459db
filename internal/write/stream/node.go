package stream

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
)

// node is the state of a node that is sent files.
type node struct {
	name     string
	throttle *pace.Throttle
	stream   *progress.Stream

	mu    sync.Mutex
	sizes []int64
	under int       // sessions in flight
	since time.Time // when the first of them began
	spent time.Duration
}

// node returns a node by its id.
func (c *shipper) node(id string) *node {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.nodes[id]
	if n == nil {
		name := c.o.NodeName(id)
		n = &node{name: name, throttle: c.throttles.Node(id), stream: c.o.Progress.Streams.To(name)}
		c.nodes[id] = n
	}
	return n
}

// begin counts the start of a session.
func (n *node) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.under == 0 {
		n.since = time.Now()
	}
	n.under++
	n.stream.Sessions.Add(1)
}

// end counts the end of a session.
func (n *node) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.under--; n.under == 0 {
		n.spent += time.Since(n.since)
	}
	n.stream.Sessions.Add(-1)
}

// has records a file that the node has stored.
func (n *node) has(size int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sizes = append(n.sizes, size)
}

// took reports whether the node has taken any file.
func (n *node) took() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.sizes) > 0
}

func (n *node) stats() NodeStats {
	n.mu.Lock()
	defer n.mu.Unlock()
	return NodeStats{Node: n.name, Sizes: slices.Clone(n.sizes), Time: n.spent}
}

// Transfer is a file on its way to a node. The Sender calls Wait before it sends bytes, and reports
// the bytes that were sent. It is safe for concurrent use. A nil Transfer waits for nothing and
// counts nothing.
type Transfer struct {
	d     *delivery
	node  *node
	begun time.Time
	size  int64 // bytes of the file
	bytes int64 // of partitions

	mu      sync.Mutex
	sent    int64 // bytes that were written to the network
	plain   int64 // bytes of the file that these stand for
	counted int64 // part of bytes that the delivery counts as sent
}

// Wait blocks until n more bytes may go to the node, or the context ends.
func (tr *Transfer) Wait(ctx context.Context, n int) error {
	if tr == nil {
		return nil
	}
	return tr.node.throttle.Wait(ctx, n)
}

// Sent counts n bytes that were written to the network, for plain bytes of the file.
func (tr *Transfer) Sent(n, plain int) {
	if tr == nil {
		return
	}
	tr.node.stream.Bytes.Add(int64(n))
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.sent += int64(n)
	tr.plain += int64(plain)
	tr.d.wired.Add(int64(n))
	tr.d.plain.Add(int64(plain))
	tr.count(min(int64(float64(tr.bytes)*float64(tr.plain)/float64(tr.size)), tr.bytes))
}

// wired returns the bytes that were written to the network, or those of the file if the sender
// reported none.
func (tr *Transfer) wired() int64 {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return cmp.Or(tr.sent, tr.size)
}

// Received records that the node has all of the file. took is the time since its last bytes were
// sent.
func (tr *Transfer) Received(took time.Duration) {
	if tr == nil {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.node.throttle.Observe(tr.sent, time.Since(tr.begun)-took, took)
}

// end ends the transfer. there means that the node has stored the file.
func (tr *Transfer) end(there bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if there {
		tr.count(tr.bytes)
	} else {
		tr.count(0)
	}
}

// count sets the part of the file that the delivery counts as sent.
func (tr *Transfer) count(bytes int64) {
	tr.d.sent.Add(bytes - tr.counted)
	tr.counted = bytes
	tr.d.share()
}
