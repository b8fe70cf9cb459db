package doctor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
)

// compactForm is how a date is written without separators.
type compactForm struct {
	layout  string // of Go
	more    int    // digits of a fraction behind it
	pattern string // of strptime; empty: a month or a day is missing, or no pattern reads it
	rare    bool   // it is guessed only where the form before it does not read as many
	alone   bool   // one number of this form among others proves nothing
}

// compactForms are the forms that are known. Those of equal length stand in the order in which they
// are guessed.
var compactForms = [...]compactForm{
	{layout: "20060102", pattern: "%Y%m%d"},
	{layout: "20060201", pattern: "%Y%d%m", rare: true},
	{layout: "02012006", pattern: "%d%m%Y"},
	{layout: "01022006", pattern: "%m%d%Y"},
	{layout: "2006010215", pattern: "%Y%m%d%H"},
	{
		layout:  "200601021504",
		pattern: "%Y%m%d%H%M",
	},
	{layout: "200602011504", pattern: "%Y%d%m%H%M", rare: true, alone: true},
	{
		layout:  "020120061504",
		pattern: "%d%m%Y%H%M",
		alone:   true,
	},
	{layout: "010220061504", pattern: "%m%d%Y%H%M", alone: true},
	{layout: "060102150405", pattern: "%y%m%d%H%M%S", alone: true},
	{
		layout:  "20060102150405",
		pattern: "%Y%m%d%H%M%S",
	},
	{layout: "20060201150405", pattern: "%Y%d%m%H%M%S", rare: true, alone: true},
	{
		layout:  "02012006150405",
		pattern: "%d%m%Y%H%M%S",
		alone:   true,
	},
	{layout: "01022006150405", pattern: "%m%d%Y%H%M%S", alone: true},
	{layout: "20060102150405", more: 3, pattern: "%Y%m%d%H%M%S%f"},
	{
		layout:  "060102",
		pattern: "%y%m%d",
	},
	{layout: "020106", pattern: "%d%m%y"},
	{layout: "010206", pattern: "%m%d%y"},
	{layout: "2006002"},
	{layout: "200601"},
	{layout: "2006"},
}

// reads reports whether a text is a date of 1900 to 2100 in the form, or the last day of 9999,
// which stands for never.
func (f *compactForm) reads(text string) bool {
	if len(text) != len(f.layout)+f.more {
		return false
	}
	at, err := time.Parse(f.layout, text[:len(f.layout)])
	return err == nil &&
		(1900 <= at.Year() && at.Year() <= 2100 || at.Year() == 9999 && at.YearDay() == 365)
}

// compacts counts which numbers of a column may be dates without separators. The zero value has
// none.
type compacts struct {
	numbers int64
	bare    int64    // numbers of JSON and in collections, which no pattern reads
	any     oddTimes // those that some form reads
	// those that some form of days reads, and that are no likely time in any unit
	dated  oddTimes
	days   [len(dayCounts)]oddTimes // days since a day, by that
	parts  oddTimes                 // seconds since 1970 with a fraction
	epochs [len(units)]oddTimes     // others, by the unit in which they are a time of 1980 to 2100
	forms  [len(compactForms)]oddTimes
}

// note counts a number, which stands at a place and is read as a time. bare: no pattern reads it.
func (c *compacts) note(number string, at oddTimes, bare bool) {
	c.numbers++
	if bare {
		c.bare++
	}
	whole, fraction, _ := strings.Cut(number, ".")
	for i := range dayCounts {
		if dayCounts[i].reads(whole) {
			c.days[i].add(at.ms, at.file, at.line, number)
		}
	}
	if unit, likely := epochOf(whole); likely && unit == 0 && fraction != "" {
		c.parts.add(at.ms, at.file, at.line, number)
	}
	if strings.Trim(number, "0123456789") != "" {
		return
	}
	some, proves := false, false
	for i := range compactForms {
		if f := &compactForms[i]; f.reads(number) {
			c.forms[i].add(at.ms, at.file, at.line, number)
			some, proves = true, proves || !f.alone
		}
	}
	if some {
		c.any.add(at.ms, at.file, at.line, number)
	}
	if unit, likely := epochOf(number); likely {
		c.epochs[unit].add(at.ms, at.file, at.line, number)
	} else if proves && len(number) >= leastDated {
		c.dated.add(at.ms, at.file, at.line, number)
	}
}

