package chaos

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// shape is a table to load. Each row has a number of its own in one column, by which
// it is known again among what the cluster has applied.
type shape struct {
	columns []simcluster.Column
	keys    int // of the partition key, which stands first
	whole   int // of the whole key
	id      int // of the column with the number
	counter bool
	wide    int // bytes, about, of a text that is not null; 0: few
	list    int // the column whose elements double when they are written twice; 0: none
}

var shapes = []shape{
	{
		columns: []simcluster.Column{
			{
				Name: "k",
				Kind: simcluster.PartitionKey,
				Type: "bigint",
			},
			{Name: "n", Type: "bigint"},
			{Name: "v", Type: "text"},
			{Name: "b", Type: "boolean"},
			{Name: "x", Type: "blob"},
		},
		keys: 1, whole: 1, id: 1,
	},
	{
		columns: []simcluster.Column{
			{
				Name: "p",
				Kind: simcluster.PartitionKey,
				Type: "text",
			},
			{Name: "c", Kind: simcluster.Clustering, Type: "int"},
			{
				Name: "n",
				Type: "bigint",
			},
			{Name: "v", Type: "text"},
			{Name: "s", Kind: simcluster.Static, Type: "text"},
		},
		keys: 1, whole: 2, id: 2,
	},
	{
		columns: []simcluster.Column{
			{
				Name: "p",
				Kind: simcluster.PartitionKey,
				Type: "int",
			},
			{Name: "q", Kind: simcluster.PartitionKey, Type: "boolean"},
			{
				Name: "c",
				Kind: simcluster.Clustering,
				Type: "bigint",
				Desc: true,
			},
			{Name: "v", Type: "counter"},
		},
		keys: 2, whole: 3, id: 3, counter: true,
	},
	{
		columns: []simcluster.Column{
			{
				Name: "k",
				Kind: simcluster.PartitionKey,
				Type: "bigint",
			},
			{Name: "n", Type: "bigint"},
			{Name: "l", Type: "list<int>"},
		},
		keys: 1, whole: 1, id: 1, list: 2,
	},
}

// once says whether a record counts twice when it is written twice.
func (l *loading) once(rec *record) bool {
	s := l.in.shape
	return s.counter || s.list > 0 && l.has(rec, s.list)
}

// record is a record of an input.
type record struct {
	id     int64   // from 1 on
	values []value // by the shape's columns; of a bad one those that it would have had
	has    []bool  // by column: the record's file has it
	raw    []byte  // as it stands in the input, its line end included
	bad    bool    // it cannot be read
	open   bool    // it is bad for a quote that is never closed
	poison bool    // the cluster refuses it
}

func (r *record) wires(n int) [][]byte {
	var wires [][]byte
	for _, v := range r.values[:n] {
		wires = append(wires, v.wire)
	}
	return wires
}

// key returns the first n columns as a string that identifies the key.
func (r *record) key(n int) string { return fmt.Sprintf("%x", r.wires(n)) }

// token is that of the record's partition.
func (r *record) token(s *shape) token.Token {
	return token.Murmur3.Hash(token.AppendKey(nil, r.wires(s.keys)...))
}

// drawer makes records of a shape whose keys come again, near and far.
type drawer struct {
	*rand.Rand
	shape *shape
	pool  [][]value // keys
	last  []value
	made  int64
}

func newDrawer(r *rand.Rand, s *shape, rows int) *drawer {
	d := &drawer{Rand: r, shape: s}
	size := []int{3 * rows, rows/3 + 1, 1 + r.IntN(5)}[r.IntN(3)]
	partitions := max(size/(1+r.IntN(6)), 1)
	starts := make([][]value, partitions)
	for i := range starts {
		for _, c := range s.columns[:s.keys] {
			v := draw(r, c.Type, true)
			if c.Type == "text" {
				v = text(fmt.Sprintf("%s%d", v.plain, i))
			}
			starts[i] = append(starts[i], v)
		}
	}
	for i := range size {
		key := append([]value{}, starts[i%partitions]...)
		for _, c := range s.columns[s.keys:s.whole] {
			key = append(key, draw(r, c.Type, true))
		}
		d.pool = append(d.pool, key)
	}
	return d
}

// next makes a record, not written yet.
func (d *drawer) next(plain bool) *record {
	d.made++
	key := d.pool[d.IntN(len(d.pool))]
	if d.last != nil && chance(d.Rand, 8) {
		key = d.last
	}
	d.last = key
	rec := &record{id: d.made, values: append([]value{}, key...)}
	for i, c := range d.shape.columns[d.shape.whole:] {
		switch {
		case i+d.shape.whole == d.shape.id:
			rec.values = append(rec.values, bigint(rec.id))
		case chance(d.Rand, 4):
			rec.values = append(rec.values, value{})
		default:
			rec.values = append(rec.values, d.widened(draw(d.Rand, c.Type, plain), c.Type))
		}
	}
	return rec
}

// widened makes a text longer, in a shape that is wide.
func (d *drawer) widened(v value, typ string) value {
	if d.shape.wide == 0 || typ != "text" || v.plain == "" {
		return v
	}
	return text(strings.Repeat(v.plain, 1+d.IntN(2*d.shape.wide)/len(v.plain)))
}

// delimited writes a record as a line of the given columns, without its end.
func (rec *record) delimited(columns []int) string {
	var fields []string
	for _, c := range columns {
		fields = append(fields, rec.values[c].delimited())
	}
	return strings.Join(fields, ",")
}

// object writes a record as a line of JSON. A member that is null may be left out.
func (d *drawer) object(rec *record, columns []int) string {
	var members []string
	for _, c := range columns {
		if v := rec.values[c]; !v.null() || chance(d.Rand, 2) {
			members = append(members, fmt.Sprintf("%q: %s", d.shape.columns[c].Name, v.object()))
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}

// spoil makes a line that cannot be loaded, in one of several ways. A quote that is
// not closed is none of them: see open.
func (d *drawer) spoil(rec *record, columns []int, json, plain bool) string {
	rec.bad = true
	kind := d.IntN(4)
	if json {
		return []string{
			fmt.Sprintf(`{"%s": "x%d"}`, d.shape.columns[d.shape.id].Name, rec.id), fmt.Sprintf(`{"k": %d`, rec.id),
			fmt.Sprintf(`{"nobody%d": 1}`, rec.id), fmt.Sprintf(`[%d]`, rec.id),
		}[kind]
	}
	switch {
	case kind == 0:
		return fmt.Sprintf("bad%d", rec.id)
	case kind == 1 && !plain:
		return fmt.Sprintf(`"text"behind,%d`, rec.id)
	case kind == 2:
		return rec.delimited(columns) + fmt.Sprintf(",more%d", rec.id)
	default:
		wrong := *rec
		wrong.values = append([]value{}, rec.values...)
		wrong.values[d.shape.id] = value{wire: []byte{}, plain: fmt.Sprintf("x%d", rec.id)}
		return wrong.delimited(columns)
	}
}

// open returns a line whose quote is never closed, in a file that has no other such line. Some are
// longer than what the program reads at a time.
func (d *drawer) open(rec *record) string {
	rec.bad, rec.open = true, true
	n := d.IntN(100)
	if chance(d.Rand, 10) {
		n = 1_000_000 + d.IntN(2_000_000)
	}
	return fmt.Sprintf(`%d,"open%s`, rec.id, strings.Repeat("x", n))
}
