package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// A load into a materialized view is refused before a row is read, whichever way rows would go.
func TestLoadOfAViewIsRefused(t *testing.T) {
	columns := []simcluster.Column{
		{
			Name: "pieces",
			Kind: simcluster.PartitionKey,
			Type: "int",
		},
		{Name: "customer", Kind: simcluster.Clustering, Type: "text"},
		{Name: "number", Kind: simcluster.Clustering, Type: "int"},
	}
	s := openShopOn(
		t,
		simcluster.Options{
			Cores:  1,
			Tables: []simcluster.Table{{Name: "by_pieces", View: "orders", Columns: columns}},
		},
	)
	for _, via := range []string{spec.ViaCQL, spec.ViaStream, spec.ViaFiles} {
		settings := s.load(t, "customer,number,pieces\nann,1,3\n")
		settings.Via, settings.Table, settings.Dir = via, "by_pieces", ""
		if via == spec.ViaFiles {
			settings.Dir = "out"
		}
		_, err := PrepareLoad(t.Context(), s.env, *settings)
		require.EqualError(
			t,
			err,
			"shop.by_pieces is a materialized view, which takes no rows: load its base table, shop.orders",
		)
		require.NoDirExists(t, "run")
		require.NoDirExists(t, "out")
	}
}
