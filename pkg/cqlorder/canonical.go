package cqlorder

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Canonical reports whether AppendCanonical leaves every value of the type unchanged. It returns
// false for types with a list, set, map or UDT that AppendCanonical may change.
func (o *Order) Canonical() bool {
	return o.form == vector || o.form == inet || o.plain && o.form != list && !o.udt
}

// AppendCanonical appends the form in which the server stores a value that a client sends, and
// returns the extended buffer. The caller must not pass overlapping slices.
//
// It returns an error if the bytes of a list, set or map do not divide into elements, as
// cqlwire.Layout.CheckShape does. It checks the bytes of the elements only if it sorts them too.
// After an error, dst may have grown.
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

// appendCanonical appends one value. outermost is true if the value is not inside another. depth is
// the number of sets and maps around it.
func (o *Order) appendCanonical(
	dst, wire []byte, s *scratch, depth int, outermost bool,
) ([]byte, error) {
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

// mapped is the first 12 bytes of an IPv4 address in IPv6 form, which java.net.InetAddress reads as
// an IPv4 address.
var mapped = []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}

// elemsPlain reports whether the elements are stored unchanged.
func (o *Order) elemsPlain() bool {
	for _, e := range o.elems {
		if !e.plain {
			return false
		}
	}
	return true
}

// unchanged reports whether an outermost list or UDT is certainly stored unchanged: it has no
// lengths or elements that the server changes.
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

// appendFields appends an outermost UDT. The server splits it into fields and writes each null with
// the length -1 (cql3.UserTypes.Value).
func (o *Order) appendFields(dst, wire []byte) ([]byte, error) {
	w := o.layout.Walk(wire)
	for w.Next() {
		dst = cqlwire.AppendElem(dst, w.Elem())
	}
	return dst, w.Err()
}

// appendElems appends a list or vector with its elements in place. In an outermost list, null
// elements stay null, and elements that the server reads as null become null.
func (o *Order) appendElems(
	dst, wire []byte, s *scratch, depth int, outermost bool,
) ([]byte, error) {
	w := o.layout.Walk(wire)
	if o.form == list {
		dst = cqlwire.AppendCount(dst, max(w.Count(), 0))
	}
	for w.Next() {
		if w.Null() ||
			outermost && o.form == list && len(w.Elem()) == 0 && o.elems[0].layout.EmptyIsNull() {
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

// sorted reports whether the elements of a set, or the keys of a map, are in order without
// duplicates.
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

// collect records the elements of a set or the entries of a map, in canonical form. They are spans
// of the bytes that collect returns: wire, or the room of the level.
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
			elem := o.elems[w.Index()%len(o.elems)]
			l.room, err = elem.appendCanonical(l.room, w.Elem(), s, depth+1, false)
			if err != nil {
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

// sort orders the items by key, equal keys by their bytes, and identical keys by their place.
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

// byPlace compares the places of two items in the value.
func byPlace(x, y item) int { return cmp.Compare(x.key.start, y.key.start) }

// appendSorted appends a set or map of the items, without those that others replace.
func (o *Order) appendSorted(dst []byte, l *level, base []byte, outermost bool) []byte {
	mark := len(dst)
	dst = cqlwire.AppendCount(dst, 0)
	n := 0
	for rest := l.items; len(rest) > 0; {
		equal := 1
		first := rest[0].key.of(base)
		for equal < len(rest) && o.elems[0].Compare(first, rest[equal].key.of(base)) == 0 {
			equal++
		}
		for _, kept := range distinct(rest[:equal], base, outermost) {
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

// distinct returns the remaining items of some with equal keys, and modifies the slice. Of items
// with identical keys one remains, with the first place and the last value, as in
// java.util.LinkedHashMap. In the outermost value, a java.util.TreeMap then receives them in the
// order of their places: the first key remains with the last value.
func distinct(equal []item, base []byte, outermost bool) []item {
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
