//go:build integration

package integration

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// differStatement is a statement in CQL with the values that it binds.
type differStatement struct {
	text   strings.Builder
	values [][]byte
}

// bind adds text with a marker, and its value; nil is null.
func (s *differStatement) bind(text string, value []byte) {
	s.text.WriteString(text)
	s.values = append(s.values, value)
}

// where adds a condition that columns equal the cells.
func (s *differStatement) where(columns []schema.Column, cells []row.Cell) {
	for i, c := range columns {
		word := " AND "
		if !strings.Contains(s.text.String(), " WHERE ") {
			word = " WHERE "
		}
		s.bind(word+cqltype.QuoteIdent(c.Name)+" = ?", cells[i].Bytes)
	}
}

// differWriter runs statements on one node.
type differWriter struct {
	conn     *rawCQL
	prepared map[string][]byte // ids by the text
}

func newDifferWriter(t *testing.T, host string) *differWriter {
	t.Helper()
	return &differWriter{conn: rawConnectTo(t, host), prepared: map[string][]byte{}}
}

func (w *differWriter) prepare(t *testing.T, text string) []byte {
	t.Helper()
	id, found := w.prepared[text]
	if !found {
		id = w.conn.prepare(t, text)
		w.prepared[text] = id
	}
	return id
}

func (w *differWriter) run(t *testing.T, s *differStatement) {
	t.Helper()
	text := s.text.String()
	err := w.conn.execute(t, w.prepare(t, text), [][][]byte{s.values})[0]
	require.NoError(t, err, "%s %x", text, s.values)
}

// differBase is before all timestamps, in microseconds since the epoch.
const differBase = 1_700_000_000_000_000

func (d *differ) stamp() int64 { return differBase + 250*int64(d.r.IntN(40)) }

// using is the part of a statement with its times.
func (d *differ) using(expires bool) string {
	if d.counters {
		return "" // the servers have their times
	}
	using := fmt.Sprintf(" USING TIMESTAMP %d", d.stamp())
	if ttl := []int{-1, -1, -1, 0, 100_000, 200_000, 1}[d.r.IntN(7)]; expires && ttl >= 0 {
		using += fmt.Sprintf(" AND TTL %d", ttl)
	}
	return using
}

// statement makes one that writes or deletes. Keys and timestamps are few, so that statements meet.
func (d *differ) statement(t *testing.T) *differStatement {
	t.Helper()
	switch n := d.r.IntN(19); {
	case n < 5:
		return d.deletion()
	case n < 8:
		if s := d.elements(t); s != nil {
			return s
		}
	}
	if d.counters {
		return d.increment()
	}
	return d.write(t)
}

// pick takes a partition and a clustering.
func (d *differ) pick() (key, inside []row.Cell) {
	return d.keys[d.r.IntN(len(d.keys))], d.inside[d.r.IntN(len(d.inside))]
}

// write makes an INSERT, or an UPDATE, of a row, or of static columns alone.
func (d *differ) write(t *testing.T) *differStatement {
	t.Helper()
	key, inside := d.pick()
	statics, regulars := d.table.OfKind(schema.Static), d.table.OfKind(schema.Regular)
	alone := len(statics) > 0 && d.r.IntN(5) == 0
	var columns []schema.Column
	var values [][]byte
	written := statics
	if !alone {
		written = slices.Concat(statics, regulars)
	}
	for _, c := range written {
		if value, set := d.cell(t, c.Type); set {
			columns, values = append(columns, c), append(values, value)
		}
	}
	if alone && len(columns) == 0 {
		columns, values = statics[:1], [][]byte{nil}
	}
	s := &differStatement{}
	if len(columns) > 0 && d.r.IntN(4) == 0 {
		s.text.WriteString("UPDATE " + d.name + d.using(true) + " SET ")
		for i, c := range columns {
			s.bind(comma(i)+cqltype.QuoteIdent(c.Name)+" = ?", values[i])
		}
		s.where(d.table.OfKind(schema.PartitionKey), key)
		if slices.ContainsFunc(
			columns,
			func(c schema.Column) bool { return c.Kind == schema.Regular },
		) {
			s.where(d.table.OfKind(schema.Clustering), inside)
		}
		return s
	}
	keys, cells := d.table.OfKind(schema.PartitionKey), key
	if !alone {
		keys, cells = append(keys, d.table.OfKind(schema.Clustering)...), slices.Concat(key, inside)
	}
	var names []string
	for i, c := range slices.Concat(keys, columns) {
		names = append(names, cqltype.QuoteIdent(c.Name))
		if i < len(keys) {
			s.values = append(s.values, cells[i].Bytes)
		} else {
			s.values = append(s.values, values[i-len(keys)])
		}
	}
	markers := strings.Repeat(", ?", len(names)-1)
	fmt.Fprintf(
		&s.text,
		"INSERT INTO %s (%s) VALUES (?%s)%s",
		d.name,
		strings.Join(names, ", "),
		markers,
		d.using(true),
	)
	return s
}

