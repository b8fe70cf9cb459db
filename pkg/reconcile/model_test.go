package reconcile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// The table of the model: k int, (c1 int, c2 int desc), with these columns. Of clusterings each
// value is 0 to size-1.
const (
	modelStatics  = "s int; ss set<int>"
	modelRegulars = "v int; w text; m map<int, int>; u two; e set<int>; l list<int>"
	size          = 3
	keys          = 3
)

// verb is what an operation does.
type verb int

const (
	// of a column, and a path where it has any: a value, perhaps with a TTL, or a tombstone
	writeCell verb = iota
	deleteElements
	writeLiveness
	deleteRow
	deleteRange
	deletePartition
)

// operation is one thing that was done to the table. A bound is one or two values of a clustering,
// or none.
type op struct {
	verb      verb
	key       int
	static    bool
	c1, c2    int
	column    string
	path      string
	value     []byte
	kind      sstable.CellKind
	ttl       int32
	timestamp int64
	time      int64 // of expiry, or of the deletion
	from, to  []int
	fromIn    bool // the bound belongs to the range
	toIn      bool
}

// slot is what only one operation of a file can say something of.
func (o *op) slot() string {
	switch o.verb {
	case writeCell:
		return fmt.Sprint("cell", o.key, o.static, o.c1, o.c2, o.column, o.path)
	case deleteElements:
		return fmt.Sprint("elements", o.key, o.static, o.c1, o.c2, o.column)
	case writeLiveness:
		return fmt.Sprint("liveness", o.key, o.c1, o.c2)
	case deleteRow:
		return fmt.Sprint("row", o.key, o.c1, o.c2)
	case deleteRange: // one in each file, so that none overlap
		return fmt.Sprint("range", o.key)
	default:
		return fmt.Sprint("partition", o.key)
	}
}

// covers reports whether a range has a row in it.
func (o *op) covers(c1, c2 int) bool {
	return side(o.from, c1, c2, o.fromIn, -1) < 0 && side(o.to, c1, c2, o.toIn, 1) > 0
}

// side returns on which side of a row a bound is: before it, or behind it. Bounds that belong to
// their range are on the side out. The column c2 is descending.
func side(bound []int, c1, c2 int, in bool, out int) int {
	if len(bound) > 0 {
		if c := cmp.Compare(bound[0], c1); c != 0 {
			return c
		}
	}
	if len(bound) > 1 {
		if c := cmp.Compare(c2, bound[1]); c != 0 {
			return c
		}
	}
	if in {
		return out
	}
	return -out
}

// randomOp makes one operation, with few different times so that many are the same.
func randomOp(r *rand.Rand) op {
	o := op{
		key: r.IntN(
			keys,
		),
		c1:        r.IntN(size),
		c2:        r.IntN(size),
		timestamp: stamp + int64(r.IntN(12)),
		time:      second + int64(r.IntN(4)),
	}
	switch n := r.IntN(100); {
	case n < 55:
		o.verb = writeCell
		o.column = []string{"v", "w", "m", "u", "e", "l", "s", "ss"}[r.IntN(8)]
		o.static = o.column[0] == 's'
		switch o.column {
		case "u":
			o.path = string([]byte{0, byte(r.IntN(2))})
		case "l":
			o.path = string(
				binary.BigEndian.AppendUint64(
					[]byte{0, 0, 0, byte(r.IntN(3)), 0, 0, 0x10, 0},
					0x8080808080808080,
				),
			)
		case "m", "e", "ss":
			o.path = string(num(r.IntN(3) - 1))
		}
		switch k := r.IntN(10); {
		case k < 2:
			o.kind = sstable.Tombstone
		case k < 5:
			o.kind, o.ttl = sstable.Expiring, int32(1+r.IntN(2))
		default:
			o.time = 0
		}
		switch {
		case o.kind == sstable.Tombstone || o.column == "e" || o.column == "ss":
		case o.column == "w":
			o.value = []byte("ab")[:r.IntN(3)]
		default:
			o.value = num(r.IntN(2))
		}
	case n < 62:
		o.verb = deleteElements
		o.column = []string{"m", "u", "e", "l", "ss"}[r.IntN(5)]
		o.static = o.column == "ss"
	case n < 77:
		o.verb = writeLiveness
		if r.IntN(3) == 0 {
			o.ttl = int32(1 + r.IntN(2))
		} else {
			o.time = 0
		}
	case n < 85:
		o.verb = deleteRow
	case n < 97:
		o.verb = deleteRange
		o.from, o.to = randomBound(r), randomBound(r)
		o.fromIn, o.toIn = r.IntN(2) == 0 || len(o.from) == 0, r.IntN(2) == 0 || len(o.to) == 0
	default:
		o.verb = deletePartition
		o.timestamp -= 4
	}
	if o.static {
		o.c1, o.c2 = 0, 0
	}
	return o
}

