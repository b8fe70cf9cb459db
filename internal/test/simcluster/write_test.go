package simcluster_test

import (
	"testing"

	"github.com/datastax/go-cassandra-native-protocol/message"
	"github.com/datastax/go-cassandra-native-protocol/primitive"
	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

var (
	null  = primitive.NewNullValue()
	unset = primitive.NewUnsetValue()
	of    = func(s string) *primitive.Value { return primitive.NewValue([]byte(s)) }
)

func TestCellsReconcile(t *testing.T) {
	type write struct {
		at    int64
		value *primitive.Value
	}
	for _, tc := range []struct {
		name   string
		writes []write
		want   any // nil, or the text
		stamp  int64
	}{
		{"later wins", []write{{5, of("a")}, {6, of("b")}}, "b", 6},
		{"earlier loses", []write{{6, of("b")}, {5, of("c")}}, "b", 6},
		{"larger of two", []write{{5, of("b")}, {5, of("a")}}, "b", 5},
		{"larger of two, the other way", []write{{5, of("a")}, {5, of("b")}}, "b", 5},
		{"deletion of two", []write{{5, of("z")}, {5, null}}, nil, 5},
		{"deletion of two, the other way", []write{{5, null}, {5, of("z")}}, nil, 5},
		{"deletion is overtaken", []write{{5, null}, {6, of("z")}}, "z", 6},
		{"deletion stands", []write{{7, null}, {6, of("z")}}, nil, 7},
		{"unset leaves", []write{{5, of("a")}, {6, unset}}, "a", 5},
		{"unset alone is a row", []write{{5, unset}}, nil, 0},
		{"empty is not null", []write{{5, of("")}}, "", 5},
	} {
		c := launch(t, simcluster.Options{Rows: 1})
		require.NoError(t, c.Drop("ks.t"))
		require.NoError(t, c.Create(simcluster.Table{Name: "t", Columns: []simcluster.Column{
			{Name: "k", Kind: simcluster.PartitionKey, Type: "bigint"}, {Name: "v", Type: "text"},
		}}, 0))
		cl := dial(t, c, 0)
		for _, w := range tc.writes {
			require.IsType(
				t,
				&message.VoidResult{},
				cl.run(
					"INSERT INTO ks.t (k, v) VALUES (?, ?) USING TIMESTAMP ?",
					&message.QueryOptions{
						PositionalValues: []*primitive.Value{
							primitive.NewValue(long(1)),
							w.value,
							primitive.NewValue(long(w.at)),
						},
					},
				),
				tc.name,
			)
		}
		records := c.Records("ks.t")
		require.Len(t, records, 1, tc.name)
		got := records[0].Cells[1]
		require.Equal(t, tc.stamp, got.Timestamp, tc.name)
		if tc.want == nil {
			require.Nil(t, got.Value, tc.name)
		} else {
			require.NotNil(t, got.Value, tc.name)
			require.Equal(t, tc.want, string(got.Value), tc.name)
		}
		require.Len(t, c.Applied(), len(tc.writes), tc.name)
	}
}

func TestStaticAndTTL(t *testing.T) {
	table := wide
	table.Partitions = 0
	c := launch(t, simcluster.Options{Tables: []simcluster.Table{table}})
	cl := dial(t, c, 0)
	done := &message.VoidResult{}
	require.Equal(
		t,
		done,
		cl.run(
			"INSERT INTO ks.wide (p, q, s) VALUES ('x', 1, ?) USING TIMESTAMP 4 AND TTL 60",
			nil,
			[]byte{7},
		),
	)
	require.Equal(
		t,
		[][][]byte{{[]byte("x"), short(1), nil, nil, {7}, nil, nil}},
		cl.rows("SELECT * FROM ks.wide", 1),
		"static columns alone",
	)
	require.Equal(
		t,
		[][][]byte{{short(60), long(4)}},
		cl.rows("SELECT ttl(s), writetime(s) FROM ks.wide", 1),
	)
	for _, d := range []string{"b", "a"} {
		require.Equal(
			t,
			done,
			cl.run("INSERT INTO ks.wide (p, q, c, d) VALUES ('x', 1, 2, ?)", nil, []byte(d)),
		)
	}
	require.Equal(
		t,
		[][][]byte{{{7}, []byte("a")}, {{7}, []byte("b")}},
		cl.rows("SELECT s, d FROM ks.wide", 1),
	)

	applied := c.Applied()
	require.Len(t, applied, 3)
	require.Equal(t, [][]byte{[]byte("x"), short(1)}, applied[0].Key)
	require.Empty(t, applied[0].Clustering)
	require.Equal(t, []simcluster.AppliedSet{{Column: "s", Value: []byte{7}}}, applied[0].Sets)
	require.Equal(t, 60, applied[0].TTL)
	require.Equal(t, [][]byte{short(2), []byte("b")}, applied[1].Clustering)
	require.True(t, applied[1].Acknowledged)
	require.Greater(t, applied[1].Timestamp, int64(1e15), "the server's own time")
}

func TestCounters(t *testing.T) {
	c := launch(
		t,
		simcluster.Options{Tables: []simcluster.Table{{Name: "n", Columns: []simcluster.Column{
			{
				Name: "k",
				Kind: simcluster.PartitionKey,
				Type: "bigint",
			},
			{Name: "n", Type: "counter"},
			{Name: "m", Type: "counter"},
		}}}},
	)
	cl := dial(t, c, 0)
	const update = "UPDATE ks.n SET n = n + ?, m = m + ? WHERE k = ?"
	child := func(k int64) *message.BatchChild {
		return &message.BatchChild{
			Query: update,
			Values: []*primitive.Value{
				primitive.NewValue(long(2)),
				unset,
				primitive.NewValue(long(k)),
			},
		}
	}
	batch := &message.Batch{
		Type:     primitive.BatchTypeCounter,
		Children: []*message.BatchChild{child(1), child(2)},
	}
	require.IsType(t, &message.VoidResult{}, cl.run(update, nil, long(5), long(-3), long(1)))
	require.IsType(t, &message.VoidResult{}, cl.ask(batch).Message)
	got := make(map[byte][2][]byte)
	for _, r := range c.Records("ks.n") {
		got[r.Cells[0].Value[7]] = [2][]byte{r.Cells[1].Value, r.Cells[2].Value} // m before n
	}
	require.Equal(t, map[byte][2][]byte{1: {long(-3), long(7)}, 2: {nil, long(2)}}, got)

	batch.Type = primitive.BatchTypeUnlogged
	require.IsType(t, &message.Invalid{}, cl.ask(batch).Message)
	require.IsType(t, &message.Invalid{}, cl.run(update, nil, nil, long(1), long(1)), "null")
	require.IsType(
		t,
		&message.Invalid{},
		cl.run("INSERT INTO ks.n (k, n) VALUES (1, ?)", nil, long(1)),
	)
	require.Len(t, c.Applied(), 3)
}

func TestWritesRefused(t *testing.T) {
	table := wide
	table.Partitions = 0
	c := launch(t, simcluster.Options{Tables: []simcluster.Table{table}})
	cl := dial(t, c, 0)
	for text, want := range map[string]string{
		"INSERT INTO ks.wide (p, c, d) VALUES ('x', 1, 'y')":                 "q",
		"INSERT INTO ks.wide (p, q, c) VALUES ('x', 1, 1)":                   "clustering keys are missing",
		"INSERT INTO ks.wide (p, q, b) VALUES ('x', 1, 'b')":                 "clustering keys are missing",
		"INSERT INTO ks.wide (p, q, c, d) VALUES ('x', null, 1, 'y')":        "null value in condition for column q",
		"INSERT INTO ks.wide (p, q, c, d) VALUES ('x', 1, 1)":                "does not understand",
		"INSERT INTO ks.wide (p, q, c, d) VALUES ('x', 99999999999, 1, 'y')": "no int",
		"INSERT INTO ks.wide (p, q, c, e) VALUES ('x', 1, 1, 'y')":           "column name e",
		"INSERT INTO ks.wide (p, q, c, d) VALUES ('x', 1, 1, ?)":             "bind variables",
		"INSERT INTO ks.none (p) VALUES ('x')":                               "unconfigured table none",
		"DELETE FROM ks.wide WHERE p = 'x'":                                  "does not understand",
		"UPDATE ks.wide SET b = b + 'x' WHERE p = 'x'":                       "does not update",
	} {
		answer, ok := cl.run(text, nil).(message.Error)
		require.True(t, ok, text)
		require.Contains(t, answer.GetErrorMessage(), want, text)
	}
	require.IsType(
		t,
		&message.Invalid{},
		cl.run("INSERT INTO ks.wide (p, q, c, d) VALUES ('x', ?, 1, 'y')", nil, []byte{1}),
	)
	require.Empty(t, c.Applied())
}

// A batch is refused at the first partition that cannot be written, with those before
// it sent.
func TestBatchWithAPartitionOfADeadNode(t *testing.T) {
	c := launch(t, simcluster.Options{Rows: 1, Nodes: 3, Factor: 1})
	require.NoError(t, c.Drop("ks.t"))
	require.NoError(t, c.Create(simcluster.Table{Name: "t", Columns: []simcluster.Column{
		{Name: "k", Kind: simcluster.PartitionKey, Type: "bigint"}, {Name: "v", Type: "text"},
	}}, 0))
	c.Stop(2)
	var alive, dead []int64
	for k := range int64(200) {
		if replicas := c.Replicas(token.Murmur3.Hash(long(k))); replicas[0].Node == 2 {
			dead = append(dead, k)
		} else {
			alive = append(alive, k)
		}
	}
	require.NotEmpty(t, dead)
	batch := &message.Batch{Consistency: primitive.ConsistencyLevelOne}
	for _, k := range []int64{alive[0], alive[1], dead[0], alive[2]} {
		batch.Children = append(batch.Children, &message.BatchChild{
			Query:  "INSERT INTO ks.t (k, v) VALUES (?, 'x')",
			Values: []*primitive.Value{primitive.NewValue(long(k))},
		})
	}
	require.IsType(t, &message.Unavailable{}, dial(t, c, 0).ask(batch).Message)
	applied := c.Applied()
	require.Len(t, applied, 2)
	for i, a := range applied {
		require.Equal(t, [][]byte{long(alive[i])}, a.Key)
		require.False(t, a.Acknowledged)
	}
}
