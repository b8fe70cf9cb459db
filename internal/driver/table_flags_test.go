package driver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// The flags and columns are those of Cassandra 4.0 to 5.0 for such tables.
func TestColumnsOfCompactStorage(t *testing.T) {
	column := func(name string, kind schema.Kind, typ cqltype.Kind) schema.Column {
		return schema.Column{Name: name, Kind: kind, Type: &cqltype.Type{Kind: typ}}
	}
	key := column("k", schema.PartitionKey, cqltype.Int)
	clustering := column("c", schema.Clustering, cqltype.Int)
	value := column("v", schema.Regular, cqltype.Int)
	for name, tc := range map[string]struct {
		flags   tableFlags
		compact bool
		have    []schema.Column
		shown   []schema.Column
	}{
		"table": {tableFlags{"compound"}, false, []schema.Column{key, clustering, value}, []schema.Column{key, clustering, value}},
		"without clustering columns": {
			tableFlags{}, true,
			[]schema.Column{column("column1", schema.Clustering, cqltype.Text), key, column("v", schema.Static, cqltype.Int), column("value", schema.Regular, cqltype.Blob)},
			[]schema.Column{key, value},
		},
		"counters": {
			tableFlags{"counter"}, true,
			[]schema.Column{column("column1", schema.Clustering, cqltype.Text), key, column("n", schema.Static, cqltype.Counter), column("value", schema.Regular, cqltype.Counter)},
			[]schema.Column{key, column("n", schema.Regular, cqltype.Counter)},
		},
		"dense":        {tableFlags{"dense"}, true, []schema.Column{key, clustering, value}, []schema.Column{key, clustering, value}},
		"keys alone":   {tableFlags{"dense"}, true, []schema.Column{key, clustering, column("value", schema.Regular, cqltype.Empty)}, []schema.Column{key, clustering}},
		"two columns":  {tableFlags{"compound", "dense"}, true, []schema.Column{key, clustering, value}, []schema.Column{key, clustering, value}},
		"empty, after": {tableFlags{"compound"}, false, []schema.Column{key, column("value", schema.Regular, cqltype.Empty)}, []schema.Column{key, column("value", schema.Regular, cqltype.Empty)}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.compact, tc.flags.compact())
			require.Equal(t, tc.shown, tc.flags.shown(tc.have))
		})
	}
}
