package clone

import (
	"fmt"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Check refuses a table that cannot hold another one's rows as they are, and a table that would be
// its own clone. It sets the columns that the SSTables of from are merged by.
func Check(from *files.Source, to *table.Table) error {
	switch {
	case from.KnownOptions.IsView:
		return fmt.Errorf(
			"%s is a materialized view, whose rows are made of those of another table",
			from.Schema,
		)
	case from.Files.Found != nil && from.Files.Merged.Partitioner != token.Murmur3:
		return fmt.Errorf(
			"the SSTables are of %s; only Murmur3Partitioner is served",
			from.Files.Partitioner,
		)
	case from.Connected() && from.Schema.ID == to.Schema.ID && sharesNodes(from.Table, to):
		return fmt.Errorf("%s would be cloned to itself", to.Schema)
	}
	if err := schema.Agree(from.Schema, to.Schema); err != nil {
		return fmt.Errorf("the tables do not agree: %w", err)
	}
	for _, column := range from.Schema.Columns {
		if at := droppedAt(to.Dropped, column.Name); at > droppedAt(from.Dropped, column.Name) {
			return fmt.Errorf(
				"column %q of %s was dropped at %d (microseconds since 1970), and added again: "+
					"what was written before would not be seen there",
				column.Name,
				to.Schema,
				at,
			)
		}
	}
	var err error
	if from.Files.Merged, err = to.MergedTable(); err != nil {
		return err
	}
	from.Files.Merged.Dropped = goneColumns(from.Table)
	return from.Files.Agree()
}

// goneColumns returns the dropped columns of a table. A column that was not added again gets the
// time Forever, so that none of its cells is cloned. Servers show no such cell, even if it is
// younger than the drop. Cassandra 5.0.6 even fails to read an SSTable with a younger one. A column
// of that name in the clone stays empty.
func goneColumns(t *table.Table) []reconcile.Dropped {
	all := slices.Clone(t.Dropped)
	for i := range all {
		if _, again := t.Schema.Column(all[i].Name); !again {
			all[i].Time = reconcile.Forever
		}
	}
	return all
}

// sharesNodes reports whether the clusters of two tables have a node in common.
func sharesNodes(t *table.Table, other *table.Table) bool {
	for _, n := range t.Cluster.Nodes {
		for _, o := range other.Cluster.Nodes {
			if n.ID == o.ID {
				return true
			}
		}
	}
	return false
}

// droppedAt returns the time of the last drop of a column, in microseconds since 1970.
func droppedAt(dropped []reconcile.Dropped, name string) int64 {
	last := int64(math.MinInt64)
	for _, d := range dropped {
		if d.Name == name {
			last = max(last, d.Time)
		}
	}
	return last
}
