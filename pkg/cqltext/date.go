package cqltext

import (
	"encoding/binary"
	"errors"
	"math"
)

// dateCodec is days, uint32, with 1970-01-01 at 2^31.
var dateCodec = scalar{name: "date", sizes: zeroOr(4), fixed: -1, quoted: true, format: formatDate, parse: parseDateWire}

// dateZero is the wire value of 1970-01-01.
const dateZero = 1 << 31

var errDateRange = errors.New("out of range -5877641-06-23..+5881580-07-11 for date")

func formatDate(dst, wire []byte) ([]byte, bool) {
	return appendDate(dst, int64(binary.BigEndian.Uint32(wire))-dateZero), true
}

func parseDateWire(dst, text []byte) ([]byte, error) {
	days, rest, err := parseDate(text)
	if err != nil {
		return dst, err
	}
	if len(rest) > 0 {
		return dst, errDateForm
	}
	days += dateZero
	if days < 0 || days > math.MaxUint32 {
		return dst, errDateRange
	}
	return binary.BigEndian.AppendUint32(dst, uint32(days)), nil
}
