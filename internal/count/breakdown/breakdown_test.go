package breakdown

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/count"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ofThreeNodes returns a table of a cluster whose nodes a and b are in the local data center, and
// far in another one. Their tokens, at which the vnode ranges end, are 1, 2 and 3.
func ofThreeNodes(t *testing.T, replication map[string]string) *table.Table {
	t.Helper()
	node := func(id, dc, end string) topology.Node {
		at, err := token.Murmur3.Parse(end)
		require.NoError(t, err)
		return topology.Node{
			ID:      id,
			Address: id + ".example",
			DC:      dc,
			Rack:    "r1",
			Up:      true,
			Tokens:  []token.Token{at},
		}
	}
	c := &topology.Cluster{
		Partitioner: component.Murmur3Partitioner,
		LocalDC:     "here",
		Nodes: []topology.Node{
			node("a", "here", "1"),
			node("b", "here", "2"),
			node("far", "there", "3"),
		},
	}
	p, err := plan.Make(c, replication, plan.Options{})
	require.NoError(t, err)
	return &table.Table{Cluster: c, Plan: p}
}

// The replicas of the keyspaces of these tests.
var (
	local   = map[string]string{"class": "NetworkTopologyStrategy", "here": "2"}
	remote  = map[string]string{"class": "NetworkTopologyStrategy", "there": "1"}
	unknown = map[string]string{"class": "com.example.Strategy"} // read as one range
)

// Each range counts for its first replica in the data center. A local node without rows is listed,
// and a node of another data center only if it owns rows.
func TestHosts(t *testing.T) {
	for _, c := range []struct {
		name        string
		replication map[string]string
		rows        []int64 // by vnode range
		want        []Host
	}{
		{
			"first replicas", local, []int64{5, 7, 11, 1},
			[]Host{{"a.example", 17}, {"b.example", 7}},
		},
		{
			"a node without rows", local, []int64{5, 0, 0, 0},
			[]Host{{"a.example", 5}, {"b.example", 0}},
		},
		{
			"no replica in the data center", remote, []int64{1, 2, 3, 4},
			[]Host{{"a.example", 0}, {"b.example", 0}, {"far.example", 10}},
		},
		{
			"unknown replicas", unknown, []int64{9},
			[]Host{{"a.example", 0}, {"b.example", 0}, {"", 9}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := count.Result{ByVnode: c.rows}
			require.Equal(t, c.want, Hosts(result, ofThreeNodes(t, c.replication)))
		})
	}
}

// The first range begins with the ring, and the last one ends with it. A table that is read as one
// range has no tokens.
func TestRanges(t *testing.T) {
	result := count.Result{Rows: 24, ByVnode: []int64{5, 7, 11, 1}}
	ranges := Ranges(result, ofThreeNodes(t, local))
	require.Equal(t, []Range{
		{&table.TokenRange{Start: "-9223372036854775808", End: "1"}, 5},
		{&table.TokenRange{Start: "1", End: "2"}, 7},
		{&table.TokenRange{Start: "2", End: "3"}, 11},
		{&table.TokenRange{Start: "3", End: "9223372036854775807"}, 1},
	}, ranges)
	require.Equal(t, []Range{{Rows: 24}}, Ranges(result, ofThreeNodes(t, unknown)))
}

// A key has the texts of its columns, in the order of the key and not of their names. An error
// names a value that is none of its column.
func TestPartitions(t *testing.T) {
	readings := schema.New("ks", "readings", []schema.Column{
		tabletest.Column("day", schema.PartitionKey, 1, "date"),
		tabletest.Column("sensor", schema.PartitionKey, 0, "int"),
		tabletest.Column("v", schema.Regular, 0, "text"),
	})
	key := [][]byte{{0, 0, 0, 7}, {0x80, 0, 0, 1}}
	for _, c := range []struct {
		name  string
		table *schema.Table
		key   [][]byte
		want  [][]byte
		err   string
	}{
		{"two columns", readings, key, [][]byte{[]byte("7"), []byte("1970-01-02")}, ""},
		{"bytes of another type", readings, [][]byte{{1}, key[1]}, nil, "1 bytes"},
		{"a type without a text", schema.New("ks", "t", []schema.Column{
			{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Invalid}},
		}), nil, nil, `column "k": `},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := count.Result{Partitions: []count.Partition{{Key: c.key, Rows: 3}}}
			found, err := Partitions(result, c.table)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, []Partition{{Key: c.want, Rows: 3}}, found)
		})
	}
}
