package cqlwire

import "math/bits"

// maxVintLen is how many bytes the longest vint has.
const maxVintLen = 9

// uvintLen returns the least number of bytes of an unsigned vint: seven bits of value for each of the first eight,
// eight bits for the ninth.
func uvintLen(u uint64) int {
	return min((bits.Len64(u|1)+6)/7, maxVintLen)
}

// AppendUvint appends an unsigned vint in as few bytes as hold it.
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

// Uvint reads the unsigned vint that wire begins with and returns how many bytes it has: 0 when it is cut off or has
// more of them than it needs.
func Uvint(wire []byte) (u uint64, n int) {
	u, n = longUvint(wire)
	if n > 1 && uvintLen(u) != n {
		return 0, 0
	}
	return u, n
}

// longUvint is Uvint, and takes a vint that has more bytes than it needs.
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

// AppendVint appends a signed vint in as few bytes as hold it.
func AppendVint(dst []byte, v int64) []byte {
	return AppendUvint(dst, uint64(v<<1)^uint64(v>>63))
}

// Vint reads a signed vint as Uvint does an unsigned one.
func Vint(wire []byte) (v int64, n int) {
	u, n := Uvint(wire)
	return unzigzag(u), n
}

// longVint is Vint, and takes a vint that has more bytes than it needs.
func longVint(wire []byte) (v int64, n int) {
	u, n := longUvint(wire)
	return unzigzag(u), n
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
