package cqltext

import "math/bits"

// The variable-length integers of the native protocol v5, section 5 ("vint" and "unsigned vint"): the number of
// leading ones of the first byte is the number of bytes after it; a signed one is zig-zag coded first.

// appendVint appends a signed vint of the least length.
func appendVint(dst []byte, v int64) []byte {
	return appendUvint(dst, uint64(v<<1)^uint64(v>>63))
}

// uvintLen returns the least number of bytes of an unsigned vint: seven bits of value for each of the first
// eight, eight bits for the ninth.
func uvintLen(u uint64) int {
	return min((bits.Len64(u|1)+6)/7, 9)
}

// appendUvint appends an unsigned vint of the least length.
func appendUvint(dst []byte, u uint64) []byte {
	n := uvintLen(u)
	first := ^byte(0xff >> (n - 1))
	if n < 9 {
		first |= byte(u >> (8 * (n - 1)))
	}
	dst = append(dst, first)
	for shift := 8 * (n - 2); shift >= 0; shift -= 8 {
		dst = append(dst, byte(u>>shift))
	}
	return dst
}

// readUvint reads an unsigned vint and returns how many bytes it has, 0 when it is cut off or longer than it
// need be.
func readUvint(wire []byte) (u uint64, n int) {
	if len(wire) == 0 {
		return 0, 0
	}
	n = bits.LeadingZeros8(^wire[0]) + 1
	if len(wire) < n {
		return 0, 0
	}
	u = uint64(wire[0] & (0xff >> (n - 1)))
	if n == 9 {
		u = 0
	}
	for _, b := range wire[1:n] {
		u = u<<8 | uint64(b)
	}
	if uvintLen(u) != n {
		return 0, 0
	}
	return u, n
}

// readVint reads a signed vint like readUvint.
func readVint(wire []byte) (v int64, n int) {
	u, n := readUvint(wire)
	return int64(u>>1) ^ -int64(u&1), n
}
