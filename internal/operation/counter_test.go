package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/simcluster"
)

// What a table of counters cannot have is refused, not left out without a word.
func TestOptionsThatCountersDoNotKnow(t *testing.T) {
	s := openShopOn(t, simcluster.Options{Tables: []simcluster.Table{{Name: "visits", Columns: []simcluster.Column{
		{Name: "customer", Kind: simcluster.PartitionKey, Type: "text"}, {Name: "visits", Type: "counter"},
	}}}})
	for want, set := range map[string]func(*LoadSpec){
		"--if-not-exists: shop.visits has counters": func(o *LoadSpec) { o.IfNotExists = true },
		"--ttl: shop.visits has counters":           func(o *LoadSpec) { o.TTL = 60 },
		"--nulls tombstone: shop.visits has counters": func(o *LoadSpec) {
			o.NullState, o.Given["nulls"] = nullTombstone, true
		},
		"--timestamp: shop.visits has counters": func(o *LoadSpec) { o.Timestamp = "1700000000000000" },
	} {
		spec := s.load(t, "customer,visits\nada,1\n")
		spec.TableName.Table = "visits"
		set(spec)
		_, err := PrepareLoad(t.Context(), s.env, *spec)
		require.ErrorContains(t, err, want)
	}
	spec := s.load(t, "customer,visits\nada,1\n")
	spec.TableName.Table, spec.NullState = "visits", nullTombstone // as COPY has it, where nobody asked for it
	l, err := PrepareLoad(t.Context(), s.env, *spec)
	require.NoError(t, err)
	l.Close()
}
