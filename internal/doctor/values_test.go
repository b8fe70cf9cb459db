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
		{Whole, []string{"2.000"}, "", ""}, {Whole, []string{"2.000", "2.500"}, ",", "."}, {Whole, []string{"2.000", "1.000.000"}, ",", "."},
	} {
		var settings map[string][]string
		for _, f := range AsNumbers(noted(tc.kind, tc.texts...), Marks{}) {
			settings = f.Settings
		}
		mark := func(name string) string {
			if m := settings[name]; m != nil {
				return m[0]
			}
			return ""
		}
		require.Equal(
			t,
			[]string{tc.decimal, tc.group},
			[]string{mark("decimalsep"), mark("thousandssep")},
			tc.texts,
		)
	}
	require.Empty(t, AsNumbers(noted(Number, "12,5"), Marks{Decimal: ","}), "the marks are set")
	require.NotEmpty(t, AsNumbers(noted(Number, "1,234"), Marks{})[0].Guess)
	require.Empty(t, AsNumbers(noted(Whole, "1,234"), Marks{})[0].Guess)
	for text, do := range map[string]string{
		"$5":           "say --currency '$'",
		"1.234,56 EUR": "say --currency 'EUR'",
		"-€5.00":       "say --currency '€'",
		"5 %":          "remove the sign before loading, or load the column as text",
	} {
		require.Equal(t, do, AsNumbers(noted(Number, text), Marks{Decimal: ","})[0].Do, text)
	}
}

// A whole number with one point and three digits can be read in two ways.
func TestWholeNumbersWithAPoint(t *testing.T) {
	require.Equal(
		t,
		"if 2.000 is 2, say --integers decimal; if it is 2000, say --thousandssep '.'",
		AsNumbers(noted(Whole, "2.000"), Marks{})[0].Do,
	)
	require.Equal(t, "2.500 is read as 2500", AsNumbers(noted(Whole, "2.500"), Marks{})[0].Guess)
	require.Empty(t, AsNumbers(noted(Whole, "1.000.000"), Marks{})[0].Guess)
	both := append(noted(Whole, "2.000"), noted(Number, "12.5")...)
	require.Equal(t, "say --integers decimal", AsNumbers(both, Marks{})[0].Do)
	require.Equal(
		t,
		[]string{"."},
		AsNumbers(append(noted(Whole, "2.000"), noted(Number, "1.234,5")...), Marks{})[0].Settings["thousandssep"],
	)
}

// A separator of thousands that is the decimal mark of the numbers makes others of them.
func TestSeparatorOfThousandsThatIsTheDecimalMark(t *testing.T) {
	for _, tc := range []struct {
		texts []string
		marks Marks
		do    string
	}{
		{[]string{"1.5", "2.75"}, Marks{Thousands: "."}, "leave --thousandssep out, if all such columns are written so"},
		{[]string{"1.5", "2.500"}, Marks{Decimal: ",", Thousands: "."}, "leave --thousandssep and --decimalsep out, if all such columns are written so"},
		{[]string{"1,5"}, Marks{Thousands: ","}, "say --decimalsep ',' and leave --thousandssep out, if all such columns are written so"},
		{[]string{"1.500", "2.000"}, Marks{Decimal: ",", Thousands: "."}, ""}, {[]string{"1.234,5"}, Marks{Decimal: ",", Thousands: "."}, ""}, {[]string{"1,234.5"}, Marks{Thousands: ","}, ""},
		{[]string{"1.5"}, Marks{Decimal: ","}, ""},
	} {
		for _, taken := range []bool{false, true} {
			v := Values{Column: "c", Kind: Number}
			for _, text := range tc.texts {
				v.Note([]byte(text), taken)
			}
			found := AsNumbers([]Sample{{Name: "f", Values: []Values{v}}}, tc.marks)
			require.Equal(t, tc.do != "", len(found) == 1, tc.texts)
			if tc.do != "" {
				require.Equal(t, tc.do, found[0].Do)
			}
		}
	}
	require.Contains(
		t,
		AsNumbers(noted(Number, "1.5"), Marks{Thousands: "."})[0].Found,
		"as if 1.5 were 15",
	)
	require.Empty(t, AsNumbers(noted(Whole, "1.5"), Marks{Thousands: "."}))
}

