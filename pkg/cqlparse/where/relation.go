package where

import (
	"bytes"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// operator compares.
type operator uint8

const (
	equal operator = iota
	unequal
	less
	lessOrEqual
	greater
	greaterOrEqual
)

// operators are as they are printed.
var operators = [...]string{"=", "!=", "<", "<=", ">", ">="}

func (o operator) String() string { return operators[o] }

// holds says whether the operator holds for what compares so.
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

// relation is one of those that AND joins. Cells are told by their places.
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
	order  *cqlorder.Order // nil: values are equal that have the same bytes
	values [][]byte        // in order, none twice
}

// compare compares two values, without an order by their bytes.
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
	_, found := slices.BinarySearchFunc(r.values, have, func(value, have []byte) int { return r.compare(value, have) })
	return found
}

// tuple is some columns that are compared as one.
type tuple struct {
	cells  []int
	orders []*cqlorder.Order
}

// compare compares a row's columns with values, none of which is null.
func (t *tuple) compare(cells, values [][]byte) int {
	for i, n := range t.cells {
		if c := t.orders[i].Compare(cells[n], values[i]); c != 0 {
			return c
		}
	}
	return 0
}

// null says whether one of a row's columns is null.
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
	_, found := slices.BinarySearchFunc(r.values, cells, func(values, cells [][]byte) int { return -r.compare(cells, values) })
	return found
}

// containment is column CONTAINS value, or CONTAINS KEY.
type containment struct {
	cell   int
	layout *cqlwire.Layout
	order  *cqlorder.Order // of the elements asked for; nil: those are equal that have the same bytes
	per    int             // elements of an entry
	which  int             // of them is asked for
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
	none   bool // it holds for no token
}

func (r within) holds(_ [][]byte, t token.Token) bool { return !r.none && r.tokens.Contains(t) }