// dayCount are days, or parts of days, that are counted from a day on. The numbers of two counts
// are apart.
type dayCount struct {
	least, below int64
	day          int64 // how many make a day
	words        string
	first        time.Time
	by, do       string // who counts so, and what to do
}

var dayCounts = [...]dayCount{
	{
		7305,
		32874,
		1,
		"days",
		time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC),
		"",
		"write them as 2024-12-31, or for a timestamp as milliseconds: multiply them by 86400000",
	},
	{
		32874,
		58807,
		1,
		"days",
		time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC),
		", as spreadsheets count them",
		"export them from the spreadsheet with the cell format yyyy-mm-dd, or yyyy-mm-dd hh:mm:ss if they have a fraction",
	},
	// Of 1980 to 2100. Read as nanoseconds or microseconds since 1970 they are times of a year or
	// two, far from now.
	{
		624_511_296_000_000_000,
		662_380_416_000_000_000,
		10_000_000 * 86_400,
		"units of 100 ns",
		time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
		", as .NET counts ticks",
		"write them as milliseconds since 1970: subtract 621355968000000000, and divide by 10000",
	},
	{
		119_600_064_000_000_000,
		157_469_184_000_000_000,
		10_000_000 * 86_400,
		"units of 100 ns",
		time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC),
		", as Windows counts file times",
		"write them as milliseconds since 1970: subtract 116444736000000000, and divide by 10000",
	},
	{
		11_960_006_400_000_000,
		15_746_918_400_000_000,
		1_000_000 * 86_400,
		"microseconds",
		time.Date(1601, 1, 1, 0, 0, 0, 0, time.UTC),
		", as Chrome counts them",
		"write them as milliseconds since 1970: subtract 11644473600000000, and divide by 1000",
	},
}

// reads reports whether a number is a likely count: a day of 1990 to 2060, or a time of 1980 to
// 2100.
func (d *dayCount) reads(number string) bool {
	n, err := strconv.ParseInt(number, 10, 64)
	return err == nil && d.least <= n && n < d.below
}

// counts returns the finding about numbers if nearly all of them count days; false: they do not.
// read is what a load reads them as; empty: it does not accept them.
func (c *compacts) counts(where, read string, ofDate bool) (Finding, bool) {
	for i := range c.days {
		o, count := &c.days[i], &dayCounts[i]
		if o.number == 0 || 20*o.number < 19*c.numbers {
			continue
		}
		whole, _, _ := strings.Cut(o.text, ".")
		n, _ := strconv.ParseInt(whole, 10, 64)
		found := fmt.Sprintf(
			"%s: %s of %s, such as %s, %s like %s since %s%s: %s is %s",
			where,
			human.Count(o.number),
			human.Of(c.numbers, "number"),
			o.example(),
			human.Verb(
				o.number,
				"looks",
				"look",
			),
			count.words,
			count.first.Format(time.DateOnly),
			count.by,
			o.text,
			count.first.AddDate(0, 0, int(n/count.day)).Format(time.DateOnly),
		)
		if read != "" {
			found += ", but " + human.Verb(o.number, "is", "are") + " read as " + read
		}
		do := count.do
		if ofDate && i == 0 {
			do = "write them as 2024-12-31"
		}
		return Fail(do, "%s", found), true
	}
	return Finding{}, false
}

