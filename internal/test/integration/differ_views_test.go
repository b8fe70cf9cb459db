//go:build integration

package integration

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// makeView gives some tables a view, if the servers take it, and their copies the same.
func (d *differ) makeView(t *testing.T) {
	t.Helper()
	if d.r.IntN(3) > 0 || d.counters || d.apart { // replicas of views are behind those of tables
		return
	}
	var key, others []string
	reversed := make(map[string]bool)
	for _, c := range d.table.Columns {
		switch name := cqltype.QuoteIdent(c.Name); {
		case c.IsKey():
			key = append(key, name)
			reversed[name] = c.Desc
		case c.Kind == schema.Regular:
			others = append(others, name)
		}
	}
	single := slices.DeleteFunc(d.table.OfKind(schema.Regular), func(c schema.Column) bool {
		return c.Type.MultiCell() || c.Type.Kind == cqltype.Duration
	})
	if len(single) > 0 && d.r.IntN(3) > 0 {
		name := cqltype.QuoteIdent(single[d.r.IntN(len(single))].Name)
		key = append(key, name)
		others = slices.DeleteFunc(others, func(other string) bool { return other == name })
	}
	d.r.Shuffle(len(key), func(i, j int) { key[i], key[j] = key[j], key[i] })
	// The partition key of a view must have no column that the table has in descending order. Nodes
	// of Cassandra 5.0.6 then disagree about the schema: "Partition key column mismatch".
	slices.SortStableFunc(key, func(a, b string) int {
		switch {
		case reversed[a] == reversed[b]:
			return 0
		case reversed[a]:
			return 1
		default:
			return -1
		}
	})
	some := others[:0]
	all := d.r.IntN(2) == 0
	for _, name := range others {
		if all || d.r.IntN(2) == 0 {
			some = append(some, name)
		}
	}
	partition := 1 + d.r.IntN(2)%len(key)
	if reversed[key[partition-1]] {
		partition = 1
	}
	var order []string
	for _, name := range key[partition:] {
		order = append(order, name+[]string{" ASC", " DESC"}[d.r.IntN(2)])
	}
	columns := strings.Join(slices.Concat(key, some), ", ")
	primary := append([]string{"(" + strings.Join(key[:partition], ", ") + ")"}, key[partition:]...)
	view := fmt.Sprintf("%s FROM %%s WHERE %s IS NOT NULL PRIMARY KEY (%s)",
		columns, strings.Join(key, " IS NOT NULL AND "), strings.Join(primary, ", "))
	if len(order) > 0 {
		view += " WITH CLUSTERING ORDER BY (" + strings.Join(order, ", ") + ")"
	}
	create := func(name string) string {
		return "CREATE MATERIALIZED VIEW " + name + "_view AS SELECT " + fmt.Sprintf(view, name)
	}
	if err := execOne(t.Context(), create(d.name)); err != nil {
		// The servers have no such view.
		require.Regexp(
			t,
			"materialized view|not supported for PRIMARY KEY",
			err.Error(),
			create(d.name),
		)
		return
	}
	exec(t, create(d.name+"_copy"))
	d.view = view
	d.ddl += ";\n" + create(d.name)
}

// compareView reads the view by each way.
func (d *differ) compareView(t *testing.T) {
	t.Helper()
	if d.view == "" {
		return
	}
	requireSameSoon(t, d.name+"_view", "--via", "stream", "--listen", anyPort)
	files := []string{"--via", "sstables"}
	for _, node := range tablesOnDisk(t, d.keyspace, "differ_view") { // a stream has flushed it
		files = append(files, node.folder)
	}
	requireSameSoon(t, d.name+"_view", files...)
}

// compareCopiedView compares the view of the copy with that of the table. Nodes update views after
// their tables. A load gives each row a marker, which a scan does not see. One view may have a row
// by that marker that the other one lacks, if it does not have the columns whose values keep the
// row.
func (d *differ) compareCopiedView(t *testing.T, way string) {
	t.Helper()
	if d.view == "" {
		return
	}
	want := rawRows(t, d.keyspace, "differ_view")
	var marked []string
	if strings.HasPrefix(way, "load") {
		marked = d.viewed(t)
	}
	var got []string
	require.Eventually(t, func() bool {
		got = slices.DeleteFunc(rawRows(t, d.keyspace, "differ_copy_view"), func(line string) bool {
			return !slices.Contains(want, line) && slices.Contains(marked, line)
		})
		return slices.Equal(want, got)
	}, time.Minute, 200*time.Millisecond, "the view after %s: %q, of the table: %q", way, &got, want)
}

// viewed is the rows of the table with the view's columns.
func (d *differ) viewed(t *testing.T) (lines []string) {
	t.Helper()
	view, err := session.Table(t.Context(), d.keyspace, "differ_view")
	require.NoError(t, err)
	eachRow(t, d.table, func(cells [][]byte) {
		var shown [][]byte
		for _, c := range view.Columns {
			at := slices.IndexFunc(
				d.table.Columns,
				func(of schema.Column) bool { return of.Name == c.Name },
			)
			shown = append(shown, cells[at])
		}
		lines = append(lines, rawLine(view, shown))
	})
	return lines
}
