package simcluster

import (
	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// up says which of the nodes are up; nil when all are.
func (l *layout) up() []bool {
	up := make([]bool, len(l.nodes))
	all := true
	for i, other := range l.nodes {
		up[i] = other.up()
		all = all && (up[i] || !l.member[i])
	}
	if all {
		return nil
	}
	return up
}

// canRead says what is missing when too few of the nodes that hold a range are up for a
// consistency level; nil when nothing is.
func (n *node) canRead(level primitive.ConsistencyLevel, within token.Range) message.Error {
	l := n.cluster.layout.Load()
	up := l.up()
	if up == nil {
		return nil
	}
	if within == (token.Range{}) {
		within = token.Whole(token.Murmur3)
	}
	for i := l.placement.Find(within.Start); i <= l.placement.Find(within.End); i++ {
		if !within.Start.Less(l.placement.Range(i).End) {
			continue // the range begins where this one ends
		}
		if missing := n.shortage(level, l, up, i); missing != nil {
			return missing
		}
	}
	return nil
}

// canWrite returns the number of keys before the first for which too few nodes are up, and the
// error for that one. If there is none, it returns all of them, and nil.
func (n *node) canWrite(level primitive.ConsistencyLevel, keys []token.Token) (int, message.Error) {
	l := n.cluster.layout.Load()
	up := l.up()
	if up == nil {
		return len(keys), nil
	}
	for i, t := range keys {
		if missing := n.shortage(level, l, up, l.placement.Find(t)); missing != nil {
			return i, missing
		}
	}
	return len(keys), nil
}

// shortage judges one range of the placement. EACH_QUORUM counts as QUORUM.
func (n *node) shortage(
	level primitive.ConsistencyLevel,
	l *layout,
	up []bool,
	i int,
) message.Error {
	var holders, alive, near, nearAlive int
	for _, at := range l.nodesOf(i) {
		holders++
		local := l.nodes[at].dc == n.dc
		if local {
			near++
		}
		if up[at] {
			alive++
			if local {
				nearAlive++
			}
		}
	}
	needed, have := 1, alive
	switch level {
	case primitive.ConsistencyLevelTwo:
		needed = 2
	case primitive.ConsistencyLevelThree:
		needed = 3
	case primitive.ConsistencyLevelAll:
		needed = holders
	case primitive.ConsistencyLevelQuorum, primitive.ConsistencyLevelEachQuorum:
		needed = holders/2 + 1
	case primitive.ConsistencyLevelLocalQuorum:
		needed, have = near/2+1, nearAlive
	case primitive.ConsistencyLevelLocalOne:
		have = nearAlive
	}
	if have >= needed {
		return nil
	}
	return &message.Unavailable{
		ErrorMessage: "Cannot achieve consistency level " + level.String(),
		Consistency:  level, Required: int32(needed), Alive: int32(have),
	}
}
