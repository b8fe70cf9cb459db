//go:build integration

package integration

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// rawRows reads a whole table with the driver and gives the raw bytes of every
// cell, as text: one line a row, sorted.
func rawRows(t *testing.T, keyspace, name string) []string {
	t.Helper()
	table, err := session.Table(t.Context(), keyspace, name)
	require.NoError(t, err)
	var rows []string
	eachRow(t, table, func(cells [][]byte) { rows = append(rows, rawLine(table, cells)) })
	slices.Sort(rows)
	return rows
}

// rawLine is the raw bytes of the cells of a row, as text.
func rawLine(table *schema.Table, cells [][]byte) string {
	var line bytes.Buffer
	for i, c := range cells {
		value := "null"
		if c != nil {
			value = "0x" + hex.EncodeToString(c)
		}
		fmt.Fprintf(&line, "%s=%s ", table.Columns[i].Name, value)
	}
	return line.String()
}

// eachRow calls f for each row of a table, read as one range, page by page.
func eachRow(t *testing.T, table *schema.Table, f func(cells [][]byte)) {
	t.Helper()
	reader := session.Reader(table, allColumns(t, table), token.Murmur3)
	var state []byte
	for {
		page, err := reader.Page(t.Context(), "", token.Whole(token.Murmur3), state, 100)
		require.NoError(t, err)
		for page.Next() {
			f(page.Cells())
		}
		require.NoError(t, page.Err())
		state = page.State()
		page.Close()
		if len(state) == 0 {
			return
		}
	}
}

// allColumns is the query of all columns of a table.
func allColumns(t *testing.T, table *schema.Table) driver.Query {
	t.Helper()
	all, err := table.Selectors(nil)
	require.NoError(t, err)
	return driver.Columns(all)
}
