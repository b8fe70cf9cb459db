package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrdersOf(t *testing.T) {
	for text, want := range map[string]orders{
		"31/12/2024": dayFirst, "12/31/2024": monthFirst, "1/2/2024": dayFirst | monthFirst, "3.4.24": dayFirst | monthFirst, "13-04-2024 10:00": dayFirst, " 1/2/2024": dayFirst | monthFirst,
		"24/01/02": dayFirst | yearFirst, "99/01/02": yearFirst, "24/1/2": yearFirst, "01/02/03": dayFirst | monthFirst | yearFirst, "03/04/99": dayFirst | monthFirst, "24-01-02 10:00": dayFirst | yearFirst,
		"2024-12-31": monthSecond, "2024/31/12": daySecond, "2024.1.2 10:00": longYear, "2024/13/13": 0, "2024/1/234": 0, "202/1/2": 0, "1/2.2024": 0, "32/1/2024": 0, "31/31/2024": 0, "0/1/2024": 0, "1/2/20245": 0, "1/2/2": 0, "1/2/203": 0,
		"": 0, "1": 0, "1/": 0, "1/2": 0, "1/2/": 0, "10.5": 0, "1.2.3.4": 0, "127.0.0.1": 0, "1700000000": 0,
	} {
		got, _, _ := ordersOf([]byte(text))
		require.Equal(t, want, got, text)
	}
}

func FuzzOrdersOf(f *testing.F) {
	for _, text := range []string{"31/12/2024 10:00", "1.2.24", "24/1/2", "2024-12-31", "1/"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		found, _, _ := ordersOf(text)
		for _, o := range everyOrder {
			if format := formatOf(string(text), o); found&o != 0 && format != "" {
				require.Regexp(t, `^%[dmyY][/.-]%[dm][/.-]%[dmyY]`, format)
			}
		}
	})
}

// dated returns a sample with a column of dates. taken: the format accepts those in its order.
func dated(file string, taken bool, texts ...string) Sample {
	var w Watch
	for _, text := range texts {
		w.Note([]byte(text), taken)
	}
	d, _ := w.Dates("at")
	d.File = file
	return Sample{Name: file, Dates: []Dates{d}}
}

func TestDates(t *testing.T) {
	var w Watch
	_, some := w.Dates("at")
	require.False(t, some)
	one := func(taken bool, format string, texts ...string) Finding {
		found := AsDates([]Sample{dated("f", taken, texts...)}, format, "")
		require.Len(t, found, 1)
		return found[0]
	}
	require.Equal(t, Warn(
		"write them as 2024-12-31, or say --datetimeformat '%d/%m/%y %H:%M:%S'",
		`f, column "at": 2 dates such as 13/2/24 10:00:00: 1 only day first, 0 only month first, 1 either way`,
	).
		with(map[string][]string{"datetimeformat": {"%d/%m/%y %H:%M:%S"}}),
		one(false, "", "1/2/24 10:00:00", "2024-01-01", "13/2/24 10:00:00"))
	both := one(false, "", "13/2/24 10:00:00", "2/13/24 10:00:00")
	require.Equal(t, Failure, both.State)
	require.Contains(t, both.Found, "both orders are in one file")
	ambiguous := one(true, "%d/%m/%Y", "1/2/2024", "3/4/2024")
	require.Equal(t, Warning, ambiguous.State, "no date shows which order is right")
	require.Contains(t, ambiguous.Found, "; taken as %d/%m/%Y says, but also dates by %m/%d/%Y")
	require.Equal(t, OK, one(true, "%d/%m/%Y", "1/2/2024", "31/2/2024").State)
	require.Equal(t, []string{"%m-%d-%Y"}, one(false, "", "12-31-2024").Settings["datetimeformat"])
	require.Empty(t, one(false, "", "12-31-2024").Guess)
	require.Equal(
		t,
		"1/2/2024 is read by %d/%m/%Y, though it may be meant by %m/%d/%Y",
		one(false, "", "1/2/2024").Guess,
	)
}

