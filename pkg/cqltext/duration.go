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

// durationCodec is the codec of duration: three signed vints for months, days and nanoseconds.
// Months and days fit 32 bits. A value is written raw if a vint has more bytes than necessary, or
// if bytes follow the third vint. The same applies if parts differ in sign or exceed 32 bits.
var durationCodec = scalar{
	wire:   cqlwire.Scalar(cqltype.Duration),
	format: formatDuration,
	parse:  parseDuration,
}

// durationUnit is a unit in the text. The field of is 0 for months, 1 for days and 2 for
// nanoseconds. The field size is the number of these in the unit.
type durationUnit struct {
	name string
	of   int
	size uint64
}

// durationUnits are in the order required in a text. Weeks can be read but are never written.
var durationUnits = [...]durationUnit{
	{"y", 0, 12}, {"mo", 0, 1},
	{"w", 1, 7}, {"d", 1, 1},
	{"h", 2, 3600e9}, {"m", 2, 60e9}, {"s", 2, 1e9}, {"ms", 2, 1e6}, {"us", 2, 1e3}, {"ns", 2, 1},
}

// isoUnits maps the designators of ISO 8601 to durationUnits: those before and those after the T.
var isoUnits = [2]string{"YMWD", "HMS"}

// The indexes of some units in durationUnits.
const (
	unitWeek = 2
	unitHour = 4
)

var (
	errDurationForm  = errors.New("not a duration such as 1y2mo3d4h5m6s7ms8us9ns or P1Y2M3DT4H5M6S")
	errDurationOrder = errors.New("each unit may occur once, from years down to nanoseconds")
	errDurationRange = errors.New(
		"out of range for duration (months and days 32 bits, nanoseconds 64 bits)",
	)
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

// durationSum adds the parts of a text.
type durationSum struct {
	parts    [3]uint64 // magnitudes of months, days, nanoseconds
	last     int       // the last unit added
	negative bool
}

// add adds n of the unit with that index in durationUnits.
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

// addUnits reads a text such as 1y2mo3w4d5h6m7s8ms9us10ns, in any case; µ may replace u.
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

// addISO reads the part of an ISO 8601 duration after the P, such as 1Y2M3DT4H5M6S or 1W.
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

// cutNumber reads the digits at the start of text.
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

// findUnit returns the index of a unit's name in durationUnits, or -1.
func findUnit(name []byte) int {
	// µ is the micro sign or the Greek letter.
	if len(name) == 3 &&
		(name[0] == 0xc2 && name[1] == 0xb5 || name[0] == 0xce && name[1] == 0xbc) &&
		name[2]|0x20 == 's' {
		return len(durationUnits) - 2
	}
	for i := range durationUnits {
		if u := durationUnits[i].name; len(u) == len(name) && equalLower(name, u) {
			return i
		}
	}
	return -1
}

// equalLower reports whether b, with its ASCII letters in lower case, equals s. Both have the same
// length.
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
