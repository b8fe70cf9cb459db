package cqlwire

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// maxDepth bounds how deep types may be nested, and with it the recursion of whatever walks them. It leaves room for
// UDTs, whose own fields cqltype.MaxDepth does not count.
const maxDepth = 2 * cqltype.MaxDepth

// Layout says how the values of a type stand in bytes. It may be copied.
type Layout struct {
	name  string // of the type
	kind  cqltype.Kind
	form  form
	elems []*Layout // as cqltype.Type.Elems
	list  bool
	limit int // how many elements a value has, or may have where form is fields
	fixed int // bytes of each value inside a vector, or -1

	// frozen: the type is frozen<...> itself, which decides whether a list may have null in it.
	frozen bool

	// Of types without elements.
	sizes sizes
	valid func(wire []byte) error         // nil: all bytes of these sizes are valid
	whole func(wire []byte, m mode) error // what else must hold in a mode that is not zero, or nil
	plain uint32                          // as sizes.exact, the lengths of which any bytes are valid
	// emptyNull: see EmptyIsNull.
	emptyNull bool
}

// form is how the elements of a value stand in it.
type form uint8

const (
	scalar  form = iota // there are none
	counted             // a count, then each after its [int] length
	fields              // each after its [int] length, negative for null
	side                // side by side, of one length
	vints               // each after its length, an unsigned vint
)

// Plan returns the layout of a type. It fails when the type is nil, nested too deep or not whole, such as a map with
// one element type, and when a vector's values would be longer than a value may be; every type that cqltype.Parse
// returns can be planned, provided its UDTs can.
func Plan(t *cqltype.Type) (*Layout, error) { return plan(t, 0) }

func plan(t *cqltype.Type, depth int) (*Layout, error) {
	if t == nil {
		return nil, errors.New("a type is missing")
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels of nesting", maxDepth)
	}
	if int(t.Kind) < len(scalars) && scalars[t.Kind] != nil {
		return scalars[t.Kind], nil
	}
	l := &Layout{name: t.String(), kind: t.Kind, frozen: t.Frozen, sizes: anySize, fixed: -1}
	if t.Kind == cqltype.Custom {
		return l, nil
	}
	for _, e := range t.Elems {
		elem, err := plan(e, depth+1)
		if err != nil {
			return nil, err
		}
		l.elems = append(l.elems, elem)
	}
	want := len(t.Elems)
	switch t.Kind {
	case cqltype.List, cqltype.Set:
		l.form, l.list, want = counted, t.Kind == cqltype.List, 1
	case cqltype.Map:
		l.form, want = counted, 2
	case cqltype.Tuple:
		l.form, l.limit = fields, want
	case cqltype.UDT:
		l.form, l.limit, want = fields, want, len(t.FieldNames)
	case cqltype.Vector:
		l.form, l.limit, want = vints, t.Dimension, 1
	default:
		return nil, fmt.Errorf("unknown kind %d", t.Kind)
	}
	if len(t.Elems) != want {
		return nil, fmt.Errorf("%s has %d element types, not %d", t.Kind, len(t.Elems), want)
	}
	if t.Kind == cqltype.Vector {
		return l, l.planVector()
	}
	return l, nil
}

// planVector checks the dimension against what one value may hold.
func (l *Layout) planVector() error {
	if l.limit <= 0 {
		return fmt.Errorf("vector dimension %d is not positive", l.limit)
	}
	n := l.elems[0].fixed
	if n < 0 {
		return nil
	}
	if n > 0 && l.limit > maxLen/n {
		return fmt.Errorf("a vector of %d elements of %d bytes is longer than a value may be", l.limit, n)
	}
	l.form, l.fixed = side, n*l.limit
	return nil
}

// String returns the type in CQL.
func (l *Layout) String() string { return l.name }

// Elem returns the layout of the type's element i: one for list, set and vector, key and value for map, one for each
// element of a tuple and each field of a UDT.
func (l *Layout) Elem(i int) *Layout { return l.elems[i] }

// Elems returns the number of layouts that Elem has.
func (l *Layout) Elems() int { return len(l.elems) }

// EmptyIsNull reports whether a server that decodes a value of no bytes makes it null
// (TypeSerializer.deserialize).
func (l *Layout) EmptyIsNull() bool { return l.emptyNull }

// Dimension returns the number of elements of a vector.
func (l *Layout) Dimension() int { return l.limit }

// of returns the layout of the element i of a value.
func (l *Layout) of(i int) *Layout {
	if l.form == fields {
		return l.elems[i]
	}
	return l.elems[i%len(l.elems)]
}
