package doctor

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

const now = 1_710_000_000

func TestUnits(t *testing.T) {
	const day = 86_400
	of := func(ms ...int64) []Sample {
		times := Times{Column: "at", File: "a.csv"}
		for _, m := range ms {
			times.Note(m, 2, "")
		}
		return []Sample{{Name: "a.csv", Times: []Times{times}}}
	}
	for _, c := range []struct {
		name, do, found string
		samples         []Sample
	}{
		{"milliseconds", "", "", of(now*1000, now*1000+1)},
		{"seconds", "--timestamp-unit s", `a.csv, column "at": 2 of 2 values, such as 1710000000 (1970-01-20T19:00:00Z), are in January 1970: seconds since 1970, read as milliseconds?`, of(now, now+day, 0)},
		{"microseconds", "--timestamp-unit us", `a.csv, column "at": 1 of 1 value, such as 1710000000000000 (56157-09-28T16:00:00Z), is after the year 2100: microseconds since 1970, read as milliseconds?`, of(now * 1_000_000)},
		{"nanoseconds", "--timestamp-unit ns", `a.csv, column "at": 1 of 1 value, such as 1710000000000000000 (54189712-11-05T16:00:00Z), is after the year 2100: nanoseconds since 1970, read as milliseconds?`, of(now * 1_000_000_000)},
		{"none", "", "", of(0, 0)},
		{"birthdays", "", "", of(append(birthdays(), now)...)},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireFound(t, c.do, c.found, Units(c.samples, ""))
			if c.name == "seconds" {
				require.Empty(t, Units(c.samples, "ms"), "the unit was given, which confirms it")
			}
		})
	}
}

