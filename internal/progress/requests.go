package progress

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Requests counts the requests that a run sends to nodes: how many are in flight, and how long
// their answers took. The zero value is empty. It is safe for concurrent use.
type Requests struct {
	underWay atomic.Int64
	answered atomic.Int64
	mu       sync.Mutex
	whole    *hdrhistogram.Histogram // of the whole run; nil: before the first answer
	nodes    map[string]*nodeRequests
	names    func(node string) string
	untimed  bool
}

// Untimed turns the measurement of latencies off: nothing is sent to the nodes, as in a dry run.
func (r *Requests) Untimed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.untimed = true
}

// Gate holds requests back. [pace.Gate] is one.
type Gate interface {
	Limit() int  // the number of requests that may be in flight now
	Bound() bool // whether it holds back requests that the nodes could take
}

type nodeRequests struct {
	underWay, answered, failed int64
	took                       time.Duration // of all answered requests together
	recent                     *recent       // nil: before the first answer
	gate                       Gate          // nil: a gate of all nodes together, or none
	// time of the last answer, or of the first request in flight if that is later
	waiting time.Time
}

// NodeRequests are the figures of one node.
type NodeRequests struct {
	Node     string // name by SetNames; empty: any node, chosen by the driver
	UnderWay int64
	Answered int64         // in the whole run
	Failed   int64         // in the whole run, including those without an answer
	Took     time.Duration // of all answered requests together
	Limit    int           // of requests in flight now; 0: the node has no limit of its own
	Now      Latency       // in the last Window
}

// SetNames sets the function that returns the name of a node for Nodes. Default: the name that is
// passed to Begin.
func (r *Requests) SetNames(names func(node string) string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.names = names
}

// SetGate sets the gate of the requests to a node; empty: to all nodes.
func (r *Requests) SetGate(node string, g Gate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.node(node).gate = g
}

// node returns the counters of a node. The caller holds the lock.
func (r *Requests) node(node string) *nodeRequests {
	if r.nodes == nil {
		r.nodes = make(map[string]*nodeRequests)
	}
	n := r.nodes[node]
	if n == nil {
		n = new(nodeRequests)
		r.nodes[node] = n
	}
	return n
}

// Begin records that a request is sent to a node, and returns when. The caller must call End.
func (r *Requests) Begin(node string) time.Time {
	now := time.Now()
	r.begin(node, now)
	return now
}

func (r *Requests) begin(node string, now time.Time) {
	r.underWay.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.node(node)
	if n.underWay++; n.underWay == 1 {
		n.waiting = now
	}
}

// Ended is how a request has ended.
type Ended int

// The ends of a request.
const (
	Failed   Ended = iota // it failed or was not answered
	Answered              // it succeeded
	Canceled              // the run gave it up, which says nothing about the node
)

// EndOf returns how a request has ended: Canceled if it was not answered and the context of the run
// has ended.
func EndOf(ctx context.Context, answered bool) Ended {
	switch {
	case answered:
		return Answered
	case ctx.Err() != nil:
		return Canceled
	default:
		return Failed
	}
}

// End records the end of a request that began at begun, and returns how long it took. The latency
// counts if it was answered.
func (r *Requests) End(node string, begun time.Time, how Ended) time.Duration {
	now := time.Now()
	r.end(node, begun, now, how)
	return now.Sub(begun)
}

func (r *Requests) end(node string, begun, now time.Time, how Ended) {
	r.underWay.Add(-1)
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.node(node)
	n.underWay--
	switch how {
	case Failed:
		n.failed++
		return
	case Canceled:
		return
	}
	n.answered++
	n.waiting = now
	r.answered.Add(1)
	if r.untimed {
		return
	}
	n.took += now.Sub(begun)
	if n.recent == nil {
		n.recent = newRecent(now)
	}
	if r.whole == nil {
		r.whole = newHistogram(2)
	}
	n.recent.advance(now)
	record(n.recent.parts.Current, now.Sub(begun))
	record(r.whole, now.Sub(begun))
}

// Answered returns the number of requests that were answered.
func (r *Requests) Answered() int64 { return r.answered.Load() }

