package token

import "slices"

// Placement is the ranges of a ring with the nodes that hold them. The ranges reach from the
// partitioner's Min to its Max without gaps. There is one range for each tablet, or one for each
// vnode; the vnode range that crosses the end of the ring counts as two. A Placement is immutable
// and safe for concurrent use.
type Placement struct {
	ring *Ring
	sets [][]int // the distinct replica lists
	set  []int32 // by range: index into sets
}

// Len returns the number of ranges, at least one.
func (p *Placement) Len() int { return len(p.set) }

// Range returns range i, 0 <= i < Len, in ring order.
func (p *Placement) Range(i int) Range {
	return Range{p.ring.bounds[i], p.ring.bounds[i+1]}
}

// Replicas returns the nodes that hold range i, the primary first. They are indexes into
// [Ring.Nodes], or into the caller's list that [NewPlacement] refers to. The list may be empty; see
// [Ring.Place]. It is shared and must not be modified.
func (p *Placement) Replicas(i int) []int { return p.sets[p.set[i]] }

// Find returns the index of the range that holds t. Min is in no range and is the token of no row;
// for it Find returns 0.
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

// LocalTo returns the placement restricted to the replicas of datacenter dc, in the same order. A
// range without a replica there keeps all its replicas. So does every range of a placement from
// [NewPlacement].
func (p *Placement) LocalTo(dc string) *Placement {
	if !slices.ContainsFunc(
		p.sets, func(set []int) bool { return slices.ContainsFunc(set, p.away(dc)) },
	) {
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

// away returns a function that reports whether a node, by index, is outside the datacenter.
func (p *Placement) away(dc string) func(node int) bool {
	return func(node int) bool { return node >= len(p.ring.nodes) || p.ring.nodes[node].DC != dc }
}

// placementBuilder collects the replica list of each token and stores equal lists once.
type placementBuilder struct {
	ring   *Ring
	sets   [][]int
	number map[string]int32 // by the list's bytes: index into sets
	key    []byte           // scratch of intern
	arena  []int            // the storage that the lists are slices of
	set    []int32          // by token: index into sets
}

func newPlacementBuilder(r *Ring) *placementBuilder {
	return &placementBuilder{
		ring:   r,
		number: make(map[string]int32),
		set:    make([]int32, len(r.tokens)),
	}
}

// put sets the replicas of token i. It copies the list.
func (b *placementBuilder) put(i int, replicas []int) { b.set[i] = b.intern(replicas) }

// none gives every token the empty list, which is number 0.
func (b *placementBuilder) none() { b.intern(nil) }

// mostInterned is the largest number of lists that are compared for equality. In a larger ring
// nearly all lists differ, and the map that finds equal lists would need more memory than it saves.
const mostInterned = 1 << 14

// intern returns the number of a replica list, and copies the list if it is new.
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

// placement returns the placement, with the lists by range instead of by token.
func (b *placementBuilder) placement() *Placement {
	set := make([]int32, b.ring.ranges())
	for i := range set {
		set[i] = b.set[b.ring.tokenOf(i)]
	}
	return &Placement{b.ring, b.sets, set}
}