// comma stands before the i-th part of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

// cell makes a value of a column, nil to delete it, or none.
func (d *differ) cell(t *testing.T, typ *cqltype.Type) (value []byte, set bool) {
	t.Helper()
	switch d.r.IntN(6) {
	case 0:
		return nil, false
	case 1:
		return nil, true
	}
	value = differValue(t, d.r, typ, typ.MultiCell())
	// One null more. In the key of a view or an index servers fail to compare a list that has one
	// (TupleType.compareCustom).
	if typ.Kind == cqltype.List && typ.Frozen && d.view == "" && len(d.indexes) == 0 &&
		d.r.IntN(3) == 0 {
		n, _ := cqlwire.Count(value)
		cqlwire.PutCount(value, 0, n+1)
		value = cqlwire.AppendNull(value)
	}
	return value, true
}

// increment adds to counters of a row, or to static ones.
func (d *differ) increment() *differStatement {
	key, inside := d.pick()
	kind := schema.Regular
	if len(d.table.OfKind(schema.Static)) > 0 && d.r.IntN(4) == 0 {
		kind = schema.Static
	}
	s := &differStatement{}
	s.text.WriteString("UPDATE " + d.name + " SET ")
	some := d.some(d.table.OfKind(kind))
	for i, c := range some {
		name := cqltype.QuoteIdent(c.Name)
		by := binary.BigEndian.AppendUint64(nil, uint64(d.r.Int64N(2000)-1000))
		s.bind(comma(i)+name+" = "+name+" + ?", by)
	}
	s.where(d.table.OfKind(schema.PartitionKey), key)
	if kind == schema.Regular {
		s.where(d.table.OfKind(schema.Clustering), inside)
	}
	return s
}

// some takes one or more of columns, in any order.
func (d *differ) some(columns []schema.Column) (some []schema.Column) {
	for _, i := range d.r.Perm(len(columns))[:1+d.r.IntN(len(columns))] {
		some = append(some, columns[i])
	}
	return some
}

// elements adds to a collection or a user type, or takes from it, where the table has one whose
// elements are cells.
func (d *differ) elements(t *testing.T) *differStatement {
	t.Helper()
	columns := slices.DeleteFunc(slices.Clone(d.table.Columns), func(c schema.Column) bool {
		return c.IsKey() || !c.Type.MultiCell()
	})
	if len(columns) == 0 {
		return nil
	}
	c := columns[d.r.IntN(len(columns))]
	name := cqltype.QuoteIdent(c.Name)
	key, inside := d.pick()
	value := func(typ *cqltype.Type) []byte { return differValue(t, d.r, typ, true) }
	// A vector that is bound alone keeps its bytes, where in a collection the servers sort what is
	// in it.
	element := func(typ *cqltype.Type) []byte {
		set := &cqltype.Type{Kind: cqltype.Set, Elems: []*cqltype.Type{typ}}
		order, err := cqlorder.Plan(set)
		require.NoError(t, err)
		stored, err := order.AppendCanonical(
			nil,
			cqlwire.AppendElem(cqlwire.AppendCount(nil, 1), value(typ)),
		)
		require.NoError(t, err)
		elem, _, _, _ := cqlwire.ElemAt(stored, len(cqlwire.AppendCount(nil, 1)))
		return elem
	}
	s := &differStatement{}
	update := "UPDATE " + d.name + d.using(true) + " SET " + name
	remove := "DELETE " + name
	from := " FROM " + d.name + d.using(false)
	switch elems := c.Type.Elems; {
	case c.Type.Kind == cqltype.List && d.r.IntN(2) == 0:
		s.bind(update+" = "+name+" + ?", value(c.Type))
	case c.Type.Kind == cqltype.List && d.r.IntN(2) == 0:
		s.bind(update+" = ? + "+name, value(c.Type))
	case c.Type.Kind == cqltype.List: // it reads the list first
		s.bind(update+" = "+name+" - ?", value(c.Type))
	case c.Type.Kind == cqltype.UDT:
		f := d.r.IntN(len(elems))
		field := "." + cqltype.QuoteIdent(c.Type.FieldNames[f])
		if d.r.IntN(3) == 0 {
			s.text.WriteString(remove + field + from)
		} else {
			s.bind(update+field+" = ?", value(elems[f]))
		}
	case d.r.IntN(3) == 0:
		s.bind(update+" = "+name+" + ?", value(c.Type))
	case d.r.IntN(2) == 0: // from a map the keys
		s.bind(update+" = "+name+" - ?", value(&cqltype.Type{Kind: cqltype.Set, Elems: elems[:1]}))
	case c.Type.Kind == cqltype.Map && d.r.IntN(2) == 0:
		s.bind(update+"[?] = ", element(elems[0]))
		s.bind("?", element(elems[1]))
	default:
		s.bind(remove+"[?]"+from, element(elems[0]))
	}
	s.where(d.table.OfKind(schema.PartitionKey), key)
	if c.Kind == schema.Regular {
		s.where(d.table.OfKind(schema.Clustering), inside)
	}
	return s
}

