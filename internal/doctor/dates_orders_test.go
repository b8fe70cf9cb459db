package doctor

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// datesOf returns a sample with a column of timestamps that accepted some texts and refused others.
func datesOf(taken, refused []string) []Sample {
	var w Watch
	for _, text := range taken {
		w.Note([]byte(text), true)
	}
	for _, text := range refused {
		w.Note([]byte(text), false)
	}
	d, some := w.Dates("at")
	if !some {
		return []Sample{{Name: "f"}}
	}
	d.File = "f"
	return []Sample{{Name: "f", Dates: []Dates{d}}}
}

// If a date of a file shows that the month is second, no pattern with the day second is advised. It
// would read other days from the dates that both orders read.
func TestBothOrdersBehindTheYear(t *testing.T) {
	found := AsDates(datesOf([]string{"2025-06-30", "2025-01-07"}, []string{"2024-31-12"}), "", "")
	require.Len(t, found, 1)
	require.Equal(t, Failure, found[0].State)
	require.Empty(t, found[0].Settings)
	require.Equal(t, "write them as 2024-12-31", found[0].Do)
	require.Contains(
		t,
		found[0].Found,
		"1 such as 2025-06-30 is only year-month-day: both orders of day and month are in one file",
	)

	found = AsDates(datesOf([]string{"2025-01-07"}, []string{"2024-31-12"}), "", "")
	require.Equal(
		t,
		map[string][]string{"datetimeformat": {"%Y-%d-%m"}},
		found[0].Settings,
		"no date shows the other order",
	)

	found = AsDates(
		datesOf([]string{"2025-06-30", "2025-01-07", "2024-31-12"}, nil),
		"%Y-%d-%m",
		"",
	)
	require.Len(t, found, 1)
	require.Equal(t, Failure, found[0].State)
	require.Equal(
		t,
		`f, column "at": 1 date such as 2025-06-30 and 1 such as 2024-31-12: both orders of day and month are in one file`,
		found[0].Found,
	)
	require.Empty(t, AsDates(datesOf([]string{"2025-06-30", "2025-01-07"}, nil), "", ""))
}

// numbersOf is a sample with a column of numbers that are read as milliseconds.
func numbersOf(t *testing.T, numbers ...string) []Sample {
	t.Helper()
	times := Times{Column: "at", File: "f"}
	for i, text := range numbers {
		ms, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		times.Note(ms, int64(i+2), text)
	}
	return []Sample{{Name: "f", Times: []Times{times}}}
}

// If no unit since 1970 turns numbers into likely times, none is advised. The load would write
// wrong times, and nothing would look odd any more.
func TestNumbersOfNoUnit(t *testing.T) {
	for _, numbers := range [][]string{
		{"29325520", "28937586"}, // minutes since 1970
		{"488758", "482293"},     // hours
		{"2460952", "2460683"},   // Julian days
	} {
		found := Units(numbersOf(t, numbers...), "")
		require.Len(t, found, 1, numbers)
		require.Empty(t, found[0].Settings, numbers)
		require.Equal(t, countsUnknown, found[0].Do, numbers)
		require.Contains(
			t,
			found[0].Found,
			"in January 1970: times of 1980 to 2100 in no unit since 1970",
			numbers,
		)
	}
	found := Units(numbersOf(t, "55000000000000000", "55000000000000001"), "")
	require.Len(t, found, 1)
	require.Contains(
		t,
		found[0].Found,
		"are after the year 9999: times of 1980 to 2100 in no unit since 1970",
	)
	require.Empty(t, Units(numbersOf(t, "253402300799000"), ""), "a date for never")
}

// Ticks of .NET and of Windows are no nanoseconds since 1970, though some of them would be likely
// times then.
func TestCountsOfParts(t *testing.T) {
	for _, c := range []struct{ number, says string }{
		{"638951280080000000", "units of 100 ns since 0001-01-01, as .NET counts ticks: 638951280080000000 is 2025-10-03"},
		{"134040048080000000", "units of 100 ns since 1601-01-01, as Windows counts file times: 134040048080000000 is 2025-10-03"},
		{"13404004808000000", "microseconds since 1601-01-01, as Chrome counts them: 13404004808000000 is 2025-10-03"},
	} {
		samples := numbersOf(t, c.number)
		require.Empty(t, Units(samples, ""), "one finding says all")
		found := AsDates(samples, "", "")
		require.Len(t, found, 1, c.number)
		require.Contains(t, found[0].Found, c.says)
		require.True(t, found[0].Wrong)
	}
}

