package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// What a table of counters cannot have is refused, not left out without a word.
func TestOptionsThatCountersDoNotKnow(t *testing.T) {
	s := openShopOn(
		t,
		simcluster.Options{Tables: []simcluster.Table{{Name: "visits", Columns: []simcluster.Column{
			{
				Name: "customer",
				Kind: simcluster.PartitionKey,
				Type: "text",
			},
			{Name: "visits", Type: "counter"},
		}}}},
	)
	for want, set := range map[string]func(*spec.Load){
		"--if-not-exists: shop.visits has counters": func(o *spec.Load) { o.IfNotExists = true },
		"--ttl: shop.visits has counters":           func(o *spec.Load) { o.TTL = 60 },
		"--nulls tombstone: shop.visits has counters": func(o *spec.Load) {
			o.NullState, o.Given["nulls"] = spec.NullTombstone, true
		},
		"--timestamp: shop.visits has counters": func(o *spec.Load) { o.Timestamp = "1700000000000000" },
	} {
		settings := s.load(t, "customer,visits\nada,1\n")
		settings.TableName.Table = "visits"
		set(settings)
		_, err := PrepareLoad(t.Context(), s.env, *settings)
		require.ErrorContains(t, err, want)
	}
	settings := s.load(t, "customer,visits\nada,1\n")
	settings.TableName.Table, settings.NullState = "visits", spec.NullTombstone // as COPY has it by default
	l, err := PrepareLoad(t.Context(), s.env, *settings)
	require.NoError(t, err)
	l.Close()
}
