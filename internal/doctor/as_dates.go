package doctor

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// column is what the dates of one column are in all inputs, and in each.
type column struct {
	Dates
	files []Dates
}

// name names the inputs.
func (c *column) name() string {
	if more := len(c.files) - 1; more > 0 {
		return fmt.Sprintf("%s and %s", c.files[0].File, human.Of(more, "more input"))
	}
	return c.files[0].File
}

// byColumn puts the dates of inputs together by columns.
func byColumn(samples []Sample) (columns []column) {
	for _, s := range readable(samples) {
		for _, d := range s.Dates {
			i := slices.IndexFunc(columns, func(c column) bool { return c.Column == d.Column })
			if i < 0 {
				i = len(columns)
				columns = append(
					columns,
					column{Dates: Dates{Column: d.Column, OfDate: d.OfDate}},
				)
			}
			columns[i].merge(d)
			columns[i].files = append(columns[i].files, d)
		}
	}
	return columns
}

// AsDates says what is to be known of dates that are not in the form of ISO 8601. The formats are
// those by which timestamps and dates are read, as strptime has them; empty: there is none.
func AsDates(samples []Sample, timestamps, dates string) []Finding {
	var out []Finding
	for _, c := range byColumn(samples) {
		format := timestamps
		if c.OfDate {
			format = dates
		}
		where := fmt.Sprintf("%s, column %q", c.name(), c.Column)
		if c.all() > 0 {
			out = append(out, c.finding(format))
		} else if c.bothOrders() {
			out = append(
				out,
				Fail(
					"write them as 2024-12-31",
					"%s: %s such as %s and %s such as %s: both orders of day and month are in one file",
					where,
					human.Of(
						c.monthSecond.number,
						"date",
					),
					c.monthSecond.text,
					human.Count(c.daySecond.number),
					c.daySecond.text,
				),
			)
		}
		if _, compact := c.numbers.dates(); compact {
			out = append(out, c.numbers.finding(where, c.Setting(), "", format))
		} else if f, counts := c.numbers.counts(where, "", c.OfDate); counts {
			out = append(out, f)
		} else if f, epochs := c.numbers.unread(where, format); epochs && !c.OfDate {
			out = append(out, f)
		}
		if f, some := c.numbers.seconds(where, samples); some && !c.OfDate {
			out = append(out, f)
		}
	}
	numbers := false // a column has numbers that are no dates
	first := len(out)
	var columns []string // of the findings from there on
	for _, s := range readable(samples) {
		for _, t := range s.Times {
			f, compact := t.Dated()
			numbers = numbers || !compact && t.values > 0
			if compact {
				f.Found = s.Name + ", " + f.Found
				out, columns = append(out, f), append(columns, t.Column)
			}
		}
	}
	if !bothForms(out[:first], out[first:], columns) {
		onePattern(out, "datetimeformat", numbers)
	}
	onePattern(out, "dateformat", false)
	if more := len(out) - namesShown; more > 0 {
		out = append(
			out[:namesShown],
			Warn("", "and %s of dates like it", human.Of(more, "more column")),
		)
	}
	return out
}

// bothForms advises two loads if the only column that needs a pattern has dates with separators and
// dates without. The load with the pattern of digits comes first: the other pattern would read
// dates without separators as numbers. columns has the columns of compact.
func bothForms(written, compact []Finding, columns []string) bool {
	const flag = "datetimeformat"
	var spelled []int
	for i, f := range written {
		if f.Settings[flag] != nil {
			spelled = append(spelled, i)
		}
	}
	if len(spelled) != 1 || len(compact) != 1 || compact[0].Settings[flag] == nil ||
		!strings.Contains(written[spelled[0]].Found, fmt.Sprintf(", column %q: ", columns[0])) {
		return false
	}
	other := &written[spelled[0]]
	digits := compact[0].Settings[flag][0]
	compact[0].Do = inTurn(flag, []string{digits, other.Settings[flag][0]})
	other.Do, other.Settings = compact[0].Do, nil
	return true
}