func randomBound(r *rand.Rand) []int { return []int{r.IntN(size), r.IntN(size)}[:r.IntN(3)] }

// better reports whether a stays of two operations on one cell or liveness: the rules of
// Cells.resolveRegular and LivenessInfo.supersedes.
func (a *op) better(b *op) bool {
	rank := func(o *op) int {
		if o.verb == writeLiveness {
			return int(min(o.ttl, 1))
		}
		return int(o.kind)
	}
	return cmp.Or(
		cmp.Compare(
			a.timestamp,
			b.timestamp,
		),
		cmp.Compare(rank(a), rank(b)),
		cmp.Compare(a.time, b.time),
		cmp.Compare(b.ttl, a.ttl),
		slices.Compare(a.value, b.value),
	) > 0
}

// live reports whether what an operation wrote is there at a moment.
func (o *op) live(
	now int64,
) bool {
	return o.kind != sstable.Tombstone && (o.ttl == 0 || now < o.time)
}

// model is what was done.
type model []op

// deleted is the timestamp up to which a row, or the static one, is deleted.
func (m model) deleted(key int, static bool, c1, c2 int) int64 {
	deleted := int64(0)
	for i := range m {
		o := &m[i]
		if o.key == key && (o.verb == deletePartition ||
			!static && (o.verb == deleteRow && o.c1 == c1 && o.c2 == c2 ||
				o.verb == deleteRange && o.covers(c1, c2))) {
			deleted = max(deleted, o.timestamp)
		}
	}
	return deleted
}

// cells finds what stays of each path of a column of a row, and whether one is live.
func (m model) cells(key int, static bool, c1, c2 int, column string, now int64) map[string]*op {
	deleted := m.deleted(key, static, c1, c2)
	for i := range m {
		if o := &m[i]; o.verb == deleteElements && o.key == key && o.column == column &&
			o.c1 == c1 &&
			o.c2 == c2 {
			deleted = max(deleted, o.timestamp)
		}
	}
	best := map[string]*op{}
	for i := range m {
		o := &m[i]
		if o.verb != writeCell || o.key != key || o.column != column || o.c1 != c1 || o.c2 != c2 ||
			o.timestamp <= deleted {
			continue
		}
		if before := best[o.path]; before == nil || o.better(before) {
			best[o.path] = o
		}
	}
	for path, o := range best {
		if !o.live(now) {
			delete(best, path)
		}
	}
	return best
}

// liveness reports whether a row exists by its liveness.
func (m model) liveness(key, c1, c2 int, now int64) bool {
	deleted := m.deleted(key, false, c1, c2)
	var best *op
	for i := range m {
		o := &m[i]
		if o.verb == writeLiveness && o.key == key && o.c1 == c1 && o.c2 == c2 &&
			o.timestamp > deleted &&
			(best == nil || o.better(best)) {
			best = o
		}
	}
	return best != nil && best.live(now)
}

