package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// noted is a sample with columns that did not take some texts.
func noted(kind Kind, refused ...string) []Sample {
	v := Values{Column: "c", Kind: kind}
	for _, text := range refused {
		v.Note([]byte(text), false)
	}
	return []Sample{{Name: "f", Values: []Values{v}}}
}

func TestMarksInNumbers(t *testing.T) {
	for _, tc := range []struct {
		kind           Kind
		texts          []string
		decimal, group string
	}{
		{Number, []string{"1.234,56"}, ",", "."}, {Number, []string{"12,5", "0,99"}, ",", ""}, {Number, []string{"12,5", "1.234"}, ",", "."},
		{Number, []string{"1,234.56"}, "", ","}, {Number, []string{"1,234,567"}, "", ","}, {Whole, []string{"1,234"}, "", ","},
		{Whole, []string{"1.234"}, ",", "."}, {Number, []string{"1 234,5"}, ",", " "}, {Whole, []string{"12 345"}, "", " "},
		{Number, []string{"0,125"}, ",", ""}, {Number, []string{"many"}, "", ""}, {Number, []string{"1,234.5", "1.234,5"}, "", ""},
	} {
		var settings map[string][]string
		for _, f := range AsNumbers(noted(tc.kind, tc.texts...), false) {
			settings = f.Settings
		}
		mark := func(name string) string {
			if m := settings[name]; m != nil {
				return m[0]
			}
			return ""
		}
		require.Equal(t, []string{tc.decimal, tc.group}, []string{mark("decimalsep"), mark("thousandssep")}, tc.texts)
	}
	require.Empty(t, AsNumbers(noted(Number, "12,5"), true), "the marks are set")
	require.NotEmpty(t, AsNumbers(noted(Number, "1,234"), false)[0].Guess)
	require.Empty(t, AsNumbers(noted(Whole, "1,234"), false)[0].Guess)
	for _, text := range []string{"$5", "5 %", "1.234,56 EUR", "-€5.00"} {
		require.Contains(t, AsNumbers(noted(Number, text), true)[0].Do, "remove the sign", text)
	}
}

func TestWordsForTruth(t *testing.T) {
	require.Equal(t, []string{"ja,nein"}, AsTruths(noted(Truth, "Ja", "nein", "NA"), false)[0].Settings["boolstyle"])
	require.Nil(t, AsTruths(noted(Truth, "ja", "oui"), false)[0].Settings)
	require.Empty(t, AsTruths(noted(Truth, "NA", ""), false)[1:])
	require.Empty(t, AsTruths(noted(Truth, "ja"), true))
}

func TestPatternOfDates(t *testing.T) {
	for example, want := range map[string]string{
		"3/14/2024 1:05 PM": "%m/%d/%Y %I:%M %p", "3/14/24 1:05:06pm": "%m/%d/%y %I:%M:%S%p", "3/14/2024": "%m/%d/%Y",
		"3/14/2024, 13:05": "%m/%d/%Y, %H:%M", "3/14/2024T13:05:01.5Z": "%m/%d/%YT%H:%M:%S.%f%z", "3/14/2024 13:05 UTC": "%m/%d/%Y %H:%M %Z",
		"3/14/2024 13:05:00 +01:00": "%m/%d/%Y %H:%M:%S %z", "2024/3/14 10:00": "%Y/%m/%d %H:%M", "14-Mar-2024": "%d-%b-%Y",
		"14 March 2024": "%d %B %Y", "Mar 14, 2024 1:05 AM": "%b %d, %Y %I:%M %p", "3/14/2024 noon": "", "3/14/2024 [Europe/Paris]": "",
	} {
		require.Equal(t, want, formatOf(example, "%m"), example)
	}
}
