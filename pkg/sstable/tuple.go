package sstable

import (
	"errors"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// tuplePlan is how the elements of a tuple are stored that was written as a literal: each is a value of its own, and a
// set or a map among them is sorted (Tuples.Literal). A tuple that is bound as a whole the server keeps as it is.
type tuplePlan struct {
	elems []tupleElem
}

type tupleElem struct {
	order *cqlorder.Order
	tuple *tuplePlan // of an element that is a tuple itself
}

// planTuple plans a tuple. It returns nil when no value changes.
func planTuple(t *cqltype.Type) (*tuplePlan, error) {
	p := &tuplePlan{}
	changes := false
	for _, e := range t.Elems {
		elem := tupleElem{}
		var err error
		if e.Kind == cqltype.Tuple {
			elem.tuple, err = planTuple(e)
		}
		if err == nil {
			elem.order, err = cqlorder.Plan(e)
		}
		if err != nil {
			return nil, err
		}
		changes = changes || elem.tuple != nil || !elem.order.Canonical()
		p.elems = append(p.elems, elem)
	}
	if !changes {
		return nil, nil
	}
	return p, nil
}

// errTuple says that the bytes of a tuple do not divide into its elements.
var errTuple = errors.New("malformed tuple value")

// append appends a value as it is stored.
func (p *tuplePlan) append(dst, wire []byte) ([]byte, error) {
	pos := 0
	for i := range p.elems {
		if pos == len(wire) {
			return dst, nil // the last ones may be missing
		}
		elem, _, next, ok := cqlwire.ElemAt(wire, pos)
		if !ok {
			return dst, errTuple
		}
		pos = next
		if elem == nil {
			dst = cqlwire.AppendNull(dst)
			continue
		}
		mark := len(dst)
		dst = cqlwire.OpenElem(dst)
		var err error
		if tuple := p.elems[i].tuple; tuple != nil {
			dst, err = tuple.append(dst, elem)
		} else {
			dst, err = p.elems[i].order.AppendCanonical(dst, elem)
		}
		if err != nil {
			return dst, err
		}
		if err := cqlwire.CloseElem(dst, mark); err != nil {
			return dst, err
		}
	}
	if pos < len(wire) {
		return dst, errTuple
	}
	return dst, nil
}
