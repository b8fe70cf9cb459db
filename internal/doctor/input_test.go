package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrderOf(t *testing.T) {
	for text, want := range map[string]order{
		"31/12/2024": dayFirst, "12/31/2024": monthFirst, "1/2/2024": either, "3.4.24": either, "13-04-2024 10:00": dayFirst, " 1/2/2024": either,
		"2024-12-31": noDate, "1/2.2024": noDate, "32/1/2024": noDate, "31/31/2024": noDate, "0/1/2024": noDate, "1/2/20245": noDate, "1/2/2": noDate,
		"": noDate, "1": noDate, "1/": noDate, "1/2": noDate, "1/2/": noDate, "10.5": noDate, "1.2.3.4": noDate, "127.0.0.1": noDate, "1700000000": noDate,
	} {
		require.Equal(t, want, orderOf([]byte(text)), text)
	}
}

func FuzzOrderOf(f *testing.F) {
	for _, text := range []string{"31/12/2024 10:00", "1.2.24", "2024-12-31", "1/"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o := orderOf(text)
		if o == noDate {
			return
		}
		first := "%d"
		if o == monthFirst {
			first = "%m"
		}
		if format := formatOf(string(text), first); format != "" {
			require.Regexp(t, `^%[dm][/.-]%[dm][/.-]%[yY]`, format)
		}
	})
}

func TestDates(t *testing.T) {
	var w Watch
	_, some := w.Dates("at")
	require.False(t, some)
	for text, taken := range map[string]bool{"2024-01-01": true, "1/2/24 10:00:00": false, "13/2/24 10:00:00": false} {
		w.Note([]byte(text), taken)
	}
	d, some := w.Dates("at")
	require.True(t, some)
	require.Equal(t, Warn("write them as 2024-12-31, or say --datetimeformat '%d/%m/%y %H:%M:%S'",
		`f, column "at": 2 dates such as 13/2/24 10:00:00: 1 only day first, 0 only month first, 1 either way`).
		with(map[string][]string{"datetimeformat": {"%d/%m/%y %H:%M:%S"}}), d.finding("f", ""))
	w.Note([]byte("2/13/24 10:00:00"), false)
	d, _ = w.Dates("at")
	require.Equal(t, Failure, d.finding("f", "").State, "both orders")
	require.Equal(t, Warning, Dates{either: 3, example: "1/2/2024"}.finding("f", "%d/%m/%Y").State, "nothing tells whether that is right")
	require.Equal(t, OK, Dates{either: 3, dayFirst: 1, example: "31/2/2024"}.finding("f", "%d/%m/%Y").State)
	require.Equal(t, Failure, Dates{either: 3, dayFirst: 1, bad: 1, example: "31/2/2024"}.finding("f", "%m/%d/%Y").State, "the others are taken for other days")
	require.Contains(t, Dates{monthFirst: 1, bad: 1, example: "12-31-2024"}.finding("f", "").Do, "'%m-%d-%Y'")
	require.Empty(t, Dates{monthFirst: 1, bad: 1, example: "12-31-2024"}.finding("f", "").Guess)
	require.NotEmpty(t, Dates{either: 3, bad: 3, example: "1/2/2024"}.finding("f", "").Guess, "day and month may be the other way round")
}

