package cqlwire

import "fmt"

// Walk iterates over the elements of one value:
//
//	w := layout.Walk(wire)
//	for w.Next() {
//		use(w.Index(), w.Elem())
//	}
//	if err := w.Err(); err != nil {
//
// The elements of a map are its keys and values in turn. A loop where each nanosecond matters can
// call Count and ElemAt or VectorElemAt directly, and get the error from CheckShape.
type Walk struct {
	layout *Layout
	wire   []byte
	elem   []byte
	end    int // offset after the element
	index  int
	limit  int // the largest number of elements
	count  int
	length int // length of the element as written, negative for null
	fault  fault
}

// fault is the kind of error in a value.
type fault uint8

const (
	none fault = iota
	noCount
	cutOff
	nullElem
	leftOver
)

// Walk starts an iteration over the elements of a value. A type without elements has none, whatever
// the bytes.
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

// Next advances to the next element. It returns false after the last element, and if the value is
// malformed.
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

// fail ends the walk at an element that cannot be read.
func (w *Walk) fail(f fault) bool {
	w.fault, w.limit = f, 0
	return false
}

// Elem returns the current element, nil if it is null. It is a slice of the value.
func (w *Walk) Elem() []byte { return w.elem }

// Null reports whether the element is null. Only an element of a tuple, a UDT or a list can be.
// Cassandra accepts such a list for a frozen column (CASSANDRA-6839), but no CQL literal can
// express it.
func (w *Walk) Null() bool { return w.length < 0 }

// Length returns the length of the element as written. For a null it is negative, usually -1. For
// an element of a vector it is 0.
func (w *Walk) Length() int { return w.length }

// Index returns the number of the element, from 0. In a map, keys and values each count.
func (w *Walk) Index() int { return w.index }

// Type returns the layout of the element's type.
func (w *Walk) Type() *Layout { return w.layout.of(w.index) }

// End returns the offset in the value after the element; before the first element, the offset after
// the count.
func (w *Walk) End() int { return w.end }

// Count returns the number of elements of a list or set, or of entries of a map, as written in the
// value. The number may be wrong. If it is negative, the value has no elements. For other types it
// is 0.
func (w *Walk) Count() int { return w.count }

// Whole reports whether the bytes ended with the last element. It is valid after Next returned
// false, and does not depend on the bytes of the elements.
func (w *Walk) Whole() bool { return w.fault == none }

// Err returns the fault of a malformed value, such as "malformed list<int> value: element 3 is cut
// off".
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

// CheckShape returns an error if the value does not divide into its elements, as Walk.Err does. It
// does not check the bytes of the elements.
func (l *Layout) CheckShape(wire []byte) error {
	w := l.Walk(wire)
	for w.Next() {
	}
	return w.Err()
}
