package cqlwire

import "encoding/binary"

// Count returns the number of elements that a list or a set begins with, or the number of entries of a map. It is
// negative in values that the servers take for empty ones. It is not ok when there are not four bytes.
func Count(wire []byte) (n int, ok bool) {
	if len(wire) < 4 {
		return 0, false
	}
	return int(int32(binary.BigEndian.Uint32(wire))), true
}

// ElemAt reads the [int] length at wire[pos:] and the element after it, one of a list, set, map, tuple or UDT, and
// returns the offset of what follows it. Of a null the length is negative and the element nil. It is not ok when the
// bytes end before the element does. pos must not be beyond the end.
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

// VectorElemAt reads the element of a vector that begins at wire[pos:], and returns the offset of what follows it.
// fixed is FixedLen of the elements' type. It is not ok when the bytes end before the element does, or when its length
// is not written in as few bytes as hold it. pos must not be beyond the end.
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
