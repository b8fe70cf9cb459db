//go:build integration

package integration

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// orderEdges are values in hex of each type without elements. The first is one that the others are
// compared beside; a type that the server takes no value of no bytes for has none.
var orderEdges = map[cqltype.Kind]string{
	cqltype.Ascii: "61 -- 00 20 7f 6161 62",
	cqltype.Text:  "61 -- 00 7f c280 c3a9 efbfbd f09f9880 6161 62",
	cqltype.Blob:  "61 -- 00 0000 7f 80 ff ff00",
	cqltype.Inet: "01010101 -- 00000000 7f000001 80000000 ffffffff 00000000000000000000000000000001 fe800000000000000000000000000001" +
		" 00000000000000000000ffff7f000001",
	cqltype.Boolean:   "00 -- 01",
	cqltype.Tinyint:   "00 80 ff 01 7f",
	cqltype.Smallint:  "0000 8000 80ff ffff 0001 0100 7fff",
	cqltype.Int:       "00000000 -- 80000000 800000ff ffffffff 00000001 01000000 7fffffff",
	cqltype.Bigint:    "0000000000000000 -- 8000000000000000 ffffffffffffffff 0000000000000001 7fffffffffffffff",
	cqltype.Timestamp: "0000000000000000 -- 8000000000000000 ffffffffffffffff 0000000000000001 7fffffffffffffff",
	cqltype.Date:      "80000000 00000000 7fffffff 80000001 ffffffff",
	cqltype.Time:      "0000000000000000 0000000000000001 00004e94914effff",
	cqltype.Float:     "3f800000 -- ff800000 bf800000 80000001 80000000 00000000 00000001 7f7fffff 7f800000 7fc00000",
	cqltype.Double:    "3ff0000000000000 -- fff0000000000000 bff0000000000000 8000000000000000 0000000000000000 7fefffffffffffff 7ff0000000000000 7ff8000000000000",
	cqltype.Varint:    "01 -- 80 81 ff 00 7f 0080 00ff 0100 ff7f ff00 8000 7fffffffffffffff 008000000000000000 ff7fffffffffffffff 80000000000000000000000000",
	cqltype.Decimal: "0000000001 -- 0000000000 7fffffff00 0000000101 000000010a 0000000264 00000014056bc75e2d63100000 00000014056bc75e2d63100001 00000000ff" +
		" 00000001f6 fffffff601 7fffffff01 7fffffffff 8000000001 80000000ff 800000010a 800000007fffffffffffffffffffffffff",
	cqltype.UUID: "00000000000040000000000000000000 -- 00000000000000000000000000000000 ffffffffffff0fffffffffffffffffff" +
		" ffffffff000010000000000000000000 00000000000110008000000000000000 000000000001100000ffffffffffffff 00000000000010010000000000000000" +
		" 0000000000004000ffffffffffffffff 8000000000004fff0000000000000000 0000000000007000ffffffffffffffff 000000000000f0000000000000000000",
	cqltype.Duration: "000000 020406 010305 00009e34",
	cqltype.TimeUUID: "00000000000010000000000000000000 -- 00000000000010008080808080808080 00000000000010008080808080808000 0000000000001000ff00000000000000" +
		" 000000000000100000ffffffffffffff 00000000000010007f7f7f7f7f7f7f7f 00000001000010008080808080808080 ffffffff000010008080808080808080" +
		" ffffffffffff10008080808080808080 00000000000010018080808080808080 0000000000001fff8080808080808080",
}

// edgesOf are the values of a type that is in the map.
func edgesOf(t *testing.T, typ *cqltype.Type) (wires [][]byte) {
	t.Helper()
	for s := range strings.FieldsSeq(orderEdges[typ.Kind]) {
		wire, err := hex.DecodeString(strings.Trim(s, "-"))
		require.NoError(t, err)
		wires = append(wires, wire)
	}
	require.NotEmpty(t, wires, typ)
	return wires
}