// deletion deletes a partition, rows by a prefix or a slice of clustering columns, a row, some of
// its columns, or static ones.
func (d *differ) deletion() *differStatement {
	key, inside := d.pick()
	partition, clustering := d.table.OfKind(schema.PartitionKey), d.table.OfKind(schema.Clustering)
	s := &differStatement{}
	begin := func(columns []schema.Column) {
		var names []string
		for _, c := range columns {
			names = append(names, cqltype.QuoteIdent(c.Name))
		}
		s.text.WriteString(
			"DELETE " + strings.Join(names, ", ") + " FROM " + d.name + d.using(false),
		)
		s.where(partition, key)
	}
	statics, regulars := d.table.OfKind(schema.Static), d.table.OfKind(schema.Regular)
	switch n := d.r.IntN(12); {
	case n == 0:
		begin(nil)
	case n < 3 && len(statics) > 0:
		begin(d.some(statics))
	case n < 6 && len(regulars) > 0:
		begin(d.some(regulars))
		s.where(clustering, inside)
	case n < 8 || len(clustering) == 0:
		begin(nil)
		s.where(clustering, inside)
	default:
		begin(nil)
		depth := d.r.IntN(len(clustering))
		if n == 8 { // columns together
			d.slice(s, clustering[:depth+1], 0)
			break
		}
		s.where(clustering[:depth], inside)
		if n > 9 {
			d.slice(s, clustering[depth:depth+1], depth)
		}
	}
	return s
}

// slice adds one bound or two of clustering columns, from the one at place on.
func (d *differ) slice(s *differStatement, columns []schema.Column, place int) {
	var names []string
	for _, c := range columns {
		names = append(names, cqltype.QuoteIdent(c.Name))
	}
	bound := func(op string) {
		_, inside := d.pick()
		if len(columns) == 1 {
			s.bind(" AND "+names[0]+op+"?", inside[place].Bytes)
			return
		}
		s.text.WriteString(" AND (" + strings.Join(names, ", ") + ")" + op + "(")
		for i := range columns {
			s.bind(comma(i)+"?", inside[place+i].Bytes)
		}
		s.text.WriteString(")")
	}
	lower, upper := []string{" > ", " >= "}[d.r.IntN(2)], []string{" < ", " <= "}[d.r.IntN(2)]
	switch d.r.IntN(3) {
	case 0:
		bound(lower)
	case 1:
		bound(upper)
	default:
		bound(lower)
		bound(upper)
	}
}

// dropAndAdd drops a column and adds it again: what was written up to a moment is gone. It takes
// one that no index or view has, and of a type that the servers let come again.
func (d *differ) dropAndAdd(t *testing.T) {
	t.Helper()
	columns := slices.DeleteFunc(slices.Clone(d.table.Columns), func(c schema.Column) bool {
		return c.IsKey() || strings.Contains(c.Type.String(), "differ_t") ||
			slices.ContainsFunc(
				d.indexes,
				func(x differIndex) bool { return x.column.Name == c.Name },
			)
	})
	if len(columns) == 0 || d.view != "" || d.counters {
		return
	}
	c := columns[d.r.IntN(len(columns))]
	name, static := cqltype.QuoteIdent(c.Name), ""
	if c.Kind == schema.Static {
		static = " static"
	}
	d.join(t)                         // all nodes are to know of it
	moment := d.stamp() / 1000 * 1000 // the schema has milliseconds of it
	exec(t, fmt.Sprintf("ALTER TABLE %s DROP %s USING TIMESTAMP %d", d.name, name, moment),
		fmt.Sprintf("ALTER TABLE %s ADD %s %s%s", d.name, name, c.Type, static))
	d.dropped = true
	for _, w := range d.writers {
		clear(w.prepared)
	}
}
