package cqlorder

import (
	"encoding/binary"
	"math"
)

// Prefix returns the start of a value as a number in the highest bits; bits is the number of valid
// bits. If one value is before another, its prefix is not greater. A value of no bytes has the
// prefix of the least other value.
//
// Types without such a start have 0 bits. Dates and timestamps have only enough bits to distinguish
// those of our time, which leaves room for further columns.
func (o *Order) Prefix(value []byte) (prefix uint64, bits int) {
	const sign = 1 << 63
	switch {
	case o.form == unsigned || o.form == inet:
		var first [8]byte
		copy(first[:], value)
		return binary.BigEndian.Uint64(first[:]) &^ (math.MaxUint64 >> o.bits), o.bits
	case o.size == 0:
		return 0, 0
	}
	bits = min(8*o.size, o.bits)
	switch len(value) {
	case o.size:
	case 0:
		return 0, bits
	default:
		return math.MaxUint64 &^ (math.MaxUint64 >> bits), bits
	}
	switch o.form {
	case boolean:
		return uint64(min(value[0], 1)) << 56, bits
	case float:
		return uint64(floatKey(value)) << 32, bits
	case double:
		return doubleKey(value), bits
	case timeUUID:
		return uuidTime(binary.BigEndian.Uint64(value)) ^ sign, bits
	case randomUUID:
		high := binary.BigEndian.Uint64(value)
		version := high >> 12 & 15
		if version == 1 {
			high = uuidTime(high)
		}
		return version<<60 | high>>4, bits
	case number8:
		const most = 1 << (timestampBits - 1)
		number := int64(binary.BigEndian.Uint64(value))
		if bits == timestampBits {
			return uint64(min(max(number, -most), most-1)+most) << (64 - timestampBits), bits
		}
		return uint64(number) ^ sign, bits
	default: // signed numbers, and the first number of a lexical UUID
		var first [8]byte
		copy(first[:], value)
		return binary.BigEndian.Uint64(first[:]) ^ sign, bits
	}
}
