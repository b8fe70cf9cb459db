package where

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// types is a table with a column of each type. Each column has the name of its type.
const types = `CREATE TYPE two (a int, "B" text, "true" frozen<set<int>>);
CREATE TABLE types (k int, kt text, c int, ct text, cd date, st text static,
	"Day" int, ascii ascii, bigint bigint, blob blob, boolean boolean, counter counter,
	date date, decimal decimal, double double, duration duration, float float, inet inet,
	int int, smallint smallint, text text, time time, timestamp timestamp, timeuuid timeuuid,
	tinyint tinyint, uuid uuid, varint varint, list list<text>, set set<int>, map map<text, int>,
	flist frozen<list<int>>, fset frozen<set<text>>, fmap frozen<map<int, text>>,
	tuple tuple<int, text>, udt two, fudt frozen<two>, vector vector<float, 2>,
	words vector<text, 2>, deep frozen<map<int, list<set<decimal>>>>,
	durations frozen<list<duration>>, custom 'org.example.T', waits map<int, duration>,
	amounts frozen<list<decimal>>, prices list<decimal>, rates frozen<map<decimal, decimal>>,
	PRIMARY KEY ((k, kt), c, ct, cd)) WITH CLUSTERING ORDER BY (c DESC)`

// tableOf returns the first table of some statements.
func tableOf(t testing.TB, statements string) Table {
	t.Helper()
	s, err := schema.Parse(statements, "ks")
	require.NoError(t, err)
	return Table{Columns: s.Tables[0].Columns, Partitioner: token.Murmur3}
}

// bytesOf returns the bytes of a value in the text of package cqltext; nil for the word null.
func bytesOf(t testing.TB, table Table, column, text string) []byte {
	t.Helper()
	if text == "null" {
		return nil
	}
	for _, c := range table.Columns {
		if c.Name == column {
			codec, err := cqltext.Plan(c.Type)
			require.NoError(t, err)
			wire, err := codec.AppendWire([]byte{}, []byte(text))
			require.NoError(t, err, "%s %s", column, text)
			return wire
		}
	}
	require.Fail(t, "no such column", column)
	return nil
}

// row is the values of a row by column, in the text of package cqltext. Missing values are null.
type row map[string]string

// cells returns the cells that a condition needs.
func (r row) cells(t testing.TB, table Table, c *Condition) [][]byte {
	t.Helper()
	cells := make([][]byte, len(c.Columns()))
	for i, name := range c.Columns() {
		if text, there := r[name]; there {
			cells[i] = bytesOf(t, table, name, text)
		}
	}
	return cells
}

func mustParse(t testing.TB, text string, table Table) *Condition {
	t.Helper()
	c, err := Parse(text, table)
	require.NoError(t, err, text)
	reparsed, err := Parse(c.String(), table)
	require.NoError(t, err, c.String())
	require.Equal(t, c, reparsed, "printed and read again: %s", text)
	return c
}
