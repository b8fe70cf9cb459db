package simcluster_test

import (
	"bytes"
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// wide is a table with everything that a partition can have.
var wide = simcluster.Table{
	Name: "wide", Partitions: 30, Rows: 4, Largest: 500, Text: 60, Nulls: 0.3,
	Columns: []simcluster.Column{
		{Name: "b", Type: "text"},
		{Name: "p", Kind: simcluster.PartitionKey, Type: "text"},
		{Name: "q", Kind: simcluster.PartitionKey, Type: "int"},
		{Name: "c", Kind: simcluster.Clustering, Type: "int", Desc: true},
		{Name: "d", Kind: simcluster.Clustering, Type: "text"},
		{Name: "s", Kind: simcluster.Static, Type: "blob"},
		{Name: "a", Type: "set<timeuuid>"},
	},
}

// values are the bytes of records, for a comparison with what a SELECT gave.
func values(records []simcluster.Record) [][][]byte {
	var all [][][]byte
	for _, r := range records {
		var row [][]byte
		for _, c := range r.Cells {
			row = append(row, c.Value)
		}
		all = append(all, row)
	}
	return all
}

func TestTableFromSeed(t *testing.T) {
	c := launch(t, simcluster.Options{Seed: 1, Tables: []simcluster.Table{wide}})
	require.Equal(t, []string{"ks.wide"}, c.Tables())
	var names []string
	for _, col := range c.Columns("ks.wide") {
		names = append(names, col.Name)
	}
	require.Equal(t, []string{"p", "q", "c", "d", "s", "a", "b"}, names, "in the order of SELECT *")

	records := c.Records("ks.wide")
	sizes := make(map[token.Token]int)
	nulls, longest := 0, 0
	for i, r := range records {
		sizes[r.Token]++
		require.Equal(
			t,
			r.Token,
			token.Murmur3.Hash(token.AppendKey(nil, r.Cells[0].Value, r.Cells[1].Value)),
		)
		if r.Cells[6].Value == nil {
			nulls++
		}
		longest = max(longest, len(r.Cells[6].Value))
		if i > 0 && records[i-1].Token == r.Token {
			before := int32(readInt(records[i-1].Cells[2].Value))
			require.GreaterOrEqual(t, before, int32(readInt(r.Cells[2].Value)), "descending")
			require.Equal(t, records[i-1].Cells[4], r.Cells[4], "static")
		} else if i > 0 {
			require.True(t, records[i-1].Token.Less(r.Token))
		}
	}
	require.Len(t, sizes, 30)
	largest := 0
	for _, n := range sizes {
		largest = max(largest, n)
	}
	require.Equal(t, 500, largest)
	require.InDelta(t, 0.3, float64(nulls)/float64(len(records)), 0.1)
	require.Greater(t, longest, 40)

	same := launch(t, simcluster.Options{Seed: 1, Tables: []simcluster.Table{wide}})
	require.Equal(t, records, same.Records("ks.wide"))
	other := launch(t, simcluster.Options{Seed: 2, Tables: []simcluster.Table{wide}})
	require.NotEqual(t, records, other.Records("ks.wide"))
	require.Empty(t, c.Rows())
	require.Nil(t, c.Records("ks.none"))
	require.Nil(t, c.Columns("none"))
}

func readInt(wire []byte) uint32 {
	return uint32(wire[0])<<24 | uint32(wire[1])<<16 | uint32(wire[2])<<8 | uint32(wire[3])
}

func TestSelect(t *testing.T) {
	c := launch(t, simcluster.Options{Seed: 3, Tables: []simcluster.Table{wide}})
	cl := dial(t, c, 0)
	records := c.Records("ks.wide")
	all := values(records)
	for _, size := range []int32{0, 1, 7, int32(len(all)), 5000} {
		require.Equal(t, all, cl.rows("SELECT * FROM ks.wide", size), "pages of %d rows", size)
	}
	require.Equal(
		t,
		[][][]byte{{long(int64(len(all)))}},
		cl.rows("SELECT count(*) FROM ks.wide", 10),
	)

	key := all[len(all)/2][:2]
	var mine [][][]byte
	for i, r := range all {
		if bytes.Equal(r[0], key[0]) && bytes.Equal(r[1], key[1]) {
			mine = append(mine, [][]byte{token.Murmur3.AppendWire(nil, records[i].Token), r[3]})
		}
	}
	require.Equal(
		t,
		mine,
		cl.rows(`SELECT token(p, q), "d" FROM ks.wide WHERE p = ? AND q = ?`, 2, key...),
	)

	var groups [][][]byte
	for i, r := range all {
		if i == 0 || records[i-1].Token != records[i].Token {
			groups = append(groups, [][]byte{r[0], r[1], long(0)})
		}
		n := groups[len(groups)-1]
		n[2] = long(int64(uint64(n[2][6])<<8|uint64(n[2][7])) + 1)
	}
	require.Equal(t, groups, cl.rows("SELECT p, q, count(*) FROM ks.wide GROUP BY p, q", 4))

	var above [][][]byte
	for _, r := range all {
		if int32(readInt(r[2])) > 5 && r[6] != nil {
			above = append(above, [][]byte{r[2], long(simcluster.SeedTimestamp), nil})
		}
	}
	require.Equal(
		t,
		above,
		cl.rows(
			"SELECT c, writetime(b), ttl(b) FROM ks.wide WHERE c > 5 AND b >= '' ALLOW FILTERING",
			11,
		),
	)
}

func TestPageBytes(t *testing.T) {
	c := launch(t, simcluster.Options{Seed: 3, PageBytes: 100, Rows: 200})
	cl := dial(t, c, 0)
	answer := cl.run(
		"SELECT k, v FROM ks.t",
		&message.QueryOptions{Consistency: primitive.ConsistencyLevelOne, PageSize: 100},
	)
	require.Less(t, len(answer.(*message.RowsResult).Data), 10)
	require.Len(t, cl.rows("SELECT k, v FROM ks.t", 100), 200)
}

func TestTablesRefused(t *testing.T) {
	key := simcluster.Column{Name: "k", Kind: simcluster.PartitionKey, Type: "bigint"}
	for name, table := range map[string]simcluster.Table{
		"no partition key": {Name: "t", Columns: []simcluster.Column{{Name: "k", Type: "bigint"}}},
		"not simulated":    {Name: "t", Columns: []simcluster.Column{key, {Name: "v", Type: "duration"}}},
		"column v":         {Name: "t", Columns: []simcluster.Column{key, {Name: "v", Type: "list<"}}},
		"unknown kind":     {Name: "t", Columns: []simcluster.Column{key, {Name: "v", Type: "int", Kind: "other"}}},
		"1 values":         {Name: "t", Columns: []simcluster.Column{key, {Name: "v", Type: "int"}}, Data: [][][]byte{{long(1)}}},
		"Expected 8":       {Name: "t", Columns: []simcluster.Column{key}, Data: [][][]byte{{short(1)}}},
		"null value":       {Name: "t", Columns: []simcluster.Column{key}, Data: [][][]byte{{nil}}},
	} {
		_, err := simcluster.Start(
			simcluster.Options{Base: simcluster.Anywhere, Tables: []simcluster.Table{table}},
		)
		require.ErrorContains(t, err, name)
	}
	one := simcluster.Table{Name: "t", Columns: []simcluster.Column{key}}
	_, err := simcluster.Start(
		simcluster.Options{Base: simcluster.Anywhere, Tables: []simcluster.Table{one, one}},
	)
	require.ErrorContains(t, err, "ks.t is there already")
}

func TestDropAndCreate(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 5})
	cl := dial(t, c, 0)
	id := cl.ask(&message.Prepare{Query: "SELECT k FROM ks.t"}).Message.(*message.PreparedResult).PreparedQueryId
	execute := func() message.Message {
		return cl.ask(
			&message.Execute{
				QueryId: id,
				Options: &message.QueryOptions{Consistency: primitive.ConsistencyLevelOne},
			},
		).Message
	}
	require.Len(t, execute().(*message.RowsResult).Data, 5)
	require.ErrorContains(t, c.Drop("ks.u"), "ks.u")
	require.NoError(t, c.Drop("ks.t"))
	require.IsType(t, &message.Unprepared{}, execute())
	require.Equal(
		t,
		"unconfigured table t",
		cl.ask(&message.Prepare{Query: "SELECT k FROM ks.t"}).Message.(*message.Invalid).ErrorMessage,
	)
	require.Empty(t, cl.rows("SELECT table_name FROM system_schema.tables", 0))
	require.NoError(t, c.Create(simcluster.Table{
		Name:       "t",
		Columns:    []simcluster.Column{{Name: "k", Kind: simcluster.PartitionKey, Type: "int"}},
		Partitions: 7,
	}, 1))
	require.Error(t, c.Create(simcluster.Table{Name: "u"}, 1))
	require.IsType(t, &message.Unprepared{}, execute())
	require.Len(t, cl.rows("SELECT k FROM ks.t", 0), 7)
	require.Equal(
		t,
		[][][]byte{{[]byte("t"), []byte("int")}},
		cl.rows("SELECT table_name, type FROM system_schema.columns", 0),
	)
}
