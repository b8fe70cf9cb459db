package board

import (
	"sort"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Owned is a range of tokens and the node that has its first replica.
type Owned struct {
	Range token.Range
	Node  string // id
}

// Ring is a ring of tokens, with the progress of its parts. It is safe for concurrent use.
type Ring struct {
	partitioner token.Partitioner
	rows        bool // it counts rows
	parts       []part
	byNode      map[string][]*part
	// by the first bits of a token: the first part that it can be in
	first [1 << slotBits]int32
}

// With slotBits, there is about one slot for each part. The part of each row of a load is searched.
const slotBits = 12

// slot returns the first bits of a token. The tokens of a ring have 64 bits, or 127 and one token
// more.
func (r *Ring) slot(t token.Token) int {
	if r.partitioner.Max().Hi == 0 {
		return int(t.Lo >> (64 - slotBits))
	}
	return min(int(t.Hi>>(63-slotBits)), len(r.first)-1)
}

// part is a part of the ring, of one node.
type part struct {
	within   token.Range
	node     string
	size     float64 // share of the ring
	done     atomic.Int64
	failed   atomic.Int64
	underWay atomic.Int64
	taken    atomic.Int64 // read rows in thousandths; not used in a ring of rows
}

// whole is a part that is done, in units of its size.
const whole = 1 << 30

// fewParts is the least number of parts of a ring, so that a page can show it.
const fewParts = 2048

// NewRing makes the ring of these ranges, which are in the order of the tokens and cover all of it.
// A ring of rows counts how many rows were written to each part, any other how much of it was read.
func NewRing(p token.Partitioner, ranges []Owned, rows bool) *Ring {
	r := &Ring{partitioner: p, rows: rows}
	for _, o := range ranges {
		size := token.Fraction(o.Range, p)
		for _, within := range cutUp(o.Range, int(size*fewParts)) {
			r.parts = append(
				r.parts,
				part{within: within, node: o.Node, size: token.Fraction(within, p)},
			)
		}
	}
	r.byNode = make(map[string][]*part)
	next := 0
	for i := range r.parts {
		r.byNode[r.parts[i].node] = append(r.byNode[r.parts[i].node], &r.parts[i])
		for ; next <= r.slot(r.parts[i].within.End); next++ {
			r.first[next] = int32(i)
		}
	}
	return r
}

// cutUp halves a range repeatedly until there are at least that many parts.
func cutUp(r token.Range, parts int) []token.Range {
	first, second, ok := token.Halve(r)
	if parts < 2 || !ok {
		return []token.Range{r}
	}
	return append(cutUp(first, parts/2), cutUp(second, parts/2)...)
}

// at returns the part that a token is in.
func (r *Ring) at(t token.Token) *part {
	i := r.first[r.slot(t)]
	for r.parts[i].within.End.Less(t) {
		i++
	}
	return &r.parts[i]
}

// index returns the index of the part that a range begins in.
func (r *Ring) index(start token.Token) int {
	return sort.Search(len(r.parts), func(i int) bool { return start.Less(r.parts[i].within.End) })
}

// over calls f for each part that overlaps a range, with the share of the part that the range has.
func (r *Ring) over(within token.Range, f func(p *part, share int64)) {
	for i := r.index(
		within.Start,
	); i < len(r.parts) && r.parts[i].within.Start.Less(within.End); i++ {
		p := &r.parts[i]
		both, _ := token.Intersect(p.within, within)
		if both == p.within {
			f(p, whole)
		} else {
			f(p, int64(whole*token.Fraction(both, r.partitioner)/p.size))
		}
	}
}

// Done records a range that has been read. A nil Ring records nothing.
func (r *Ring) Done(within token.Range) {
	if r != nil {
		r.over(within, func(p *part, share int64) { p.done.Add(share) })
	}
}

// Failed records a range that was given up. A caller that reports every finished range to Done, as
// a sweep does, reports this one to both. A nil Ring records nothing.
func (r *Ring) Failed(within token.Range) {
	if r != nil {
		r.over(within, func(p *part, share int64) { p.failed.Add(share) })
	}
}

// Begin records a range that is being read. The caller must call end when it no longer is.
func (r *Ring) Begin(within token.Range) (end func()) {
	if r == nil {
		return func() {}
	}
	i := r.index(within.Start)
	if i == len(r.parts) {
		return func() {}
	}
	p := &r.parts[i]
	p.underWay.Add(1)
	return func() { p.underWay.Add(-1) }
}

// Read records the rows of a page of a range. A nil Ring records nothing.
func (r *Ring) Read(within token.Range, rows int) {
	if r == nil || rows == 0 {
		return
	}
	sum := 0.0
	r.over(within, func(p *part, share int64) { sum += float64(share) * p.size })
	r.over(within, func(p *part, share int64) {
		p.taken.Add(int64(1000 * float64(rows) * float64(share) * p.size / max(sum, 1e-300)))
	})
}

// Written records rows of one token that were written, in a ring of rows.
func (r *Ring) Written(at token.Token, rows int64) { r.at(at).done.Add(rows) }

// NodeRing is the part of the ring that a node has the first replica of, in cells in the order of
// the tokens. The lists have a number for each cell.
type NodeRing struct {
	Node  string  `json:"node"`  // address
	Share float64 `json:"share"` // of the ring, 0 to 1
	// 0 to 1: read; in a load the rows, relative to the cell of the ring with most rows
	Done     []float64 `json:"done"`
	Failed   []float64 `json:"failed"`    // 0 to 1: given up; 0 in a load
	UnderWay []int64   `json:"under_way"` // requests in flight
	// read or written; those read are spread evenly over the range of their request
	Rows []int64 `json:"rows"`
}

// mean returns the mean of all cells.
func mean(cells []float64) (sum float64) {
	for _, c := range cells {
		sum += c
	}
	return sum / float64(max(len(cells), 1))
}

// DoneShare returns the share of the node's ring that is done, 0 to 1.
func (n NodeRing) DoneShare() float64 { return mean(n.Done) }

// FailedShare returns the share of the node's ring that was given up, 0 to 1. It has no meaning for
// a load.
func (n NodeRing) FailedShare() float64 { return mean(n.Failed) }

// Requests returns the number of requests in flight.
func (n NodeRing) Requests() (sum int64) {
	for _, u := range n.UnderWay {
		sum += u
	}
	return sum
}

// Failures returns the number of cells with a failure.
func (n NodeRing) Failures() (cells int) {
	for _, f := range n.Failed {
		if f > 0 {
			cells++
		}
	}
	return cells
}

// cells is the largest number of cells in a node's ring. In a large cluster a node has fewer, at
// least leastCells, so that all nodes together have about mostCells: a page shows them each second.
const (
	cells      = 96
	leastCells = 8
	mostCells  = 4800
)

// cellsEach returns the largest number of cells of each node.
func cellsEach(nodes int) int {
	return min(max(mostCells/max(nodes, 1), leastCells), cells)
}

// State returns the rings of the nodes, in their order.
func (r *Ring) State(nodes []Member) []NodeRing {
	var all []NodeRing
	shown := make(map[string]bool)
	for _, n := range nodes {
		if parts := r.byNode[n.ID]; len(parts) > 0 && !shown[n.ID] {
			all = append(all, r.stateOf(n.Address, parts))
			shown[n.ID] = true
		}
	}
	if r.rows {
		relative(all)
	}
	return all
}

// stateOf combines the parts of a node into cells of about the same size.
func (r *Ring) stateOf(address string, parts []*part) NodeRing {
	n := NodeRing{Node: address}
	for _, p := range parts {
		n.Share += p.size
	}
	count := min(cellsEach(len(r.byNode)), len(parts))
	n.Done = make([]float64, count)
	n.Failed = make([]float64, count)
	n.UnderWay = make([]int64, count)
	sizes := make([]float64, count)
	n.Rows = make([]int64, count)
	for i, p := range parts {
		at := i * count / len(parts)
		done, failed := float64(p.done.Load()), float64(p.failed.Load())
		if !r.rows {
			done, failed = done*p.size/whole, failed*p.size/whole
		}
		sizes[at] += p.size
		n.Done[at] += done
		n.Failed[at] += failed
		n.UnderWay[at] += p.underWay.Load()
		n.Rows[at] += p.taken.Load()
		if r.rows {
			n.Rows[at] += 1000 * p.done.Load()
		}
	}
	for i, size := range sizes {
		n.Rows[i] /= 1000
		if !r.rows {
			n.Failed[i] = round(min(n.Failed[i]/size, 1))
			n.Done[i] = round(max(min(n.Done[i]/size, 1)-n.Failed[i], 0))
		}
	}
	return n
}

// relative makes rows relative to the cell with most rows.
func relative(all []NodeRing) {
	most := 1.0
	for _, n := range all {
		for _, rows := range n.Done {
			most = max(most, rows)
		}
	}
	for _, n := range all {
		for i := range n.Done {
			n.Done[i] = round(n.Done[i] / most)
		}
	}
}

// round rounds to what a page can show.
func round(f float64) float64 { return float64(int64(f*1000+0.5)) / 1000 }
