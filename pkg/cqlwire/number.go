package cqlwire

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// DateEpoch is the wire value of the date 1970-01-01, an unsigned number of days.
const DateEpoch = 1 << 31

// Minimal reports whether wire is a two's complement number of at least one byte with no needless leading byte, as
// Java's BigInteger.toByteArray writes a varint and the unscaled number of a decimal. The servers take others too.
func Minimal(wire []byte) bool {
	if len(wire) < 2 {
		return len(wire) == 1
	}
	return !(wire[0] == 0 && wire[1] < 0x80) && !(wire[0] == 0xff && wire[1] >= 0x80)
}

// Int reads a two's complement number of 1 to 8 bytes: a tinyint, smallint, int, bigint, counter or short varint.
func Int(wire []byte) int64 {
	v := int64(int8(wire[0]))
	for _, b := range wire[1:] {
		v = v<<8 | int64(b)
	}
	return v
}

// AppendInt appends v like a varint: in as few two's complement bytes as hold it.
func AppendInt(dst []byte, v int64) []byte {
	for shift := bits.Len64(uint64(v^v>>63)) / 8 * 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(v>>shift))
	}
	return dst
}

// BigInt reads a two's complement number of at least one byte. The cost of what math/big does with a number, such as
// writing it in decimal, may grow with the square of its length: bound it.
func BigInt(wire []byte) *big.Int {
	n := new(big.Int).SetBytes(wire)
	if wire[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(wire))))
	}
	return n
}

// AppendBigInt appends n like a varint: in as few two's complement bytes as hold it.
func AppendBigInt(dst []byte, n *big.Int) []byte {
	m := n
	if n.Sign() < 0 {
		m = new(big.Int).Not(n)
	}
	mark := len(dst)
	dst = append(dst, make([]byte, m.BitLen()/8+1)...)
	m.FillBytes(dst[mark:])
	if n.Sign() < 0 {
		for i := mark; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// Decimal takes a decimal apart: the number is unscaled, a varint, divided by 10 to the power of scale. It is not ok
// when there are not five bytes. unscaled is a part of wire and may have needless leading bytes.
func Decimal(wire []byte) (scale int32, unscaled []byte, ok bool) {
	if len(wire) < 5 {
		return 0, nil, false
	}
	return int32(binary.BigEndian.Uint32(wire)), wire[4:], true
}

// AppendScale appends the scale that a decimal begins with; its unscaled number follows.
func AppendScale(dst []byte, scale int32) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(scale))
}

// Duration takes a duration apart. It is not ok when that cannot be told from its bytes in one way: when they do not
// end with the third vint, when a vint has more bytes than it needs, and when months or days are beyond 32 bits. The
// parts of a value that a server takes have one sign; that is not checked here.
func Duration(wire []byte) (months, days int32, nanos int64, ok bool) {
	m, n1 := Vint(wire)
	d, n2 := Vint(wire[n1:])
	nanos, n3 := Vint(wire[n1+n2:])
	if n1 == 0 || n2 == 0 || n3 == 0 || n1+n2+n3 != len(wire) || m != int64(int32(m)) || d != int64(int32(d)) {
		return 0, 0, 0, false
	}
	return int32(m), int32(d), nanos, true
}

// AppendDuration appends a duration.
func AppendDuration(dst []byte, months, days int32, nanos int64) []byte {
	return AppendVint(AppendVint(AppendVint(dst, int64(months)), int64(days)), nanos)
}

// maxLen is the greatest length of a value and the greatest number of elements: what an [int] holds.
const maxLen = math.MaxInt32
