package reconcile

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// Kind is the role of a column that is selected.
type Kind uint8

// The kinds.
const (
	PartitionKey Kind = iota
	Clustering
	Static
	Regular
)

// What is what is selected of a column.
type What uint8

const (
	// Value is the column's value.
	Value What = iota
	// WriteTime is the timestamp of a value, a bigint of microseconds since the epoch. Of a
	// collection or a user type that is not frozen it is a list of them, one for each element.
	WriteTime
	// TTL is in how many seconds a value expires, an int; null where it does not. Of such a column
	// it is a list, in the order of the list of timestamps.
	TTL
)

// Selector is one thing that is selected of each row.
type Selector struct {
	Kind  Kind
	Index int    // of a key column, among those of its kind
	Name  string // of a static or regular column, as it is stored
	What  What
}

// operation makes a value of the live cells of a column.
type operation uint8

const (
	simpleValue operation = iota
	counterValue
	listValue
	setValue
	mapValue
	fieldsValue
	writeTime
	timeToLive
	elementTimes
	elementTTLs
)

// keyPart is a key column that is selected.
type keyPart struct{ out, index int }

// selected is a static or regular column that is selected.
type selected struct {
	out, column int
	operation   operation
	name        string
	fields      int // of a user type
}

// selectColumn plans a selector of a static or regular column. The columns are in the order of
// [sstable.Schema.Table].
func selectColumn(sel Selector, out int, columns []sstable.Column) (selected, error) {
	i, found := findColumn(columns, sel.Name)
	if !found {
		return selected{}, fmt.Errorf("the table has no such column %.100q", sel.Name)
	}
	c := columns[i]
	s := selected{out: out, column: i, name: c.Name}
	switch complex := c.Type.MultiCell(); {
	case sel.What != Value && c.Type.Kind == cqltype.Counter:
		return s, fmt.Errorf(
			"column %.100q is a counter, which has no write time or time to live",
			c.Name,
		)
	case sel.What == WriteTime && complex:
		s.operation = elementTimes
	case sel.What == TTL && complex:
		s.operation = elementTTLs
	case sel.What == WriteTime:
		s.operation = writeTime
	case sel.What == TTL:
		s.operation = timeToLive
	case c.Type.Kind == cqltype.Counter:
		s.operation = counterValue
	case complex && c.Type.Kind == cqltype.List:
		s.operation = listValue
	case complex && c.Type.Kind == cqltype.Set:
		s.operation = setValue
	case complex && c.Type.Kind == cqltype.Map:
		s.operation = mapValue
	case complex:
		s.operation, s.fields = fieldsValue, len(c.Type.Elems)
	}
	return s, nil
}

// findColumn searches columns in the order of SSTables: by name, first those of one cell, then
// those of several. The search is binary: a table may have thousands of columns, and each range
// plans its selection.
func findColumn(columns []sstable.Column, name string) (int, bool) {
	several := sort.Search(len(columns), func(i int) bool { return columns[i].Type.MultiCell() })
	byName := func(c sstable.Column, name string) int { return strings.Compare(c.Name, name) }
	if i, found := slices.BinarySearchFunc(columns[:several], name, byName); found {
		return i, true
	}
	i, found := slices.BinarySearchFunc(columns[several:], name, byName)
	return several + i, found
}

// selectKey plans a selector of a key column.
func selectKey(sel Selector, out int, columns []sstable.Column) (keyPart, error) {
	if sel.Index < 0 || sel.Index >= len(columns) {
		return keyPart{}, fmt.Errorf(
			"key column %d, where the table has %d of its kind",
			sel.Index,
			len(columns),
		)
	}
	if sel.What != Value {
		return keyPart{}, fmt.Errorf(
			"column %.100q is of the primary key, which has no write time or time to live",
			columns[sel.Index].Name,
		)
	}
	return keyPart{out: out, index: sel.Index}, nil
}