// A date of three numbers of two digits may begin with the year. All orders are named that read all
// dates, and of several the year is guessed where what stands first changes less than what stands
// last.
func TestDatesThatBeginWithAShortYear(t *testing.T) {
	for _, tc := range []struct {
		do    string
		texts []string
	}{
		{"write them as 2024-12-31, or check a date whose day you know, and say --datetimeformat '%y/%m/%d' or '%d/%m/%y'", []string{"24/01/02", "24/01/03", "24/02/15"}},
		{"write them as 2024-12-31, or check a date whose day you know, and say --datetimeformat '%d/%m/%y' or '%m/%d/%y' or '%y/%m/%d'", []string{"01/02/03"}},
		{"write them as 2024-12-31, or say --datetimeformat '%y-%m-%d %H:%M'", []string{"24-01-02 10:00", "99-01-02 11:00"}},
		{"write them as 2024-12-31, or say --datetimeformat '%y/%m/%d'", []string{"24/1/2", "24/10/12"}},
	} {
		require.Equal(
			t,
			tc.do,
			AsDates([]Sample{dated("f", false, tc.texts...)}, "", "")[0].Do,
			tc.texts,
		)
	}
}

// A year of four digits comes first: a day may stand before the month. What is advised reads all
// dates that were seen.
func TestDatesThatBeginWithALongYear(t *testing.T) {
	const write = "write them as 2024-12-31, or say --datetimeformat "
	for _, tc := range []struct {
		do, format string
		texts      []string
	}{
		{write + "'%Y/%d/%m'", "%Y/%d/%m", []string{"2024/01/02", "2024/31/01"}},
		{write + "'%Y/%m/%d'", "%Y/%m/%d", []string{"2024/01/02", "2024/01/31"}},
		{write + "'%Y.%m.%d %H:%M', or '%Y.%d.%m %H:%M' if the day stands before the month", "%Y.%m.%d %H:%M", []string{"2024.01.02 10:00"}},
		{write + "'%Y-%m-%d %I:%M:%S %p'", "%Y-%m-%d %I:%M:%S %p", []string{"2024-01-31 10:00:00 AM", "2024-02-01 01:00:00 PM"}},
		{"write them as 2024-12-31", "", []string{"2024/01/31", "2024/31/01"}},
	} {
		f := AsDates([]Sample{dated("f", false, tc.texts...)}, "", "")[0]
		require.Equal(t, tc.do, f.Do, tc.texts)
		require.Empty(t, f.Guess, tc.texts)
		if tc.format != "" {
			require.Equal(t, []string{tc.format}, f.Settings["datetimeformat"], tc.texts)
		}
	}
	require.Empty(
		t,
		AsDates([]Sample{dated("f", false, "2024-02-30", "2024-13-13", "2024/13/13")}, "", ""),
		"no order makes them dates",
	)
	require.Equal(t, OK, AsDates([]Sample{dated("f", true, "2024/01/02")}, "%Y/%m/%d", "")[0].State)
	f := AsDates([]Sample{dated("f", false, "2024-31-01")}, "", "")[0]
	require.Equal(t, Failure, f.State, "others of the form are read as other days")
	require.Equal(
		t,
		"write them as 2024-12-31, or load the whole file with --datetimeformat '%Y-%d-%m'",
		f.Do,
	)
	require.NotEmpty(t, f.Guess)
	f = AsDates([]Sample{dated("f", false, "2024/31/01", "2024/01/02")}, "%Y/%m/%d", "")[0]
	require.Equal(t, "say --datetimeformat '%Y/%d/%m'", f.Do)
	require.Contains(t, f.Found, ": 0 only year-month-day, 1 only year-day-month, 1 either way")
}

