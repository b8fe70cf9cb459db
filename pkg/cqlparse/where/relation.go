package where

import (
	"bytes"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// operator is a comparison operator.
type operator uint8

const (
	equal operator = iota
	unequal
	less
	lessOrEqual
	greater
	greaterOrEqual
)

// operators are the operators in CQL.
var operators = [...]string{"=", "!=", "<", "<=", ">", ">="}

func (o operator) String() string { return operators[o] }

// holds reports whether the operator holds for a result of a comparison.
func (o operator) holds(c int) bool {
	switch o {
	case equal:
		return c == 0
	case unequal:
		return c != 0
	case less:
		return c < 0
	case lessOrEqual:
		return c <= 0
	case greater:
		return c > 0
	default:
		return c >= 0
	}
}

// relation is one of the relations that AND joins. It finds its cells by their index in Columns.
type relation interface {
	holds(cells [][]byte, t token.Token) bool
}

// comparison is column op value.
type comparison struct {
	cell  int
	order *cqlorder.Order
	op    operator
	value []byte
}

func (r *comparison) holds(cells [][]byte, _ token.Token) bool {
	have := cells[r.cell]
	return have != nil && r.op.holds(r.order.Compare(have, r.value))
}

// membership is column IN (values), or column = value.
type membership struct {
	cell   int
	order  *cqlorder.Order // nil: values are equal if their bytes are
	values [][]byte        // in order, without duplicates
}

// compare compares two values by o; nil: by their bytes.
func compare(o *cqlorder.Order, a, b []byte) int {
	if o == nil {
		return bytes.Compare(a, b)
	}
	return o.Compare(a, b)
}

func (r *membership) compare(a, b []byte) int { return compare(r.order, a, b) }

func (r *membership) holds(cells [][]byte, _ token.Token) bool {
	have := cells[r.cell]
	if have == nil {
		return false
	}
	_, found := slices.BinarySearchFunc(
		r.values, have, func(value, have []byte) int { return r.compare(value, have) },
	)
	return found
}

// tuple is several columns that are compared as one.
type tuple struct {
	cells  []int
	orders []*cqlorder.Order
}

// compare compares the columns of a row with values. None of the columns may be null.
func (t *tuple) compare(cells, values [][]byte) int {
	for i, n := range t.cells {
		if c := t.orders[i].Compare(cells[n], values[i]); c != 0 {
			return c
		}
	}
	return 0
}

// null reports whether one of the columns of a row is null.
func (t *tuple) null(cells [][]byte) bool {
	for _, n := range t.cells {
		if cells[n] == nil {
			return true
		}
	}
	return false
}

// tupleComparison is (columns) op (values).
type tupleComparison struct {
	tuple
	op     operator
	values [][]byte
}

func (r *tupleComparison) holds(cells [][]byte, _ token.Token) bool {
	return !r.null(cells) && r.op.holds(r.compare(cells, r.values))
}

// tupleMembership is (columns) IN ((values), ...).
type tupleMembership struct {
	tuple
	values [][][]byte // in order
}

func (r *tupleMembership) holds(cells [][]byte, _ token.Token) bool {
	if r.null(cells) {
		return false
	}
	_, found := slices.BinarySearchFunc(
		r.values, cells, func(values, cells [][]byte) int { return -r.compare(cells, values) },
	)
	return found
}

// containment is column CONTAINS value, or CONTAINS KEY.
type containment struct {
	cell   int
	layout *cqlwire.Layout
	order  *cqlorder.Order // of the selected element type; nil: values are equal if their bytes are
	per    int             // number of elements of an entry
	which  int             // index of the selected element in its entry
	value  []byte
}

func (r *containment) holds(cells [][]byte, _ token.Token) bool {
	w := r.layout.Walk(cells[r.cell])
	for w.Next() {
		if !w.Null() && w.Index()%r.per == r.which && compare(r.order, w.Elem(), r.value) == 0 {
			return true
		}
	}
	return false
}

// entry is column[key] op value.
type entry struct {
	cell   int
	layout *cqlwire.Layout
	keys   *cqlorder.Order
	key    []byte
	values *cqlorder.Order
	op     operator
	value  []byte
}

func (r *entry) holds(cells [][]byte, _ token.Token) bool {
	w := r.layout.Walk(cells[r.cell])
	for found := false; w.Next(); {
		if w.Index()%2 == 0 {
			found = r.keys.Compare(w.Elem(), r.key) == 0
		} else if found {
			return r.op.holds(r.values.Compare(w.Elem(), r.value))
		}
	}
	return false
}

// notNull is column IS NOT NULL.
type notNull struct{ cell int }

func (r notNull) holds(cells [][]byte, _ token.Token) bool { return cells[r.cell] != nil }

// within is TOKEN(columns) op value.
type within struct {
	tokens token.Range
	none   bool // the relation holds for no token
}

func (r within) holds(_ [][]byte, t token.Token) bool { return !r.none && r.tokens.Contains(t) }
