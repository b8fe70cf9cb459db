package cqltext

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// TestCalendarLikeTimePackage compares dates and timestamps of the years 0000 to 9999 with package
// time.
func TestCalendarLikeTimePackage(t *testing.T) {
	first := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	last := time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()
	r := rand.New(rand.NewPCG(5, 6))
	for range 50000 {
		ms := first + r.Int64N(last-first+1)
		if r.IntN(2) == 0 {
			ms -= ms % 1000
		}
		at := time.UnixMilli(ms).UTC()
		layout := "2006-01-02T15:04:05Z"
		if ms%1000 != 0 {
			layout = "2006-01-02T15:04:05.000Z"
		}
		wire := binary.BigEndian.AppendUint64(nil, uint64(ms))
		text, err := timestampCodec.AppendText(nil, wire)
		require.NoError(t, err)
		require.Equal(t, at.Format(layout), string(text))

		zone := time.FixedZone("", 60*(r.IntN(2*18*60+1)-18*60))
		if in := at.In(zone); in.Year() >= 0 && in.Year() <= 9999 {
			back, err := timestampCodec.AppendWire(
				nil, []byte(in.Format("2006-01-02 15:04:05.999-07:00")),
			)
			require.NoError(t, err)
			require.Equal(t, wire, back)
		}

		days := floorDiv(ms, millisPerDay)
		dateText, err := dateCodec.AppendText(
			nil, binary.BigEndian.AppendUint32(nil, uint32(days+cqlwire.DateEpoch)),
		)
		require.NoError(t, err)
		require.Equal(t, at.Format(time.DateOnly), string(dateText))
	}
}

// TestCalendarIsInvertible checks random days of the whole range of timestamps, and all days of one
// era.
func TestCalendarIsInvertible(t *testing.T) {
	check := func(days int64) {
		year, month, day := civilFromDays(days)
		if month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) ||
			daysFromCivil(year, month, day) != days {
			require.Fail(t, fmt.Sprintf("day %d became %d-%d-%d", days, year, month, day))
		}
	}
	for days := int64(-daysPerEra); days <= daysPerEra; days++ {
		check(days)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 100000 {
		check(int64(r.Uint64()) / millisPerDay)
	}
}

// TestTimestampsRoundTrip checks random bits, and both ends of the range with every zone.
func TestTimestampsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 50000 {
		wire := binary.BigEndian.AppendUint64(nil, r.Uint64())
		text, err := timestampCodec.AppendText(nil, wire)
		require.NoError(t, err)
		back, err := timestampCodec.AppendWire(nil, text)
		require.NoError(t, err)
		require.Equal(t, wire, back, string(text))
	}
	for minutes := -18 * 60; minutes <= 18*60; minutes++ {
		for _, ms := range []int64{math.MinInt64, math.MaxInt64} {
			// The local time of the last instant in that zone, in parts that do not overflow.
			days, left := floorDiv(ms, millisPerDay), ms-floorDiv(
				ms, millisPerDay,
			)*millisPerDay+int64(minutes)*60_000
			days, left = days+floorDiv(left, millisPerDay), left-floorDiv(
				left, millisPerDay,
			)*millisPerDay
			text := appendClock(append(appendDate(nil, days), 'T'), left/1000)
			text = appendFraction(text, left%1000, 3)
			sign, abs := '+', minutes
			if minutes < 0 {
				sign, abs = '-', -minutes
			}
			text = fmt.Appendf(text, "%c%02d:%02d", sign, abs/60, abs%60)
			back, err := timestampCodec.AppendWire(nil, text)
			require.NoError(t, err, string(text))
			require.Equal(t, ms, int64(binary.BigEndian.Uint64(back)), string(text))
		}
	}
}

// TestDurationsRoundTrip checks random parts of all sizes.
func TestDurationsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 50000 {
		sign := int64(1 - 2*r.IntN(2))
		part := func(bits int) int64 { return sign * int64(r.Uint64()>>(64-bits+r.IntN(bits))) }
		wire := cqlwire.AppendDuration(nil, int32(part(31)), int32(part(31)), part(63))
		text, err := durationCodec.AppendText(nil, wire)
		require.NoError(t, err)
		require.False(t, isRaw(text))
		back, err := durationCodec.AppendWire(nil, text)
		require.NoError(t, err)
		require.Equal(t, wire, back, string(text))
	}
}
