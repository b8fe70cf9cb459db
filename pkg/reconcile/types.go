package reconcile

import (
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// wider are pairs of types: values of the first are also values of the second
// (AbstractType.isValueCompatibleWith). A column may have become the second while older files keep
// the first.
var wider = map[[2]cqltype.Kind]bool{
	{cqltype.Int, cqltype.Varint}:       true,
	{cqltype.Bigint, cqltype.Varint}:    true,
	{cqltype.Timestamp, cqltype.Bigint}: true,
	{cqltype.Bigint, cqltype.Timestamp}: true,
	{cqltype.TimeUUID, cqltype.UUID}:    true,
}

// sameOrder are those whose values have the same order too (AbstractType.isCompatibleWith).
var sameOrder = map[[2]cqltype.Kind]bool{
	{cqltype.Ascii, cqltype.Text}: true,
	{cqltype.Ascii, cqltype.Blob}: true,
	{cqltype.Text, cqltype.Blob}:  true,
}

// readable reports whether values that were written by a type can be read by another one. With
// ordered it also requires the same order, which matters in keys, sets and the keys of maps. What
// is frozen within a type changes no bytes. The fields of a user type may have been renamed, and
// others may have been added behind them.
func readable(stored, as *cqltype.Type, ordered bool) bool {
	if stored == nil || as == nil {
		return false
	}
	if stored.Kind != as.Kind {
		kinds := [2]cqltype.Kind{stored.Kind, as.Kind}
		return sameOrder[kinds] || !ordered && (wider[kinds] ||
			as.Kind == cqltype.Blob && stored.Kind.Scalar() && stored.Kind != cqltype.Counter)
	}
	added := 0
	switch as.Kind {
	case cqltype.UDT:
		if stored.Name != as.Name {
			return false
		}
		added = len(as.Elems) - len(stored.Elems)
	case cqltype.Set:
		ordered = true
	case cqltype.Map:
		return len(stored.Elems) == 2 && len(as.Elems) == 2 &&
			readable(stored.Elems[0], as.Elems[0], true) &&
			readable(stored.Elems[1], as.Elems[1], ordered)
	}
	if added < 0 || len(stored.Elems) != len(as.Elems)-added || stored.Dimension != as.Dimension ||
		stored.Class != as.Class && (ordered || as.Kind == cqltype.Custom) {
		return false
	}
	for i, e := range stored.Elems {
		if !readable(e, as.Elems[i], ordered) {
			return false
		}
	}
	return true
}
