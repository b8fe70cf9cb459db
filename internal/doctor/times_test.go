package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnits(t *testing.T) {
	const day = 86_400
	of := func(ms ...int64) []Sample {
		times := Times{Column: "at", File: "a.csv"}
		for _, m := range ms {
			times.Note(m, 2)
		}
		return []Sample{{Name: "a.csv", Times: []Times{times}}}
	}
	const now = 1_710_000_000
	for _, c := range []struct {
		name, do, found string
		samples         []Sample
	}{
		{"milliseconds", "", "", of(now*1000, now*1000+1)},
		{"seconds", "--timestamp-unit s", `a.csv, column "at": 2 of 2 values, such as 1710000000 (1970-01-20T19:00:00Z), are in January 1970: seconds since 1970, read as milliseconds?`, of(now, now+day, 0)},
		{"microseconds", "--timestamp-unit us", `a.csv, column "at": 1 of 1 value, such as 1710000000000000 (56157-09-28T16:00:00Z), is after the year 2100: microseconds since 1970, read as milliseconds?`, of(now * 1_000_000)},
		{"nanoseconds", "--timestamp-unit ns", `a.csv, column "at": 1 of 1 value, such as 1710000000000000000 (54189712-11-05T16:00:00Z), is after the year 2100: nanoseconds since 1970, read as milliseconds?`, of(now * 1_000_000_000)},
		{"fewer than half", "", "", of(now, now*1000, now*1000)},
		{"none", "", "", of(0, 0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireFound(t, c.do, c.found, Units(c.samples, ""))
			if c.name == "seconds" {
				require.Empty(t, Units(c.samples, "ms"), "the unit was given, which confirms it")
			}
		})
	}
}

// requireFound checks a single finding, or that there is none if do is empty.
func requireFound(t *testing.T, do, text string, found []Finding) {
	t.Helper()
	if do == "" {
		require.Empty(t, found)
		return
	}
	require.Len(t, found, 1)
	require.Equal(t, do, found[0].Do)
	require.Equal(t, text, found[0].Found)
}

// One unit holds for all columns of timestamps: where they differ, none is advised.
func TestColumnsOfDifferentUnits(t *testing.T) {
	seconds, millis := Times{Column: "a", File: "a.csv"}, Times{Column: "b", File: "a.csv"}
	seconds.Note(1_710_000_000, 2)
	millis.Note(1_710_000_000_000, 2)
	found := Units([]Sample{{Name: "a.csv", Times: []Times{seconds, millis}}}, "")
	require.Len(t, found, 1)
	require.Empty(t, found[0].Settings)
	require.Equal(t, "--timestamp-unit s, but only if no other column of timestamps has numbers of another unit: it is the unit of all", found[0].Do)
}

// A unit that was given is not that of a column, or of any.
func TestColumnsUnlikeTheUnitThatWasGiven(t *testing.T) {
	const now = 1_710_000_000
	of := func(ms ...int64) (all []Sample) {
		s := Sample{Name: "f"}
		for i, m := range ms {
			times := Times{Column: string(rune('a' + i)), File: "f"}
			times.Note(m, 2)
			s.Times = append(s.Times, times)
		}
		return append(all, s)
	}
	const each = "--timestamp-unit is the unit of all columns: load the file once for each unit, and leave the columns of other units out with --skipcols"
	for _, c := range []struct {
		name, given, do, found string
		samples                []Sample
	}{
		{"as given", "s", "", "", of(now*1000, now*1000+1)},
		{"none", "s", "", "", of(0)},
		{"milliseconds among seconds", "s", each, `f, column "b": 1 of 1 value, such as 1710000000000000 (56157-09-28T16:00:00Z), is after the year 2100: numbers of another unit than s?`, of(now*1000, now*1_000_000)},
		{"seconds among milliseconds", "ms", each, `f, column "a": 1 of 1 value, such as 1710000000 (1970-01-20T19:00:00Z), is in January 1970: numbers of another unit than ms?`, of(now, now*1000)},
		{"all milliseconds", "s", "--timestamp-unit ms", `f, column "a": 1 of 1 value, such as 1710000000000000 (56157-09-28T16:00:00Z), is after the year 2100: numbers of another unit than s?`, of(now * 1_000_000)},
		{"all in January 1970", "ms", "", "", of(now, now)},
		{"a date for never", "ms", "", "", of(253_402_300_799_000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireFound(t, c.do, c.found, Units(c.samples, c.given))
		})
	}
}

// Rows of an input come in any order: the place that is told is that of the first in it.
func TestTimesNameTheFirstRow(t *testing.T) {
	times := &Times{Column: "at", File: "f.csv"}
	for _, line := range []int64{700, 3, 2, 701} {
		times.Note(1_710_000_000+line, line)
	}
	place, first, all := times.AllSeconds(4)
	require.True(t, all)
	require.Equal(t, "f.csv:2", place)
	require.Equal(t, "1710000002 (1970-01-20T19:00:00Z)", first)
}
