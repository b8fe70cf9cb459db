package cqlorder

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
)

// Compare returns a negative number if a is before b, and a positive number if a is after b. It
// returns 0 if the server regards both as equal. A value of no bytes may be nil.
func (o *Order) Compare(a, b []byte) int {
	if o.form == unsigned || o.form == inet {
		return bytes.Compare(a, b)
	}
	if len(a) == 0 || len(b) == 0 {
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	}
	if o.size > 0 {
		if len(a) != o.size || len(b) != o.size {
			return compareMalformed(a, b, len(a) != o.size, len(b) != o.size)
		}
		return o.compareSized(a, b)
	}
	switch o.form {
	case varint:
		return compareVarint(a, b)
	case decimal:
		return compareDecimal(a, b)
	case list, set, entries:
		return o.compareCounted(a, b)
	case fields:
		return o.compareFields(a, b)
	case vector:
		return o.compareVector(a, b)
	default:
		return 0
	}
}

// compareMalformed compares two values, at least one malformed. A malformed value is last.
func compareMalformed(a, b []byte, badA, badB bool) int {
	switch {
	case badA == badB:
		return bytes.Compare(a, b)
	case badA:
		return 1
	default:
		return -1
	}
}

// compareSized compares two values of a type with a fixed length.
func (o *Order) compareSized(a, b []byte) int {
	switch o.form {
	case boolean:
		return cmp.Compare(min(a[0], 1), min(b[0], 1))
	case float:
		return cmp.Compare(floatKey(a), floatKey(b))
	case double:
		return cmp.Compare(doubleKey(a), doubleKey(b))
	case timeUUID:
		return compareTimeUUID(a, b)
	case randomUUID:
		return compareUUID(a, b)
	case lexicalUUID:
		if c := compareSigned(a[:8], b[:8]); c != 0 {
			return c
		}
		return compareSigned(a[8:], b[8:])
	case number4:
		return cmp.Compare(int32(binary.BigEndian.Uint32(a)), int32(binary.BigEndian.Uint32(b)))
	case number8:
		return cmp.Compare(int64(binary.BigEndian.Uint64(a)), int64(binary.BigEndian.Uint64(b)))
	default:
		return compareSigned(a, b)
	}
}

// compareSigned compares two's complement numbers of the same length.
func compareSigned(a, b []byte) int {
	if (a[0]^b[0])&0x80 != 0 {
		return cmp.Compare(int8(a[0]), int8(b[0]))
	}
	return bytes.Compare(a, b)
}

// floatKey returns a number for a float; the numbers have the order of java.lang.Float.compareTo.
func floatKey(wire []byte) uint32 {
	bits := binary.BigEndian.Uint32(wire)
	switch {
	case bits&math.MaxInt32 > 0x7f800000: // NaN
		return math.MaxUint32
	case bits>>31 != 0:
		return ^bits
	default:
		return bits | 1<<31
	}
}

// doubleKey returns a number for a double; the numbers have the order of
// java.lang.Double.compareTo.
func doubleKey(wire []byte) uint64 {
	bits := binary.BigEndian.Uint64(wire)
	switch {
	case bits&math.MaxInt64 > 0x7ff0000000000000:
		return math.MaxUint64
	case bits>>63 != 0:
		return ^bits
	default:
		return bits | 1<<63
	}
}

// uuidTime rearranges the high 8 bytes of a UUID: the version in the highest four bits, then the
// time as a number.
func uuidTime(high uint64) uint64 {
	return high<<48 | high<<16&0xffff00000000 | high>>32
}

// compareTimeUUID compares the times, then the low 8 bytes as signed bytes, as Java does.
func compareTimeUUID(a, b []byte) int {
	timeA := int64(uuidTime(binary.BigEndian.Uint64(a)))
	timeB := int64(uuidTime(binary.BigEndian.Uint64(b)))
	if c := cmp.Compare(timeA, timeB); c != 0 {
		return c
	}
	const signs = 0x8080808080808080
	return cmp.Compare(binary.BigEndian.Uint64(a[8:])^signs, binary.BigEndian.Uint64(b[8:])^signs)
}

func compareUUID(a, b []byte) int {
	highA, highB := binary.BigEndian.Uint64(a), binary.BigEndian.Uint64(b)
	version := highA >> 12 & 15
	if c := cmp.Compare(version, highB>>12&15); c != 0 {
		return c
	}
	if version == 1 {
		highA, highB = uuidTime(highA), uuidTime(highB)
	}
	if c := cmp.Compare(highA, highB); c != 0 {
		return c
	}
	return bytes.Compare(a[8:], b[8:])
}
