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

// node is what is known of a node that is sent files.
type node struct {
	name     string
	throttle *pace.Throttle
	stream   *progress.Stream

	mu    sync.Mutex
	sizes []int64
	under int       // sessions under way
	since time.Time // when the first of them began
	spent time.Duration
}

// node gives a node by its id.
func (c *shipper) node(id string) *node {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.nodes[id]
	if n == nil {
		name := c.o.NodeName(id)
		n = &node{name: name, throttle: c.throttles.Of(id), stream: c.o.Progress.Streams.To(name)}
		c.nodes[id] = n
	}
	return n
}

// begin notes that a session begins.
func (n *node) begin() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.under == 0 {
		n.since = time.Now()
	}
	n.under++
	n.stream.Sessions.Add(1)
}

// end notes that a session has ended.
func (n *node) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.under--; n.under == 0 {
		n.spent += time.Since(n.since)
	}
	n.stream.Sessions.Add(-1)
}

// has notes a file that the node has.
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

// Transfer is a file on its way to a node. Who sends it asks it before bytes go, and tells it how
// it gets on, as far as that is known. It is safe for concurrent use; a nil one lets all pass.
type Transfer struct {
	d     *delivery
	node  *node
	begun time.Time
	size  int64 // bytes of the file
	bytes int64 // of partitions

	mu    sync.Mutex
	sent  int64 // bytes that were handed to the network
	plain int64 // bytes of the file, of those
	told  int64 // of bytes, what the delivery was told of as sent
}

// Wait blocks until n more bytes may go to the node, or the context ends.
func (tr *Transfer) Wait(ctx context.Context, n int) error {
	if tr == nil {
		return nil
	}
	return tr.node.throttle.Wait(ctx, n)
}

// Sent reports n bytes that were handed to the network, for plain bytes of the file.
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
	tr.tell(min(int64(float64(tr.bytes)*float64(tr.plain)/float64(tr.size)), tr.bytes))
}

// wired returns the bytes that were handed to the network; those of the file if the sender reported
// none.
func (tr *Transfer) wired() int64 {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return cmp.Or(tr.sent, tr.size)
}

// Received tells that the node has all of the file, and how long that took since its last bytes
// were sent.
func (tr *Transfer) Received(took time.Duration) {
	if tr == nil {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.node.throttle.Observe(tr.sent, time.Since(tr.begun)-took, took)
}

// end ends the transfer: all of the file is there, or it was in vain.
func (tr *Transfer) end(there bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if there {
		tr.tell(tr.bytes)
	} else {
		tr.tell(0)
	}
}

// tell has the delivery know how much of the file is sent.
func (tr *Transfer) tell(bytes int64) {
	tr.d.sent.Add(bytes - tr.told)
	tr.told = bytes
	tr.d.share()
}
