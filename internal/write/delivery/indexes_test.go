package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestIndexesOf(t *testing.T) {
	var columns []schema.Column
	for name, cql := range map[string]string{
		"k": "int", "Odd \"name": "text", "l": "list<text>", "m": "map<text, frozen<list<int>>>", "f": "frozen<set<text>>", "v": "vector<float, 2>", "t": "tuple<int, int>",
	} {
		typ, err := cqltype.Parse(cql, nil)
		require.NoError(t, err)
		columns = append(columns, schema.Column{Name: name, Kind: schema.Regular, Type: typ})
	}
	for i := range columns {
		if columns[i].Name == "k" {
			columns[i].Kind = schema.PartitionKey
		}
	}
	limits := driver.Limits{MaxTermBytes: 100, MaxFrozenTermBytes: 200, MaxVectorBytes: -1}
	const sai = "StorageAttachedIndex"
	for _, c := range []struct {
		class  string
		target string
		more   map[string]string
		want   stream.Index
	}{
		{"", "k", nil, stream.Index{Column: "k", MaxBytes: 65534}},
		{"", `"Odd ""name"`, nil, stream.Index{Column: `Odd "name`, MaxBytes: 65534}},
		{"", "keys(m)", nil, stream.Index{Column: "m", Part: stream.IndexKeys, MaxBytes: 65534}},
		{"", "entries(m)", nil, stream.Index{Column: "m", Part: stream.IndexEntries, MaxBytes: 65534}},
		{"", "full(f)", nil, stream.Index{Column: "f", MaxBytes: 65534}},
		{"sai", "values(l)", nil, stream.Index{Column: "l", MaxBytes: 100}},
		{sai, "keys(m)", nil, stream.Index{Column: "m", Part: stream.IndexKeys, MaxBytes: 100}},
		{sai, "values(m)", nil, stream.Index{Column: "m", MaxBytes: 200}},
		{sai, "entries(m)", nil, stream.Index{Column: "m", Part: stream.IndexEntries, MaxBytes: 100}},
		{"org.apache.cassandra.index.sai." + sai, "full(f)", nil, stream.Index{Column: "f", MaxBytes: 200}},
		{sai, "t", nil, stream.Index{Column: "t", MaxBytes: 200}},
		{sai, "v", nil, stream.Index{Column: "v", Vectors: true, NoZero: true}},
		{sai, "v", map[string]string{"similarity_function": "EUCLIDEAN"}, stream.Index{Column: "v", Vectors: true}},
	} {
		options := map[string]string{"target": c.target}
		for name, value := range c.more {
			options[name] = value
		}
		c.want.Name = "i"
		got := IndexesOf(
			schema.New("ks", "t", columns),
			[]driver.Index{{Name: "i", Class: c.class, Options: options}},
			limits,
		)
		require.Equal(t, []stream.Index{c.want}, got, "%s of %s", c.class, c.target)
	}
	require.Empty(t, IndexesOf(schema.New("ks", "t", columns), []driver.Index{
		{
			Name:    "sasi",
			Class:   "org.apache.cassandra.index.sasi.SASIIndex",
			Options: map[string]string{"target": "l"},
		},
		{Name: "untold"},
		{Name: "gone", Options: map[string]string{"target": "gone"}},
	}, limits))
}
