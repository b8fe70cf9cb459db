package cqltext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// The bits of the only NaN that is written as NaN. Java, and so Cassandra, writes these bits for
// each NaN that it computes.
const (
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

var (
	errNotNumber   = errors.New("not a number")
	errFloatRange  = errors.New("out of range for float")
	errDoubleRange = errors.New("out of range for double")
)

// floatCodec is the codec of float: IEEE 754 binary32, big-endian.
var floatCodec = scalar{wire: cqlwire.Scalar(cqltype.Float), format: formatFloat, parse: parseFloat}

// doubleCodec is the codec of double: IEEE 754 binary64, big-endian.
var doubleCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Double),
	format: formatDouble,
	parse:  parseDouble,
}

func formatFloat(dst, wire []byte) ([]byte, bool) {
	bits := binary.BigEndian.Uint32(wire)
	return appendFloat(dst, float64(math.Float32frombits(bits)), 32, bits == nan32)
}

func formatDouble(dst, wire []byte) ([]byte, bool) {
	bits := binary.BigEndian.Uint64(wire)
	return appendFloat(dst, math.Float64frombits(bits), 64, bits == nan64)
}

// appendFloat appends the shortest text that reads back as the same number. As in JavaScript and
// JSON, a magnitude from 1e-6 to below 1e21 has no exponent. An exponent has no leading zero.
func appendFloat(dst []byte, x float64, bitSize int, canonicalNaN bool) ([]byte, bool) {
	abs := math.Abs(x)
	switch {
	case x != x:
		return append(dst, "NaN"...), canonicalNaN
	case abs > math.MaxFloat64:
		if x < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...), true
	case x == 0 || bitSize == 64 && abs >= 1e-6 && abs < 1e21 ||
		bitSize == 32 && float32(abs) >= 1e-6 && float32(abs) < 1e21:
		return strconv.AppendFloat(dst, x, 'f', -1, bitSize), true
	}
	dst = strconv.AppendFloat(dst, x, 'e', -1, bitSize)
	// strconv writes at least two digits: e-07 becomes e-7.
	if n := len(dst); dst[n-2] == '0' && !isDigit(dst[n-3]) {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, true
}

func parseFloat(dst, text []byte) ([]byte, error) {
	x, err := readFloat(text, 32, errFloatRange)
	if x != x {
		return binary.BigEndian.AppendUint32(dst, nan32), err
	}
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(x))), err
}

func parseDouble(dst, text []byte) ([]byte, error) {
	x, err := readFloat(text, 64, errDoubleRange)
	if x != x {
		return binary.BigEndian.AppendUint64(dst, nan64), err
	}
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(x)), err
}

var (
	wordNaN      = []byte("nan")
	wordInf      = []byte("inf")
	wordInfinity = []byte("infinity")
)

// readFloat reads a decimal number and rounds it to the nearest number of bitSize bits. It also
// reads the words nan, inf and infinity, in any case and with an optional sign.
func readFloat(text []byte, bitSize int, outOfRange error) (float64, error) {
	plain := len(text) > 0
	for _, c := range text {
		if !isDigit(c) && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			plain = false
			break
		}
	}
	if plain {
		x, err := strconv.ParseFloat(view(text), bitSize)
		switch {
		case err == nil:
			return x, nil
		case math.IsInf(x, 0):
			return 0, outOfRange
		default:
			return 0, errNotNumber
		}
	}
	word, negative := cutSign(text)
	switch {
	case bytes.EqualFold(word, wordNaN):
		return math.NaN(), nil
	case !bytes.EqualFold(word, wordInf) && !bytes.EqualFold(word, wordInfinity):
		return 0, errNotNumber
	case negative:
		return math.Inf(-1), nil
	default:
		return math.Inf(1), nil
	}
}