// onePattern takes back the advice of patterns if columns need different ones, because a load has
// one pattern for all columns. numbers: a column has numbers, and a pattern of digits reads none.
func onePattern(found []Finding, flag string, numbers bool) {
	patterns := make(map[string]bool)
	for _, f := range found {
		if p := f.Settings[flag]; p != nil {
			patterns[p[0]] = true
			if numbers && digitsAlone(p[0]) {
				patterns[""] = true
			}
		}
	}
	if len(patterns) < 2 {
		return
	}
	for i, f := range found {
		if p := f.Settings[flag]; p != nil {
			found[i].Do = fmt.Sprintf(
				"--%s is one pattern for all such columns: load once for each pattern, here '%s', and leave the columns of others out with --skipcols",
				flag,
				p[0],
			)
			found[i].Settings = nil
		}
	}
}

// digitsAlone reports whether a pattern has nothing between its directives.
func digitsAlone(pattern string) bool {
	return pattern != "" && 2*strings.Count(pattern, "%") == len(pattern)
}

// patterns are those that each read all dates of a shape in one of some orders, the likeliest
// first.
func (s *shape) patterns(among orders) (all []string) {
	switch {
	case s.pattern == "":
		return nil
	case !s.numeric:
		return []string{s.pattern}
	}
	order := everyOrder[:]
	count := func(set [2]uint64) int { return bits.OnesCount64(set[0]) + bits.OnesCount64(set[1]) }
	switch {
	case s.longYear():
	case count(s.first) < count(s.third): // a year changes less than a day
		order = []orders{yearFirst, dayFirst, monthFirst}
	case halfDay.MatchString(s.example): // with hours up to twelve, the month mostly comes first
		order = []orders{monthFirst, dayFirst, yearFirst}
	}
	for _, o := range order {
		if s.orders()&among&o != 0 {
			all = append(all, formatOf(s.example, o))
		}
	}
	return all
}

// readings are the patterns of each shape, those of most dates first; readable: each has one. If an
// order reads all shapes, the others are left out.
func (d *Dates) readings() (patterns [][]string, readable bool) {
	shapes := slices.Clone(d.shapes)
	slices.SortStableFunc(shapes, func(a, b shape) int { return cmp.Compare(b.all, a.all) })
	common := orders(0)
	for _, every := range []orders{shortOrders, longYear} {
		all := every
		for i := range shapes {
			if shapes[i].numeric && shapes[i].possible()&every != 0 {
				all &= shapes[i].orders()
			}
		}
		if all == 0 {
			all = every
		}
		common |= all
	}
	readable = true
	for i := range shapes {
		p := shapes[i].patterns(common)
		readable = readable && len(p) > 0
		patterns = append(patterns, p)
	}
	return patterns, readable
}

// kinds describes the dates of a column.
func (d *Dates) kinds() string {
	var only [len(everyOrder)]int64
	example, decided := d.shapes[0].typical()
	var numeric, long int64
	for i := range d.shapes {
		s := &d.shapes[i]
		for o := range only {
			n, _ := s.only(everyOrder[o])
			only[o] += n
		}
		switch {
		case s.longYear():
			long += s.all
		case s.numeric:
			numeric += s.all
		}
		if !decided {
			if e, some := s.typical(); some {
				example, decided = e, true
			}
		}
	}
	text := fmt.Sprintf("%s such as %s", human.Of(d.all(), "date"), example)
	if only[4] > 0 {
		text += fmt.Sprintf(
			": %s only year-month-day, %s only year-day-month, %s either way",
			human.Count(only[3]),
			human.Count(only[4]),
			human.Count(long-only[3]-only[4]),
		)
	}
	if numeric == 0 {
		return text
	}
	text += fmt.Sprintf(
		": %s only day first, %s only month first",
		human.Count(only[0]),
		human.Count(only[1]),
	)
	if only[2] > 0 {
		text += fmt.Sprintf(", %s only year first", human.Count(only[2]))
	}
	return text + fmt.Sprintf(", %s either way", human.Count(numeric-only[0]-only[1]-only[2]))
}

