package cqlwire

import "math/bits"

// maxVintLen is the number of bytes of the longest vint.
const maxVintLen = 9

// uvintLen returns the fewest bytes of an unsigned vint. Each of the first eight bytes holds seven
// bits of the value, the ninth holds eight.
func uvintLen(u uint64) int {
	return min((bits.Len64(u|1)+6)/7, maxVintLen)
}

// AppendUvint appends an unsigned vint in the fewest bytes.
func AppendUvint(dst []byte, u uint64) []byte {
	n := uvintLen(u)
	first := ^byte(0xff >> (n - 1))
	if n < maxVintLen {
		first |= byte(u >> (8 * (n - 1)))
	}
	dst = append(dst, first)
	for shift := 8 * (n - 2); shift >= 0; shift -= 8 {
		dst = append(dst, byte(u>>shift))
	}
	return dst
}

// Uvint reads the unsigned vint at the start of wire. The result n is its number of bytes, or 0 if
// it is cut off or has more bytes than necessary.
func Uvint(wire []byte) (u uint64, n int) {
	u, n = longUvint(wire)
	if n > 1 && uvintLen(u) != n {
		return 0, 0
	}
	return u, n
}

// longUvint is Uvint, but accepts a vint with more bytes than necessary.
func longUvint(wire []byte) (u uint64, n int) {
	if len(wire) == 0 {
		return 0, 0
	}
	first := wire[0]
	if first < 0x80 {
		return uint64(first), 1
	}
	n = bits.LeadingZeros8(^first) + 1
	if len(wire) < n {
		return 0, 0
	}
	if n < maxVintLen {
		u = uint64(first & (0xff >> n))
	}
	for _, b := range wire[1:n] {
		u = u<<8 | uint64(b)
	}
	return u, n
}

// AppendVint appends a signed vint in the fewest bytes.
func AppendVint(dst []byte, v int64) []byte {
	return AppendUvint(dst, uint64(v<<1)^uint64(v>>63))
}

// Vint reads a signed vint, as Uvint does an unsigned one.
func Vint(wire []byte) (v int64, n int) {
	u, n := Uvint(wire)
	return unzigzag(u), n
}

// longVint is Vint, but accepts a vint with more bytes than necessary.
func longVint(wire []byte) (v int64, n int) {
	u, n := longUvint(wire)
	return unzigzag(u), n
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
