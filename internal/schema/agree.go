package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// kindWords are the words of messages for the kinds of columns.
var kindWords = map[Kind]string{
	PartitionKey: "a column of the partition key",
	Clustering:   "a clustering column",
	Static:       "static",
	Regular:      "a regular column",
}

// Agree checks that the table to can hold the rows of the table from as they are. Its error names
// the first difference. The table to may have more columns, but not in its key.
func Agree(from, to *Table) error {
	if from.IsCounter() || to.IsCounter() {
		return errors.New(
			"counters are not cloned: a count belongs to the nodes that counted, " +
				"and what a clone brought once more would take the place of what was counted since",
		)
	}
	for _, kind := range []Kind{PartitionKey, Clustering} {
		if a, b := len(from.OfKind(kind)), len(to.OfKind(kind)); a != b {
			what := map[Kind]string{
				PartitionKey: "partition key",
				Clustering:   "clustering",
			}[kind]
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

// sameType reports whether two types have the same values. User types may be of different
// keyspaces. The values of a type do not depend on what is frozen within it.
func sameType(a, b *cqltype.Type) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Dimension == b.Dimension &&
		a.Class == b.Class &&
		slices.Equal(a.FieldNames, b.FieldNames) &&
		slices.EqualFunc(a.Elems, b.Elems, sameType)
}

// typeText returns a type as text, with the fields of each user type.
func typeText(t *cqltype.Type) string {
	text := t.String()
	for i, e := range t.Elems {
		if t.Kind == cqltype.UDT {
			text += cmp.Or(map[bool]string{true: " ("}[i == 0], ", ")
			text += t.FieldNames[i] + " " + typeText(e)
		}
	}
	if t.Kind == cqltype.UDT && len(t.Elems) > 0 {
		text += ")"
	}
	return text
}