// seconds returns the finding about numbers that a column does not take since they have a fraction;
// false: there are none.
func (c *compacts) seconds(where string, samples []Sample) (Finding, bool) {
	if c.parts.number == 0 {
		return Finding{}, false
	}
	f := Warn(
		"say --timestamp-unit s",
		"%s: %s of seconds since 1970 with a fraction, such as %s, %s not taken",
		where,
		human.Of(c.parts.number, "number"),
		c.parts.text,
		human.Verb(c.parts.number, "is", "are"),
	)
	for _, s := range readable(samples) {
		for _, t := range s.Times {
			if t.values > 0 && t.january.number < t.values {
				f.Do = "load the file once for each unit, and leave the columns of other units out with --skipcols: these need --timestamp-unit s"
				return f, true
			}
		}
	}
	f = f.with(map[string][]string{"timestamp-unit": {"s"}})
	f.Retry = f.Settings
	return f, true
}

// leastDated is the number of digits of a whole day.
const leastDated = 8

// epochOf returns the unit in which a number is a time of 1980 to 2100; false: there is none.
func epochOf(number string) (unit int, likely bool) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return 0, false
	}
	least, below := int64(beginOf1980/1000), int64(beginOf2100/1000)
	for unit = range units {
		if least <= n && n < below {
			return unit, true
		}
		least, below = 1000*least, 1000*below
	}
	return 0, false
}

// with returns the numbers of the same column in another input as well.
func (c compacts) with(o compacts) compacts {
	c.numbers, c.bare = c.numbers+o.numbers, c.bare+o.bare
	c.any.merge(o.any)
	c.dated.merge(o.dated)
	c.parts.merge(o.parts)
	for i := range c.days {
		c.days[i].merge(o.days[i])
	}
	for i := range c.epochs {
		c.epochs[i].merge(o.epochs[i])
	}
	for i := range c.forms {
		c.forms[i].merge(o.forms[i])
	}
	return c
}

// formed is the number of dates of a form, in compactForms: none of a rare one where the form
// before it reads them.
func (c *compacts) formed(i int) int64 {
	if compactForms[i].rare && c.forms[i-1].number >= c.forms[i].number {
		return 0
	}
	return c.forms[i].number
}

// dates reports whether nearly all numbers are dates without separators. forms has the places in
// compactForms of every form that reads nearly all of them; empty: they have several forms.
func (c *compacts) dates() (forms []int, compact bool) {
	nearly := func(n int64) bool { return n > 0 && 20*n >= 19*c.numbers }
	for i := range c.forms {
		if nearly(c.formed(i)) {
			forms = append(forms, i)
		}
	}
	return forms, nearly(c.any.number)
}

// patterns returns patterns for the dates. all: each pattern reads all of them. Otherwise the
// column has several forms, and each pattern reads some.
func (c *compacts) patterns() (patterns []string, all bool) {
	forms, _ := c.dates()
	if all = len(forms) > 0; !all {
		for i := range c.forms {
			if c.formed(i) > 0 {
				forms = append(forms, i)
			}
		}
	}
	for _, i := range forms {
		if p := compactForms[i].pattern; p != "" {
			patterns = append(patterns, p)
		}
	}
	return patterns, all
}

// mixed reports whether some numbers are dates without separators, and others count a unit since
// 1970.
func (c *compacts) mixed() bool {
	_, compact := c.dates()
	return !compact && c.dated.number > 0 && len(c.counted()) > 0
}

// counted are the units in which numbers are likely times, as places in units.
func (c *compacts) counted() (all []int) {
	for i := range c.epochs {
		if c.epochs[i].number > 0 {
			all = append(all, i)
		}
	}
	return all
}

// digitsOf is how many digits times of 1980 to 2100 have in a unit.
var digitsOf = [len(units)]string{"9 or 10", "12 or 13", "15 or 16", "18 or 19"}

