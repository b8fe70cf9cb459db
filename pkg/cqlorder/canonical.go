package cqlorder

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Canonical reports whether AppendCanonical changes no value of the type: it may when it is a list, set, map or UDT.
func (o *Order) Canonical() bool {
	return o.form == vector || o.form == inet || o.plain && o.form != list && !o.udt
}

// AppendCanonical appends a value as the server stores what a client sends, and returns the extended buffer. dst and
// wire must not overlap. The error says why the bytes of a list, set or map do not divide into elements, as
// cqlwire.Layout.CheckShape does; the elements' own bytes are not checked, unless they are sorted too. dst may then have
// grown.
func (o *Order) AppendCanonical(dst, wire []byte) ([]byte, error) {
	if o.Canonical() || o.unchanged(wire) {
		return append(dst, wire...), nil
	}
	if len(wire) > math.MaxInt32 {
		return dst, cqlwire.ErrTooLong
	}
	s := scratchPool.Get().(*scratch)
	defer s.release()
	return o.appendCanonical(dst, wire, s, 0, true)
}

// appendCanonical appends one value; outermost says that it is not part of another. depth is the number of sets and
// maps around it.
func (o *Order) appendCanonical(dst, wire []byte, s *scratch, depth int, outermost bool) ([]byte, error) {
	switch {
	case len(wire) == 0:
		return dst, nil
	case o.udt && outermost:
		return o.appendFields(dst, wire)
	case o.plain && (o.form != list || !outermost):
		return append(dst, wire...), nil
	}
	if o.form == inet {
		if len(wire) == 16 {
			wire = bytes.TrimPrefix(wire, mapped)
		}
		return append(dst, wire...), nil
	}
	if o.form == list || o.form == vector {
		return o.appendElems(dst, wire, s, depth, outermost)
	}
	if o.elemsPlain() {
		sorted, err := o.sorted(wire)
		if err != nil {
			return dst, err
		}
		if sorted {
			return append(dst, wire...), nil
		}
	}
	l := s.level(depth)
	base, err := o.collect(l, wire, s, depth)
	if err != nil {
		return dst, err
	}
	o.sort(l, base)
	return o.appendSorted(dst, l, base, outermost), nil
}

// mapped are the first 12 bytes of an IPv4 address written as one of IPv6, which java.net.InetAddress takes for the
// former.
var mapped = []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}

// elemsPlain reports whether the elements stay as they are.
func (o *Order) elemsPlain() bool {
	for _, e := range o.elems {
		if !e.plain {
			return false
		}
	}
	return true
}

// unchanged reports whether a list or UDT, outside of others, surely stays as it is: it has none of the lengths that
// are changed, and no elements that are.
func (o *Order) unchanged(wire []byte) bool {
	if !o.plain {
		return false
	}
	w := o.layout.Walk(wire)
	for w.Next() {
		if w.Length() < -1 || w.Length() == 0 && o.form == list && o.elems[0].layout.EmptyIsNull() {
			return false
		}
	}
	return w.Whole() && w.Count() >= 0
}

// appendFields appends a UDT that is not part of another value. The server takes it apart, and null then has one
// length (cql3.UserTypes.Value).
func (o *Order) appendFields(dst, wire []byte) ([]byte, error) {
	w := o.layout.Walk(wire)
	for w.Next() {
		dst = cqlwire.AppendElem(dst, w.Elem())
	}
	return dst, w.Err()
}

// appendElems appends a list or vector, whose elements stay where they are. In a list that is not part of another value
// an element that is null stays so, and one becomes null that the server reads as null.
func (o *Order) appendElems(dst, wire []byte, s *scratch, depth int, outermost bool) ([]byte, error) {
	w := o.layout.Walk(wire)
	if o.form == list {
		dst = cqlwire.AppendCount(dst, max(w.Count(), 0))
	}
	for w.Next() {
		if w.Null() || outermost && o.form == list && len(w.Elem()) == 0 && o.elems[0].layout.EmptyIsNull() {
			dst = cqlwire.AppendNull(dst)
			continue
		}
		mark := len(dst)
		out, err := o.elems[0].appendCanonical(o.layout.Open(dst), w.Elem(), s, depth, false)
		if err != nil {
			return dst, err
		}
		if dst, err = o.layout.Close(out, mark); err != nil {
			return dst, err
		}
	}
	return dst, w.Err()
}

