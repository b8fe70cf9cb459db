package rowsum

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// node is the plan of a type that is not its own form. Other types have a nil plan.
type node struct {
	kind cqltype.Kind
	// one for list, set and vector; key and value for map; otherwise one for each element
	elems     []*node
	plain     bool // every one of elems is nil
	dimension int  // of a vector
}

// plan returns the plan of a type. It returns nil for a type without sets and maps, and for an
// incomplete type, such as a map with one element type.
func plan(t *cqltype.Type) *node {
	if t == nil {
		return nil
	}
	n := &node{kind: t.Kind, elems: make([]*node, len(t.Elems)), dimension: t.Dimension}
	for i, e := range t.Elems {
		n.elems[i] = plan(e)
	}
	n.plain = !slices.ContainsFunc(n.elems, func(e *node) bool { return e != nil })
	deep := !n.plain
	switch t.Kind {
	case cqltype.Set:
		deep = len(t.Elems) == 1
	case cqltype.Map:
		deep = len(t.Elems) == 2
	case cqltype.List, cqltype.Vector:
		deep = deep && len(t.Elems) == 1
	case cqltype.Tuple, cqltype.UDT:
	default:
		deep = false
	}
	if !deep {
		return nil
	}
	return n
}