// finding is what is to be known of a column that is read by a format; empty: by none.
func (c *column) finding(format string) Finding {
	kinds := fmt.Sprintf("%s, column %q: %s", c.name(), c.Column, c.kinds())
	readings, readable := c.readings()
	single := len(readings) == 1 && readable
	// hardly any program puts the day second
	usual := single && len(readings[0]) > 1 && c.shapes[0].longYear()
	switch {
	case c.bad == 0 && format == "":
		return Fine("%s", kinds)
	case c.bad == 0 && single && len(readings[0]) > 1 && !(usual && format == readings[0][0]):
		return Warn(
			"check a date whose day you know",
			"%s; taken as %s says, but also dates by %s",
			kinds,
			format,
			strings.Join(without(readings[0], format), " or "),
		)
	case c.bad == 0:
		return Fine("%s; taken as %s says", kinds, format)
	}
	if format != "" {
		kinds += fmt.Sprintf(
			"; %s %s not taken by %s",
			human.Count(c.bad),
			human.Verb(c.bad, "is", "are"),
			format,
		)
	}
	if !single {
		if do := c.eachFile(); do != "" {
			return Fail(do, "%s", kinds)
		}
		return c.severalWays(kinds, format, readings, readable)
	}
	patterns := readings[0]
	switch {
	case slices.Contains(patterns, format):
		return Warn("mend those, as the pattern fits the others: is there such a day?", "%s", kinds)
	case digitsAlone(format) && c.bad == c.all() && len(patterns) == 1: // others have no separators
		return Fail(
			inTurn(c.Setting(), []string{format, patterns[0]}),
			"%s",
			kinds,
		).retrying(c.Setting(), format, patterns)
	case format != "":
		if c.bad < c.all() {
			kinds += ", and some of the others may be other days"
		}
		return Fail(
			fmt.Sprintf("say --%s '%s'", c.Setting(), strings.Join(patterns, "' or '")),
			"%s",
			kinds,
		).retrying(c.Setting(), format, patterns)
	case len(patterns) == 1 && strings.HasPrefix(patterns[0], "%Y-%d-%m") && c.bad == c.all() && c.monthSecond.number > 0:
		return Fail(
			"write them as 2024-12-31",
			"%s; %s such as %s %s year-month-day: both orders of day and month are in one file",
			kinds,
			human.Count(
				c.monthSecond.number,
			),
			c.monthSecond.text,
			human.Verb(c.monthSecond.number, "is only", "are only"),
		)
	case len(patterns) == 1 && strings.HasPrefix(patterns[0], "%Y-%d-%m") && c.bad == c.all():
		// CQL reads the dates of the file whose day is below 13, and as other days.
		return Fail(
			fmt.Sprintf("write them as 2024-12-31, or load the whole file with --%s '%s'", c.Setting(), patterns[0]),
			"%s; dates of the same form are read with the month before the day",
			kinds,
		).
			guessing(map[string][]string{c.Setting(): {patterns[0]}}, fmt.Sprintf("all dates are read by %s, as %s is", patterns[0], c.shapes[0].example))
	case len(patterns) == 1:
		return Warn(
			fmt.Sprintf("write them as 2024-12-31, or say --%s '%s'", c.Setting(), patterns[0]),
			"%s",
			kinds,
		).
			with(map[string][]string{c.Setting(): {patterns[0]}})
	case usual:
		return Warn(
			fmt.Sprintf(
				"write them as 2024-12-31, or say --%s '%s', or '%s' if the day stands before the month",
				c.Setting(),
				patterns[0],
				patterns[1],
			),
			"%s",
			kinds,
		).
			with(map[string][]string{c.Setting(): {patterns[0]}})
	}
	return Warn(
		"write them as 2024-12-31, or "+oneOf(c.Setting(), patterns),
		"%s",
		kinds,
	).guessing(map[string][]string{c.Setting(): {patterns[0]}},
		fmt.Sprintf("%s is read by %s, though it may be meant by %s", c.shapes[0].example, patterns[0], strings.Join(patterns[1:], " or ")),
	)
}

