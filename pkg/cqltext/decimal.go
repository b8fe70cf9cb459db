package cqltext

import (
	"errors"
	"math"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// decimalCodec is the codec of decimal: an int32 scale and an unscaled varint, for the number
// unscaled / 10^scale. The text is that of Java's BigDecimal.toString, which keeps the scale.
// Reading accepts the texts of new BigDecimal(String). A value whose varint is empty or not of the
// fewest bytes is written raw.
var decimalCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Decimal),
	format: formatDecimal,
	parse:  parseDecimal,
}

var errScale = errors.New("scale out of range -2147483648..2147483647")

func formatDecimal(dst, wire []byte) ([]byte, bool) {
	scale, unscaled, ok := cqlwire.Decimal(wire)
	if !ok || len(unscaled) > maxVarintBytes || !cqlwire.Minimal(unscaled) {
		return dst, false
	}
	var small [20]byte
	var digits []byte
	if len(unscaled) <= 8 {
		digits = strconv.AppendInt(small[:0], cqlwire.Int(unscaled), 10)
	} else {
		digits = cqlwire.BigInt(unscaled).Append(nil, 10)
	}
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	return appendScaled(dst, digits, int64(scale)), true
}

// appendScaled appends the digits of an unscaled number with a point. If the scale is not negative
// and the first digit is worth at least 1E-6, the text has no exponent. Otherwise the point follows
// the first digit and an exponent follows.
func appendScaled(dst, digits []byte, scale int64) []byte {
	exponent := int64(len(digits)) - 1 - scale
	if scale >= 0 && exponent >= -6 {
		if scale == 0 {
			return append(dst, digits...)
		}
		whole := int64(len(digits)) - scale
		if whole > 0 {
			dst = append(dst, digits[:whole]...)
			dst = append(dst, '.')
			return append(dst, digits[whole:]...)
		}
		dst = append(dst, '0', '.')
		for ; whole < 0; whole++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	dst = append(dst, 'E')
	if exponent > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, exponent, 10)
}

func parseDecimal(dst, text []byte) ([]byte, error) {
	number, negative := cutSign(text)
	end, point := 0, -1
scan:
	for ; end < len(number); end++ {
		switch c := number[end]; {
		case isDigit(c):
		case c == '.' && point < 0:
			point = end
		default:
			break scan
		}
	}
	exponent, ok := parseExponent(number[end:])
	digits, fraction := number[:end], 0
	if point >= 0 {
		fraction = end - point - 1
	}
	if !ok || end == 0 || end == 1 && point == 0 {
		return dst, errNotNumber
	}
	scale := int64(fraction) - exponent
	if scale < math.MinInt32 || scale > math.MaxInt32 {
		return dst, errScale
	}
	dst = cqlwire.AppendScale(dst, int32(scale))
	if point < 0 {
		return appendUnscaled(dst, digits, negative)
	}
	if end > smallDigits+1 {
		joined := append(append(make([]byte, 0, end), digits[:point]...), digits[point+1:]...)
		return appendUnscaled(dst, joined, negative)
	}
	var small [smallDigits]byte
	joined := append(append(small[:0], digits[:point]...), digits[point+1:]...)
	return appendUnscaled(dst, joined, negative)
}

// parseExponent reads the empty text, or e, an optional sign and digits. A value outside the range
// of scales is reduced to another value outside it.
func parseExponent(text []byte) (int64, bool) {
	if len(text) == 0 {
		return 0, true
	}
	if text[0] != 'e' && text[0] != 'E' || !allDigits(text[1:]) {
		return 0, false
	}
	digits, negative := cutSign(text[1:])
	const beyond = 1 << 40
	v := int64(0)
	for _, c := range digits {
		v = min(v*10+int64(c-'0'), beyond)
	}
	if negative {
		v = -v
	}
	return v, true
}
