package cqltext

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// durationCodec is three signed vints: months and days, which fit 32 bits, and nanoseconds. Vints that are
// longer than they need be, parts of different sign, parts beyond 32 bits and bytes after the third vint make
// the value raw.
var durationCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Duration),
	format: formatDuration,
	parse:  parseDuration,
}

// durationUnit is one unit of the text; of is 0 for months, 1 for days, 2 for nanoseconds, size how many of
// them the unit has.
type durationUnit struct {
	name string
	of   int
	size uint64
}

// durationUnits are in the order in which they must stand. The weeks are only read.
var durationUnits = [...]durationUnit{
	{"y", 0, 12}, {"mo", 0, 1},
	{"w", 1, 7}, {"d", 1, 1},
	{"h", 2, 3600e9}, {"m", 2, 60e9}, {"s", 2, 1e9}, {"ms", 2, 1e6}, {"us", 2, 1e3}, {"ns", 2, 1},
}

// isoUnits maps the designators of ISO 8601 to durationUnits: those before the T and those after it.
var isoUnits = [2]string{"YMWD", "HMS"}

// The places of units in durationUnits.
const (
	unitWeek = 2
	unitHour = 4
)

var (
	errDurationForm  = errors.New("not a duration such as 1y2mo3d4h5m6s7ms8us9ns or P1Y2M3DT4H5M6S")
	errDurationOrder = errors.New("units must stand once each, from years down to nanoseconds")
	errDurationRange = errors.New("out of range for duration (months and days 32 bits, nanoseconds 64 bits)")
)

func formatDuration(dst, wire []byte) ([]byte, bool) {
	months, days, nanos, ok := cqlwire.Duration(wire)
	if !ok {
		return dst, false
	}
	left := [3]uint64{uint64(months), uint64(days), uint64(nanos)}
	if negative := months < 0 || days < 0 || nanos < 0; negative {
		if months > 0 || days > 0 || nanos > 0 {
			return dst, false
		}
		dst = append(dst, '-')
		left = [3]uint64{-left[0], -left[1], -left[2]}
	}
	if left == [3]uint64{} {
		return append(dst, "0s"...), true
	}
	for i := range durationUnits {
		u := &durationUnits[i]
		if i != unitWeek && left[u.of] >= u.size {
			dst = append(strconv.AppendUint(dst, left[u.of]/u.size, 10), u.name...)
			left[u.of] %= u.size
		}
	}
	return dst, true
}

func parseDuration(dst, text []byte) ([]byte, error) {
	sum := durationSum{last: -1}
	if len(text) > 0 && text[0] == '-' {
		text, sum.negative = text[1:], true
	}
	var err error
	if len(text) > 0 && text[0]|0x20 == 'p' {
		err = sum.addISO(text[1:])
	} else {
		err = sum.addUnits(text)
	}
	if err != nil {
		return dst, err
	}
	months, days, nanos := int64(sum.parts[0]), int64(sum.parts[1]), int64(sum.parts[2])
	if sum.negative {
		months, days, nanos = -months, -days, -nanos
	}
	return cqlwire.AppendDuration(dst, int32(months), int32(days), nanos), nil
}

// durationSum adds up the parts of a text.
type durationSum struct {
	parts    [3]uint64 // magnitudes of months, days, nanoseconds
	last     int       // the last unit added
	negative bool
}

// add adds n of the unit with that place in durationUnits.
func (s *durationSum) add(n uint64, unit int) error {
	if unit <= s.last {
		return errDurationOrder
	}
	s.last = unit
	u := &durationUnits[unit]
	limit := uint64(math.MaxInt32)
	if u.of == 2 {
		limit = math.MaxInt64
	}
	if s.negative {
		limit++
	}
	hi, v := bits.Mul64(n, u.size)
	if hi != 0 || v > limit-s.parts[u.of] {
		return errDurationRange
	}
	s.parts[u.of] += v
	return nil
}

// addUnits reads 1y2mo3w4d5h6m7s8ms9us10ns, in any case and with µ for u.
func (s *durationSum) addUnits(text []byte) error {
	if len(text) == 0 {
		return errDurationForm
	}
	for len(text) > 0 {
		n, rest, err := cutNumber(text)
		if err != nil {
			return err
		}
		end := 0
		for end < len(rest) && !isDigit(rest[end]) {
			end++
		}
		unit := findUnit(rest[:end])
		if unit < 0 {
			return fmt.Errorf("unknown unit %q", rest[:min(end, maxQuoted)])
		}
		if err := s.add(n, unit); err != nil {
			return err
		}
		text = rest[end:]
	}
	return nil
}

// addISO reads 1Y2M3DT4H5M6S or 1W, what follows the P of ISO 8601.
func (s *durationSum) addISO(text []byte) error {
	units, base, some := isoUnits[0], 0, false
	for len(text) > 0 {
		if text[0]|0x20 == 't' && base == 0 {
			text, units, base, some = text[1:], isoUnits[1], unitHour, false
			continue
		}
		n, rest, err := cutNumber(text)
		if err != nil || len(rest) == 0 || s.last == unitWeek {
			return errDurationForm
		}
		unit := -1
		for i := range len(units) {
			if rest[0]&^0x20 == units[i] {
				unit = base + i
			}
		}
		if unit < 0 || unit == unitWeek && s.last >= 0 {
			return errDurationForm
		}
		if err := s.add(n, unit); err != nil {
			return err
		}
		text, some = rest[1:], true
	}
	if !some {
		return errDurationForm
	}
	return nil
}

// cutNumber reads the digits at the beginning of text.
func cutNumber(text []byte) (n uint64, rest []byte, err error) {
	end := 0
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end == 0 {
		return 0, text, errDurationForm
	}
	n, ok := parseUint(text[:end])
	if !ok {
		return 0, text, errDurationRange
	}
	return n, text[end:], nil
}

// findUnit returns the place of a unit's name in durationUnits, or -1.
func findUnit(name []byte) int {
	// µ is written with the micro sign or with the Greek letter.
	if len(name) == 3 && (name[0] == 0xc2 && name[1] == 0xb5 || name[0] == 0xce && name[1] == 0xbc) && name[2]|0x20 == 's' {
		return len(durationUnits) - 2
	}
	for i := range durationUnits {
		if u := durationUnits[i].name; len(u) == len(name) && equalLower(name, u) {
			return i
		}
	}
	return -1
}

// equalLower reports whether b, its ASCII letters made small, is the string s of the same length.
func equalLower(b []byte, s string) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != s[i] {
			return false
		}
	}
	return true
}
