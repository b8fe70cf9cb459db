package records

import "time"

// Truncations are when nodes last truncated a table, by host id: in milliseconds since the
// epoch by the node's own clock, 0 for never. A node that did not tell is not in it.
type Truncations map[string]int64

// Since finds a truncation that came after those in before: each node is compared with itself,
// so that no two clocks are. Of several it is the latest, and the node that tells of it; none
// has no node. compared says whether any node stands in both.
func (t Truncations) Since(before Truncations) (node string, at time.Time, compared bool) {
	latest := int64(0)
	for id, now := range t {
		then, told := before[id]
		compared = compared || told
		if told && now > then && now > latest {
			node, latest = id, now
		}
	}
	return node, time.UnixMilli(latest).UTC(), compared
}
