package cqlwire

import "encoding/binary"

// Count returns the number of elements at the start of a list or set, or of entries of a map. It
// may be negative; servers take such a value as empty. ok is false if there are fewer than four
// bytes.
func Count(wire []byte) (n int, ok bool) {
	if len(wire) < 4 {
		return 0, false
	}
	return int(int32(binary.BigEndian.Uint32(wire))), true
}

// ElemAt reads the [int] length at wire[pos:] and the element after it, of a list, set, map, tuple
// or UDT. It returns the offset after the element as next. For a null, the length is negative and
// elem is nil. If the bytes end before the element does, ok is false. The caller must not pass a
// pos beyond the end of wire.
func ElemAt(wire []byte, pos int) (elem []byte, length, next int, ok bool) {
	if len(wire)-pos < 4 {
		return nil, 0, pos, false
	}
	length = int(int32(binary.BigEndian.Uint32(wire[pos:])))
	pos += 4
	if length < 0 {
		return nil, length, pos, true
	}
	if len(wire)-pos < length {
		return nil, 0, pos, false
	}
	return wire[pos : pos+length : pos+length], length, pos + length, true
}

// VectorElemAt reads the element of a vector at wire[pos:]. It returns the offset after the element
// as next. The caller passes FixedLen of the element type as fixed. If the bytes end before the
// element does, or if its length has more bytes than necessary, ok is false. The caller must not
// pass a pos beyond the end of wire.
func VectorElemAt(wire []byte, pos, fixed int) (elem []byte, next int, ok bool) {
	if fixed < 0 {
		length, prefix := Uvint(wire[pos:])
		if prefix == 0 || length > maxLen {
			return nil, pos, false
		}
		fixed = int(length)
		pos += prefix
	}
	if len(wire)-pos < fixed {
		return nil, pos, false
	}
	return wire[pos : pos+fixed : pos+fixed], pos + fixed, true
}
