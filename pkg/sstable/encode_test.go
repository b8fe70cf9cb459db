package sstable

import (
	"bytes"
	"testing"

	"github.com/cqlbulk/cqlbulk/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// column makes a column of a type in CQL.
func column(t testing.TB, name, typ string) Column {
	t.Helper()
	parsed, err := cqltype.Parse(typ, testUDT)
	require.NoError(t, err)
	return Column{Name: name, Type: parsed}
}

// testUDT knows the one user type of the tests, two.
func testUDT(string) (*cqltype.Type, error) {
	return &cqltype.Type{
		Kind: cqltype.UDT, Keyspace: "ks", Name: "two", FieldNames: []string{"a", "b"},
		Elems: []*cqltype.Type{{Kind: cqltype.Int}, {Kind: cqltype.Text}},
	}, nil
}

// mustCodec plans a table.
func mustCodec(t testing.TB, table *Table, v component.Version, m Minima) *Codec {
	t.Helper()
	s, err := Plan(table)
	require.NoError(t, err)
	c, err := NewCodec(s, v, m)
	require.NoError(t, err)
	return c
}

// small is the table of TestTwoRows: k int, c int, v text.
func small(t testing.TB, v component.Version) *Codec {
	return mustCodec(t, &Table{
		Key: []Column{column(t, "k", "int")}, Clustering: []Column{column(t, "c", "int")},
		Regulars: []Column{column(t, "v", "text")},
	}, v, Minima{Timestamp: 1700000000000000, Time: EpochTime})
}

// TestTwoRows has the bytes that sstabledump of Cassandra 5.0.6 reads as these two rows.
func TestTwoRows(t *testing.T) {
	for v, deletion := range map[component.Version]string{
		component.MC: "7fffffff 8000000000000000",
		component.NB: "7fffffff 8000000000000000",
		component.OA: "80",
	} {
		c := small(t, v)
		var out bytes.Buffer
		w, err := NewPartitionWriter(c, &out, nil)
		require.NoError(t, err)
		require.NoError(t, w.Begin(token.AppendKey(nil, []byte{0, 0, 0, 1}), Deletion{}))
		stamp := c.Minima().Timestamp
		encoded, err := c.AppendRow(nil, &Row{
			Clustering: [][]byte{{0, 0, 0, 2}}, Liveness: Liveness{Set: true, Timestamp: stamp},
			Cells: []Cell{{Timestamp: stamp, Value: []byte("hi")}},
		})
		require.NoError(t, err)
		require.NoError(t, w.Row(encoded))
		encoded, err = c.AppendRow(nil, &Row{
			Clustering: [][]byte{
				{0, 0, 0, 3},
			},
			Liveness: Liveness{Set: true, Timestamp: stamp + 1000},
		})
		require.NoError(t, err)
		require.NoError(t, w.Row(encoded))
		require.NoError(t, w.End())
		require.NoError(t, w.Flush())
		header := testkit.Unhex(t, "0004 00000001 "+deletion)
		rows := testkit.Unhex(t, "24 00 00000002 06 12 00 08 02 6869 04 00 00000003 04 0d 83e8 01 01")
		rows[7] = byte(len(header))
		require.Equal(t, append(header, rows...), out.Bytes())
		require.Equal(t, int64(out.Len()), w.Position())
	}
}

func TestHeader(t *testing.T) {
	const p = "6f72672e6170616368652e63617373616e6472612e64622e6d61727368616c2e" // org.apache.cassandra.db.marshal.
	want := testkit.Unhex(
		t,
		"fce9d96a43c000 00 00 29"+p+"496e7433325479706501 29"+p+"496e74333254797065 00 01 01 76 28"+p+"5554463854797065",
	)
	require.Equal(t, want, small(t, component.NB).AppendHeader(nil))
}
