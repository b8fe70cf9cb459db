//go:build integration

package integration

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// valueCount is how many values of each type are made. CQLBULK_TEST_VALUES sets another number:
// 100000 take an hour.
func valueCount(t *testing.T) int {
	n, err := strconv.Atoi(env("CQLBULK_TEST_VALUES", either("60", "5000")))
	require.NoError(t, err)
	return n
}

// valueSeed is that of the types and the values.
func valueSeed(t *testing.T) uint64 {
	n, err := strconv.ParseUint(env("CQLBULK_TEST_SEED", "22"), 10, 64)
	require.NoError(t, err)
	return n
}

// valueTable is a table each of whose columns but id has values of a type, and what a server took
// of them.
type valueTable struct {
	name    string
	table   *schema.Table
	id      []byte            // of the statement that binds all values, or nil
	ids     map[string][]byte // of the statements that bind one column's value
	columns []schema.Column   // those with values
	taken   map[string][][]byte
}

// useOf is what a column's values are for.
func useOf(c schema.Column) cqlwire.Use {
	switch {
	case c.Kind == schema.PartitionKey:
		return cqlwire.BoundKey
	case c.Kind == schema.Clustering && c.Desc:
		return cqlwire.Compared
	case c.Kind == schema.Clustering:
		return cqlwire.BoundClustering
	default:
		return cqlwire.Bound
	}
}

// valueStricter says why a value is refused here that a server takes, where that is meant. See
// cqlwire.Layout.CheckAs.
func valueStricter(t *testing.T, use cqlwire.Use, typ string, err error) bool {
	reason := err.Error()
	switch {
	case strings.Contains(typ, "vector<") && strings.Contains(reason, "is cut off"):
		return true // the length of an element in more bytes than need be
	case strings.Contains(reason, "0 bytes, too few for the number of elements") && !atLeast(t, 5):
		return use == cqlwire.Compared || strings.Contains(typ, "tuple<") ||
			strings.Contains(typ, "value_deep")
	case valueUnflushable(use, err):
		return true
	default:
		// So it is in elements of a set, where it has but one.
		return strings.Contains(reason, "a scale without digits") &&
			(strings.Contains(typ, "set<") || strings.Contains(typ, "map<"))
	}
}

// valueUnflushable reports whether a server takes a value into a clustering, and then fails when it
// compares it. It does so when it writes the table to its disk. Then the test must drop the table
// from that node.
func valueUnflushable(use cqlwire.Use, err error) bool {
	if err == nil || use != cqlwire.BoundClustering && use != cqlwire.Compared {
		return false
	}
	reason := err.Error()
	return strings.Contains(reason, "a scale without digits") ||
		use == cqlwire.BoundClustering &&
			(strings.Contains(reason, "has the length -") || strings.Contains(reason, "which is null"))
}

