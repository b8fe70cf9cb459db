package cqltext

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// timestampCodec is the codec of timestamp: int64 milliseconds since 1970-01-01T00:00:00Z, written
// as java.time.Instant does.
var timestampCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Timestamp),
	quoted: true,
	format: formatTimestamp,
	parse:  parseTimestamp,
}

// UnitName returns the name of a unit of timestamps, such as "milliseconds".
func UnitName(unit time.Duration) string {
	switch unit {
	case time.Second:
		return "seconds"
	case time.Microsecond:
		return "microseconds"
	case time.Nanosecond:
		return "nanoseconds"
	default:
		return "milliseconds"
	}
}

// timestampCodecIn returns the codec for texts whose numbers count units.
func timestampCodecIn(unit time.Duration) *scalar {
	c := timestampCodec
	c.parse = func(dst, text []byte) ([]byte, error) {
		whole, fraction, pointed := bytes.Cut(text, []byte{'.'})
		if !allDigits(whole) ||
			pointed && (unit != time.Second || !allDigits(fraction) || !isDigit(fraction[0])) {
			return parseTimestamp(dst, text)
		}
		n, ok := parseInt(whole)
		ms, within := millisOf(n, unit)
		if !ok || !within {
			return dst, errTimestampRange
		}
		if pointed {
			part := fractionMillis(fraction, text[0] == '-')
			if part < 0 && ms < math.MinInt64-part || part > 0 && ms > math.MaxInt64-part {
				return dst, errTimestampRange
			}
			ms += part
		}
		return binary.BigEndian.AppendUint64(dst, uint64(ms)), nil
	}
	return &c
}

// millisOf converts n units to milliseconds, rounded down. It returns false if the result exceeds
// 64 bits.
func millisOf(n int64, unit time.Duration) (int64, bool) {
	if unit < time.Millisecond {
		return floorDiv(n, int64(time.Millisecond/unit)), true
	}
	factor := int64(unit / time.Millisecond)
	return n * factor, n <= math.MaxInt64/factor && n >= math.MinInt64/factor
}

// fractionMillis returns the milliseconds of the digits after the point in a number of seconds.
func fractionMillis(digits []byte, negative bool) int64 {
	ms, finer := int64(0), false
	for i := range max(len(digits), 3) {
		switch {
		case i < 3 && i < len(digits):
			ms = 10*ms + int64(digits[i]-'0')
		case i < 3:
			ms *= 10
		default:
			finer = finer || digits[i] != '0'
		}
	}
	switch {
	case negative && finer:
		return -ms - 1 // rounded down, towards the past
	case negative:
		return -ms
	default:
		return ms
	}
}

var (
	errTimestampRange = errors.New("out of range for timestamp, which is 64 bits of milliseconds")
	errZone           = errors.New(
		"after the time there may only be a zone: Z, +HH, +HHMM or +HH:MM, up to 18:00",
	)
)

func formatTimestamp(dst, wire []byte) ([]byte, bool) {
	ms := int64(binary.BigEndian.Uint64(wire))
	days := floorDiv(ms, millisPerDay)
	// The product may overflow near the ends of the range; the difference then overflows back.
	ms -= days * millisPerDay
	dst = appendClock(append(appendDate(dst, days), 'T'), ms/1000)
	if ms%1000 != 0 {
		dst = appendFraction(dst, ms%1000, 3)
	}
	return append(dst, 'Z'), true
}

// parseTimestamp reads a whole number of milliseconds, or a date with an optional time of day and
// zone. Fractions of a millisecond are rounded down, towards the past. Without a zone, the time is
// UTC.
func parseTimestamp(dst, text []byte) ([]byte, error) {
	if allDigits(text) {
		ms, ok := parseInt(text)
		if !ok {
			return dst, errTimestampRange
		}
		return binary.BigEndian.AppendUint64(dst, uint64(ms)), nil
	}
	days, rest, err := parseDate(text)
	if err != nil {
		return dst, err
	}
	var nanos int64
	clock := rest
	if len(clock) > 0 && (clock[0] == 'T' || clock[0] == 't') {
		clock = clock[1:]
	} else {
		for len(clock) > 0 && isBlank(clock[0]) {
			clock = clock[1:]
		}
	}
	if len(clock) < len(rest) &&
		(len(clock) == 0 || clock[0] != '+' && clock[0] != '-' && clock[0]|0x20 != 'z') {
		if nanos, rest, err = parseClock(clock); err != nil {
			return dst, err
		}
	}
	offset, ok := parseZone(rest)
	if !ok {
		return dst, errZone
	}
	ms, ok := joinMillis(days, nanos/nanosPerMilli-offset*60_000)
	if !ok {
		return dst, errTimestampRange
	}
	return binary.BigEndian.AppendUint64(dst, uint64(ms)), nil
}

// joinMillis adds days and milliseconds, at most a few days of them. It returns false if the sum
// exceeds 64 bits.
func joinMillis(days, ms int64) (int64, bool) {
	days += floorDiv(ms, millisPerDay)
	ms -= floorDiv(ms, millisPerDay) * millisPerDay
	if days < 0 {
		// Count back from the next midnight, so that the first step does not overflow if the sum
		// does not.
		days, ms = days+1, ms-millisPerDay
	}
	if days > math.MaxInt64/millisPerDay || days < math.MinInt64/millisPerDay {
		return 0, false
	}
	base := days * millisPerDay
	if ms > 0 && base > math.MaxInt64-ms || ms < 0 && base < math.MinInt64-ms {
		return 0, false
	}
	return base + ms, true
}

// parseZone reads an optional zone after at most one blank, and returns its minutes east of UTC.
func parseZone(text []byte) (minutes int64, ok bool) {
	if len(text) == 0 {
		return 0, true
	}
	if isBlank(text[0]) {
		text = text[1:]
	}
	if len(text) == 1 && text[0]|0x20 == 'z' {
		return 0, true
	}
	if len(text) < 3 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	minutes, ok = parse2(text[1:])
	minutes *= 60
	if rest := text[3:]; ok && len(rest) > 0 {
		if rest[0] == ':' {
			rest = rest[1:]
		}
		var m int64
		m, ok = parse2(rest)
		ok = ok && len(rest) == 2 && m < 60
		minutes += m
	}
	if text[0] == '-' {
		minutes = -minutes
	}
	return minutes, ok && minutes >= -18*60 && minutes <= 18*60
}
