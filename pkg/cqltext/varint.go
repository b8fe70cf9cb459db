package cqltext

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"
)

// varintCodec is Java's BigInteger.toByteArray: two's complement, big-endian, of the least length. What has
// needless leading bytes is written raw.
var varintCodec = scalar{name: "varint", sizes: anySize, fixed: -1, format: formatVarint, parse: parseVarint}

const (
	// smallDigits is how many digits an int64 surely holds.
	smallDigits = 18
	// maxVarintBytes and maxDigits bound the cost of turning digits into bytes and back, which grows with the
	// square of their number. A longer number is written raw, and is read raw or not at all. Every number of
	// maxVarintBytes bytes has fewer than maxDigits digits.
	maxVarintBytes = 64 << 10
	maxDigits      = 160_000
)

var errTooManyDigits = fmt.Errorf("more than %d digits (write such a number as 0x and its wire bytes)", maxDigits)

func formatVarint(dst, wire []byte) ([]byte, bool) {
	if !minimal(wire) || len(wire) > maxVarintBytes {
		return dst, false
	}
	if len(wire) <= 8 {
		return strconv.AppendInt(dst, smallInt(wire), 10), true
	}
	return bigInt(wire).Append(dst, 10), true
}

func parseVarint(dst, text []byte) ([]byte, error) {
	if !allDigits(text) {
		return dst, errNotInteger
	}
	digits, negative := cutSign(text)
	return appendUnscaled(dst, digits, negative)
}

// appendUnscaled appends the two's complement bytes of digits, all of which are decimal; none at all is 0.
func appendUnscaled(dst, digits []byte, negative bool) ([]byte, error) {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	if len(digits) > maxDigits {
		return dst, errTooManyDigits
	}
	if len(digits) <= smallDigits {
		u, _ := parseUint(digits)
		v := int64(u)
		if negative {
			v = -v
		}
		return appendSmallInt(dst, v), nil
	}
	n, _ := new(big.Int).SetString(string(digits), 10)
	if negative {
		n.Neg(n)
	}
	return appendBigInt(dst, n), nil
}

// minimal reports whether the bytes are a two's complement number with no needless leading byte.
func minimal(wire []byte) bool {
	if len(wire) < 2 {
		return len(wire) == 1
	}
	return !(wire[0] == 0 && wire[1] < 0x80) && !(wire[0] == 0xff && wire[1] >= 0x80)
}

// smallInt reads a two's complement number of 1 to 8 bytes.
func smallInt(wire []byte) int64 {
	v := int64(int8(wire[0]))
	for _, b := range wire[1:] {
		v = v<<8 | int64(b)
	}
	return v
}

// appendSmallInt appends v in as few two's complement bytes as hold it.
func appendSmallInt(dst []byte, v int64) []byte {
	for shift := bits.Len64(uint64(v^v>>63)) / 8 * 8; shift >= 0; shift -= 8 {
		dst = append(dst, byte(v>>shift))
	}
	return dst
}

// bigInt reads a two's complement number of at least one byte.
func bigInt(wire []byte) *big.Int {
	n := new(big.Int).SetBytes(wire)
	if wire[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(wire))))
	}
	return n
}

// appendBigInt appends n in as few two's complement bytes as hold it.
func appendBigInt(dst []byte, n *big.Int) []byte {
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