// The other order is advised only where it reads all dates, and for each file where one reads each.
func TestAdviceAboutDatesThatAFormatDoesNotTake(t *testing.T) {
	part := func(format string, bad int64, files ...Sample) Finding {
		files[0].Dates[0].bad = bad
		found := AsDates([]Sample{Merge(files)}, format, "")
		require.Len(t, found, 1)
		require.Empty(t, found[0].Settings)
		return found[0]
	}
	f := part("%m/%d/%Y", 1, dated("f", true, "1/2/2024", "31/2/2024"))
	require.Equal(t, Failure, f.State)
	require.Equal(t, "say --datetimeformat '%d/%m/%Y'", f.Do)
	require.Contains(
		t,
		f.Found,
		"; 1 is not taken by %m/%d/%Y, and some of the others may be other days",
	)
	f = part("%d/%m/%Y", 1, dated("f", true, "1/2/2024", "31/2/2024"))
	require.Equal(
		t,
		"mend those, as the pattern fits the others: is there such a day?",
		f.Do,
		"the order is not the matter",
	)
	f = part(
		"%d/%m/%Y %H:%M",
		2,
		dated("f", true, "31/1/2024 10:00", "30/1/2024 10:00", "1/2/2024", "2/3/2024"),
	)
	require.Equal(
		t,
		"write them as 2024-12-31, or load with --datetimeformat '%d/%m/%Y %H:%M', then the rejected rows: cqlbulk retry --last --datetimeformat '%d/%m/%Y'",
		f.Do,
	)
	f = part(
		"",
		4,
		dated("a.csv", true, "31/12/2024", "1/2/2024"),
		dated("b.csv", true, "12/31/2024", "1/2/2024"),
	)
	require.Equal(t, Failure, f.State)
	require.Equal(
		t,
		"load the files by themselves: a.csv with --datetimeformat '%d/%m/%Y', b.csv with --datetimeformat '%m/%d/%Y'",
		f.Do,
	)
	f = part(
		"%d/%m/%Y",
		1,
		dated("a.csv", true, "31/12/2024"),
		dated("b.csv", true, "12/31/2024"),
		dated("c.csv", true, "30/12/2024"),
	)
	require.Equal(
		t,
		"load the files by themselves: a.csv, c.csv with --datetimeformat '%d/%m/%Y', b.csv with --datetimeformat '%m/%d/%Y'",
		f.Do,
	)
	// What one file leaves open another decides.
	found := AsDates(
		[]Sample{dated("a.csv", false, "1/2/2024"), dated("b.csv", false, "12/31/2024")},
		"",
		"",
	)
	require.Len(t, found, 1)
	require.Equal(t, []string{"%m/%d/%Y"}, found[0].Settings["datetimeformat"])
	many := make([]string, 0, 20)
	for _, between := range []string{"/", ".", "-"} {
		for _, behind := range []string{"", " 10:00", " 10:00:00", ", 10:00"} {
			many = append(many, "31"+between+"12"+between+"2024"+behind)
		}
	}
	require.Equal(
		t,
		"write them as 2024-12-31T10:00:00",
		AsDates([]Sample{dated("f", false, many...)}, "", "")[0].Do,
	)
}

func TestEncoding(t *testing.T) {
	of := func(texts ...string) (samples []Sample) {
		for _, text := range texts {
			samples = append(samples, Sample{Name: "f", Head: []byte(text)})
		}
		return samples
	}
	require.Equal(
		t,
		[]Finding{Fine("ASCII, in the first of the text")},
		Encoding(of("a", ""), false),
	)
	require.Equal(
		t,
		[]Finding{Fine("UTF-8")},
		Encoding(of("é", "é"[:1]), false),
		"a character is cut off",
	)
	require.Equal(t, Failure, Encoding(of("ok", "caf\xe9 x"), false)[0].State)
	require.Equal(t, []Finding{Fine("latin1")}, Encoding(of("caf\xe9 x"), true))
	require.Equal(t, Warning, Encoding(of("café x"), true)[0].State)
	require.Equal(t, []string{"latin1"}, Encoding(of("caf\xe9 x"), false)[0].Settings["encoding"])
	mixed := Encoding(of("Zoë, Zoë, caf\xe9 x"), false)[0]
	require.Equal(t, Failure, mixed.State)
	require.Empty(t, mixed.Settings, "latin1 would garble the others")
	require.Contains(t, mixed.Found, "2 letters, and 1 byte that is not")
	require.Empty(t, Encoding([]Sample{{Pipe: true}}, false))
}

func TestInputs(t *testing.T) {
	require.Equal(
		t,
		[]Finding{Fine("2 inputs, 1.5 KiB, read as csv")},
		Inputs([]Sample{{Size: 1024, Head: []byte("x")}, {Size: 512, Head: []byte("x")}}, "csv"),
	)
	found := Inputs(
		[]Sample{
			{Name: "a", Err: errAway, Do: "wait"},
			{Name: "b"},
			{Name: "c", Pipe: true, Size: -1},
		},
		"json",
	)
	require.Equal(t, []Finding{
		Fail("wait", "no answer"), Warn("see whether what wrote it came to its end", "empty: b"),
		Fine("2 inputs, read as json; not looked at, as it can be read but once: c"),
	}, found)
	require.Len(t, Inputs(make([]Sample, 9), "csv"), 2)
	many := make([]Sample, 9)
	for i := range many {
		many[i].Err = errAway
	}
	require.Equal(t, "and 6 more inputs that cannot be read", Inputs(many, "csv")[3].Found)
}

