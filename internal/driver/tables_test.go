package driver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestTableTellsTheClusteringOrder(t *testing.T) {
	_, s := simulate(
		t,
		simcluster.Options{
			Tables: []simcluster.Table{{Name: "ordered", Columns: []simcluster.Column{
				{Name: "k", Kind: simcluster.PartitionKey, Type: "text"},
				{Name: "c1", Kind: simcluster.Clustering, Type: "int", Desc: true},
				{Name: "c2", Kind: simcluster.Clustering, Type: "int"},
				{Name: "s", Kind: simcluster.Static, Type: "int"},
				{Name: "v", Type: "int"},
			}}},
		},
	)
	table, err := s.Table(t.Context(), "ks", "ordered")
	require.NoError(t, err)
	number := &cqltype.Type{Kind: cqltype.Int}
	require.Equal(t, []schema.Column{
		{Name: "k", Kind: schema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Text}},
		{Name: "c1", Kind: schema.Clustering, Type: number, Desc: true},
		{Name: "c2", Kind: schema.Clustering, Position: 1, Type: number},
		{Name: "s", Kind: schema.Static, Position: -1, Type: number},
		{Name: "v", Kind: schema.Regular, Position: -1, Type: number},
	}, table.Columns)
}
