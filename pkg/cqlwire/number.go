package cqlwire

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// DateEpoch is the wire value of the date 1970-01-01, an unsigned number of days.
const DateEpoch = 1 << 31

// Minimal reports whether wire is a two's complement number of the fewest bytes, at least one.
// Java's BigInteger.toByteArray writes varints and the unscaled numbers of decimals in this form.
// Servers accept other forms too.
func Minimal(wire []byte) bool {
	if len(wire) < 2 {
		return len(wire) == 1
	}
	return !(wire[0] == 0 && wire[1] < 0x80) && !(wire[0] == 0xff && wire[1] >= 0x80)
}

// Int reads a two's complement number of 1 to 8 bytes: a tinyint, smallint, int, bigint, counter or
// short varint.
func Int(wire []byte) int64 {
	v := int64(int8(wire[0]))
	for _, b := range wire[1:] {
		v = v<<8 | int64(b)
	}
	return v
}

// AppendInt appends v as a varint, in the fewest two's complement bytes.
func AppendInt(dst []byte, v int64) []byte {
	for shift := bits.Len64(uint64(v^v>>63)) / 8 * 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(v>>shift))
	}
	return dst
}

// BigInt reads a two's complement number of at least one byte. The cost of some operations of
// math/big, such as formatting in decimal, can grow with the square of the length. The caller must
// bound it.
func BigInt(wire []byte) *big.Int {
	n := new(big.Int).SetBytes(wire)
	if wire[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(wire))))
	}
	return n
}

// AppendBigInt appends n as a varint, in the fewest two's complement bytes.
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

// Decimal splits a decimal into its parts. Its value is the varint unscaled divided by 10 to the
// power of scale. If there are fewer than five bytes, ok is false. The slice unscaled is part of
// wire and may have needless leading bytes.
func Decimal(wire []byte) (scale int32, unscaled []byte, ok bool) {
	if len(wire) < 5 {
		return 0, nil, false
	}
	return int32(binary.BigEndian.Uint32(wire)), wire[4:], true
}

// AppendScale appends the scale at the start of a decimal. The caller appends the unscaled number.
func AppendScale(dst []byte, scale int32) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(scale))
}

// Duration splits a duration into its parts. The result ok is false if wire is not exactly three
// vints of the fewest bytes, or if months or days exceed 32 bits. Servers accept only parts of one
// sign; Duration does not check the signs.
func Duration(wire []byte) (months, days int32, nanos int64, ok bool) {
	m, n1 := Vint(wire)
	d, n2 := Vint(wire[n1:])
	nanos, n3 := Vint(wire[n1+n2:])
	if n1 == 0 || n2 == 0 || n3 == 0 || n1+n2+n3 != len(wire) || m != int64(int32(m)) ||
		d != int64(int32(d)) {
		return 0, 0, 0, false
	}
	return int32(m), int32(d), nanos, true
}

// AppendDuration appends a duration.
func AppendDuration(dst []byte, months, days int32, nanos int64) []byte {
	return AppendVint(AppendVint(AppendVint(dst, int64(months)), int64(days)), nanos)
}

// maxLen is the largest length of a value and the largest number of elements: the range of an
// [int].
const maxLen = math.MaxInt32
