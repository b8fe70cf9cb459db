// Package tabletest has tables and columns for tests.
package tabletest

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Column returns a column of a CQL type. It panics if the type is wrong or has user types.
func Column(name string, kind schema.Kind, position int, cql string) schema.Column {
	t, err := cqltype.Parse(
		cql,
		func(string) (*cqltype.Type, error) { return nil, errors.New("no user types") },
	)
	if err != nil {
		panic(err)
	}
	return schema.Column{Name: name, Kind: kind, Position: position, Type: t}
}

// Selector returns a selected regular column of a CQL type. It panics as Column does.
func Selector(name, cql string) schema.Selector {
	c := Column(name, schema.Regular, 0, cql)
	return schema.Selector{Name: name, CQL: name, Type: c.Type, Column: c, Plain: true}
}

// Selectors returns selected columns a, b, c and so on of these types.
func Selectors(types ...string) []schema.Selector {
	var columns []schema.Selector
	for i, cql := range types {
		columns = append(columns, Selector(string(rune('a'+i)), cql))
	}
	return columns
}

// Tables of a few columns.
var (
	Events = schema.New("demo", "events", []schema.Column{
		Column("k", schema.PartitionKey, 0, "int"),
		Column("c", schema.Clustering, 0, "int"),
		Column(
			"id",
			schema.Regular,
			0,
			"int",
		),
		Column("v", schema.Regular, 0, "text"),
		Column("l", schema.Regular, 0, "list<int>"),
	})
	Names = schema.New("demo", "names", []schema.Column{
		Column(
			"k",
			schema.PartitionKey,
			0,
			"text",
		),
		Column("v", schema.Regular, 0, "text"),
		Column("n", schema.Regular, 0, "int"),
	})
	Hits = schema.New("demo", "hits", []schema.Column{
		Column("id", schema.PartitionKey, 0, "int"), Column("n", schema.Regular, 0, "counter"),
	})
	Sensors = schema.New("demo", "sensors", []schema.Column{
		Column("a", schema.PartitionKey, 0, "text"), Column("b", schema.PartitionKey, 1, "text"),
		Column("c", schema.Clustering, 0, "int"), Column("d", schema.Clustering, 1, "int"),
		Column("s", schema.Static, 0, "text"), Column("v", schema.Regular, 0, "text"),
	})
)