// likeISO is a date that CQL reads, with a time and a zone if one of the column's has them.
func (c *column) likeISO() string {
	like := "2024-12-31"
	for i := range c.shapes {
		switch text := c.shapes[i].example; {
		case namedZone.MatchString(text):
			return "2024-12-31T10:00:00+01:00"
		case timeOfDay.MatchString(text) && !c.OfDate:
			like = "2024-12-31T10:00:00"
		}
	}
	return like
}

// severalWays is the finding about a column that no pattern reads as a whole.
func (c *column) severalWays(kinds, format string, readings [][]string, readable bool) Finding {
	const iso = "write them as 2024-12-31"
	if !readable {
		for i := range c.shapes {
			if s := &c.shapes[i]; s.numeric && s.pattern != "" && s.orders() == 0 {
				return Fail(iso, "%s: both orders are in one file", kinds)
			}
		}
		for i := range c.shapes {
			if zone := unreadZone(c.shapes[i].example); zone != "" {
				return Warn(
					fmt.Sprintf(
						"write them as 2024-12-31T10:00:00+01:00: no pattern reads the name of a time zone such as %s",
						zone,
					),
					"%s",
					kinds,
				)
			}
		}
		return Warn("write them as "+c.likeISO(), "%s", kinds)
	}
	var each []string
	for _, patterns := range readings {
		if slices.Contains(patterns, format) {
			each = append([]string{format}, each...)
		} else {
			each = append(each, patterns[0])
		}
	}
	// what it reads are dates without separators
	if digitsAlone(format) && !slices.Contains(each, format) {
		each = append([]string{format}, each...)
	}
	do := iso
	if len(each) <= namesShown {
		do += ", or " + inTurn(c.Setting(), each)
	}
	f := Fail(do, "%s, in %s", kinds, human.Of(len(readings), "form"))
	if format == "" && len(readings[0]) == 1 && len(each) <= namesShown {
		f = f.with(map[string][]string{c.Setting(): {each[0]}})
	}
	for _, patterns := range readings { // those of most dates first
		if f.Retry == nil && !slices.Contains(patterns, format) {
			f = f.retrying(c.Setting(), format, patterns)
		}
	}
	return f
}

// retrying returns the finding with the pattern by which a retry reads dates that a format did not
// take. patterns has those that each read all of these dates. There is no such pattern if they
// differ in the order of day, month and year.
func (f Finding) retrying(flag, format string, patterns []string) Finding {
	if len(patterns) == 1 && withoutOrder.Replace(patterns[0]) != withoutOrder.Replace(format) {
		f.Retry = map[string][]string{flag: {patterns[0]}}
	}
	return f
}

// withoutOrder makes patterns alike that differ in the order of day, month and year.
var withoutOrder = strings.NewReplacer("%%", "%%", "%d", "%?", "%m", "%?", "%y", "%?", "%Y", "%?")

// eachFile advises to load files by themselves, if one pattern reads each of them; empty: that is
// not so.
func (c *column) eachFile() string {
	if len(c.files) < 2 {
		return ""
	}
	files := make(map[string][]string)
	var patterns []string
	for _, d := range c.files {
		if d.all() == 0 {
			continue
		}
		readings, readable := d.readings()
		if len(readings) != 1 || !readable {
			return ""
		}
		p := readings[0][0]
		if files[p] == nil {
			patterns = append(patterns, p)
		}
		files[p] = append(files[p], d.File)
	}
	do := "load the files by themselves"
	for i, p := range patterns {
		between := ", "
		if i == 0 {
			between = ": "
		}
		do += fmt.Sprintf("%s%s with --%s '%s'", between, some(files[p]), c.Setting(), p)
	}
	return do
}

// without returns the texts without one.
func without(texts []string, text string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == text })
}

// Setting is the one by which the column's texts are read.
func (d *Dates) Setting() string {
	if d.OfDate {
		return "dateformat"
	}
	return "datetimeformat"
}