func TestWordsForNull(t *testing.T) {
	of := func(uses ...WordUse) []Sample {
		return []Sample{{Name: "f", Nulls: map[string]int64{"NA": 2}, Words: uses}}
	}
	f := AsNulls(of(), []string{"-"})[0]
	require.Equal(t, []string{"-", "NA"}, f.Settings["null-string"])
	require.Empty(t, f.Guess)
	require.Empty(t, AsNulls(of(), []string{"NA"}), "it is given")
	f = AsNulls(of(WordUse{"NA", "note", false, 1}, WordUse{"?", "note", true, 1}), nil)[0]
	require.Equal(t, []string{"NA"}, f.Settings["null-string"])
	require.Equal(t, `NA in column "note" of text is null too, in 1 row`, f.Guess)
	f = AsNulls(of(WordUse{"NA", "country", true, 1}), nil)[0]
	require.Empty(t, f.Settings)
	require.Equal(
		t,
		"load the file without --null-string, and then the rejected rows with it: cqlbulk retry --last --null-string 'NA'",
		f.Do,
	)
	noted := new(NotedWords)
	for _, text := range []string{"NA", " na ", "Nantes", "n/a", "NA"} {
		noted.Note([]byte(text), true)
	}
	require.Equal(
		t,
		[]WordUse{{"NA", "c", true, 2}, {"n/a", "c", true, 1}, {"na", "c", true, 1}},
		noted.Uses("c", true),
	)
}

func TestWordsForTruth(t *testing.T) {
	require.Equal(
		t,
		[]string{"ja,nein"},
		AsTruths(noted(Truth, "Ja", "nein", "NA"), false)[0].Settings["boolstyle"],
	)
	require.Nil(t, AsTruths(noted(Truth, "ja", "oui"), false)[0].Settings)
	require.Empty(t, AsTruths(noted(Truth, "NA", ""), false)[1:])
	require.Empty(t, AsTruths(noted(Truth, "ja"), true))
}

func TestPatternOfDates(t *testing.T) {
	for example, want := range map[string]string{
		"3/14/2024 1:05 PM": "%m/%d/%Y %I:%M %p", "3/14/24 1:05:06pm": "%m/%d/%y %I:%M:%S%p", "3/14/2024": "%m/%d/%Y",
		"3/14/2024, 13:05": "%m/%d/%Y, %H:%M", "3/14/2024T13:05:01.5Z": "%m/%d/%YT%H:%M:%S.%f%z", "3/14/2024 13:05 UTC": "%m/%d/%Y %H:%M %Z",
		"3/14/2024 13:05:00 +01:00": "%m/%d/%Y %H:%M:%S %z", "2024/3/14 10:00": "%Y/%m/%d %H:%M", "14-Mar-2024": "%d-%b-%Y",
		"Wed Jan 31 10:00:00 UTC 2024": "%a %b %d %H:%M:%S %Z %Y", "Thu Feb  1 10:00 2024": "%a %b %d %H:%M %Y", "Wed Jan 31 10:00:00 AM +0100 2024": "%a %b %d %I:%M:%S %p %z %Y",
		"Wednesday, 31 January 2024 10:00:00 +0000": "%A, %d %B %Y %H:%M:%S %z", "Wed Jan 31 10:00:00 CET 2024": "", "Wed Jan 31": "", "2024-01-31 10:00:00 PM": "%Y-%m-%d %I:%M:%S %p",
		"14 March 2024": "%d %B %Y", "Mar 14, 2024 1:05 AM": "%b %d, %Y %I:%M %p", "3/14/2024 noon": "", "3/14/2024 [Europe/Paris]": "",
	} {
		require.Equal(t, want, formatOf(example, monthFirst), example)
	}
}
