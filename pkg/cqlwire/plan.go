package cqlwire

import (
	"errors"
	"fmt"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// maxDepth is the largest nesting of types, which bounds the recursion of every walk. It is twice
// cqltype.MaxDepth, because that does not count the fields of UDTs.
const maxDepth = 2 * cqltype.MaxDepth

// Layout describes how the values of a type are laid out in bytes. It may be copied.
type Layout struct {
	name  string // the type in CQL
	kind  cqltype.Kind
	form  form
	elems []*Layout // as in cqltype.Type.Elems
	list  bool
	limit int // the number of elements of a value; the largest number if form is fields
	fixed int // the number of bytes of each value inside a vector; -1: not fixed

	// frozen: the type itself is frozen<...>, which decides whether a list may contain null.
	frozen bool

	// The next fields describe types without elements.
	sizes sizes
	valid func(wire []byte) error         // nil: all bytes of these sizes are valid
	whole func(wire []byte, m mode) error // a further rule if the mode is not zero; nil: none
	// like sizes.exact: the lengths for which all bytes are valid
	plain uint32
	// emptyNull: see EmptyIsNull.
	emptyNull bool
}

// form is the arrangement of the elements in a value.
type form uint8

const (
	scalar  form = iota // no elements
	counted             // a count, then each element after its [int] length
	fields              // each element after its [int] length, negative for null
	side                // elements of one length, without lengths
	vints               // each element after its length, an unsigned vint
)

// Plan returns the layout of a type. It returns an error if the type is nil, nested too deep or
// incomplete, such as a map with one element type. It also fails if the values of a vector would
// exceed the largest length. Every type that cqltype.Parse returns can be planned, if its UDTs can.
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

// planVector checks the dimension against the largest length of a value.
func (l *Layout) planVector() error {
	if l.limit <= 0 {
		return fmt.Errorf("vector dimension %d is not positive", l.limit)
	}
	n := l.elems[0].fixed
	if n < 0 {
		return nil
	}
	if n > 0 && l.limit > maxLen/n {
		return fmt.Errorf(
			"a vector of %d elements of %d bytes is longer than a value may be", l.limit, n,
		)
	}
	l.form, l.fixed = side, n*l.limit
	return nil
}

// String returns the type in CQL.
func (l *Layout) String() string { return l.name }

// Elem returns the layout of element type i: one for list, set and vector, key and value for map. A
// tuple has one for each element, a UDT one for each field.
func (l *Layout) Elem(i int) *Layout { return l.elems[i] }

// Elems returns the number of element types.
func (l *Layout) Elems() int { return len(l.elems) }

// EmptyIsNull reports whether a server decodes a value of no bytes to null
// (TypeSerializer.deserialize).
func (l *Layout) EmptyIsNull() bool { return l.emptyNull }

// Dimension returns the number of elements of a vector.
func (l *Layout) Dimension() int { return l.limit }

// of returns the layout of element i of a value.
func (l *Layout) of(i int) *Layout {
	if l.form == fields {
		return l.elems[i]
	}
	return l.elems[i%len(l.elems)]
}
