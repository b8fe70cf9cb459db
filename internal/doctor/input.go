package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// Sample is what the first records of an input are, as a load reads them.
type Sample struct {
	Name string
	Size int64  // as it is stored; below zero: not known
	Head []byte // its first text; of one that cannot be read, what there was
	Err  error  // why it cannot be read as text
	Do   string // what may be done about that; empty: nothing is known
	Pipe bool   // it was not looked at, since it can be read once

	// Of one that was read as a load reads it.
	Fit      error               // why its fields do not fit the table
	Hint     string              // what may be done about that; empty: nothing is known
	Settings map[string][]string // of a load, that do what Hint says; nil: none do
	Guess    string              // what the settings take for granted; empty: nothing
	// something else than the delimiter seems to stand between the fields, as Hint says
	Otherwise bool
	Columns   int // columns that its fields go to
	Missing   []string
	Rows      int64 // read
	Bad       int64 // of those, that make no row
	Why       []Cause
	Text      int64 // bytes of the rows' text
	Lines     int64 // line ends in that
	All       int64 // bytes of all of the input's text, about; below zero: not known
	Seen      Seen
	Whole     bool // there are no more rows
	Dates     []Dates
	Times     []Times
	RowTimes  []Times // those of rows that are taken
	Stamps    Stamps
	Unmet     []string // names that --map or --skipcols has and no object of the sample
	Values    []Values
	Nulls     map[string]int64 // values that were not taken and are words for null, but of keys
	Order     Order            // of fields without names
	Words     []WordUse        // such words in texts, which --null-string would take for null too
}

// Seen is text at places all over an input, or its first text where no other can be reached.
type Seen struct {
	Bytes, Lines int64 // of the text, and its line ends
}

// leastLines is the number of line ends from which the length of lines is estimated by them.
const leastLines = 100

// rows estimates the number of rows of the input from the line ends at places all over it. If those
// are too few, it uses the length of the first rows.
func (s *Sample) rows() float64 {
	if s.Seen.Lines < leastLines || s.Lines == 0 {
		return float64(s.All) * float64(s.Rows) / float64(s.Text)
	}
	return float64(
		s.All,
	) * float64(
		s.Seen.Lines,
	) / float64(
		s.Seen.Bytes,
	) * float64(
		s.Rows,
	) / float64(
		s.Lines,
	)
}

// Cause is why rows of a sample do not fit, with the first of them.
type Cause struct {
	Rows   int64
	Line   int64
	Column string // empty: the row as a whole
	Value  string
	Reason string
}

// readable are the samples that could be read.
func readable(samples []Sample) []Sample {
	return slices.DeleteFunc(
		slices.Clone(samples),
		func(s Sample) bool { return s.Err != nil || s.Pipe },
	)
}

// withText are those of them that are not empty.
func withText(samples []Sample) []Sample {
	return slices.DeleteFunc(readable(samples), func(s Sample) bool { return len(s.Head) == 0 })
}

// Inputs says whether the inputs are there and can be read.
func Inputs(samples []Sample, format string) []Finding {
	var out []Finding
	var total int64
	var empty, pipes []string
	readable := 0
	for _, s := range samples {
		if s.Err == nil {
			readable++
		}
		switch {
		case s.Err != nil:
			out = append(out, Fail(s.Do, "%v", s.Err))
			continue
		case s.Pipe:
			pipes = append(pipes, s.Name)
		case len(s.Head) == 0:
			empty = append(empty, s.Name)
		}
		total += max(s.Size, 0)
	}
	if len(out) > namesShown {
		more := len(out) - namesShown
		out = append(
			out[:namesShown],
			Fail("", "and %s that cannot be read", human.Of(more, "more input")),
		)
	}
	if len(empty) > 0 {
		out = append(
			out,
			Warn("see whether what wrote it came to its end", "empty: %s", some(empty)),
		)
	}
	if readable == 0 && len(samples) > 0 {
		return out
	}
	text := human.Of(readable, "input")
	if total > 0 {
		text += ", " + human.Size(total)
	}
	text += ", read as " + format
	if len(pipes) > 0 {
		text += "; not looked at, as it can be read but once: " + some(pipes)
	}
	return append(out, Fine("%s", text))
}