// randomValue makes a value: a set or map in any order, and with elements more than once.
func randomValue(t *testing.T, r *rand.Rand, typ *cqltype.Type) []byte {
	some := 1 + r.IntN(5)
	var out []byte
	switch typ.Kind {
	case cqltype.List, cqltype.Set:
		out = cqlwire.AppendCount(nil, some)
		for range some {
			out = cqlwire.AppendElem(out, randomValue(t, r, typ.Elems[0]))
		}
	case cqltype.Map:
		out = cqlwire.AppendCount(nil, some)
		for range some {
			out = cqlwire.AppendElem(
				cqlwire.AppendElem(out, randomValue(t, r, typ.Elems[0])),
				randomValue(t, r, typ.Elems[1]),
			)
		}
	case cqltype.Tuple, cqltype.UDT:
		for _, e := range typ.Elems {
			if r.IntN(4) == 0 {
				out = cqlwire.AppendNull(out)
				continue
			}
			out = cqlwire.AppendElem(out, randomValue(t, r, e))
		}
	case cqltype.Vector:
		l, err := cqlwire.Plan(typ)
		require.NoError(t, err)
		for range typ.Dimension {
			mark := len(out)
			out, err = l.Close(append(l.Open(out), randomValue(t, r, typ.Elems[0])...), mark)
			require.NoError(t, err)
		}
	default:
		// A value of no bytes inside another is not for every type.
		wires := slices.DeleteFunc(
			edgesOf(t, typ),
			func(wire []byte) bool { return len(wire) == 0 },
		)
		return wires[r.IntN(len(wires))]
	}
	return out
}

// writeRows writes rows in an order by chance, each by itself: a batch of them could make the
// server warn.
func writeRows(t *testing.T, r *rand.Rand, table *schema.Table, rows []row.Row) {
	t.Helper()
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	w := session.Writer(table, table.Columns)
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(16)
	for i := range rows {
		group.Go(func() error { return w.Write(ctx, "", rows[i:i+1]) })
	}
	require.NoError(t, group.Wait())
}

const orderTypes = "ascii, text, blob, inet, boolean, tinyint, smallint, int, bigint, timestamp, date, time, float, double, varint, decimal, uuid, timeuuid, " +
	"frozen<list<decimal>>, frozen<list<float>>, frozen<list<inet>>, frozen<set<timeuuid>>, frozen<set<decimal>>, frozen<set<inet>>, frozen<map<uuid; double>>, frozen<map<decimal; tinyint>>, " +
	"frozen<tuple<tinyint; text; varint>>, frozen<order_pair>, frozen<list<frozen<set<decimal>>>>, " +
	"frozen<map<frozen<set<tinyint>>; frozen<map<boolean; frozen<list<frozen<order_pair>>>>>>>, frozen<set<frozen<tuple<tinyint; timestamp>>>>"

const orderVectors = ", vector<float; 2>, vector<varint; 2>, frozen<set<vector<int; 2>>>"

// orderColumns lists the types of orderTypes, those of version 5 if the cluster is.
func orderColumns(t *testing.T) []string {
	types := orderTypes
	if atLeast(t, 5) {
		types += orderVectors
	}
	columns := strings.Split(types, ", ")
	for i := range columns {
		columns[i] = strings.ReplaceAll(columns[i], ";", ",")
	}
	return columns
}

// In the table each type has a clustering column, and a partition where the rows differ in that
// alone.
func TestOrderOfValuesIsTheServers(t *testing.T) {
	lengthy(t)
	t.Parallel()
	exec(t, "CREATE TYPE IF NOT EXISTS it1.order_pair (a int, b frozen<set<tinyint>>)")
	for _, direction := range []string{"ASC", "DESC"} {
		r := rand.New(rand.NewPCG(1, 2))
		var body, key, order []string
		for i, typ := range orderColumns(t) {
			body = append(body, fmt.Sprintf("c%d %s", i, typ))
			key = append(key, fmt.Sprintf("c%d", i))
			order = append(order, fmt.Sprintf("c%d %s", i, direction))
		}
		name := "order_" + strings.ToLower(direction)
		table(
			t,
			"it1."+name,
			fmt.Sprintf("(k int, %s, PRIMARY KEY (k, %s)) WITH CLUSTERING ORDER BY (%s)",
				strings.Join(body, ", "), strings.Join(key, ", "), strings.Join(order, ", ")),
		)
		ordered, err := session.Table(t.Context(), "it1", name)
		require.NoError(t, err)
		columns := ordered.OfKind(schema.Clustering)

		common := []row.Cell{{}}
		values := make([][][]byte, len(columns))
		for i, c := range columns {
			require.Equal(t, direction == "DESC", c.Desc)
			if c.Type.Kind.Scalar() {
				values[i] = edgesOf(t, c.Type)
			} else {
				for range 25 {
					values[i] = append(values[i], randomValue(t, r, c.Type))
				}
			}
			common = append(common, row.Cell{State: row.Set, Bytes: values[i][0]})
		}
		var rows []row.Row
		for i := range columns {
			for _, v := range values[i] {
				cells := slices.Clone(common)
				cells[0] = row.Cell{State: row.Set, Bytes: integer(int32(i))}
				cells[1+i].Bytes = v
				rows = append(rows, row.Row{Cells: cells, Timestamp: 1})
			}
		}
		writeRows(t, r, ordered, rows)

		stored := make([][][]byte, len(columns))
		eachRow(t, ordered, func(cells [][]byte) {
			i := cqlwire.Int(cells[0])
			stored[i] = append(stored[i], slices.Clone(cells[1+i]))
		})
		for i, c := range columns {
			requireOrder(t, c, values[i], stored[i])
		}
	}
}

