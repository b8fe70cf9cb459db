package token

import (
	"cmp"
	"slices"
)

// Place returns the replicas of every range of the ring under a strategy.
//
// SimpleStrategy takes the next nodes clockwise. NetworkTopologyStrategy does so in each
// datacenter. It takes several nodes of a rack only if there are fewer racks than replicas, and
// then only as many more as racks are missing. The replicas of all datacenters are in ring order.
//
// EverywhereStrategy takes all nodes with tokens: first the owner of the range, then the other
// nodes in the order of their indexes. A factor above the number of nodes counts as that number. A
// range has no replicas under LocalStrategy, or if the strategy names only datacenters without
// nodes.
func (r *Ring) Place(s Strategy) *Placement {
	b := newPlacementBuilder(r)
	switch s.kind {
	case kindSimple:
		r.placeSimple(b, s.factor)
	case kindTopology:
		r.placeTopology(b, s)
	case kindEverywhere:
		r.placeEverywhere(b)
	default:
		b.none()
	}
	return b.placement()
}

// members returns the indexes of the nodes that own a token.
func (r *Ring) members() []int {
	var members []int
	for i, n := range r.nodes {
		if len(n.Tokens) > 0 {
			members = append(members, i)
		}
	}
	return members
}

// placeSimple stores the first nodes on the walk clockwise from each token.
func (r *Ring) placeSimple(b *placementBuilder, factor int) {
	order := newRecency(len(r.nodes))
	for _, owner := range slices.Backward(r.owners) {
		order.use(owner)
	}
	var picks []int
	for i, owner := range slices.Backward(r.owners) {
		order.use(owner)
		picks = picks[:0]
		for n := order.first(); n != order.end() && len(picks) < factor; n = order.after(n) {
			picks = append(picks, n)
		}
		b.put(i, picks)
	}
}

// placeEverywhere stores a list of all members for the tokens of each node.
func (r *Ring) placeEverywhere(b *placementBuilder) {
	members := r.members()
	number := make([]int32, len(r.nodes))
	for i, n := range members {
		number[n] = b.intern(slices.Concat(members[i:], members[:i]))
	}
	for i, owner := range r.owners {
		b.set[i] = number[owner]
	}
}

// placeTopology stores the replicas of all datacenters, in ring order.
func (r *Ring) placeTopology(b *placementBuilder, s Strategy) {
	dcs, dcOf, rackOf := r.datacenters(s)
	met := make([]int, len(r.nodes)) // by node: its position on the walk from here
	use := func(owner, at int) {
		met[owner] = at
		if dc := dcOf[owner]; dc != nil {
			dc.use(owner, rackOf[owner])
		}
	}
	for i, owner := range slices.Backward(r.owners) {
		use(owner, i+len(r.owners))
	}
	var picks []int
	for i, owner := range slices.Backward(r.owners) {
		use(owner, i)
		picks = picks[:0]
		for _, dc := range dcs {
			picks = dc.appendPicks(picks, rackOf)
		}
		if len(dcs) > 1 {
			slices.SortFunc(picks, func(a, b int) int { return cmp.Compare(met[a], met[b]) })
		}
		b.put(i, picks)
	}
}

// datacenter is the state of the walk through one datacenter: the order of its next nodes and racks
// on the ring.
type datacenter struct {
	// factor is the number of replicas; repeats is the number of them in a rack that already has
	// one
	factor, repeats int
	nodes, racks    recency
	nodeOf          []int  // by rack: its next node on the ring
	seen            []bool // by rack: scratch of appendPicks, false between calls
}

// datacenters returns the datacenters that have both replicas and nodes. By node it returns its
// datacenter, nil if not among them, and the number of its rack in the datacenter.
func (r *Ring) datacenters(s Strategy) (dcs []*datacenter, dcOf []*datacenter, rackOf []int) {
	dcOf, rackOf = make([]*datacenter, len(r.nodes)), make([]int, len(r.nodes))
	size := make(map[string]int)
	racks := make(map[string]map[string]int)
	for _, i := range r.members() {
		n := &r.nodes[i]
		if racks[n.DC] == nil {
			racks[n.DC] = make(map[string]int)
		}
		rack, known := racks[n.DC][n.Rack]
		if !known {
			rack = len(racks[n.DC])
			racks[n.DC][n.Rack] = rack
		}
		rackOf[i] = rack
		size[n.DC]++
	}
	byName := make(map[string]*datacenter)
	for _, i := range r.members() {
		name := r.nodes[i].DC
		dc := byName[name]
		if dc == nil && s.inDC(name) > 0 {
			dc = &datacenter{
				factor:  min(s.inDC(name), size[name]),
				repeats: max(s.inDC(name)-len(racks[name]), 0),
				nodes:   newRecency(len(r.nodes)),
				racks:   newRecency(len(racks[name])),
				nodeOf:  make([]int, len(racks[name])),
				seen:    make([]bool, len(racks[name])),
			}
			byName[name] = dc
			dcs = append(dcs, dc)
		}
		dcOf[i] = dc
	}
	return dcs, dcOf, rackOf
}

// use moves the walk back to a token of the node.
func (d *datacenter) use(node, rack int) {
	d.nodes.use(node)
	d.racks.use(rack)
	d.nodeOf[rack] = node
}

// appendPicks appends the datacenter's replicas, clockwise from here. While repeats remain, the
// next node is a replica whatever its rack. After that, only the first node of each new rack is.
func (d *datacenter) appendPicks(picks []int, rackOf []int) []int {
	start := len(picks)
	full := start + d.factor
	repeats := d.repeats
	n, last := d.nodes.first(), d.nodes.end()
	for ; repeats > 0 && len(picks) < full && n != last; n = d.nodes.after(n) {
		if d.seen[rackOf[n]] {
			repeats--
		}
		d.seen[rackOf[n]] = true
		picks = append(picks, n)
	}
	nodes := picks[start:]
	rack := d.racks.first()
	for ; len(picks) < full && rack != d.racks.end(); rack = d.racks.after(rack) {
		if !d.seen[rack] {
			picks = append(picks, d.nodeOf[rack])
		}
	}
	for _, n := range nodes {
		d.seen[rackOf[n]] = false
	}
	return picks
}
