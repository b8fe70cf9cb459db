package cqlwire

import "fmt"

// Walk goes through the elements of one value:
//
//	w := layout.Walk(wire)
//	for w.Next() {
//		use(w.Index(), w.Elem())
//	}
//	if err := w.Err(); err != nil {
//
// The elements of a map are its keys and values in turn. A loop that counts nanoseconds calls Count and ElemAt, or
// VectorElemAt, itself, and has the error from CheckShape.
type Walk struct {
	layout *Layout
	wire   []byte
	elem   []byte
	end    int // offset of what follows the element
	index  int
	limit  int // how many elements there can be
	count  int
	length int // of the element as it is written, negative for null
	fault  fault
}

// fault is what is wrong with a value.
type fault uint8

const (
	none fault = iota
	noCount
	cutOff
	nullElem
	leftOver
)

// Walk begins a walk through a value. A type without elements has none, whatever its bytes.
func (l *Layout) Walk(wire []byte) Walk {
	w := Walk{layout: l, wire: wire, index: -1, limit: l.limit}
	switch l.form {
	case scalar:
		w.end = len(wire)
	case counted:
		count, ok := Count(wire)
		if !ok {
			w.fault, w.end = noCount, len(wire)
			break
		}
		w.count, w.end = count, 4
		w.limit = max(count, 0) * len(l.elems)
	}
	return w
}

// Next goes to the next element. It returns false after the last one, and where the bytes are not those of a value.
func (w *Walk) Next() bool {
	at, form := w.end, w.layout.form
	if w.index++; w.index >= w.limit || form == fields && at == len(w.wire) {
		if w.fault == none && at < len(w.wire) {
			w.fault = leftOver
		}
		w.index--
		w.limit = 0
		return false
	}
	if form == side || form == vints {
		elem, next, ok := VectorElemAt(w.wire, at, w.layout.elems[0].fixed)
		if !ok {
			return w.fail(cutOff)
		}
		w.elem, w.end = elem, next
		return true
	}
	elem, length, next, ok := ElemAt(w.wire, at)
	w.length = length
	switch {
	case !ok:
		return w.fail(cutOff)
	case length < 0 && form == counted && !w.layout.list:
		return w.fail(nullElem)
	}
	w.elem, w.end = elem, next
	return true
}

// fail ends the walk at the element that could not be read.
func (w *Walk) fail(f fault) bool {
	w.fault, w.limit = f, 0
	return false
}

// Elem returns the element that Next went to, nil when it is null. It is a part of the value.
func (w *Walk) Elem() []byte { return w.elem }

// Null reports whether the element is null, which only one of a tuple, a UDT or a list can be. Cassandra takes
// such a list for a frozen column (CASSANDRA-6839), though no literal of CQL has one.
func (w *Walk) Null() bool { return w.length < 0 }

// Length returns the length of the element as it is written: of a null some negative number, most often -1. A vector's
// elements have no such length, and it is 0.
func (w *Walk) Length() int { return w.length }

// Index returns the number of the element, from 0. Keys and values of a map are counted alike.
func (w *Walk) Index() int { return w.index }

// Type returns the layout of the element's type.
func (w *Walk) Type() *Layout { return w.layout.of(w.index) }

// End returns the offset in the value of what follows the element; before the first one, of what follows the count.
func (w *Walk) End() int { return w.end }

// Count returns the number of elements that a list or set begins with, or of entries of a map: what the bytes say,
// which need not be true. It may be negative, and the value then has no elements. It is 0 for other types.
func (w *Walk) Count() int { return w.count }

// Whole reports, after Next returned false, whether the bytes ended with the last element. The elements' own bytes do
// not matter.
func (w *Walk) Whole() bool { return w.fault == none }

// Err returns what is wrong when the value is not whole, as "malformed list<int> value: element 3 is cut off".
func (w *Walk) Err() error {
	switch w.fault {
	case none:
		return nil
	case noCount:
		return malformed(w.layout, "%d bytes, too few for the number of elements", len(w.wire))
	case cutOff:
		return malformed(w.layout, "element %d is cut off", w.index)
	case nullElem:
		return malformed(w.layout, "element %d has the length %d", w.index, w.length)
	default:
		return malformed(w.layout, "%d bytes left over after the last element", len(w.wire)-w.end)
	}
}

func malformed(l *Layout, format string, args ...any) error {
	return fmt.Errorf("malformed %s value: %s", l.name, fmt.Sprintf(format, args...))
}

// CheckShape says why the bytes of a value do not divide into its elements, as Walk.Err does. Of the elements' own bytes
// it looks at none.
func (l *Layout) CheckShape(wire []byte) error {
	w := l.Walk(wire)
	for w.Next() {
	}
	return w.Err()
}
