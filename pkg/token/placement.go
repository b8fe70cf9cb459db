package token

import "slices"

// Placement is the ranges of a ring with the nodes that hold them: one range for
// each vnode, the one that crosses the end of the ring as two, or one for each
// tablet, from the partitioner's Min to its Max without a gap. It never changes and is safe for
// concurrent use.
type Placement struct {
	ring *Ring
	sets [][]int // the distinct replica lists
	set  []int32 // by range: index into sets
}

// Len is the number of ranges, at least one.
func (p *Placement) Len() int { return len(p.set) }

// Range returns range i, 0 <= i < Len, in the order of the ring.
func (p *Placement) Range(i int) Range {
	return Range{p.ring.bounds[i], p.ring.bounds[i+1]}
}

// Replicas returns the nodes that hold range i as indexes into [Ring.Nodes] (or
// the list that [NewPlacement] was given indexes of), the primary first. It may
// be empty; see [Ring.Place]. The slice is shared and must
// not be changed.
func (p *Placement) Replicas(i int) []int { return p.sets[p.set[i]] }

// Find returns the index of the range that holds t. Min, which is the token of no
// row and lies in no range, counts as in the first.
func (p *Placement) Find(t Token) int {
	bounds := p.ring.bounds
	// The last bound before t is the start of its range.
	low, high := 0, p.Len()-1
	for low < high {
		middle := int(uint(low+high+1) >> 1)
		if bounds[middle].Less(t) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// LocalTo returns the placement with only the replicas of datacenter dc, in the
// same order. A range that has none there keeps all it has, and so does every
// range of a placement made by [NewPlacement].
func (p *Placement) LocalTo(dc string) *Placement {
	if !slices.ContainsFunc(p.sets, func(set []int) bool { return slices.ContainsFunc(set, p.away(dc)) }) {
		return p
	}
	b := newPlacementBuilder(p.ring)
	moved := make([]int32, len(p.sets))
	for i, set := range p.sets {
		local := make([]int, 0, len(set))
		for _, n := range set {
			if n < len(p.ring.nodes) && p.ring.nodes[n].DC == dc {
				local = append(local, n)
			}
		}
		if len(local) == 0 {
			local = set
		}
		moved[i] = b.intern(local)
	}
	set := make([]int32, len(p.set))
	for i, s := range p.set {
		set[i] = moved[s]
	}
	return &Placement{p.ring, b.sets, set}
}

// away says of a node, by its index, whether it is not in the datacenter.
func (p *Placement) away(dc string) func(node int) bool {
	return func(node int) bool { return node >= len(p.ring.nodes) || p.ring.nodes[node].DC != dc }
}

// placementBuilder gathers the replica list of each token and keeps equal lists
// once.
type placementBuilder struct {
	ring   *Ring
	sets   [][]int
	number map[string]int32 // by the list's bytes: index into sets
	key    []byte           // scratch of intern
	arena  []int            // what the lists are cut from
	set    []int32          // by token: index into sets
}

func newPlacementBuilder(r *Ring) *placementBuilder {
	return &placementBuilder{ring: r, number: make(map[string]int32), set: make([]int32, len(r.tokens))}
}

// put sets the replicas of token i. The list is copied.
func (b *placementBuilder) put(i int, replicas []int) { b.set[i] = b.intern(replicas) }

// none leaves every token without replicas: their lists are number 0 from the
// start.
func (b *placementBuilder) none() { b.intern(nil) }

// mostInterned is the number of lists that are kept once. In a ring with more than that nearly all
// differ, and finding those that do not takes more memory than they do.
const mostInterned = 1 << 14

// intern returns the number of the replica list, which is copied if it is new.
func (b *placementBuilder) intern(replicas []int) int32 {
	b.key = b.key[:0]
	for _, n := range replicas {
		b.key = append(b.key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	if number, ok := b.number[string(b.key)]; ok {
		return number
	}
	const block = 4096
	if cap(b.arena)-len(b.arena) < len(replicas) {
		b.arena = make([]int, 0, max(block, len(replicas)))
	}
	start := len(b.arena)
	b.arena = append(b.arena, replicas...)
	number := int32(len(b.sets))
	b.sets = append(b.sets, slices.Clip(b.arena[start:]))
	if len(b.number) < mostInterned {
		b.number[string(b.key)] = number
	}
	return number
}

// placement turns the lists by token into lists by range.
func (b *placementBuilder) placement() *Placement {
	set := make([]int32, b.ring.ranges())
	for i := range set {
		set[i] = b.set[b.ring.tokenOf(i)]
	}
	return &Placement{b.ring, b.sets, set}
}
