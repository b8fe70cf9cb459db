package cqltext

import "encoding/binary"

// elemAt reads the int32 length at wire[pos:] and the element after it. Of a null the length is negative and
// the element nil. It is not ok when the bytes end before the element does.
func elemAt(wire []byte, pos int) (elem []byte, length int32, next int, ok bool) {
	if len(wire)-pos < 4 {
		return nil, 0, pos, false
	}
	length = int32(binary.BigEndian.Uint32(wire[pos:]))
	pos += 4
	if length < 0 {
		return nil, length, pos, true
	}
	if len(wire)-pos < int(length) {
		return nil, 0, pos, false
	}
	return wire[pos : pos+int(length)], length, pos + int(length), true
}

// countAt reads the int32 count that a list, set or map begins with. The servers take a negative one when
// nothing follows it; such a value is written raw.
func countAt(name string, wire []byte) (count int, err error) {
	if len(wire) < 4 {
		return 0, malformed(name, "%d bytes, too few for the number of elements", len(wire))
	}
	count = int(int32(binary.BigEndian.Uint32(wire)))
	if count <= 0 && len(wire) > 4 {
		return 0, leftOver(name, len(wire)-4)
	}
	return count, nil
}

// sizedAt is elemAt for the element i of a list, set or map, which cannot be null.
func sizedAt(name string, wire []byte, pos, i int) (elem []byte, next int, err error) {
	elem, length, next, ok := elemAt(wire, pos)
	if !ok {
		return nil, pos, cutOff(name, i)
	}
	if length < 0 {
		return nil, pos, malformed(name, "element %d has the length %d", i, length)
	}
	return elem, next, nil
}

func cutOff(name string, i int) error {
	return malformed(name, "element %d is cut off", i)
}

func leftOver(name string, n int) error {
	return malformed(name, "%d bytes left over after the last element", n)
}