// values are what selectAll selects of a column.
func values(column string, cells map[string]*op, now int64) [][]byte {
	if column == "v" || column == "w" || column == "s" {
		cell := cells[""]
		if cell == nil {
			return [][]byte{nil, nil, nil}
		}
		value := append([]byte{}, cell.value...)
		var ttl []byte
		if cell.ttl != 0 {
			ttl = num(int(cell.time - now))
		}
		return [][]byte{value, binary.BigEndian.AppendUint64(nil, uint64(cell.timestamp)), ttl}
	}
	if len(cells) == 0 {
		return [][]byte{nil}
	}
	var out []byte
	if column == "u" {
		for field := range 2 {
			if cell := cells[string([]byte{0, byte(field)})]; cell != nil {
				out = cqlwire.AppendElem(out, append([]byte{}, cell.value...))
			} else {
				out = cqlwire.AppendNull(out)
			}
		}
		return [][]byte{out}
	}
	var paths []string
	for path := range cells {
		paths = append(paths, path)
	}
	// those of ints are signed, those of the list end before they differ
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Compare(
			int32(binary.BigEndian.Uint32([]byte(a))),
			int32(binary.BigEndian.Uint32([]byte(b))),
		)
	})
	out = cqlwire.AppendCount(out, len(paths))
	for _, path := range paths {
		if column != "l" {
			out = cqlwire.AppendElem(out, []byte(path))
		}
		if column == "m" || column == "l" {
			out = cqlwire.AppendElem(out, cells[path].value)
		}
	}
	return [][]byte{out}
}

// rows are those of SELECT.
func (m model) rows(now int64) []string {
	var order []int
	for key := range keys {
		order = append(order, key)
	}
	slices.SortFunc(
		order,
		func(a, b int) int {
			return token.Murmur3.Hash(num(a)).Compare(token.Murmur3.Hash(num(b)))
		},
	)
	var out []string
	for _, key := range order {
		var statics [][]byte
		staticLive, exists := false, false
		for _, column := range []string{"s", "ss"} {
			cells := m.cells(key, true, 0, 0, column, now)
			staticLive = staticLive || len(cells) > 0
			statics = append(statics, values(column, cells, now)...)
		}
		for c1 := range size {
			for c2 := size - 1; c2 >= 0; c2-- {
				line := append([][]byte{num(key), num(c1), num(c2)}, statics...)
				found := m.liveness(key, c1, c2, now)
				for _, column := range []string{"v", "w", "e", "l", "m", "u"} {
					cells := m.cells(key, false, c1, c2, column, now)
					found = found || len(cells) > 0
					line = append(line, values(column, cells, now)...)
				}
				if found {
					exists = true
					out = append(out, lineOf(line))
				}
			}
		}
		if staticLive && !exists {
			line := append([][]byte{num(key), nil, nil}, statics...)
			out = append(out, lineOf(append(line, make([][]byte, 10)...)))
		}
	}
	return out
}

// files distributes operations over some files. Those that say something of one thing go into
// different ones.
func (m model) files(t testing.TB, r *rand.Rand, table *sstable.Schema) []file {
	var parts []map[string]*op
	for i := range m {
		o := &m[i]
		for n := r.IntN(3); ; n++ {
			for n >= len(parts) {
				parts = append(parts, map[string]*op{})
			}
			if parts[n][o.slot()] == nil {
				parts[n][o.slot()] = o
				break
			}
		}
	}
	var out []file
	for _, part := range parts {
		var ops []*op
		for _, slot := range slices.Sorted(keysOf(part)) {
			ops = append(ops, part[slot])
		}
		schema := table
		if r.IntN(2) == 0 {
			schema = schemaWith(t, ops)
		}
		var partitions []partition
		for key := range keys {
			if p, ok := partitionOf(t, schema, key, ops); ok {
				partitions = append(partitions, p)
			}
		}
		out = append(
			out,
			fileOf(
				t,
				schema,
				[]component.Version{component.MC, component.NB, component.OA}[r.IntN(3)],
				partitions...),
		)
	}
	return out
}

func keysOf(m map[string]*op) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// schemaWith has the columns of some operations alone, as a file may have them.
func schemaWith(t testing.TB, ops []*op) *sstable.Schema {
	has := map[string]bool{}
	for _, o := range ops {
		has[o.column] = true
	}
	keep := func(columns []sstable.Column) []sstable.Column {
		return slices.DeleteFunc(columns, func(c sstable.Column) bool { return !has[c.Name] })
	}
	s, err := sstable.Plan(&sstable.Table{
		Key: columnsOf(t, "k int"), Clustering: columnsOf(t, "c1 int; c2 int desc"),
		Statics: keep(columnsOf(t, modelStatics)), Regulars: keep(columnsOf(t, modelRegulars)),
	})
	require.NoError(t, err)
	return s
}

