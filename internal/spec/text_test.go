package spec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

func TestColumnOrder(t *testing.T) {
	column := func(name string, kind schema.Kind, position int) schema.Column {
		return schema.Column{
			Name:     name,
			Kind:     kind,
			Position: position,
			Type:     &cqltype.Type{Kind: cqltype.Int},
		}
	}
	table := schema.New("ks", "t", []schema.Column{
		column(
			"z",
			schema.PartitionKey,
			0,
		),
		column("y", schema.PartitionKey, 1),
		column("x", schema.Clustering, 0),
		column(
			"s",
			schema.Static,
			0,
		),
		column("b", schema.Static, 0),
		column("c", schema.Regular, 0),
		column("a", schema.Regular, 0),
		column("T", schema.Regular, 0),
	})
	for order, want := range map[string][]string{
		"": nil, "table": {"z", "y", "x", "b", "s", "T", "a", "c"}, "cqlsh": {"z", "y", "x", "T", "a", "b", "c", "s"},
	} {
		o := Text{ColumnOrder: order}
		require.NoError(t, o.CheckOrder())
		o.OrderColumns(table)
		require.Equal(t, want, o.Columns)
		named := Text{ColumnOrder: order, Columns: []string{"z"}}
		named.OrderColumns(table)
		require.Equal(t, []string{"z"}, named.Columns)
	}
	require.Equal(t, "z", table.Columns[0].Name)
	require.EqualError(
		t,
		(&Text{ColumnOrder: "name"}).CheckOrder(),
		`--column-order "name": must be table or cqlsh`,
	)
}
