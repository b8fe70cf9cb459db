package board

import (
	"sort"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Owned is a range of tokens with the node that has its first replica.
type Owned struct {
	Range token.Range
	Node  string // id
}

// Ring is a ring of tokens with what has become of its parts. It is safe for concurrent use.
type Ring struct {
	partitioner token.Partitioner
	rows        bool // what is counted are rows
	parts       []part
	byNode      map[string][]*part
	// by the first bits of a token, the first part that it can be in
	first [1 << slotBits]int32
}

// slotBits are so many that there is about a slot for each part: each row of a load is looked up.
const slotBits = 12

// slot is what the first bits of a token are. The tokens of a ring take 64 bits, or 127 and one
// token more.
func (r *Ring) slot(t token.Token) int {
	if r.partitioner.Max().Hi == 0 {
		return int(t.Lo >> (64 - slotBits))
	}
	return min(int(t.Hi>>(63-slotBits)), len(r.first)-1)
}

// part is a piece of the ring, of one node.
type part struct {
	within   token.Range
	node     string
	size     float64 // of the ring
	done     atomic.Int64
	failed   atomic.Int64
	underWay atomic.Int64
	taken    atomic.Int64 // thousandths of rows that were read; of a ring of rows none
}

// whole is a part that is done, in units of its size.
const whole = 1 << 30

// fewParts is how many parts a ring has at the least, so that a page can show it.
const fewParts = 2048

// NewRing makes the ring of these ranges, which are in the order of the tokens and make up all of
// it. Of a ring of rows it is counted how many rows were written to each part; else how much of it
// was read.
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

// cutUp halves a range again and again until it is in at least so many parts.
func cutUp(r token.Range, parts int) []token.Range {
	first, second, ok := token.Halve(r)
	if parts < 2 || !ok {
		return []token.Range{r}
	}
	return append(cutUp(first, parts/2), cutUp(second, parts/2)...)
}

// at is the part that a token is in.
func (r *Ring) at(t token.Token) *part {
	i := r.first[r.slot(t)]
	for r.parts[i].within.End.Less(t) {
		i++
	}
	return &r.parts[i]
}

// index is the part that a range begins in.
func (r *Ring) index(start token.Token) int {
	return sort.Search(len(r.parts), func(i int) bool { return start.Less(r.parts[i].within.End) })
}

// over calls f for each part that a range has something of, with how much of the part that is.
func (r *Ring) over(within token.Range, f func(p *part, share int64)) {
	for i := r.index(within.Start); i < len(r.parts) && r.parts[i].within.Start.Less(within.End); i++ {
		p := &r.parts[i]
		both, _ := token.Intersect(p.within, within)
		if both == p.within {
			f(p, whole)
		} else {
			f(p, int64(whole*token.Fraction(both, r.partitioner)/p.size))
		}
	}
}

// Done notes a range that has been read. A nil Ring notes nothing.
func (r *Ring) Done(within token.Range) {
	if r != nil {
		r.over(within, func(p *part, share int64) { p.done.Add(share) })
	}
}

// Failed notes a range that was given up, which is told to Done as well where that is told of
// whatever has been dealt with. A nil Ring notes nothing.
func (r *Ring) Failed(within token.Range) {
	if r != nil {
		r.over(within, func(p *part, share int64) { p.failed.Add(share) })
	}
}

// Begin notes a range that is being read; what it gives must be called when it is not any more.
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

// Read notes the rows of a page of a range. A nil Ring notes nothing.
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

// Written notes rows of one token that were written, of a ring of rows.
func (r *Ring) Written(at token.Token, rows int64) { r.at(at).done.Add(rows) }

// NodeRing is the part of the ring that a node has the first replica of, cut into cells in the
// order of the tokens. The lists have a number for each cell.
type NodeRing struct {
	Node     string    `json:"node"`      // address
	Share    float64   `json:"share"`     // of the ring, 0 to 1
	Done     []float64 `json:"done"`      // 0 to 1: read; of a load the rows, beside those of the cell of the ring that has most
	Failed   []float64 `json:"failed"`    // 0 to 1: given up; 0 of a load
	UnderWay []int64   `json:"under_way"` // requests
	Rows     []int64   `json:"rows"`      // read or written; those read are spread evenly over the range of their request
}

// mean is that of a number of all cells.
func mean(cells []float64) (sum float64) {
	for _, c := range cells {
		sum += c
	}
	return sum / float64(max(len(cells), 1))
}

// DoneShare is the part of the node's ring that is done, 0 to 1.
func (n NodeRing) DoneShare() float64 { return mean(n.Done) }

// FailedShare is the part of the node's ring that was given up, 0 to 1; of a load it is of no
// meaning.
func (n NodeRing) FailedShare() float64 { return mean(n.Failed) }

// Requests is how many requests are under way.
func (n NodeRing) Requests() (sum int64) {
	for _, u := range n.UnderWay {
		sum += u
	}
	return sum
}

// Failures is how many cells have something that failed.
func (n NodeRing) Failures() (cells int) {
	for _, f := range n.Failed {
		if f > 0 {
			cells++
		}
	}
	return cells
}

// cells is the largest number of them in a node's ring. In a large cluster a node has fewer, at
// least leastCells, so that all nodes together have about mostCells: a page shows them each second.
const (
	cells      = 96
	leastCells = 8
	mostCells  = 4800
)

// cellsEach returns the largest number of cells of each of some nodes.
func cellsEach(nodes int) int {
	return min(max(mostCells/max(nodes, 1), leastCells), cells)
}

// State gives the rings of the nodes, in their order.
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

// stateOf puts the parts of a node into cells of about the same size.
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

// relative makes rows parts of the most that a cell has.
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

// round leaves what a page can show.
func round(f float64) float64 { return float64(int64(f*1000+0.5)) / 1000 }
