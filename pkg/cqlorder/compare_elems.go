package cqlorder

import (
	"bytes"
	"cmp"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// state is the result of a walk at the place of an element. If two walks were equal so far, the
// values are ordered by state: the shorter value first, null before other fields, malformed bytes
// last.
type state uint8

const (
	absent  state = iota // the end of a list, set or map; a null field
	present              // an element
	cut                  // malformed bytes
)

// verdict compares two walks at a place where at least one has no element. The result decided is
// false if neither has an element and neither is malformed.
func verdict(stateA, stateB state, restA, restB []byte) (c int, decided bool) {
	switch {
	case stateA != stateB:
		return cmp.Compare(stateA, stateB), true
	case stateA == cut:
		return bytes.Compare(restA, restB), true
	default:
		return 0, false
	}
}

// counted is a walk over a list, set or map.
type counted struct {
	wire []byte
	pos  int
	left int64 // the number of remaining elements, according to the count
}

// count starts a walk over a value and returns its count. ok is false if the value is too short for
// a count.
func count(wire []byte, per int) (w counted, n int, ok bool) {
	n, ok = cqlwire.Count(wire)
	return counted{wire, 4, int64(max(n, 0)) * int64(per)}, n, ok
}

func (w *counted) next() ([]byte, state) {
	if w.left == 0 {
		return nil, absent
	}
	elem, length, next, ok := cqlwire.ElemAt(w.wire, w.pos)
	if !ok || length < 0 {
		return nil, cut
	}
	w.left--
	w.pos = next
	return elem, present
}

func (o *Order) compareCounted(a, b []byte) int {
	walkA, countA, okA := count(a, len(o.elems))
	walkB, countB, okB := count(b, len(o.elems))
	if !okA || !okB {
		return compareMalformed(a, b, !okA, !okB)
	}
	for i := 0; ; i++ {
		elemA, stateA := walkA.next()
		elemB, stateB := walkB.next()
		if stateA == present && stateB == present {
			if c := o.elems[i%len(o.elems)].Compare(elemA, elemB); c != 0 {
				return c
			}
			continue
		}
		if c, decided := verdict(stateA, stateB, a[walkA.pos:], b[walkB.pos:]); decided {
			return c
		}
		return cmp.Compare(countA, countB)
	}
}

// field returns the field of a tuple or UDT at wire[pos:].
func field(wire []byte, pos int) (elem []byte, next int, s state) {
	if pos == len(wire) {
		return nil, pos, absent
	}
	elem, length, next, ok := cqlwire.ElemAt(wire, pos)
	switch {
	case !ok:
		return nil, pos, cut
	case length < 0:
		return nil, next, absent
	default:
		return elem, next, present
	}
}

func (o *Order) compareFields(a, b []byte) int {
	posA, posB := 0, 0
	for _, of := range o.elems {
		elemA, nextA, stateA := field(a, posA)
		elemB, nextB, stateB := field(b, posB)
		if stateA == present && stateB == present {
			if c := of.Compare(elemA, elemB); c != 0 {
				return c
			}
		} else if c, decided := verdict(stateA, stateB, a[posA:], b[posB:]); decided {
			return c
		}
		posA, posB = nextA, nextB
	}
	return 0
}

func (o *Order) compareVector(a, b []byte) int {
	fixed := o.layout.Elem(0).FixedLen()
	if fixed == 0 {
		return 0
	}
	of := o.elems[0]
	posA, posB := 0, 0
	for range o.layout.Dimension() {
		elemA, nextA, okA := cqlwire.VectorElemAt(a, posA, fixed)
		elemB, nextB, okB := cqlwire.VectorElemAt(b, posB, fixed)
		if !okA || !okB {
			return compareMalformed(a[posA:], b[posB:], !okA, !okB)
		}
		if c := of.Compare(elemA, elemB); c != 0 {
			return c
		}
		posA, posB = nextA, nextB
	}
	return 0
}
