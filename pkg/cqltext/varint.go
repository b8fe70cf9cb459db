package cqltext

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// varintCodec is the codec of varint: two's complement, big-endian, in the fewest bytes, as in
// Java's BigInteger.toByteArray. A value with needless leading bytes is written raw.
var varintCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Varint),
	format: formatVarint,
	parse:  parseVarint,
}

const (
	// any number of smallDigits digits fits an int64
	smallDigits = 18
	// maxVarintBytes and maxDigits bound the cost of converting between digits and bytes, which
	// grows with the square of their number. A longer number is written raw, and can be read only
	// in the raw form. Every number of maxVarintBytes bytes has fewer than maxDigits digits.
	maxVarintBytes = 64 << 10
	maxDigits      = 160_000
)

var errTooManyDigits = fmt.Errorf(
	"more than %d digits (write such a number as 0x and its wire bytes)", maxDigits,
)

func formatVarint(dst, wire []byte) ([]byte, bool) {
	if !cqlwire.Minimal(wire) || len(wire) > maxVarintBytes {
		return dst, false
	}
	if len(wire) <= 8 {
		return strconv.AppendInt(dst, cqlwire.Int(wire), 10), true
	}
	return cqlwire.BigInt(wire).Append(dst, 10), true
}

func parseVarint(dst, text []byte) ([]byte, error) {
	if !allDigits(text) {
		return dst, errNotInteger
	}
	digits, negative := cutSign(text)
	return appendUnscaled(dst, digits, negative)
}

// appendUnscaled appends the two's complement bytes of decimal digits. No digits mean 0.
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
		return cqlwire.AppendInt(dst, v), nil
	}
	n, _ := new(big.Int).SetString(string(digits), 10)
	if negative {
		n.Neg(n)
	}
	return cqlwire.AppendBigInt(dst, n), nil
}