// A value is refused here exactly when a server refuses it that a client binds it to.
func TestValuesAreCheckedAsServersDo(t *testing.T) {
	t.Parallel()
	exec(t, valueUDTs...)
	c := rawConnect(t)
	r := rand.New(rand.NewPCG(valueSeed(t), 1))
	types := &valueTypes{r: r, vectors: atLeast(t, 5)}
	typed := func(list []string) (string, []string) {
		var body, names []string
		for i, typ := range list {
			names = append(names, fmt.Sprintf("v%d", i))
			body = append(body, names[i]+" "+typ)
		}
		return strings.Join(body, ", "), names
	}
	var tables []*valueTable
	add := func(name, body string, columns []string) {
		table(t, "it1."+name, body)
		described, err := session.Table(t.Context(), "it1", name)
		require.NoError(t, err)
		v := &valueTable{
			name:  "it1." + name,
			table: described,
			ids:   map[string][]byte{},
			taken: map[string][][]byte{},
		}
		for _, column := range described.Columns {
			if column.Name[0] == 'v' {
				v.columns = append(v.columns, column)
			}
		}
		if described.OfKind(schema.Regular) != nil && described.OfKind(schema.Clustering) == nil &&
			len(described.OfKind(schema.PartitionKey)) == 1 {
			for _, name := range columns {
				v.ids[name] = c.prepare(
					t,
					fmt.Sprintf("INSERT INTO %s (id, %s) VALUES (?, ?)", v.name, name),
				)
			}
		} else {
			v.id = c.prepare(
				t,
				fmt.Sprintf(
					"INSERT INTO %s (id, %s) VALUES (?%s)",
					v.name,
					strings.Join(columns, ", "),
					strings.Repeat(", ?", len(columns)),
				),
			)
		}
		tables = append(tables, v)
	}
	body, names := typed(types.columns(false, either(3, 19), either(20, 120)))
	add("values_regular", "(id int PRIMARY KEY, "+body+")", names)
	// Each row has a value of all columns, so that a table of all types would be slow.
	const together = 8
	for some := range slices.Chunk(types.columns(true, either(1, 6), either(6, 20)), together) {
		body, names = typed(some)
		add(
			fmt.Sprintf("values_key%d", len(tables)),
			"(id int, "+body+", PRIMARY KEY ((id, "+strings.Join(names, ", ")+")))",
			names,
		)
	}
	for some := range slices.Chunk(types.columns(true, either(1, 6), either(6, 20)), together) {
		body, names = typed(some)
		var order []string
		for i, name := range names {
			order = append(order, name+[]string{" ASC", " DESC"}[i%2])
		}
		add(
			fmt.Sprintf("values_clustering%d", len(tables)),
			"(id int, "+body+", PRIMARY KEY (id, "+strings.Join(
				names,
				", ",
			)+")) WITH CLUSTERING ORDER BY ("+strings.Join(
				order,
				", ",
			)+")",
			names,
		)
	}

	tried, taken, strict, columns := 0, 0, 0, 0
	for _, v := range tables {
		columns += len(v.columns)
		for i := range v.columns {
			n, took, s := v.try(t, c, r, i, valueCount(t))
			tried, taken, strict = tried+n, taken+took, strict+s
		}
	}
	t.Logf(
		"%d values of %d types: the servers take %d of them; %d more are refused here",
		tried,
		columns,
		taken,
		strict,
	)
	read := map[string]string{}
	for _, v := range tables {
		v.stream(t, c, read)
	}
	requireValuesSound(t, c, read)
}

// try binds values to a column, and holds what the server says against what is said here.
func (v *valueTable) try(
	t *testing.T,
	c *rawCQL,
	r *rand.Rand,
	column, n int,
) (tried, taken, strict int) {
	t.Helper()
	col := v.columns[column]
	layout, err := cqlwire.Plan(col.Type)
	require.NoError(t, err)
	use := useOf(col)
	plain := make([][]byte, len(v.columns))
	for i, other := range v.columns {
		plain[i] = v.plain(other)
	}
	for from := 0; from < n; from += 1000 {
		var wires [][]byte
		var rows [][][]byte
		for i := from; i < min(from+1000, n); i++ {
			bad := []float64{0, 0.03, 0.1, 0.3}[i%4]
			wire := append([]byte{}, (&valueMaker{r, bad}).of(col.Type)...)
			if valueUnflushable(use, layout.CheckAs(use, wire)) {
				continue
			}
			row := [][]byte{binary.BigEndian.AppendUint32(nil, uint32(column<<20+i))}
			if v.id == nil {
				row = append(row, wire)
			} else {
				row = append(row, plain...)
				row[1+column] = wire
			}
			wires, rows = append(wires, wire), append(rows, row)
		}
		id := v.id
		if id == nil {
			id = v.ids[col.Name]
		}
		for i, theirs := range c.execute(t, id, rows) {
			ours := layout.CheckAs(use, wires[i])
			tried++
			switch {
			case theirs == nil && ours == nil:
				taken++
				// A walk ends at null in a list.
				if layout.CheckShape(wires[i]) == nil && len(v.taken[col.Name]) < either(40, 400) {
					v.taken[col.Name] = append(v.taken[col.Name], wires[i])
				}
			case theirs == nil && valueStricter(t, use, col.Type.String(), ours):
				strict++
			case theirs == nil || ours == nil:
				t.Errorf(
					"%s column %s %s, descending %t: value 0x%x: the server says %v; here it is %v",
					v.name,
					col.Name,
					col.Type,
					col.Desc,
					wires[i],
					theirs,
					ours,
				)
			}
		}
	}
	return tried, taken, strict
}

