package simcluster

import (
	"bytes"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// partition is the rows of one partition key.
type partition struct {
	at     token.Token
	key    [][]byte
	raw    []byte // the key as it is hashed
	static []cell
	lines  []*line // in the order of the clustering columns
}

// line is one row of a partition.
type line struct {
	cluster [][]byte
	cells   []cell // of the regular columns
	// its liveness: written if the row was inserted, so that it is a row even without cells
	marker cell
}

// cell is a value with the time that it was written; the zero cell never was.
type cell struct {
	value     []byte // nil: deleted
	timestamp int64
	ttl       int
	expires   int64 // seconds since the epoch; 0 without a TTL
	written   bool
}

// take writes another cell over this one if the other wins. The later cell wins. If the
// timestamps are equal, a deletion wins, then what expires, then what expires later, then the
// larger value (Cells.resolveRegular, CASSANDRA-14592).
func (c *cell) take(other cell) {
	if other.wins(*c) {
		*c = other
	}
}

func (c cell) wins(over cell) bool {
	switch {
	case !c.written || !over.written:
		return c.written
	case c.timestamp != over.timestamp:
		return c.timestamp > over.timestamp
	case c.value == nil || over.value == nil:
		return over.value != nil
	case c.expires != over.expires:
		return c.expires > over.expires // 0 of a cell that does not expire
	default:
		return bytes.Compare(c.value, over.value) > 0
	}
}

// add counts up.
func (c *cell) add(by int64, timestamp int64) {
	if c.value != nil {
		by += cqlwire.Int(c.value)
	}
	*c = cell{value: bigint(by), timestamp: max(c.timestamp, timestamp), written: true}
}

func (l *line) live() bool {
	return l.marker.ttl != endedTTL && (l.marker.written || anyLive(l.cells))
}

func anyLive(cells []cell) bool {
	return slices.ContainsFunc(cells, func(c cell) bool { return c.value != nil })
}

// place is where a partition stands, or would, and whether it is there.
func (t *table) place(at token.Token, raw []byte) (int, bool) {
	return slices.BinarySearchFunc(t.partitions, at, func(p *partition, at token.Token) int {
		if order := p.at.Compare(at); order != 0 {
			return order
		}
		return bytes.Compare(p.raw, raw)
	})
}

// after is the index of the first partition with a larger token.
func (t *table) after(at token.Token) int {
	i, _ := slices.BinarySearchFunc(t.partitions, at, func(p *partition, at token.Token) int {
		if at.Less(p.at) {
			return 1
		}
		return -1
	})
	return i
}

// order compares the clustering columns of two rows.
func (t *table) order(a, b [][]byte) int {
	for _, c := range t.cols {
		if c.kind != Clustering {
			continue
		}
		order := c.order.Compare(a[c.slot], b[c.slot])
		if c.desc {
			order = -order
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// lineAt is where a row stands in its partition, or would.
func (t *table) lineAt(p *partition, cluster [][]byte) (int, bool) {
	return slices.BinarySearchFunc(
		p.lines,
		cluster,
		func(l *line, cluster [][]byte) int { return t.order(l.cluster, cluster) },
	)
}

// partition is the partition of a key, a new one if there is none. The caller holds the table.
func (t *table) partition(at token.Token, raw []byte, key [][]byte) *partition {
	i, found := t.place(at, raw)
	if !found {
		t.partitions = slices.Insert(
			t.partitions,
			i,
			&partition{at: at, key: key, raw: raw, static: make([]cell, t.statics)},
		)
	}
	return t.partitions[i]
}

// line is the row of a clustering, a new one if there is none. The caller holds the table.
func (t *table) line(p *partition, cluster [][]byte) *line {
	i, found := t.lineAt(p, cluster)
	if !found {
		p.lines = slices.Insert(
			p.lines,
			i,
			&line{cluster: cluster, cells: make([]cell, t.regulars)},
		)
	}
	return p.lines[i]
}

// merge adds the cells of another replica's partition.
func (t *table) merge(from *partition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.partition(from.at, from.raw, from.key)
	for i, c := range from.static {
		p.static[i].take(c)
	}
	for _, l := range from.lines {
		into := t.line(p, l.cluster)
		into.marker.take(l.marker)
		for i, c := range l.cells {
			into.cells[i].take(c)
		}
	}
}

// apply carries out a mutation.
func (t *table) apply(m *mutation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.partition(m.at, m.raw, m.key)
	var l *line
	if m.cluster != nil {
		l = t.line(p, m.cluster)
		if m.inserts {
			l.marker.take(m.cell([]byte{}))
		}
	}
	for _, s := range m.sets {
		c := &t.cols[s.column]
		into := &p.static
		if c.kind == Regular {
			into = &l.cells
		}
		if t.counter {
			(*into)[c.slot].add(cqlwire.Int(s.value), m.timestamp)
		} else {
			(*into)[c.slot].take(m.cell(s.value))
		}
	}
}
