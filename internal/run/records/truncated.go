package records

import "time"

// Truncations maps host ids to the time of the node's last truncation of a table, by its own clock.
// It is in milliseconds since the epoch; 0: never. A node that did not answer has no entry.
type Truncations map[string]int64

// Since returns the latest truncation that is later than the same node's in before, and its node.
// It compares each node only with itself, since clocks differ. node is empty if there was no
// truncation. compared reports whether some node is in both maps.
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