// plain is a value of a column that all servers take.
func (v *valueTable) plain(c schema.Column) []byte {
	return append([]byte{}, (&valueMaker{rand.New(rand.NewPCG(1, 1)), 0}).of(c.Type)...)
}

// valueStreams says whether a column can be streamed: the driver does not know vectors of types
// that have elements.
func valueStreams(t *cqltype.Type) bool {
	if t.Kind == cqltype.Vector && !t.Elems[0].Kind.Scalar() {
		return false
	}
	for _, e := range t.Elems {
		if !valueStreams(e) {
			return false
		}
	}
	return true
}

// stream loads the values that were taken by streaming, and reads them, by table.
func (v *valueTable) stream(t *testing.T, c *rawCQL, read map[string]string) {
	t.Helper()
	var header, body, keys []string
	columns := v.columns[:0:0]
	for _, column := range v.columns {
		if len(v.taken[column.Name]) > 0 && valueStreams(column.Type) {
			columns = append(columns, column)
		}
	}
	header = append(header, "id", "n")
	static := ""
	for _, column := range columns {
		header = append(header, column.Name)
		body = append(body, column.Name+" "+column.Type.String()+static)
		keys = append(keys, column.Name)
	}
	kind := columns[0].Kind
	primary := "PRIMARY KEY (id, n)"
	switch kind {
	case schema.PartitionKey:
		primary = "PRIMARY KEY ((id, n, " + strings.Join(keys, ", ") + "))"
	case schema.Clustering:
		var order []string
		for _, column := range columns {
			order = append(
				order,
				column.Name+map[bool]string{false: " ASC", true: " DESC"}[column.Desc],
			)
		}
		primary = "PRIMARY KEY ((id), " + strings.Join(
			keys,
			", ",
		) + ", n)) WITH CLUSTERING ORDER BY (" + strings.Join(
			order,
			", ",
		) + ", n ASC"
	}
	var csv strings.Builder
	csv.WriteString(strings.Join(header, ",") + "\n")
	rows := either(40, 400)
	for i := range rows {
		fmt.Fprintf(&csv, "%d,%d", i%5, i)
		for _, column := range columns {
			wires := v.taken[column.Name]
			wire := wires[i%len(wires)]
			if cqltext.TextLike(column.Type) {
				csv.WriteString(",\"" + strings.ReplaceAll(string(wire), `"`, `""`) + `"`)
			} else {
				csv.WriteString(",0x" + hex.EncodeToString(wire))
			}
		}
		csv.WriteString("\n")
	}
	path := file(t, "values.csv", csv.String())
	bodies := map[string]string{
		"": "(id int, n int, " + strings.Join(body, ", ") + ", " + primary + ")",
	}
	if kind == schema.Regular {
		bodies["_static"] = "(id int, n int, " + strings.Join(
			body,
			" static, ",
		) + " static, " + primary + ")"
	}
	for suffix, body := range bodies {
		name := v.name + suffix + "_streamed"
		table(t, name, body)
		loaded := ok(t, "load", name, path, "--via", "stream")
		require.Contains(t, loaded.report, fmt.Sprintf("%d rows", rows))
		read[name] = c.rows(t, "SELECT * FROM "+name, rows)
	}
}

// requireValuesSound has all nodes flush, compact and verify tables, and reads them again.
func requireValuesSound(t *testing.T, c *rawCQL, read map[string]string) {
	t.Helper()
	var names []string
	for name := range read {
		_, bare, _ := strings.Cut(name, ".")
		names = append(names, bare)
	}
	for _, n := range tablesOnDisk(t, "it1", names[0]) {
		administer(t, append([]string{"nodetool", n.node, "flush", "it1"}, names...)...)
		administer(t, append([]string{"nodetool", n.node, "compact", "it1"}, names...)...)
		administer(
			t,
			append(
				append([]string{"nodetool", n.node}, append(verifyFiles(t), "it1")...),
				names...)...)
	}
	for name, before := range read {
		require.True(t, before == c.rows(t, "SELECT * FROM "+name, either(40, 400)), name)
	}
}
