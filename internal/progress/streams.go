package progress

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Streams counts what was streamed to nodes. The zero value is empty. It is safe for concurrent
// use.
type Streams struct {
	mu    sync.Mutex
	nodes map[string]*Stream
}

// Stream counts what this run has streamed to one node.
type Stream struct {
	Bytes    atomic.Int64 // passed to the network, including those sent again
	Sessions atomic.Int64 // in progress
}

// Streamed is the state of a Stream at a moment.
type Streamed struct {
	Node     string `json:"node"`
	Bytes    int64  `json:"bytes"`
	Sessions int64  `json:"sessions" jsonschema:"under way"`
}

// To returns the stream to a node.
func (s *Streams) To(node string) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes = make(map[string]*Stream)
	}
	if s.nodes[node] == nil {
		s.nodes[node] = new(Stream)
	}
	return s.nodes[node]
}

// List returns all of them, in the order of the nodes' names.
func (s *Streams) List() []Streamed {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Streamed, 0, len(s.nodes))
	for name, n := range s.nodes {
		list = append(list, Streamed{name, n.Bytes.Load(), n.Sessions.Load()})
	}
	slices.SortFunc(list, func(a, b Streamed) int { return strings.Compare(a.Node, b.Node) })
	return list
}
