package simcluster

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// SeedTimestamp is the timestamp, in microseconds, of the cells that a cluster
// starts with.
const SeedTimestamp = 1

// makeTables makes the tables that the cluster starts with.
func (c *Cluster) makeTables(random *rand.Rand) error {
	o := &c.options
	specs := o.Tables
	if len(specs) == 0 {
		specs = []Table{
			{
				Name: o.Table,
				Columns: []Column{
					{"k", PartitionKey, "bigint", false},
					{"v", Regular, "text", false},
				},
			},
		}
		for range o.Rows {
			key := int64(random.Uint64())
			specs[0].Data = append(
				specs[0].Data,
				[][]byte{bigint(key), text(fmt.Sprint("value ", key))},
			)
		}
	}
	for _, spec := range specs {
		t, err := c.makeTable(spec, random)
		if err != nil {
			return err
		}
		if err := c.schema.add(t); err != nil {
			return err
		}
		if len(o.Tables) == 0 {
			c.plain = t
		}
	}
	return nil
}

// makeTable makes a table with its rows.
func (c *Cluster) makeTable(spec Table, random *rand.Rand) (*table, error) {
	spec.Keyspace = cmp.Or(spec.Keyspace, c.options.Keyspace)
	t, err := newTable(spec, c.schema.nextID())
	if err != nil {
		return nil, err
	}
	given := make([]*mutation, len(spec.Data))
	for i, row := range spec.Data {
		if given[i], err = t.given(spec.Columns, row); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(
		given,
		func(a, b *mutation) int {
			return cmp.Or(a.at.Compare(b.at), slices.Compare(a.raw, b.raw))
		},
	)
	for _, m := range given { // each at the end, where there is nothing to move
		t.apply(m)
	}
	g := generator{
		t:       t,
		random:  random,
		nulls:   spec.Nulls,
		text:    cmp.Or(spec.Text, 20),
		ttl:     spec.TTL,
		expires: time.Now().Unix() + int64(spec.TTL),
	}
	for i := range spec.Partitions {
		rows := 1
		if t.clusters > 0 {
			rows = 1 + int(random.ExpFloat64()*random.ExpFloat64()*float64(cmp.Or(spec.Rows, 1)-1))
			if i == 0 {
				rows = max(spec.Largest, rows)
			}
		}
		t.partitions = append(t.partitions, g.partition(rows))
	}
	slices.SortFunc(t.partitions, func(a, b *partition) int {
		return cmp.Or(a.at.Compare(b.at), slices.Compare(a.raw, b.raw))
	})
	t.partitions = slices.CompactFunc(
		t.partitions,
		func(a, b *partition) bool { return slices.Equal(a.raw, b.raw) },
	)
	return t, nil
}

// given is a row of Table.Data as a mutation.
func (t *table) given(columns []Column, row [][]byte) (*mutation, error) {
	if len(row) != len(columns) {
		return nil, fmt.Errorf(
			"simcluster: a row of table %s has %d values instead of %d",
			t.name,
			len(row),
			len(columns),
		)
	}
	b := newBuilder(t, SeedTimestamp)
	b.m.inserts = !t.counter
	for i, c := range columns {
		at, err := t.find(c.Name)
		if err != nil {
			return nil, err
		}
		if b.set(at, row[i]); b.err != nil {
			return nil, fmt.Errorf("simcluster: table %s: %w", t.name, b.err)
		}
	}
	return b.done()
}

// generator makes rows.
type generator struct {
	t      *table
	random *rand.Rand
	nulls  float64
	text   int

	ttl     int   // of half of the rows; 0: of none
	expires int64 // when they expire, in seconds since the epoch
}

func (g *generator) partition(rows int) *partition {
	p := &partition{key: g.keys(PartitionKey), static: g.cells(Static, g.t.statics)}
	p.raw = token.AppendKey(nil, p.key...)
	p.at = token.Murmur3.Hash(p.raw)
	for range rows {
		l := &line{
			cluster: g.keys(Clustering),
			cells:   g.cells(Regular, g.t.regulars),
			marker:  g.marker(),
		}
		if g.ttl > 0 && g.random.IntN(2) == 0 {
			l.expire(g.ttl, g.expires)
		}
		if g.t.view != "" && g.random.IntN(3) == 0 {
			l.marker.ttl, l.marker.expires = endedTTL, endedSecond
		}
		p.lines = append(p.lines, l)
	}
	slices.SortFunc(p.lines, func(a, b *line) int { return g.t.order(a.cluster, b.cluster) })
	p.lines = slices.CompactFunc(
		p.lines,
		func(a, b *line) bool { return g.t.order(a.cluster, b.cluster) == 0 },
	)
	return p
}

// marker is the liveness of a row.
func (g *generator) marker() cell {
	return cell{value: []byte{}, timestamp: SeedTimestamp, written: !g.t.counter}
}

// endedTTL is that of the liveness of a view's row that has ended
// (LivenessInfo.EXPIRED_LIVENESS_TTL).
const endedTTL = math.MaxInt32

// endedSecond is when rows of views that are made were over, in seconds since the epoch.
const endedSecond = 1600000000

// expire gives all of a row a time to live.
func (l *line) expire(ttl int, expires int64) {
	l.marker.ttl, l.marker.expires = ttl, expires
	for i := range l.cells {
		if l.cells[i].written {
			l.cells[i].ttl, l.cells[i].expires = ttl, expires
		}
	}
}

// keys makes the values of the key columns of a kind.
func (g *generator) keys(kind Kind) [][]byte {
	values := [][]byte{}
	for _, c := range g.t.cols {
		if c.kind == kind {
			values = append(values, g.value(c.cql, 1))
		}
	}
	return values
}

func (g *generator) cells(kind Kind, count int) []cell {
	cells := make([]cell, count)
	for _, c := range g.t.cols {
		if c.kind == kind && g.random.Float64() >= g.nulls {
			cells[c.slot] = cell{value: g.value(c.cql, 0), timestamp: SeedTimestamp, written: true}
		}
	}
	return cells
}

// letters are what texts are made of: ASCII, what formats of text must quote, and
// characters of several bytes.
var letters = []rune("abcdefghijklmnop 0123456789\",;\t\n\\'äß漢🎲")

// value returns a value; a text or a blob has at least that many characters or bytes.
func (g *generator) value(t *cqltype.Type, least int) []byte {
	random := g.random
	if width := natives[t.Kind].width; width > 0 && t.Kind != cqltype.Boolean {
		bytes := binary.BigEndian.AppendUint64(nil, random.Uint64())
		bytes = binary.BigEndian.AppendUint64(bytes, random.Uint64())[:width]
		switch t.Kind {
		case cqltype.Float, cqltype.Double:
			bytes[0] &= 0x3f // finite and positive
		case cqltype.TimeUUID:
			bytes[6] = bytes[6]&0x0f | 0x10
		case cqltype.Time:
			bytes = bigint(int64(random.Uint64N(86400e9)))
		case cqltype.Timestamp:
			bytes = bigint(int64(random.Uint64N(4e12)))
		}
		return bytes
	}
	switch t.Kind {
	case cqltype.Boolean:
		return boolean(random.IntN(2) == 1)
	case cqltype.Text:
		var s []byte
		for n := least + random.IntN(g.text); len(s) < n; {
			s = append(s, string(letters[random.IntN(len(letters))])...)
		}
		return append([]byte{}, s...)
	case cqltype.Inet:
		return binary.BigEndian.AppendUint32(nil, random.Uint32())
	case cqltype.Decimal:
		return append(integer(random.IntN(20)), 1+byte(random.IntN(100)))
	case cqltype.Varint:
		return []byte{1 + byte(random.IntN(100)), byte(random.Uint32())}
	case cqltype.List, cqltype.Set, cqltype.Tuple, cqltype.Map:
		return g.elements(t)
	default: // ascii and blob
		bytes := make([]byte, least+random.IntN(g.text))
		for i := range bytes {
			bytes[i] = byte(random.Uint32()) & 0x7f
		}
		return bytes
	}
}

// elements makes a collection of one element, or a tuple.
func (g *generator) elements(t *cqltype.Type) []byte {
	var parts [][]byte
	for _, e := range t.Elems {
		parts = append(parts, g.value(e, 1))
	}
	if t.Kind == cqltype.Tuple {
		return tuple(parts...)
	}
	return elements(integer(1), parts)
}