// Encoding says whether the text is in the encoding that it is read in.
func Encoding(samples []Sample, latin1 bool) []Finding {
	var wrong []string
	var unicode, others int // in those
	ascii, texts := true, withText(samples)
	for _, s := range texts {
		letters, bad := unicodeText(s.Head)
		ascii = ascii && letters+bad == 0
		if bad > 0 && !latin1 || bad == 0 && letters > 0 && latin1 {
			wrong = append(wrong, s.Name)
			unicode, others = unicode+letters, others+bad
		}
	}
	var f Finding
	switch {
	case len(texts) == 0:
		return nil
	case len(wrong) > 0 && latin1:
		f = Warn(
			"leave --encoding latin1 out",
			"letters beyond ASCII that are UTF-8, in %s: read as latin1 each becomes two or more",
			some(wrong),
		)
	case len(wrong) > 0 && unicode > others:
		f = Fail(
			"mend those bytes: --encoding latin1 would read each of the other letters as two or more",
			"not UTF-8 everywhere: %s: %s, and %s that %s not",
			some(wrong),
			human.Of(unicode, "letter"),
			human.Of(others, "byte"),
			human.Verb(others, "is", "are"),
		)
	case len(wrong) > 0:
		f = Fail(
			"--encoding latin1 reads windows-1252 and ISO 8859-1; anything else goes through iconv -f NAME -t UTF-8",
			"not UTF-8: %s",
			some(wrong),
		).
			with(map[string][]string{"encoding": {"latin1"}})
	case ascii:
		f = Fine("ASCII, in the first of the text")
	case latin1:
		f = Fine("latin1")
	default:
		f = Fine("UTF-8")
	}
	return []Finding{f}
}

// unicodeText counts the letters beyond ASCII of a text that are UTF-8, and the bytes that are not.
// A character that is cut off at the end of the text does not count.
func unicodeText(text []byte) (letters, others int) {
	for len(text) > 0 {
		_, size := utf8.DecodeRune(text)
		switch {
		case text[0] < utf8.RuneSelf:
		case size > 1:
			letters++
		case !utf8.FullRune(text):
			return letters, others
		default:
			others++
		}
		text = text[size:]
	}
	return letters, others
}

// Delimiter says whether the fields of the inputs are cut by what stands between them.
func Delimiter(samples []Sample, by string) []Finding {
	texts := withText(samples)
	if len(texts) == 0 {
		return nil
	}
	for _, s := range texts {
		if s.Otherwise {
			return []Finding{
				Fail(
					s.Hint,
					"%s: %s does not seem to stand between the fields",
					s.Name,
					delimiter(by),
				).guessing(s.Settings, s.Guess),
			}
		}
	}
	return []Finding{Fine("%s", delimiter(by))}
}

func delimiter(by string) string {
	if by == "\t" {
		return "a tab"
	}
	return "'" + by + "'"
}

// Fields judges whether the fields of the inputs fit the table's columns. header: their names are
// in the first line. json: they are members of objects.
func Fields(samples []Sample, header, json bool) []Finding {
	var out []Finding
	fit := 0
	var fits Sample
	for _, s := range readable(samples) {
		switch {
		case s.Fit != nil && s.Otherwise: // Delimiter reports it
		case s.Fit != nil:
			out = append(out, Fail(s.Hint, "%s: %v", s.Name, s.Fit).guessing(s.Settings, s.Guess))
		case len(s.Head) > 0:
			fit++
			fits = s
		}
	}
	if more := len(out) - namesShown; more > 0 {
		out = append(
			out[:namesShown],
			Fail("", "and the fields of %s", human.Of(more, "more input")),
		)
	}
	if fit == 0 || len(out) > 0 {
		return out
	}
	from := "without a header, by their order"
	switch {
	case json:
		from = "by the members' names"
	case header:
		from = "by the header"
	}
	text := fmt.Sprintf("%s, %s", human.Of(fits.Columns, "column"), from)
	if json {
		text = "columns " + from
	}
	if len(fits.Missing) > 0 && !json {
		text += "; left unset: " + some(fits.Missing)
	}
	return append(out, Fine("%s", text))
}