func TestFields(t *testing.T) {
	good := Sample{Name: "a", Head: []byte("x"), Columns: 3, Missing: []string{"note"}}
	require.Equal(
		t,
		[]Finding{Fine("3 columns, by the header; left unset: note")},
		Fields([]Sample{good}, true, false),
	)
	require.Equal(
		t,
		[]Finding{Fine("columns by the members' names")},
		Fields([]Sample{good}, true, true),
	)
	require.Equal(
		t,
		[]Finding{Fail("do that", "b: no answer")},
		Fields([]Sample{good, {Name: "b", Fit: errAway, Hint: "do that"}}, true, false),
	)
	require.Empty(t, Fields([]Sample{{Name: "empty"}}, true, false))
}

func TestDelimiter(t *testing.T) {
	require.Equal(
		t,
		[]Finding{Fine("','")},
		Delimiter([]Sample{{Name: "a", Head: []byte("x"), Fit: errAway}}, ","),
	)
	require.Empty(t, Delimiter([]Sample{{Name: "a"}}, ","))
	other := Sample{Name: "b", Head: []byte("x"), Fit: errAway, Otherwise: true, Hint: "say so"}
	require.Equal(
		t,
		[]Finding{Fail("say so", "b: a tab does not seem to stand between the fields")},
		Delimiter([]Sample{other}, "\t"),
	)
	require.Empty(t, Fields([]Sample{other}, true, false), "it is reported once")
}

func TestRows(t *testing.T) {
	require.Empty(t, Rows([]Sample{{Name: "a"}}))
	require.Equal(t, []Finding{Fine("the first 1,000 rows fit")}, Rows([]Sample{{Rows: 1000}}))
	bad := Sample{
		Name: "a",
		Rows: 4,
		Bad:  2,
		Why:  []Cause{{Rows: 2, Line: 3, Column: "n", Value: "x", Reason: "no number"}},
	}
	f := Rows([]Sample{bad})[0]
	require.Equal(t, Warning, f.State)
	require.Equal(
		t,
		`2 of the first 4 rows cannot be loaded: a:3: column "n", value "x": no number (and 1 more)`,
		f.Found,
	)
	bad.Bad = 3
	require.Equal(t, Failure, Rows([]Sample{bad})[0].State)
}

func TestEstimate(t *testing.T) {
	part := Sample{Name: "a", Rows: 1000, Text: 50_000, All: 123_456_789}
	require.Equal(
		t,
		[]Finding{
			Fine(
				"about 2,500,000 rows: 82 seconds at 30,000 a second, an assumption; the cluster decides",
			),
		},
		Estimate([]Sample{part}, 0),
	)
	require.Equal(
		t,
		[]Finding{Fine("about 2,500,000 rows: 7 hours at --ingestrate, or longer")},
		Estimate([]Sample{part, {Rows: 9, Whole: true}}, 100),
	)
	require.Equal(
		t,
		[]Finding{
			Fine("9 rows: under a second at 30,000 a second, an assumption; the cluster decides"),
		},
		Estimate([]Sample{{Rows: 9, Whole: true}}, 0),
	)
	require.Empty(t, Estimate([]Sample{part, {Err: errAway}}, 0))
	require.Equal(
		t,
		[]Finding{Fine("not known: the size of b is unknown")},
		Estimate([]Sample{part, {Name: "b", Pipe: true}}, 0),
	)
	// The first rows are shorter than the others: the line ends all over the file show that.
	uneven := Sample{
		Name:  "a",
		Rows:  1000,
		Text:  5_000,
		Lines: 1000,
		All:   4_200_000,
		Seen:  Seen{Bytes: 2_000_000, Lines: 10_000},
	}
	require.Contains(t, Estimate([]Sample{uneven}, 0)[0].Found, "about 21,000 rows: ")
	uneven.Lines = 2000 // each row has two lines
	require.Contains(t, Estimate([]Sample{uneven}, 0)[0].Found, "about 11,000 rows: ")
	uneven.Seen.Lines = 3 // a few lines of long rows show nothing
	require.Contains(t, Estimate([]Sample{uneven}, 0)[0].Found, "about 840,000 rows: ")
	part.All = -1
	require.Equal(
		t,
		[]Finding{Fine("not known: the size of a is unknown")},
		Estimate([]Sample{part}, 0),
	)
}
