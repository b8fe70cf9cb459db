package cqltext

import (
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// timeCodec is the codec of time: int64 nanoseconds since midnight. It always writes nine digits
// after the point. A value outside one day is written raw.
var timeCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Time),
	quoted: true,
	format: formatTime,
	parse:  parseTime,
}

func formatTime(dst, wire []byte) ([]byte, bool) {
	nanos := int64(binary.BigEndian.Uint64(wire))
	if nanos < 0 || nanos >= nanosPerDay {
		return dst, false
	}
	dst = appendClock(dst, nanos/nanosPerSecond)
	return appendFraction(dst, nanos%nanosPerSecond, 9), true
}

func parseTime(dst, text []byte) ([]byte, error) {
	nanos, rest, err := parseClock(text)
	if err != nil {
		return dst, err
	}
	if len(rest) > 0 {
		return dst, errTimeForm
	}
	return binary.BigEndian.AppendUint64(dst, uint64(nanos)), nil
}