// partitionOf makes a partition of those operations that are on it.
func partitionOf(t testing.TB, s *sstable.Schema, key int, ops []*op) (partition, bool) {
	p := partition{key: num(key)}
	rows := map[[3]int]*sstable.Row{}
	found := false
	for _, o := range ops {
		if o.key != key {
			continue
		}
		found = true
		deletion := sstable.Deletion{Set: true, Timestamp: o.timestamp, Time: o.time}
		at := [3]int{1, o.c1, o.c2}
		if o.static {
			at = [3]int{}
		}
		row := rows[at]
		if row == nil {
			row = &sstable.Row{Static: o.static}
			if !o.static {
				row.Clustering = [][]byte{num(o.c1), num(o.c2)}
			}
		}
		switch o.verb {
		case deletePartition:
			p.deletion = deletion
			continue
		case deleteRange:
			p.items = append(p.items, rangeOf(o, deletion)...)
			continue
		case writeCell:
			row.Cells = append(row.Cells, sstable.Cell{
				Column: columnAt(
					t,
					s,
					o.column,
				),
				Kind:      o.kind,
				TTL:       o.ttl,
				Timestamp: o.timestamp,
				Time:      o.time,
				Path:      []byte(o.path),
				Value:     o.value,
			})
		case deleteElements:
			row.Deletions = append(
				row.Deletions,
				sstable.ColumnDeletion{Column: columnAt(t, s, o.column), Deletion: deletion},
			)
		case writeLiveness:
			row.Liveness = sstable.Liveness{
				Set:       true,
				Timestamp: o.timestamp,
				TTL:       o.ttl,
				Expiry:    o.time,
			}
		case deleteRow:
			row.Deletion = deletion
		}
		rows[at] = row
	}
	for _, row := range rows {
		slices.SortFunc(row.Cells, func(a, b sstable.Cell) int {
			return cmp.Or(
				cmp.Compare(a.Column, b.Column),
				s.ComparePaths(row.Static, a.Column, a.Path, b.Path),
			)
		})
		slices.SortFunc(
			row.Deletions,
			func(a, b sstable.ColumnDeletion) int { return cmp.Compare(a.Column, b.Column) },
		)
		p.items = append(p.items, row)
	}
	slices.SortFunc(p.items, func(a, b any) int {
		if r, ok := a.(*sstable.Row); ok && r.Static {
			return -1
		}
		if r, ok := b.(*sstable.Row); ok && r.Static {
			return 1
		}
		valuesA, kindA := placeOf(a)
		valuesB, kindB := placeOf(b)
		return s.ComparePrefixes(valuesA, kindA, valuesB, kindB)
	})
	return p, found
}

func placeOf(item any) ([][]byte, sstable.BoundKind) {
	if m, ok := item.(*sstable.Marker); ok {
		return m.Values, m.Kind
	}
	return item.(*sstable.Row).Clustering, sstable.RowKind
}

// rangeOf makes the markers of a range, none where it is empty.
func rangeOf(o *op, d sstable.Deletion) []any {
	start := &sstable.Marker{Kind: sstable.ExclusiveStart, Values: bytesOf(o.from), Started: d}
	if o.fromIn {
		start.Kind = sstable.InclusiveStart
	}
	end := &sstable.Marker{Kind: sstable.ExclusiveEnd, Values: bytesOf(o.to), Ended: d}
	if o.toIn {
		end.Kind = sstable.InclusiveEnd
	}
	for c1 := range size {
		for c2 := range size {
			if o.covers(c1, c2) {
				return []any{start, end}
			}
		}
	}
	return nil
}

func bytesOf(values []int) [][]byte {
	var out [][]byte
	for _, v := range values {
		out = append(out, num(v))
	}
	return out
}
