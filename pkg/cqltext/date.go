package cqltext

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// dateCodec is the codec of date: an unsigned 32-bit number of days, where 1970-01-01 is
// cqlwire.DateEpoch.
var dateCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Date),
	quoted: true,
	format: formatDate,
	parse:  parseDateWire,
}

var errDateRange = errors.New("out of range -5877641-06-23..+5881580-07-11 for date")

func formatDate(dst, wire []byte) ([]byte, bool) {
	return appendDate(dst, int64(binary.BigEndian.Uint32(wire))-cqlwire.DateEpoch), true
}

func parseDateWire(dst, text []byte) ([]byte, error) {
	days, rest, err := parseDate(text)
	if err != nil {
		return dst, err
	}
	if len(rest) > 0 {
		return dst, errDateForm
	}
	days += cqlwire.DateEpoch
	if days < 0 || days > math.MaxUint32 {
		return dst, errDateRange
	}
	return binary.BigEndian.AppendUint32(dst, uint32(days)), nil
}