// mixture returns how to load a column of timestamps that has both dates without separators and
// numbers that count a unit since 1970.
func (c *compacts) mixture(where string) Finding {
	const flag = "datetimeformat"
	seen := []string{
		fmt.Sprintf(
			"%s without separators, such as %s in %s",
			human.Of(c.dated.number, "date"),
			c.dated.text,
			c.dated.place(),
		),
	}
	var parts []string
	lengths := make(map[int][]string) // patterns, by the number of digits
	for _, length := range []int{8, 12, 14, 17} {
		var most int64
		for i := range c.forms {
			if n := c.formed(
				i,
			); len(compactForms[i].layout)+compactForms[i].more == length && n > 0 &&
				n >= most {
				if n > most {
					lengths[length] = nil
				}
				most, lengths[length] = n, append(lengths[length], compactForms[i].pattern)
			}
		}
		if most > 0 {
			parts = append(
				parts,
				fmt.Sprintf(
					"--%s '%s' for %d digits",
					flag,
					strings.Join(lengths[length], "' or '"),
					length,
				),
			)
		}
	}
	for _, i := range c.counted() {
		o := &c.epochs[i]
		seen = append(
			seen,
			fmt.Sprintf(
				"%s since 1970, such as %s in %s",
				human.Of(o.number, "number")+" of "+units[i].words,
				o.text,
				o.place(),
			),
		)
		parts = append(
			parts,
			fmt.Sprintf("--timestamp-unit %s for %s digits", units[i].flag, digitsOf[i]),
		)
	}
	found := fmt.Sprintf("%s: two forms are mixed: %s", where, strings.Join(seen, "; "))
	switch day := lengths[leastDated]; {
	case c.bare > 0:
		return Fail(
			"write these dates as 2024-12-31: a pattern reads strings of JSON, and no numbers, nor what is in collections",
			"%s",
			found,
		).wrong()
	case len(lengths) == 1 && len(day) == 1 && len(c.counted()) == 1:
		return Fail(
			fmt.Sprintf(
				"load with --%s '%s', then the rejected rows: cqlbulk retry --last --%s '' --timestamp-unit %s",
				flag,
				day[0],
				flag,
				units[c.counted()[0]].flag,
			),
			"%s",
			found,
		).with(map[string][]string{flag: {day[0]}}).
			wrong()
	}
	return Fail(
		"split the file by the number of digits, and load each part with its own option: "+strings.Join(
			parts,
			", ",
		),
		"%s",
		found,
	).wrong()
}

// unread returns the finding about numbers that count a unit since 1970 if a format of digits does
// not accept them; false: there are none.
func (c *compacts) unread(where, format string) (Finding, bool) {
	counted := c.counted()
	if format == "" || len(counted) == 0 {
		return Finding{}, false
	}
	const flag = "datetimeformat"
	o, unit := &c.epochs[counted[0]], units[counted[0]]
	found := fmt.Sprintf(
		"%s: %s of %s since 1970, such as %s, %s not taken by %s",
		where,
		human.Of(o.number, "number"),
		unit.words,
		o.text,
		human.Verb(o.number, "is", "are"),
		format,
	)
	day := slices.ContainsFunc(
		compactForms[:],
		func(f compactForm) bool { return f.pattern == format && len(f.layout) == leastDated },
	)
	if len(counted) > 1 || !day {
		return Fail(
			fmt.Sprintf(
				"split the file by the number of digits, and load these numbers without --%s, and with --timestamp-unit %s",
				flag,
				unit.flag,
			),
			"%s",
			found,
		), true
	}
	f := Fail(
		fmt.Sprintf(
			"load with --%s '%s', then the rejected rows: cqlbulk retry --last --%s '' --timestamp-unit %s",
			flag,
			format,
			flag,
			unit.flag,
		),
		"%s",
		found,
	)
	f.Retry = map[string][]string{flag: {""}, "timestamp-unit": {unit.flag}}
	return f, true
}

