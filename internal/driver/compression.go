package driver

import (
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/pierrec/lz4/v4"
)

const (
	compressionOption = "COMPRESSION" // in SUPPORTED and STARTUP
	lz4Name           = "lz4"
)

// compression records to which nodes frames are compressed. It is safe for concurrent use. A nil
// compression compresses none.
type compression struct {
	// round-trip time from which a node's frames are compressed; 0: all nodes' are
	from time.Duration

	// reports whether a node is near without measuring its round trip; not used if from is 0
	near func(node string) bool

	mu    sync.Mutex
	trips map[string]roundTrip // by address of the node
	nodes map[string]bool      // by address: whether frames are compressed
}

// roundTrip is the measurement of the round trip to a node.
type roundTrip struct {
	asked int           // requests that were answered
	least time.Duration // shortest time that one took
}

// tripsNeeded is the number of slow answers before a node counts as far. The node or this host may
// have been busy at the first.
const tripsNeeded = 3

func newCompression(cfg Config) *compression {
	if !cfg.Compress {
		return nil
	}
	return &compression{
		from:  cfg.CompressFrom,
		near:  isLoopback,
		trips: make(map[string]roundTrip),
		nodes: make(map[string]bool),
	}
}

// isLoopback reports whether a node is on this host. If the host is busy, such a node answers as
// late as a far one.
func isLoopback(node string) bool {
	ip := net.ParseIP(node)
	return ip != nil && ip.IsLoopback()
}

// addRoundTrip records how long the answer to OPTIONS took, and reports whether to measure again.
func (c *compression) addRoundTrip(node string, took time.Duration) bool {
	if c == nil || c.from == 0 || c.near(node) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.trips[node]
	if t.asked++; t.asked == 1 || took < t.least {
		t.least = took
	}
	c.trips[node] = t
	return t.least >= c.from && t.asked < tripsNeeded
}

// compresses reports whether frames to a node are compressed.
func (c *compression) compresses(node string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.from == 0 || c.trips[node].asked > 0 && c.trips[node].least >= c.from
}

// setCompressed records whether the frames of a new connection to a node are compressed.
func (c *compression) setCompressed(node string, compressed bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[node] = compressed
}

// Compressed returns the number of nodes whose frames are compressed.
func (s *Session) Compressed() (nodes int) {
	if s.lz4 == nil {
		return 0
	}
	s.lz4.mu.Lock()
	defer s.lz4.mu.Unlock()
	for _, compressed := range s.lz4.nodes {
		if compressed {
			nodes++
		}
	}
	return nodes
}

// Compression returns the name of the compression of CQL frames: "lz4", or "none" if
// [Session.Compressed] is 0.
func (s *Session) Compression() string {
	if s.Compressed() > 0 {
		return lz4Name
	}
	return "none"
}

// deflater compresses requests. The frameChecker inflates the answers.
type deflater struct{}

// deflateBuffers is the memory of a deflater.
type deflateBuffers struct {
	lz4 lz4.Compressor
	out []byte
}

var deflatePool = sync.Pool{New: func() any { return new(deflateBuffers) }}

// Name returns the name in the protocol.
func (deflater) Name() string { return lz4Name }

// Encode returns the body of a compressed frame. The library copies it.
func (deflater) Encode(body []byte) ([]byte, error) {
	d := deflatePool.Get().(*deflateBuffers)
	defer deflatePool.Put(d)
	if most := lz4.CompressBlockBound(len(body)); cap(d.out) < most {
		d.out = make([]byte, most)
	}
	n, err := d.lz4.CompressBlock(body, d.out[:cap(d.out)])
	if err != nil {
		return nil, err
	}
	frame := binary.BigEndian.AppendUint32(make([]byte, 0, sizeLength+max(n, 1)), uint32(len(body)))
	if len(body) == 0 {
		return append(frame, 0), nil // an empty sequence
	}
	return append(frame, d.out[:n]...), nil
}

// Decode is never called, since the frameChecker passes on no compressed frame.
func (deflater) Decode([]byte) ([]byte, error) {
	return nil, errors.New("a compressed frame got past the frame checker")
}
