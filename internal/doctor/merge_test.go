package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What several inputs have alike is one finding.
func TestMerge(t *testing.T) {
	var inputs []Sample
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		times := Times{Column: "at", File: name}
		var dates Watch
		numbers := NewNoted(Whole)
		for range 300 {
			times.Note(1_710_000_000, 2, "")
			dates.Note([]byte("31/12/2024"), false)
			dates.Note([]byte("2024/12/31"), false)
			numbers.Note([]byte("1,234,567"), false)
		}
		d, _ := dates.Dates("day")
		d.File = name
		n, _ := numbers.Values("n")
		inputs = append(
			inputs,
			Sample{
				Name:   name,
				Rows:   300,
				Times:  []Times{times},
				Dates:  []Dates{d},
				Values: []Values{n},
				Unmet:  []string{"x", "only " + name},
			},
		)
	}
	all := Merge(inputs)
	require.EqualValues(t, 900, all.Rows)
	require.Equal(t, []string{"x"}, all.Unmet)
	place, _, seconds := all.Times[0].AllEarly()
	require.True(t, seconds)
	require.Equal(t, "a.csv:2", place)
	one := []Sample{all}
	require.Contains(
		t,
		Units(one, "")[0].Found,
		`a.csv and 2 more inputs, column "at": 900 of 900 values`,
	)
	found := AsDates(one, "", "")
	require.Len(t, found, 1)
	require.Equal(
		t,
		`a.csv and 2 more inputs, column "day": 1,800 dates such as 31/12/2024: 900 only day first, 0 only month first, 0 either way, in 2 forms`,
		found[0].Found,
	)
	require.Len(t, AsNumbers(one, Marks{}), 1)
	require.Equal(t, Merge(inputs[:1]), inputs[0])
}

// What is written as a date depends on no unit: it is no sign, and keeps numbers from being one.
func TestEarlyDatesAreNoSign(t *testing.T) {
	times := Times{Column: "at", File: "a.csv"}
	times.Note(86_400_000, 2, "1970-01-02")
	_, _, all := times.AllEarly()
	require.False(t, all)
	times.Note(1_710_000_000, 3, "1710000000")
	_, _, all = times.AllEarly()
	require.False(t, all)
}