// finding returns that the numbers of a column are dates, and how to read them. what is what a load
// reads them as; empty: the format, if there is one, does not accept them.
func (c *compacts) finding(where, flag, what, format string) Finding {
	found := fmt.Sprintf(
		"%s: %s of %s, such as %s, %s like dates without separators",
		where,
		human.Count(c.any.number),
		human.Of(c.numbers, "number"),
		c.any.example(),
		human.Verb(c.any.number, "looks", "look"),
	)
	if what != "" {
		found += ", but " + human.Verb(c.any.number, "is", "are") + " read as " + what
	}
	patterns, all := c.patterns()
	if !all && severalOrders(patterns) {
		return Fail(
			"write them as 2024-12-31",
			"%s: both orders of day and month are in one file",
			found,
		)
	}
	if format != "" {
		found += ", and " + human.Verb(c.any.number, "is", "are") + " not taken by " + format
		if len(patterns) == 0 {
			return Fail("write them as 2024-12-31", "%s", found)
		}
		return Fail(
			inTurn(flag, append([]string{format}, patterns...)),
			"%s",
			found,
		).retrying(flag, format, patterns[:1])
	}
	switch {
	case c.bare > 0:
		return Fail(
			"write them as 2024-12-31: a pattern reads strings of JSON, and no numbers, nor what is in collections",
			"%s",
			found,
		)
	case len(patterns) == 0:
		return Fail("write them as 2024-12-31, with a month and a day", "%s", found)
	case !all && len(patterns) == 1:
		return Fail("write them as 2024-12-31", "%s", found)
	case !all:
		return Fail(
			inTurn(flag, patterns),
			"%s",
			found,
		).with(map[string][]string{flag: {patterns[0]}})
	case len(patterns) == 1:
		return Fail(
			fmt.Sprintf("say --%s '%s'", flag, patterns[0]),
			"%s",
			found,
		).with(map[string][]string{flag: {patterns[0]}})
	}
	return Fail(
		oneOf(flag, patterns),
		"%s",
		found,
	).guessing(map[string][]string{flag: {patterns[0]}},
		fmt.Sprintf("%s is read by %s; it could also be read by %s", c.any.text, patterns[0], strings.Join(patterns[1:], " or ")),
	)
}

// severalOrders reports whether two of some patterns differ only in the order of day, month and
// year.
func severalOrders(patterns []string) bool {
	seen := make(map[string]bool)
	for _, p := range patterns {
		p = withoutOrder.Replace(p)
		if seen[p] {
			return true
		}
		seen[p] = true
	}
	return false
}

// oneOf advises one of several patterns.
func oneOf(flag string, patterns []string) string {
	return fmt.Sprintf(
		"check a date whose day you know, and say --%s '%s'",
		flag,
		strings.Join(patterns, "' or '"),
	)
}

// inTurn advises a load by one pattern, and of its rejects by the others.
func inTurn(flag string, patterns []string) string {
	do := fmt.Sprintf(
		"load with --%s '%s', then the rejected rows: cqlbulk retry --last --%s '%s'",
		flag,
		patterns[0],
		flag,
		patterns[1],
	)
	if more := patterns[2:]; len(more) > 0 {
		do += fmt.Sprintf(
			", and those of that retry likewise with '%s'",
			strings.Join(more, "', then '"),
		)
	}
	return do
}

// Dated returns what is wrong with a column of timestamps whose numbers are all dates without
// separators, or count days; false: they do not.
func (t *Times) Dated() (Finding, bool) {
	_, words, _ := t.unitOf(stepUsual)
	where := fmt.Sprintf("column %q", t.Column)
	if _, compact := t.compact.dates(); compact {
		what := fmt.Sprintf("%s since 1970: %s", words, moment(t.compact.any.ms))
		return t.compact.finding(where, "datetimeformat", what, "").wrong(), true
	}
	f, counts := t.compact.counts(where, words+" since 1970", false)
	return f.wrong(), counts
}

// Mixed returns the finding about a column of timestamps that has both dates without separators and
// numbers that count a unit since 1970; false: it does not.
func (t *Times) Mixed() (Finding, bool) {
	if !t.compact.mixed() {
		return Finding{}, false
	}
	return t.compact.mixture(fmt.Sprintf("column %q", t.Column)), true
}
