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
	marker  bool   // it is a row even without cells: it was inserted
}

// cell is a value with the time that it was written; the zero cell never was.
type cell struct {
	value     []byte // nil: deleted
	timestamp int64
	ttl       int
	written   bool
}

// take writes a value over the cell if it wins: the later does, of two with the same
// timestamp a deletion, else the larger value.
func (c *cell) take(other cell) {
	switch {
	case !c.written || c.timestamp < other.timestamp:
		*c = other
	case c.timestamp > other.timestamp || c.value == nil:
	case other.value == nil || bytes.Compare(c.value, other.value) < 0:
		*c = other
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
	return l.marker || anyLive(l.cells)
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
	return slices.BinarySearchFunc(p.lines, cluster, func(l *line, cluster [][]byte) int { return t.order(l.cluster, cluster) })
}

// apply carries out a mutation.
func (t *table) apply(m *mutation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i, found := t.place(m.at, m.raw)
	if !found {
		t.partitions = slices.Insert(t.partitions, i, &partition{at: m.at, key: m.key, raw: m.raw, static: make([]cell, t.statics)})
	}
	p := t.partitions[i]
	var l *line
	if m.cluster != nil {
		at, found := t.lineAt(p, m.cluster)
		if !found {
			p.lines = slices.Insert(p.lines, at, &line{cluster: m.cluster, cells: make([]cell, t.regulars)})
		}
		l = p.lines[at]
		l.marker = l.marker || !t.counter
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
			(*into)[c.slot].take(cell{s.value, m.timestamp, m.ttl, true})
		}
	}
}