// mostBad is the share of bad rows from which a load is not worth beginning.
const mostBad = 0.5

// Rows says whether the values of the first rows fit the columns' types.
func Rows(samples []Sample) []Finding {
	var rows, bad int64
	var causes []string
	for _, s := range readable(samples) {
		rows, bad = rows+s.Rows, bad+s.Bad
		for _, c := range s.Why {
			text := fmt.Sprintf("%s:%d: ", s.Name, c.Line)
			if c.Column != "" {
				text += fmt.Sprintf("column %q, value %q: ", c.Column, c.Value)
			}
			text += c.Reason
			if c.Rows > 1 {
				text += fmt.Sprintf(" (and %s more)", human.Count(c.Rows-1))
			}
			causes = append(causes, text)
		}
	}
	if rows == 0 {
		return nil
	}
	if bad == 0 {
		return []Finding{
			Fine("the first %s", human.Verb(rows, "row fits", human.Of(rows, "row")+" fit")),
		}
	}
	if more := len(causes) - namesShown; more > 0 {
		causes = append(causes[:namesShown], human.Of(more, "more cause"))
	}
	var settings map[string][]string
	guess := ""
	for _, s := range readable(samples) {
		if !s.Otherwise && s.Fit == nil && s.Settings != nil {
			settings, guess = s.Settings, s.Guess
		}
	}
	f := Warn(
		"mend them, or see the other lines; a load sets such rows aside as rejected and continues",
		"%s of the first %s cannot be loaded: %s",
		human.Count(bad),
		human.Of(rows, "row"),
		strings.Join(causes, "; "),
	)
	if float64(bad) > mostBad*float64(rows) {
		f.State = Failure
	}
	return []Finding{f.guessing(settings, guess)}
}

// guessedRate is the rate, in rows a second, from which a load's time is estimated if none is set.
// One node with two cores takes about that.
const guessedRate = 30_000

// Estimate says how many rows there may be, and how long they take at a rate; 0: none is set.
// It says nothing of inputs that cannot be loaded.
func Estimate(samples []Sample, rate float64) []Finding {
	var rows float64
	exact, known := true, false
	for _, s := range samples {
		switch {
		case s.Whole:
			rows, known = rows+float64(s.Rows), true
		case s.Err != nil || s.Fit != nil:
			return nil // another finding reports it
		case s.Pipe || s.All < 0 || s.Rows == 0 || s.Text == 0:
			return []Finding{Fine("not known: the size of %s is unknown", s.Name)}
		default:
			rows, known, exact = rows+s.rows(), true, false
		}
	}
	if !known {
		return nil
	}
	number := human.Of(int64(rows), "row")
	if !exact {
		number = "about " + human.Of(rounded(rows), "row")
	}
	if rate > 0 {
		return []Finding{Fine("%s: %s at --ingestrate, or longer", number, lasting(rows/rate))}
	}
	return []Finding{
		Fine(
			"%s: %s at %s a second, an assumption; the cluster decides",
			number,
			lasting(rows/guessedRate),
			human.Count(guessedRate),
		),
	}
}

// rounded is a number with two digits that count.
func rounded(f float64) int64 {
	unit := 1.0
	for f/unit >= 100 {
		unit *= 10
	}
	return int64(f/unit+0.5) * int64(unit)
}

// lasting is a number of seconds as one says it.
func lasting(seconds float64) string {
	return human.Roughly(time.Duration(min(seconds, 1e9) * float64(time.Second)))
}