// requireOrder compares the clustering values of a partition with those that were written.
func requireOrder(t *testing.T, c schema.Column, written, stored [][]byte) {
	t.Helper()
	o, err := cqlorder.Plan(c.Type)
	require.NoError(t, err)
	compare := o.Compare
	if c.Desc {
		compare = func(a, b []byte) int { return o.Compare(b, a) }
	}
	var want [][]byte
	for _, v := range written {
		// For a column in descending order the server keeps what the client sent.
		if !c.Desc {
			v, err = o.AppendCanonical(nil, v)
			require.NoError(t, err)
		}
		want = append(want, v)
	}
	slices.SortFunc(want, compare)
	same := func(a, b []byte) bool { return o.Compare(a, b) == 0 }
	want = slices.CompactFunc(want, same)
	if !slices.EqualFunc(want, stored, same) {
		require.Equal(
			t,
			fmt.Sprintf("%x", want),
			fmt.Sprintf("%x", stored),
			"%s %s",
			c.Name,
			c.Type,
		)
	}
}

func TestCanonicalValuesAreTheServers(t *testing.T) {
	lengthy(t)
	t.Parallel()
	exec(t, "CREATE TYPE IF NOT EXISTS it1.order_pair (a int, b frozen<set<tinyint>>)")
	body := "(k int PRIMARY KEY, sets set<decimal>, maps map<decimal, text>, lists list<frozen<set<decimal>>>, pairs map<decimal, frozen<order_pair>>," +
		" tuples set<frozen<tuple<frozen<set<tinyint>>>>>"
	for i, typ := range orderColumns(t) {
		// The driver sends a tuple's elements one by one, so that the server sorts those.
		if strings.Contains(typ, "<") && !strings.HasPrefix(typ, "frozen<tuple") {
			body += fmt.Sprintf(", v%d %s", i, typ)
		}
	}
	table(t, "it1.order_stored", body+")")
	stored, err := session.Table(t.Context(), "it1", "order_stored")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	var rows []row.Row
	want := make(map[int64][]row.Cell)
	changed := 0
	for k := range 40 {
		written := []row.Cell{{State: row.Set, Bytes: integer(int32(k))}}
		canonical := slices.Clone(written)
		for _, c := range stored.Columns[1:] {
			value := randomValue(t, r, c.Type)
			o, err := cqlorder.Plan(c.Type)
			require.NoError(t, err)
			in, err := o.AppendCanonical(nil, value)
			require.NoError(t, err)
			if string(in) != string(value) {
				changed++
			}
			written = append(written, row.Cell{State: row.Set, Bytes: value})
			canonical = append(canonical, row.Cell{State: row.Set, Bytes: in})
		}
		rows = append(rows, row.Row{Cells: written, Timestamp: 1})
		want[int64(k)] = canonical
	}
	require.Greater(t, changed, 200)
	writeRows(t, r, stored, rows)
	found := 0
	eachRow(t, stored, func(cells [][]byte) {
		found++
		for i, c := range stored.Columns {
			require.Equal(
				t,
				hex.EncodeToString(want[cqlwire.Int(cells[0])][i].Bytes),
				hex.EncodeToString(cells[i]),
				"%s %s",
				c.Name,
				c.Type,
			)
		}
	})
	require.Equal(t, len(rows), found)
}
