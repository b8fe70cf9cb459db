package cqltext

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// errNotInteger is the reason for a text that is not a whole number.
var errNotInteger = errors.New("not an integer")

// intCodec returns the codec of a two's complement big-endian integer of 1, 2, 4 or 8 bytes.
func intCodec(kind cqltype.Kind, size int) *scalar {
	s := &scalar{wire: cqlwire.Scalar(kind)}
	least := int64(math.MinInt64) >> (64 - 8*size)
	outOfRange := fmt.Errorf("out of range %d..%d for %s", least, ^least, kind)
	parse := func(text []byte) (int64, error) {
		v, ok := parseInt(text)
		switch {
		case ok && v >= least && v <= ^least:
			return v, nil
		case allDigits(text):
			return 0, outOfRange
		default:
			return 0, errNotInteger
		}
	}
	switch size {
	case 1:
		s.format = func(dst, w []byte) ([]byte, bool) {
			return strconv.AppendInt(dst, int64(int8(w[0])), 10), true
		}
		s.parse = func(dst, text []byte) ([]byte, error) {
			v, err := parse(text)
			return append(dst, byte(v)), err
		}
	case 2:
		s.format = func(dst, w []byte) ([]byte, bool) {
			return strconv.AppendInt(dst, int64(int16(binary.BigEndian.Uint16(w))), 10), true
		}
		s.parse = func(dst, text []byte) ([]byte, error) {
			v, err := parse(text)
			return binary.BigEndian.AppendUint16(dst, uint16(v)), err
		}
	case 4:
		s.format = func(dst, w []byte) ([]byte, bool) {
			return strconv.AppendInt(dst, int64(int32(binary.BigEndian.Uint32(w))), 10), true
		}
		s.parse = func(dst, text []byte) ([]byte, error) {
			v, err := parse(text)
			return binary.BigEndian.AppendUint32(dst, uint32(v)), err
		}
	default:
		s.format = func(dst, w []byte) ([]byte, bool) {
			return strconv.AppendInt(dst, int64(binary.BigEndian.Uint64(w)), 10), true
		}
		s.parse = func(dst, text []byte) ([]byte, error) {
			v, err := parse(text)
			return binary.BigEndian.AppendUint64(dst, uint64(v)), err
		}
	}
	return s
}

// cutSign returns text without a leading + or -.
func cutSign(text []byte) (digits []byte, negative bool) {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		return text[1:], text[0] == '-'
	}
	return text, false
}

// allDigits reports whether text is an optional sign and one or more decimal digits.
func allDigits(text []byte) bool {
	digits, _ := cutSign(text)
	for _, c := range digits {
		if !isDigit(c) {
			return false
		}
	}
	return len(digits) > 0
}

// parseInt reads an optional sign and decimal digits. It returns false for any other text and for a
// number beyond 64 bits.
func parseInt(text []byte) (int64, bool) {
	digits, negative := cutSign(text)
	u, ok := parseUint(digits)
	switch {
	case !ok || u > 1<<63 || u == 1<<63 && !negative:
		return 0, false
	case negative:
		return -int64(u), true
	default:
		return int64(u), true
	}
}

// parseUint reads one or more decimal digits. It returns false for any other text and for a number
// beyond 64 bits.
func parseUint(digits []byte) (uint64, bool) {
	var u uint64
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 || u > math.MaxUint64/10 {
			return 0, false
		}
		u *= 10
		if u += d; u < d {
			return 0, false
		}
	}
	return u, len(digits) > 0
}