// UnderWay returns the number of requests in flight.
func (r *Requests) UnderWay() int64 { return r.underWay.Load() }

// Limit returns the number of requests that all gates allow in flight now; 0: there is no gate.
func (r *Requests) Limit() int {
	limit := 0
	for _, g := range r.gates() {
		limit += g.Limit()
	}
	return limit
}

// Bound reports whether a gate holds back requests that the nodes could take, since most of the
// requests in flight are on the wire.
func (r *Requests) Bound() bool {
	return slices.ContainsFunc(r.gates(), Gate.Bound)
}

func (r *Requests) gates() []Gate {
	r.mu.Lock()
	defer r.mu.Unlock()
	var gates []Gate
	for _, n := range r.nodes {
		if n.gate != nil {
			gates = append(gates, n.gate)
		}
	}
	return gates
}

// Whole returns the latency of all requests of the run.
func (r *Requests) Whole() Latency {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.whole == nil {
		return Latency{Requests: r.answered.Load()}
	}
	return latencyOf(r.whole)
}

// AllFailed reports whether requests have failed and none has succeeded.
func (r *Requests) AllFailed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered.Load() > 0 {
		return false
	}
	for _, n := range r.nodes {
		if n.failed > 0 {
			return true
		}
	}
	return false
}

// Now returns the latency of the requests to all nodes that were answered in the Window before now.
func (r *Requests) Now(now time.Time) Latency {
	all := newHistogram(windowDigits)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.nodes {
		if n.recent != nil {
			n.recent.advance(now)
			all.Merge(n.recent.parts.Merge())
		}
	}
	return latencyOf(all)
}

// Silence describes the nodes at which no request has succeeded for some time, though some are in
// flight. A node that answers with errors alone counts too.
type Silence struct {
	Node    string  `json:"node"`    // the node that was silent longest, by its name in SetNames
	Nodes   int     `json:"nodes"`   // number of silent nodes
	Seconds float64 `json:"seconds"` // of the longest silence

	all bool // none of the nodes with requests in flight has answered
}

// silentFrom is the time without an answer from which a node counts as silent.
const silentFrom = 5 * time.Second

// Silence returns the nodes that are silent at a time; nil: there are none.
func (r *Requests) Silence(now time.Time) *Silence {
	s := Silence{all: true}
	r.mu.Lock()
	defer r.mu.Unlock()
	for node, n := range r.nodes {
		if n.underWay == 0 {
			continue
		}
		silent := now.Sub(n.waiting)
		if silent < silentFrom {
			s.all = false
			continue
		}
		if s.Nodes++; silent.Seconds() > s.Seconds {
			s.Node, s.Seconds = node, silent.Seconds()
		}
	}
	if s.Nodes == 0 {
		return nil
	}
	s.Node = r.nameLocked(s.Node)
	return &s
}

// name returns the name of a node.
func (r *Requests) name(node string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nameLocked(node)
}

func (r *Requests) nameLocked(node string) string {
	if r.names == nil || node == "" {
		return node
	}
	return r.names(node)
}

// Nodes returns the figures of each node, by the order of their names.
func (r *Requests) Nodes(now time.Time) []NodeRequests {
	r.mu.Lock()
	list := make([]NodeRequests, 0, len(r.nodes))
	gates := make([]Gate, 0, len(r.nodes))
	for node, n := range r.nodes {
		one := NodeRequests{
			Node:     r.nameLocked(node),
			UnderWay: n.underWay,
			Answered: n.answered,
			Failed:   n.failed,
			Took:     n.took,
		}
		if n.recent != nil {
			n.recent.advance(now)
			one.Now = latencyOf(n.recent.parts.Merge())
		}
		list, gates = append(list, one), append(gates, n.gate)
	}
	r.mu.Unlock()
	for i, g := range gates { // gates have locks of their own
		if g != nil {
			list[i].Limit = g.Limit()
		}
	}
	slices.SortFunc(list, func(a, b NodeRequests) int { return strings.Compare(a.Node, b.Node) })
	return list
}