// sorted reports whether the elements of a set, or the keys of a map, are in order, none twice.
func (o *Order) sorted(wire []byte) (bool, error) {
	w := o.layout.Walk(wire)
	if w.Count() < 0 {
		return false, w.Err()
	}
	ascending := true
	var before []byte
	for n := 0; w.Next(); n++ {
		if n%len(o.elems) != 0 {
			continue
		}
		ascending = ascending && (n == 0 || o.elems[0].Compare(before, w.Elem()) < 0)
		before = w.Elem()
	}
	return ascending, w.Err()
}

// collect notes where the elements of a set or the entries of a map are, in their canonical form, in the bytes that it
// returns: wire, or the room of the level.
func (o *Order) collect(l *level, wire []byte, s *scratch, depth int) ([]byte, error) {
	l.room, l.items = l.room[:0], l.items[:0]
	inPlace := o.elemsPlain()
	w := o.layout.Walk(wire)
	for w.Next() {
		end := w.End()
		start := end - len(w.Elem())
		if !inPlace {
			start = len(l.room)
			var err error
			if l.room, err = o.elems[w.Index()%len(o.elems)].appendCanonical(l.room, w.Elem(), s, depth+1, false); err != nil {
				return nil, err
			}
			end = len(l.room)
		}
		at := span{int32(start), int32(end)}
		if w.Index()%len(o.elems) == 0 {
			l.items = append(l.items, item{key: at})
		} else {
			l.items[len(l.items)-1].value = at
		}
	}
	if inPlace {
		return wire, w.Err()
	}
	return l.room, w.Err()
}

// sort puts the items in the order of their keys, those that are equal in the order of their bytes, and the same ones
// in the order in which they were found.
func (o *Order) sort(l *level, base []byte) {
	keys := o.elems[0]
	slices.SortFunc(l.items, func(x, y item) int {
		keyX, keyY := x.key.of(base), y.key.of(base)
		if c := keys.Compare(keyX, keyY); c != 0 {
			return c
		}
		if c := bytes.Compare(keyX, keyY); c != 0 {
			return c
		}
		return byPlace(x, y)
	})
}

// byPlace compares the places at which two items were found.
func byPlace(x, y item) int { return cmp.Compare(x.key.start, y.key.start) }

// appendSorted appends a set or map of the items, without those that others take the place of.
func (o *Order) appendSorted(dst []byte, l *level, base []byte, outermost bool) []byte {
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	n := 0
	for rest := l.items; len(rest) > 0; {
		equal := 1
		for equal < len(rest) && o.elems[0].Compare(rest[0].key.of(base), rest[equal].key.of(base)) == 0 {
			equal++
		}
		for _, kept := range settle(rest[:equal], base, outermost) {
			n++
			dst = appendElem(dst, kept.key.of(base))
			if o.form == entries {
				dst = appendElem(dst, kept.value.of(base))
			}
		}
		rest = rest[equal:]
	}
	cqlwire.PutCount(dst, mark, n)
	return dst
}

// appendElem appends an element that is never null.
func appendElem(dst, elem []byte) []byte {
	return append(cqlwire.AppendCount(dst, len(elem)), elem...)
}

// settle returns what stays of items with equal keys, which it changes. Of those whose keys are the same, one stays,
// with the first place and the last value, as in java.util.LinkedHashMap; then, of the outermost value alone, they are
// put into a java.util.TreeMap in the order of those places, where the first key stays with the last value.
func settle(equal []item, base []byte, outermost bool) []item {
	if len(equal) == 1 {
		return equal
	}
	kept := equal[:1]
	for _, it := range equal[1:] {
		last := &kept[len(kept)-1]
		if bytes.Equal(last.key.of(base), it.key.of(base)) {
			last.value = it.value
		} else {
			kept = append(kept, it)
		}
	}
	slices.SortFunc(kept, byPlace)
	if outermost {
		kept[0].value = kept[len(kept)-1].value
		kept = kept[:1]
	}
	return kept
}
