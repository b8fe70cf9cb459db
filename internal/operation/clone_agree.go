package operation

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// agree refuses a table that cannot hold another one's rows as they are, and a table that would be
// its own clone.
func (c *Clone) agree() error {
	from, to := c.from, c.t
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
	if err := agreeOn(from.Schema, to.Schema); err != nil {
		return fmt.Errorf("the tables do not agree: %w", err)
	}
	for _, column := range from.Schema.Columns {
		if at := droppedAt(to.Dropped, column.Name); at > droppedAt(from.Dropped, column.Name) {
			return fmt.Errorf(
				"column %q of %s was dropped at %d (microseconds since 1970), and added again: what was written before would not be seen there",
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

// sharesNodes reports whether two tables are of one cluster.
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

// droppedAt is when a column was dropped last.
func droppedAt(dropped []reconcile.Dropped, name string) int64 {
	last := int64(math.MinInt64)
	for _, d := range dropped {
		if d.Name == name {
			last = max(last, d.Time)
		}
	}
	return last
}

// kindWords are what columns are called by their kinds.
var kindWords = map[schema.Kind]string{
	schema.PartitionKey: "a column of the partition key",
	schema.Clustering:   "a clustering column",
	schema.Static:       "static",
	schema.Regular:      "a regular column",
}

// agreeOn says which column of a table another one does not have, or has otherwise. More columns
// than the first it may have, but none in the key.
func agreeOn(from, to *schema.Table) error {
	if from.IsCounter() || to.IsCounter() {
		return errors.New(
			"counters are not cloned: a count belongs to the nodes that counted, and what a clone brought once more would take the place of what was counted since",
		)
	}
	for _, kind := range []schema.Kind{schema.PartitionKey, schema.Clustering} {
		if a, b := len(from.OfKind(kind)), len(to.OfKind(kind)); a != b {
			what := map[schema.Kind]string{schema.PartitionKey: "partition key", schema.Clustering: "clustering"}[kind]
			return fmt.Errorf(
				"the %s of %s has %s, and that of %s has %d",
				what,
				from,
				human.Of(a, "column"),
				to,
				b,
			)
		}
	}
	for _, a := range from.Columns {
		b, ok := to.Column(a.Name)
		switch {
		case !ok:
			return fmt.Errorf("%s has a column %q, and %s has not", from, a.Name, to)
		case a.Kind != b.Kind:
			return fmt.Errorf(
				"column %q is %s in %s, and %s in %s",
				a.Name,
				kindWords[a.Kind],
				from,
				kindWords[b.Kind],
				to,
			)
		case a.IsKey() && a.Position != b.Position:
			return fmt.Errorf(
				"column %q has another place in the key of %s than in that of %s",
				a.Name,
				from,
				to,
			)
		case a.Desc != b.Desc:
			return fmt.Errorf(
				"column %q is in another order, ascending or descending, in %s than in %s",
				a.Name,
				from,
				to,
			)
		case !sameType(a.Type, b.Type) || !a.IsKey() && a.Type.MultiCell() != b.Type.MultiCell():
			return fmt.Errorf(
				"column %q is %s in %s, and %s in %s",
				a.Name,
				typeText(a.Type),
				from,
				typeText(b.Type),
				to,
			)
		}
	}
	return nil
}

// sameType says whether two types have the same values. User types may be of different keyspaces;
// what is frozen within a type is no matter of its values.
func sameType(a, b *cqltype.Type) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Dimension == b.Dimension &&
		a.Class == b.Class &&
		slices.Equal(a.FieldNames, b.FieldNames) &&
		slices.EqualFunc(a.Elems, b.Elems, sameType)
}

// typeText is a type with the fields of those that users defined.
func typeText(t *cqltype.Type) string {
	text := t.String()
	for i, e := range t.Elems {
		if t.Kind == cqltype.UDT {
			text += cmp.Or(
				map[bool]string{true: " ("}[i == 0],
				", ",
			) + t.FieldNames[i] + " " + typeText(
				e,
			)
		}
	}
	if t.Kind == cqltype.UDT && len(t.Elems) > 0 {
		text += ")"
	}
	return text
}