func TestEncoding(t *testing.T) {
	of := func(texts ...string) (samples []Sample) {
		for _, text := range texts {
			samples = append(samples, Sample{Name: "f", Head: []byte(text)})
		}
		return samples
	}
	require.Equal(t, []Finding{Fine("ASCII, in the first of the text")}, Encoding(of("a", ""), false))
	require.Equal(t, []Finding{Fine("UTF-8")}, Encoding(of("é", "é"[:1]), false), "a character is cut off")
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
	require.Equal(t, []Finding{Fine("2 inputs, 1.5 KiB, read as csv")}, Inputs([]Sample{{Size: 1024, Head: []byte("x")}, {Size: 512, Head: []byte("x")}}, "csv"))
	found := Inputs([]Sample{{Name: "a", Err: errAway, Do: "wait"}, {Name: "b"}, {Name: "c", Pipe: true, Size: -1}}, "json")
	require.Equal(t, []Finding{
		Fail("wait", "no answer"), Warn("see whether what wrote it came to its end", "empty: b"),
		Fine("3 inputs, read as json; not looked at, as it can be read but once: c"),
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
	require.Equal(t, []Finding{Fine("3 columns, by the header; left unset: note")}, Fields([]Sample{good}, true, false))
	require.Equal(t, []Finding{Fine("columns by the members' names")}, Fields([]Sample{good}, true, true))
	require.Equal(t, []Finding{Fail("do that", "b: no answer")}, Fields([]Sample{good, {Name: "b", Fit: errAway, Hint: "do that"}}, true, false))
	require.Empty(t, Fields([]Sample{{Name: "empty"}}, true, false))
}

func TestDelimiter(t *testing.T) {
	require.Equal(t, []Finding{Fine("','")}, Delimiter([]Sample{{Name: "a", Head: []byte("x"), Fit: errAway}}, ','))
	require.Empty(t, Delimiter([]Sample{{Name: "a"}}, ','))
	other := Sample{Name: "b", Head: []byte("x"), Fit: errAway, Otherwise: true, Hint: "say so"}
	require.Equal(t, []Finding{Fail("say so", "b: a tab does not seem to stand between the fields")}, Delimiter([]Sample{other}, '\t'))
	require.Empty(t, Fields([]Sample{other}, true, false), "it is told once")
}

func TestRows(t *testing.T) {
	require.Empty(t, Rows([]Sample{{Name: "a"}}))
	require.Equal(t, []Finding{Fine("the first 1,000 rows fit")}, Rows([]Sample{{Rows: 1000}}))
	bad := Sample{Name: "a", Rows: 4, Bad: 2, Why: []Cause{{Rows: 2, Line: 3, Column: "n", Value: "x", Reason: "no number"}}}
	f := Rows([]Sample{bad})[0]
	require.Equal(t, Warning, f.State)
	require.Equal(t, `2 of the first 4 rows cannot be loaded: a:3: column "n", value "x": no number (and 1 more)`, f.Found)
	bad.Bad = 3
	require.Equal(t, Failure, Rows([]Sample{bad})[0].State)
}

func TestEstimate(t *testing.T) {
	part := Sample{Name: "a", Rows: 1000, Text: 50_000, All: 123_456_789}
	require.Equal(t, []Finding{Fine("about 2,500,000 rows: 82 seconds at 30,000 a second, an assumption; the cluster decides")}, Estimate([]Sample{part}, 0))
	require.Equal(t, []Finding{Fine("about 2,500,000 rows: 7 hours at --ingestrate, or longer")}, Estimate([]Sample{part, {Rows: 9, Whole: true}}, 100))
	require.Equal(t, []Finding{Fine("9 rows: under a second at 30,000 a second, an assumption; the cluster decides")}, Estimate([]Sample{{Rows: 9, Whole: true}}, 0))
	require.Empty(t, Estimate([]Sample{part, {Err: errAway}}, 0))
	require.Equal(t, []Finding{Fine("not known: b does not tell its size")}, Estimate([]Sample{part, {Name: "b", Pipe: true}}, 0))
	// The first rows are shorter than the others: the line ends all over the file tell.
	uneven := Sample{Name: "a", Rows: 1000, Text: 5_000, Lines: 1000, All: 4_200_000, Seen: Seen{Bytes: 2_000_000, Lines: 10_000}}
	require.Contains(t, Estimate([]Sample{uneven}, 0)[0].Found, "about 21,000 rows: ")
	uneven.Lines = 2000 // each row has two lines
	require.Contains(t, Estimate([]Sample{uneven}, 0)[0].Found, "about 11,000 rows: ")
	uneven.Seen.Lines = 3 // of long rows a few lines tell nothing
	require.Contains(t, Estimate([]Sample{uneven}, 0)[0].Found, "about 840,000 rows: ")
	part.All = -1
	require.Equal(t, []Finding{Fine("not known: a does not tell its size")}, Estimate([]Sample{part}, 0))
}
