package simcluster

import (
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Request is a statement that came to a node.
type Request struct {
	Node      int    // index of the node
	Shard     int    // that the connection belongs to
	Statement string // of a batch the first one
	// Range is the token range of a read of the table; the zero Range for a read
	// of all of it and for anything else.
	Range token.Range
	Paged bool // a page after the first
	Rows  int  // rows answered with, or rows to be written
	// Keys are the tokens of the rows to be written.
	Keys []token.Token
}

// Write is a row that was written.
type Write struct {
	Key       int64
	Value     []byte // nil is null, or unset
	Timestamp int64  // microseconds since the epoch
}

// log is what the nodes wrote down.
type log struct {
	mu       sync.Mutex
	requests []Request
	written  []Write
}

func (l *log) add(r Request, writes []Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	l.written = append(l.written, writes...)
}

// Requests lists the statements answered, refused ones among them, in the order of
// their answers. Statements that are only prepared are not in it.
func (c *Cluster) Requests() []Request {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return slices.Clone(c.log.requests)
}

// Written lists the rows written, in the order of their answers.
func (c *Cluster) Written() []Write {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	return slices.Clone(c.log.written)
}

// Forget empties the lists of requests and of rows written.
func (c *Cluster) Forget() {
	c.log.mu.Lock()
	defer c.log.mu.Unlock()
	c.log.requests, c.log.written = nil, nil
}