// birthdays are days of ten years around 1970, in milliseconds.
func birthdays() (all []int64) {
	for i := int64(-60); i < 60; i++ {
		all = append(all, i*30*86_400_000+1)
	}
	return all
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

// No unit reads a column with numbers of several units: the finding has an example of each unit.
// The bounds that it names split the file into parts that one unit reads, whichever was given.
func TestNumbersOfDifferentUnits(t *testing.T) {
	millisOf := map[string]func(n int64) int64{
		"s":  func(n int64) int64 { return n * 1000 },
		"ms": func(n int64) int64 { return n },
		"us": func(n int64) int64 { return n / 1000 },
	}
	read := func(unit string, numbers ...int64) []Sample {
		times := Times{Column: "at", File: "a.csv", Unit: unit}
		for i, n := range numbers {
			times.Note(millisOf[unit](n), int64(i+2), strconv.FormatInt(n, 10))
		}
		return []Sample{{Name: "a.csv", Times: []Times{times}}}
	}
	const splitting = "split the file by the size of these numbers, and load each part with its own unit: "
	const twice = splitting + "--timestamp-unit s for numbers below 100000000000, --timestamp-unit ms for those from 100000000000"
	requireFound(
		t,
		twice,
		`a.csv, column "at": numbers of different units: 1 looks like seconds, such as 1710000000 (1970-01-20T19:00:00Z) in a.csv:3; `+
			`2 look like milliseconds, such as 1710000000000 (2024-03-09T16:00:00Z) in a.csv:2`,
		Units(read("ms", now*1000, now, now*1000), ""),
	)
	requireFound(
		t,
		twice,
		`a.csv, column "at": numbers of different units: 2 look like seconds, such as 1710000000 (2024-03-09T16:00:00Z) in a.csv:3; `+
			`1 looks like milliseconds, such as 1710000000000 (56157-09-28T16:00:00Z) in a.csv:2`,
		Units(read("s", now*1000, now, now), "s"),
	)
	for given, of := range map[string][]Sample{
		"":   read("ms", now*1000, now*1_000_000),
		"us": read("us", now*1000, now*1_000_000),
	} {
		found := Units(of, given)
		require.Len(t, found, 1, given)
		require.Equal(
			t,
			splitting+"--timestamp-unit ms for numbers below 100000000000000, --timestamp-unit us for those from 100000000000000",
			found[0].Do,
		)
	}
	for unit, part := range map[string][]int64{"s": {now, now + 1}, "ms": {now * 1000}, "us": {now * 1_000_000}} {
		require.Empty(t, Units(read(unit, part...), unit), "a part of one unit")
	}
	require.Equal(
		t,
		splitting+"--timestamp-unit s for numbers below 100000000000, --timestamp-unit ms for those from 100000000000 to below 100000000000000, --timestamp-unit us for those from 100000000000000",
		Units(read("ms", now, now*1000, now*1_000_000), "")[0].Do,
	)
}

// Dates that are written as such are right in any unit: only the numbers count.
func TestNumbersBesideWrittenDates(t *testing.T) {
	times := Times{Column: "at", File: "a.csv"}
	times.Note(now*1000, 2, "2024-03-09T16:00:00Z")
	times.Note(now*1000, 3, "09.03.2024 16:00")
	times.Note(1_704_067_200_000, 4, "20240101") // by a pattern
	times.Note(now, 5, "1710000000")
	found := Units([]Sample{{Name: "a.csv", Times: []Times{times}}}, "")
	require.Len(t, found, 1)
	require.Equal(t, "--timestamp-unit s", found[0].Do)
}

// One unit holds for all columns of timestamps: where they differ, none is advised.
func TestColumnsOfDifferentUnits(t *testing.T) {
	seconds, millis := Times{Column: "a", File: "a.csv"}, Times{Column: "b", File: "a.csv"}
	seconds.Note(now, 2, "")
	millis.Note(now*1000, 2, "")
	found := Units([]Sample{{Name: "a.csv", Times: []Times{seconds, millis}}}, "")
	require.Len(t, found, 1)
	require.Empty(t, found[0].Settings)
	require.Equal(
		t,
		"--timestamp-unit is the unit of all columns: load the file once for each unit, here s, and leave the columns of other units out with --skipcols",
		found[0].Do,
	)
}

// A unit that was given is not that of a column, or of any.
func TestColumnsUnlikeTheUnitThatWasGiven(t *testing.T) {
	of := func(unit string, ms ...int64) (all []Sample) {
		s := Sample{Name: "f"}
		for i, m := range ms {
			times := Times{Column: string(rune('a' + i)), File: "f", Unit: unit}
			times.Note(m, 2, "")
			s.Times = append(s.Times, times)
		}
		return append(all, s)
	}
	const each = "--timestamp-unit is the unit of all columns: load the file once for each unit, and leave the columns of other units out with --skipcols"
	for _, c := range []struct {
		name, given, do, found string
		ms                     []int64 // as they are read
	}{
		{"as given", "s", "", "", []int64{now * 1000, now*1000 + 1000}},
		{"none", "s", "", "", []int64{0}},
		{"milliseconds among seconds", "s", each, `f, column "b": 1 of 1 value, such as 1710000000000 (56157-09-28T16:00:00Z), is after the year 2100: numbers of another unit than s?`, []int64{now * 1000, now * 1_000_000}},
		{"seconds among milliseconds", "ms", each, `f, column "a": 1 of 1 value, such as 1710000000 (1970-01-20T19:00:00Z), is in January 1970: numbers of another unit than ms?`, []int64{now, now * 1000}},
		{"all milliseconds", "s", "--timestamp-unit ms", `f, column "a": 1 of 1 value, such as 1710000000000 (56157-09-28T16:00:00Z), is after the year 2100: numbers of another unit than s?`, []int64{now * 1_000_000}},
		{"all in January 1970", "ms", "", "", []int64{now, now}},
		{"milliseconds for microseconds", "us", "--timestamp-unit ms", `f, column "a": 1 of 1 value, such as 1710000000000 (1970-01-20T19:00:00Z), is in January 1970: numbers of another unit than us?`, []int64{now}},
		{"a date for never", "ms", "", "", []int64{253_402_300_799_000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireFound(t, c.do, c.found, Units(of(c.given, c.ms...), c.given))
		})
	}
}

// Rows of an input come in any order: the finding names the place of the first in the input.
func TestTimesNameTheFirstRow(t *testing.T) {
	times := &Times{Column: "at", File: "f.csv"}
	for _, line := range []int64{700, 3, 2, 701} {
		times.Note(now+line, line, "")
	}
	place, first, all := times.AllEarly()
	require.True(t, all)
	require.Equal(t, "f.csv:2", place)
	require.Equal(t, "1710000002 (1970-01-20T19:00:00Z)", first)
}

// Numbers that are dates without separators are read by the pattern that is advised.
func TestDatesWithoutSeparators(t *testing.T) {
	for _, c := range []struct {
		numbers []string
		pattern string // advised; empty: none is
		do      string // empty: the numbers are no dates
	}{
		{[]string{"20240301", "19991231"}, "%Y%m%d", "say --datetimeformat '%Y%m%d'"},
		{[]string{"14032024"}, "%d%m%Y", "say --datetimeformat '%d%m%Y'"},
		{[]string{"2024031413", "2024031423"}, "%Y%m%d%H", "say --datetimeformat '%Y%m%d%H'"},
		{[]string{"202403141305"}, "%Y%m%d%H%M", "say --datetimeformat '%Y%m%d%H%M'"},
		{[]string{"20240314130501"}, "%Y%m%d%H%M%S", "say --datetimeformat '%Y%m%d%H%M%S'"},
		{[]string{"20240314130501250"}, "%Y%m%d%H%M%S%f", "say --datetimeformat '%Y%m%d%H%M%S%f'"},
		{[]string{"310124", "150124"}, "%y%m%d", "check a date whose day you know, and say --datetimeformat '%y%m%d' or '%d%m%y'"},
		{[]string{"2024", "2023"}, "", "write them as 2024-12-31, with a month and a day"},
		{[]string{"20240301", "20240314130501"}, "", "load with --datetimeformat '%Y%m%d', then the rejected rows: cqlbulk retry --last --datetimeformat '%Y%m%d%H%M%S'"},
		{[]string{"20240301", "20241301"}, "%Y%d%m", "say --datetimeformat '%Y%d%m'"},
		{[]string{"20240301", "99991231"}, "%Y%m%d", "say --datetimeformat '%Y%m%d'"},
		{[]string{"20241403130501"}, "%Y%d%m%H%M%S", "say --datetimeformat '%Y%d%m%H%M%S'"},
		{[]string{"14032024130501"}, "%d%m%Y%H%M%S", "say --datetimeformat '%d%m%Y%H%M%S'"},
		{[]string{"241403130501", "251231130501"}, "", ""}, {[]string{"240314130501"}, "%y%m%d%H%M%S", "say --datetimeformat '%y%m%d%H%M%S'"},
		{[]string{"2024074", "2025366"}, "", ""}, {[]string{"2024074", "2025365"}, "", "write them as 2024-12-31, with a month and a day"},
		{[]string{"1710000000", "1710000001"}, "", ""}, {[]string{"1710000000000"}, "", ""}, {[]string{"18990101"}, "", ""},
	} {
		times := Times{Column: "at", File: "f"}
		for _, text := range c.numbers {
			ms, err := strconv.ParseInt(text, 10, 64)
			require.NoError(t, err)
			times.Note(ms, 2, text)
		}
		samples := []Sample{{Name: "f", Times: []Times{times}}}
		found := AsDates(samples, "", "")
		if c.do == "" {
			require.Empty(t, found, c.numbers)
			continue
		}
		require.Len(t, found, 1, c.numbers)
		require.Empty(t, Units(samples, ""), "one finding says all")
		require.Equal(t, c.do, found[0].Do)
		if c.pattern != "" {
			require.Equal(t, []string{c.pattern}, found[0].Settings["datetimeformat"])
		}
		require.Equal(t, c.pattern == "%y%m%d", found[0].Guess != "", c.numbers)
	}
	var w Watch
	w.Note([]byte("20240301"), false)
	d, some := w.Dates("day")
	require.True(t, some)
	d.OfDate, d.File = true, "f"
	require.Equal(
		t,
		[]string{"%Y%m%d"},
		AsDates([]Sample{{Dates: []Dates{d}}}, "", "")[0].Settings["dateformat"],
	)
}

// A pattern of digits alone takes no other numbers: it is not advised for a file with a column of
// them.
func TestDatesWithoutSeparatorsBesideNumbers(t *testing.T) {
	compact, millis := Times{Column: "a", File: "f"}, Times{Column: "b", File: "f"}
	compact.Note(20_240_301, 2, "20240301")
	millis.Note(now*1000, 2, "")
	found := AsDates([]Sample{{Name: "f", Times: []Times{compact, millis}}}, "", "")
	require.Len(t, found, 1)
	require.Empty(t, found[0].Settings)
	require.Contains(t, found[0].Do, "with --skipcols")
}
