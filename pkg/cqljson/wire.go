package cqljson

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// countAt reads the int32 count that a list, set or map begins with. It is not ok when there is none, when it is
// negative, or when it is zero and bytes follow.
func countAt(wire []byte) (count int, ok bool) {
	if len(wire) < 4 {
		return 0, false
	}
	count = int(int32(binary.BigEndian.Uint32(wire)))
	return count, count > 0 || count == 0 && len(wire) == 4
}

// elemAt reads the int32 length at wire[pos:] and the element after it, which is nil when the length is -1. It is
// not ok when the bytes end before the element does or the length is below -1.
func elemAt(wire []byte, pos int) (elem []byte, next int, ok bool) {
	if len(wire)-pos < 4 {
		return nil, pos, false
	}
	length := int(int32(binary.BigEndian.Uint32(wire[pos:])))
	pos += 4
	if length < 0 {
		return nil, pos, length == -1
	}
	if len(wire)-pos < length {
		return nil, pos, false
	}
	return wire[pos : pos+length], pos + length, true
}

// uvintAt reads the unsigned vint of the native protocol v5, section 5, at wire[pos:]. It is not ok when the vint
// is cut off, longer than it need be, or greater than an element's length can be.
func uvintAt(wire []byte, pos int) (v, next int, ok bool) {
	if pos >= len(wire) {
		return 0, pos, false
	}
	// The number of leading ones of the first byte is the number of bytes after it.
	first := wire[pos]
	more := bits.LeadingZeros8(^first)
	pos++
	if more > 4 || len(wire)-pos < more {
		return 0, pos, false
	}
	u := uint64(first & (0x7f >> more))
	for _, b := range wire[pos : pos+more] {
		u = u<<8 | uint64(b)
	}
	shortest := more == 0 || bits.Len64(u) > 7*more
	return int(u), pos + more, shortest && u <= math.MaxInt32
}

// fixedLens is the number of bytes of each value of a type inside a vector, as in Cassandra's
// AbstractType.valueLengthIfFixed. The kinds that are not here have values of different lengths.
var fixedLens = map[cqltype.Kind]int{
	cqltype.Bigint:    8,
	cqltype.Boolean:   1,
	cqltype.Double:    8,
	cqltype.Empty:     0,
	cqltype.Float:     4,
	cqltype.Int:       4,
	cqltype.Timestamp: 8,
	cqltype.TimeUUID:  16,
	cqltype.UUID:      16,
}

// fixedLen returns the number of bytes of each value of t inside a vector, -1 when values differ in length.
func fixedLen(t *cqltype.Type) int {
	if t.Kind == cqltype.Vector {
		if n := fixedLen(t.Elems[0]); n >= 0 {
			return n * t.Dimension
		}
		return -1
	}
	if n, ok := fixedLens[t.Kind]; ok {
		return n
	}
	return -1
}
