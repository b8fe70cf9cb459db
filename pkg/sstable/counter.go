package sstable

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The value of a counter's cell is its context (org.apache.cassandra.db.context.CounterContext). A
// context has a shard for each node that has counted, with the node's total. It begins with the
// number of entries of its header, in two bytes. The entries follow, and give the kind of each
// shard. The shards come last, ordered by their IDs: ID, clock, count.
const (
	counterHeader = 2
	counterEntry  = 2
	counterID     = 16
	counterShard  = counterID + 16
	// globalShard is set in the entry of a global shard. Such a shard means the same on each node
	// that reads it. Since Cassandra 2.1, all shards are global.
	globalShard = 0x8000
)

// errCounter says that bytes are no context.
var errCounter = errors.New("the value is not that of a counter")

// CheckCounter returns an error if the value of a counter's cell cannot be merged or read. Such a
// value is no context, or has shards from before Cassandra 2.1. The meaning of their counts depends
// on the node that has them.
func CheckCounter(context []byte) error {
	if len(context) < counterHeader {
		return errCounter
	}
	entries := int(int16(binary.BigEndian.Uint16(context)))
	if entries < 0 || len(context) < counterHeader+entries*counterEntry {
		return errCounter
	}
	header, shards := context[counterHeader:counterHeader+entries*counterEntry], counterShards(
		context,
	)
	if len(shards)%counterShard != 0 {
		return errCounter
	}
	if n := len(shards) / counterShard; n != entries {
		return errLocalShards
	}
	for i := range entries {
		switch entry := binary.BigEndian.Uint16(header[i*counterEntry:]); {
		case entry&globalShard == 0:
			return errLocalShards
		case int(entry&^globalShard) != i:
			return errCounter
		}
		if i > 0 && compareShards(shards[(i-1)*counterShard:], shards[i*counterShard:]) >= 0 {
			return errCounter
		}
	}
	return nil
}

var errLocalShards = errors.New(
	"the counter has local or remote shards, from before Cassandra 2.1, which cannot be " +
		"added up outside of their node: run nodetool upgradesstables",
)

// CounterValue is the count of a context that CheckCounter takes (CounterContext.total). That of
// other bytes has no meaning.
func CounterValue(context []byte) int64 {
	var sum int64
	for s := counterShards(context); len(s) >= counterShard; s = s[counterShard:] {
		sum += int64(binary.BigEndian.Uint64(s[counterID+8:]))
	}
	return sum
}

// counterShards returns the shards of a context, none where its header is not whole.
func counterShards(context []byte) []byte {
	if len(context) < counterHeader {
		return nil
	}
	n := counterHeader + int(binary.BigEndian.Uint16(context))*counterEntry
	return context[min(n, len(context)):]
}

// compareShards compares the IDs of two shards.
func compareShards(a, b []byte) int { return bytes.Compare(a[:counterID], b[:counterID]) }

// appendCounter merges two contexts, which CheckCounter must accept (CounterContext.merge). Of two
// shards of one ID, it keeps the one with the greater clock. If the clocks are equal, it keeps the
// one with the greater count.
func appendCounter(dst, a, b []byte) []byte {
	a, b = counterShards(a), counterShards(b)
	n := 0
	for x, y := a, b; len(x) > 0 || len(y) > 0; n++ {
		_, x, y = nextShard(x, y)
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(n))
	for i := range n {
		dst = binary.BigEndian.AppendUint16(dst, uint16(i)|globalShard)
	}
	for len(a) > 0 || len(b) > 0 {
		var shard []byte
		shard, a, b = nextShard(a, b)
		dst = append(dst, shard...)
	}
	return dst
}

// nextShard takes the first shard of two lists, or of two of one ID the one that stays.
func nextShard(a, b []byte) (shard, restA, restB []byte) {
	order := 0
	switch {
	case len(a) == 0:
		order = 1
	case len(b) == 0:
		order = -1
	default:
		order = compareShards(a, b)
	}
	switch {
	case order < 0:
		return a[:counterShard], a[counterShard:], b
	case order > 0:
		return b[:counterShard], a, b[counterShard:]
	}
	shard = a[:counterShard]
	clockA, clockB := shardNumber(a, counterID), shardNumber(b, counterID)
	if clockB > clockA ||
		clockB == clockA && shardNumber(b, counterID+8) > shardNumber(a, counterID+8) {
		shard = b[:counterShard]
	}
	return shard, a[counterShard:], b[counterShard:]
}

func shardNumber(shard []byte, at int) int64 { return int64(binary.BigEndian.Uint64(shard[at:])) }

// resolveCounter merges two cells of one counter, without those that active deletes
// (Cells.resolveCounter). A tombstone wins over a value, whenever it was written. Two contexts are
// merged. If CheckCounter refuses one, the cells are resolved like those of other columns.
func (m *Merger) resolveCounter(a, b *Cell, active Deletion) *Cell {
	switch {
	case active.Deletes(a.Timestamp):
		return b
	case active.Deletes(b.Timestamp):
		return a
	case a.Kind == Tombstone && b.Kind != Tombstone:
		return a
	case b.Kind == Tombstone && a.Kind != Tombstone:
		return b
	case a.Kind == Tombstone || CheckCounter(a.Value) != nil || CheckCounter(b.Value) != nil:
		if b.supersedes(a) {
			return b
		}
		return a
	}
	from := len(m.contexts)
	m.contexts = appendCounter(m.contexts, a.Value, b.Value)
	m.counter = *a
	m.counter.Timestamp = max(a.Timestamp, b.Timestamp)
	m.counter.Value = m.contexts[from:len(m.contexts):len(m.contexts)]
	return &m.counter
}
