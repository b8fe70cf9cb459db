package doctor

import (
	"fmt"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/amount"
)

// order is in what order a date that is not in the form of ISO 8601 can be read.
type order uint8

const (
	noDate     order = iota // not a date of that kind
	dayFirst                // 31/12/2024
	monthFirst              // 12/31/2024
	either                  // 03/04/2024
	oneWay                  // 2024/12/31, 31 Dec 2024, Dec 31, 2024
)

// Dates counts the dates in a column of an input that begin with a day or a month. Note is safe for
// concurrent use.
type Dates struct {
	Column string
	OfDate bool // the column's type is date, and not timestamp

	dayFirst, monthFirst, either, oneWay int64
	example                              string // one that can be read in one order alone, where there is one
	bad                                  int64  // of all of them, that the column does not take
}

// Watch notes the texts of one column.
type Watch struct {
	mu    sync.Mutex
	dates Dates
}

// Note takes the text of a value, and whether the column took it.
func (w *Watch) Note(text []byte, taken bool) {
	o := orderOf(text)
	if o == noDate && otherDates.Match(text) {
		o = oneWay
	}
	if o == noDate {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	d := &w.dates
	if d.example == "" || o != either && d.dayFirst+d.monthFirst == 0 {
		d.example = string(text)
	}
	switch o {
	case dayFirst:
		d.dayFirst++
	case monthFirst:
		d.monthFirst++
	case either:
		d.either++
	case oneWay:
		d.oneWay++
	}
	if !taken {
		d.bad++
	}
}

// Dates is what was noted of a column; false: there was no such date.
func (w *Watch) Dates(column string) (Dates, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dates
	d.Column = column
	return d, d.all() > 0
}

func (d Dates) all() int64 { return d.dayFirst + d.monthFirst + d.either + d.oneWay }

// orderOf reads a text that begins with two numbers of one or two digits and a year, with the same
// of / . - between them, and perhaps a time behind.
func orderOf(text []byte) order {
	at := 0
	for at < len(text) && text[at] == ' ' {
		at++
	}
	number := func(most int) (n, digits int) {
		for at < len(text) && digits < most && '0' <= text[at] && text[at] <= '9' {
			n = 10*n + int(text[at]-'0')
			at, digits = at+1, digits+1
		}
		return n, digits
	}
	first, digits := number(2)
	if digits == 0 || at == len(text) {
		return noDate
	}
	between := text[at]
	if between != '/' && between != '.' && between != '-' {
		return noDate
	}
	at++
	second, digits := number(2)
	if digits == 0 || at == len(text) || text[at] != between {
		return noDate
	}
	at++
	_, digits = number(4)
	if digits != 2 && digits != 4 || at < len(text) && '0' <= text[at] && text[at] <= '9' {
		return noDate
	}
	day := func(n int) bool { return 1 <= n && n <= 31 }
	month := func(n int) bool { return 1 <= n && n <= 12 }
	switch {
	case month(first) && month(second):
		return either
	case day(first) && month(second):
		return dayFirst
	case month(first) && day(second):
		return monthFirst
	default:
		return noDate
	}
}

// AsDates says what is to be known of dates that begin with a day or a month, or name one. The formats are
// those by which timestamps and dates are read, as strptime has them; empty: there is none.
func AsDates(samples []Sample, timestamps, dates string) []Finding {
	var out []Finding
	for _, s := range readable(samples) {
		for _, d := range s.Dates {
			format := timestamps
			if d.OfDate {
				format = dates
			}
			out = append(out, d.finding(s.Name, format))
		}
	}
	onePattern(out, "datetimeformat")
	onePattern(out, "dateformat")
	if more := len(out) - namesShown; more > 0 {
		out = append(out[:namesShown], Warn("", "and %s of dates like it", amount.Of(more, "more column")))
	}
	return out
}

// onePattern takes back the advice of patterns if columns need different ones: one pattern is for all of them.
func onePattern(found []Finding, flag string) {
	patterns := make(map[string]bool)
	for _, f := range found {
		if p := f.Settings[flag]; p != nil {
			patterns[p[0]] = true
		}
	}
	if len(patterns) < 2 {
		return
	}
	for i, f := range found {
		if p := f.Settings[flag]; p != nil {
			found[i].Do = fmt.Sprintf("--%s is one pattern for all such columns: load once for each pattern, here '%s', and leave the columns of others out with --skipcols", flag, p[0])
			found[i].Settings = nil
		}
	}
}

func (d Dates) finding(name, format string) Finding {
	where := fmt.Sprintf("%s, column %q", name, d.Column)
	kinds := fmt.Sprintf("%s such as %s: %s only day first, %s only month first, %s either way",
		amount.Of(d.all(), "date"), d.example, amount.Count(d.dayFirst), amount.Count(d.monthFirst), amount.Count(d.either))
	if d.oneWay == d.all() {
		kinds = fmt.Sprintf("%s such as %s", amount.Of(d.all(), "date"), d.example)
	}
	flag := d.flag()
	switch {
	case d.bad == 0 && d.either == d.all() && format != "":
		return Warn("look at one of which you know the day", "%s: %s; taken as %s says", where, kinds, format)
	case d.bad == 0 && format == "":
		return Fine("%s: %s", where, kinds)
	case d.bad == 0:
		return Fine("%s: %s; taken as %s says", where, kinds, format)
	case format != "" && d.bad < d.all():
		return Fail("say the other order with --"+flag+", or have one order in the file",
			"%s: %s; %s %s not taken by %s, and some of the others may be other days", where, kinds, amount.Count(d.bad), amount.Verb(d.bad, "is", "are"), format)
	}
	first := "%d"
	switch {
	case d.dayFirst > 0 && d.monthFirst > 0:
		return Fail("write them as 2024-12-31", "%s: %s: both orders are in one file", where, kinds)
	case d.monthFirst > 0 || d.dayFirst == 0 && halfDay.MatchString(d.example):
		first = "%m" // where hours are counted to twelve, the month mostly comes first
	}
	pattern := formatOf(d.example, first)
	if pattern == "" {
		return Warn("write them as 2024-12-31", "%s: %s", where, kinds)
	}
	guess := ""
	if d.dayFirst == 0 && d.monthFirst == 0 {
		guess = fmt.Sprintf("%s is read by %s, though day and month may be the other way round", d.example, pattern)
	}
	return Warn(fmt.Sprintf("write them as 2024-12-31, or say --%s '%s'", flag, pattern), "%s: %s", where, kinds).
		guessing(map[string][]string{flag: {pattern}}, guess)
}

// flag is the setting by which the column's texts are read.
func (d Dates) flag() string {
	if d.OfDate {
		return "dateformat"
	}
	return "datetimeformat"
}