// Both orders of dates without separators are read by no pattern.
func TestBothOrdersWithoutSeparators(t *testing.T) {
	for _, numbers := range [][]string{{"20240130", "20243001"}, {"13012024", "01132024"}} {
		found := AsDates(numbersOf(t, numbers...), "", "")
		require.Len(t, found, 1, numbers)
		require.Empty(t, found[0].Settings, numbers)
		require.Equal(t, "write them as 2024-12-31", found[0].Do, numbers)
	}
}

// A column with dates with separators and without is loaded in two steps. The pattern of digits is
// the first: by the other one, the dates without separators would be numbers.
func TestDatesWithAndWithoutSeparators(t *testing.T) {
	samples := numbersOf(t, "20251003", "20250130")
	samples[0].Dates = datesOf(nil, []string{"01/30/2025", "06/30/2025"})[0].Dates
	found := AsDates(samples, "", "")
	require.Len(t, found, 2)
	require.Empty(t, found[0].Settings)
	require.Equal(t, []string{"%Y%m%d"}, found[1].Settings["datetimeformat"])
	found = append(
		found,
		AsDates(datesOf(nil, []string{"01/30/2025", "06/30/2025"}), "%Y%m%d", "")...)
	for _, f := range found {
		require.Equal(
			t,
			"load with --datetimeformat '%Y%m%d', then the rejected rows: cqlbulk retry --last --datetimeformat '%m/%d/%Y'",
			f.Do,
		)
	}
	several := AsDates(datesOf(nil, []string{"31.01.2025 10:30", "2025/01/31"}), "%Y%m%d", "")
	require.Len(t, several, 1)
	require.Equal(
		t,
		"write them as 2024-12-31, or load with --datetimeformat '%Y%m%d', then the rejected rows: cqlbulk retry --last --datetimeformat '%d.%m.%Y %H:%M', "+
			"and those of that retry likewise with '%Y/%m/%d'",
		several[0].Do,
	)
	require.Contains(t, several[0].Found, "2 are not taken by %Y%m%d, in 2 forms")
}

// Dates that no pattern reads have a time and a zone in what they are to be written as, if they
// have one themselves.
func TestDatesThatNoPatternReads(t *testing.T) {
	for text, do := range map[string]string{
		"30.06.2025 14:25 Uhr":                        "write them as 2024-12-31T10:00:00",
		"2025-06-30 14:25:28 America/New_York":        "write them as 2024-12-31T10:00:00+01:00",
		"2025-06-30T14:25:28.000+02:00[Europe/Paris]": "write them as 2024-12-31T10:00:00+01:00",
		"03 Oct 2025 22:40:08 GMT+0200":               "write them as 2024-12-31T10:00:00+01:00",
		"30.06.2025 (Mo)":                             "write them as 2024-12-31",
	} {
		found := AsDates(datesOf(nil, []string{text}), "", "")
		require.Len(t, found, 1, text)
		require.Equal(t, do, found[0].Do, text)
	}
}

// The dates of some databases and logs are recognised by their form.
func TestPatternsOfOtherPrograms(t *testing.T) {
	for text, pattern := range map[string]string{
		"03-OCT-25":                        "%d-%b-%y",
		"03-OCT-25 10.40.08.000000 PM":     "%d-%b-%y %I.%M.%S.%f %p",
		"03-Oct-2025 22:40":                "%d-%b-%Y %H:%M",
		"30.06.2025 14.25":                 "%d.%m.%Y %H.%M",
		"20251003T224008Z":                 "%Y%m%dT%H%M%S%z",
		"20251003T2240+0200":               "%Y%m%dT%H%M%z",
		"20251003 224008":                  "%Y%m%d %H%M%S",
		"20251003 22:40:08":                "%Y%m%d %H:%M:%S",
		"20251003-22:40:08.123":            "%Y%m%d-%H:%M:%S.%f",
		"30.06.2025 14.25:10":              "",
		"03 OCT 25 and 12 of the 13 seats": "",
	} {
		found := AsDates(datesOf(nil, []string{text}), "", "")
		require.Len(t, found, 1, text)
		if pattern == "" {
			require.Empty(t, found[0].Settings, text)
		} else {
			require.Equal(
				t,
				map[string][]string{"datetimeformat": {pattern}},
				found[0].Settings,
				text,
			)
		}
	}
}
