package ingest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// A scan repeats a static list in each row of its partition. Written back with one write time, a
// list keeps the elements of all of them: this is refused, and nothing else.
func TestStaticListsWithOneWriteTime(t *testing.T) {
	const stamp = int64(1)
	list := func(text string) schema.Column {
		typed, err := cqltype.Parse(text, nil)
		require.NoError(t, err)
		return schema.Column{Name: "s", Kind: schema.Static, Type: typed}
	}
	key := schema.Column{Name: "p", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Int}}
	row := schema.Column{Name: "c", Kind: schema.Clustering, Type: &cqltype.Type{Kind: cqltype.Int}}
	for name, tc := range map[string]struct {
		columns []schema.Column
		stamped bool
		refused bool
	}{
		"beside rows":           {[]schema.Column{key, row, list("list<int>")}, true, true},
		"at their places":       {[]schema.Column{key, row, list("list<int>")}, false, false},
		"by itself":             {[]schema.Column{key, list("list<int>")}, true, false},
		"frozen":                {[]schema.Column{key, row, list("frozen<list<int>>")}, true, false},
		"a set, which is alike": {[]schema.Column{key, row, list("set<int>")}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			all := []schema.Column{key, row, tc.columns[len(tc.columns)-1]}
			m, err := NewMapping(schema.New("ks", "t", all), tc.columns, Fields{})
			require.NoError(t, err)
			var timestamp *int64
			if tc.stamped {
				timestamp = new(stamp)
			}
			err = m.refuseRepeatedLists(timestamp)
			if !tc.refused {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, `static list "s" would get its elements once for each row`)
		})
	}
}
