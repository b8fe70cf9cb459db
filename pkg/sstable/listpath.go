package sstable

import "encoding/binary"

// The path of an element is a timeuuid. Its lower half has a constant clock sequence and node, and
// then the number of the element. Servers compare these bytes as signed
// (TimeUUIDType.compareCustom), so those of the number have their highest bits flipped.
const (
	listNode     = 0x8081_8283_0000_0000 // its first bits are those of a UUID's variant
	signedBytes  = 0x8080_8080
	uuidEpoch    = 122192928000000000 // of 100 ns from 1582-10-15 to 1970-01-01
	uuidTimeMask = 1<<60 - 1
	uuidVersion1 = 0x1000
)

// appendListPath appends the path of an element of a list: a timeuuid of the row's place
// (Insert.Place) and the element's number. It is the same each time. If a row is written twice, it
// has its elements once. Those of a list ascend. A server makes a timeuuid of its present time,
// whatever the statement's timestamp is (Lists.Appender).
func appendListPath(dst []byte, place int64, element int) []byte {
	ticks := (uint64(place)*10 + uuidEpoch) & uuidTimeMask
	high := ticks<<32 | ticks>>32&0xffff<<16 | uuidVersion1 | ticks>>48
	dst = binary.BigEndian.AppendUint64(dst, high)
	return binary.BigEndian.AppendUint64(dst, listNode|uint64(uint32(element)^signedBytes))
}
