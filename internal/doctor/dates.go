package doctor

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// orders are the orders in which a date of three numbers can be read, as bits.
type orders uint8

const (
	dayFirst    orders = 1 << iota // 31/12/2024
	monthFirst                     // 12/31/2024
	yearFirst                      // 24/12/31
	monthSecond                    // 2024/12/31
	daySecond                      // 2024/31/12
)

// longYear are the orders of dates that begin with a year of four digits, shortOrders those of the
// others.
const (
	longYear    = monthSecond | daySecond
	shortOrders = dayFirst | monthFirst | yearFirst
)

// everyOrder lists them in the order in which they are guessed.
var everyOrder = [...]orders{dayFirst, monthFirst, yearFirst, monthSecond, daySecond}

// Dates counts the dates in a column of an input that are not in the form of ISO 8601.
type Dates struct {
	Column string
	File   string
	OfDate bool // the column's type is date, and not timestamp

	shapes  []shape
	bad     int64    // of all of them, that the column does not take
	numbers compacts // whole numbers that the column does not take

	// Dates that begin with a year and a hyphen, that the column takes, and that one order alone
	// reads.
	monthSecond, daySecond oddTimes
}

// shape are dates that are written alike: with the same separators, and the same time behind them.
type shape struct {
	pattern string // that reads them, if numbers stand day first; empty: none does
	numeric bool   // day and month are numbers
	all     int64
	example string           // the first
	by      [everyWay]int64  // by the orders that read a date
	firsts  [everyWay]string // of those

	first, third [2]uint64 // the numbers below 100 that stand first, and third
}

// everyWay is the number of sets of orders.
const everyWay = 1 << len(everyOrder)

// mostShapes is the number of shapes that are counted separately in a column.
const mostShapes = 8

// Watch notes the texts of one column. It is safe for concurrent use.
type Watch struct {
	mu    sync.Mutex
	dates Dates
}

// Note takes the text of a value, and whether the column took it.
func (w *Watch) Note(text []byte, taken bool) {
	found, first, third := ordersOf(text)
	if found&longYear != 0 && ownForm(text, found, taken) {
		if taken {
			w.own(text, found)
		}
		return
	}
	if found == 0 && !otherDates.Match(text) {
		if !taken && isNumber(text) {
			w.mu.Lock()
			w.dates.numbers.note(string(text), oddTimes{}, false)
			w.mu.Unlock()
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dates.shape(formatOf(string(text), dayFirst), found != 0, string(text)).
		note(string(text), found, first, third)
	if !taken {
		w.dates.bad++
	}
}

// own counts a date that begins with a year and a hyphen, and that the column took.
func (w *Watch) own(text []byte, found orders) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch found {
	case monthSecond:
		w.dates.monthSecond.add(0, "", 0, string(text))
	case daySecond:
		w.dates.daySecond.add(0, "", 0, string(text))
	}
}

// ownForm reports whether a text has the form of CQL's dates, right or wrong. The text begins with
// a year of four digits. A day in second place, and words behind the date such as PM, are another
// program's.
func ownForm(text []byte, found orders, taken bool) bool {
	if text = bytes.TrimLeft(text, " "); text[4] != '-' {
		return false
	}
	return taken || found != daySecond && !wordBehind.Match(text)
}

// isNumber reports whether a text has only digits, at least four as a year has, and perhaps a
// fraction.
func isNumber(text []byte) bool {
	whole, fraction, point := bytes.Cut(text, []byte{'.'})
	for _, part := range [][]byte{whole, fraction} {
		for _, c := range part {
			if c < '0' || c > '9' {
				return false
			}
		}
	}
	return len(whole) >= 4 && point == (len(fraction) > 0)
}

// shape returns the shape of dates like a text, a new one if there is none.
func (d *Dates) shape(pattern string, numeric bool, example string) *shape {
	for i := range d.shapes {
		s := &d.shapes[i]
		if s.pattern == pattern && s.numeric == numeric {
			return s
		}
		if i == mostShapes-1 {
			s.pattern = "" // none reads what follows
			return s
		}
	}
	d.shapes = append(d.shapes, shape{pattern: pattern, numeric: numeric, example: example})
	return &d.shapes[len(d.shapes)-1]
}

// note counts a date.
func (s *shape) note(text string, found orders, first, third int) {
	s.all++
	if s.by[found]++; s.by[found] == 1 {
		s.firsts[found] = text
	}
	if first < 100 && third < 100 {
		s.first[first/64] |= 1 << (first % 64)
		s.third[third/64] |= 1 << (third % 64)
	}
}

// orders are those that each read all dates of a shape.
func (s *shape) orders() orders {
	all := everyWay - 1
	for found, n := range s.by {
		if n > 0 {
			all &= found
		}
	}
	return orders(all)
}

// possible returns the orders to consider. That a short year comes first is one of them only if it
// reads all dates, or if no other order reads one of them.
func (s *shape) possible() orders {
	switch {
	case s.longYear():
		return longYear
	case s.orders()&yearFirst != 0 || s.by[yearFirst] > 0:
		return shortOrders
	default:
		return dayFirst | monthFirst
	}
}

// longYear reports whether the dates begin with a year of four digits.
func (s *shape) longYear() bool {
	return s.by[monthSecond]+s.by[daySecond]+s.by[longYear] > 0
}

// only is the number of dates that of the possible orders one alone reads, and the first of them.
func (s *shape) only(o orders) (n int64, first string) {
	for found := range s.by {
		if orders(found)&s.possible() == o && s.by[found] > 0 {
			n += s.by[found]
			first = cmp.Or(first, s.firsts[found])
		}
	}
	return n, first
}

// typical is a date that can be read in one order alone, if there is one.
func (s *shape) typical() (example string, decided bool) {
	for _, o := range everyOrder {
		if n, first := s.only(o); n > 0 {
			return first, true
		}
	}
	return s.example, false
}

// Dates is what was noted of a column; false: there was no such date.
func (w *Watch) Dates(column string) (Dates, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dates
	d.Column = column
	return d, d.all() > 0 || d.numbers.numbers > 0 || d.bothOrders()
}

// bothOrders reports whether a column accepted dates that begin with a year, and has some that only
// one order reads and some that only the other reads.
func (d *Dates) bothOrders() bool { return d.monthSecond.number > 0 && d.daySecond.number > 0 }

// HasSeconds reports whether a column of the sample has numbers of seconds with a fraction, which
// it does not take.
func (s *Sample) HasSeconds(column string) bool {
	return slices.ContainsFunc(
		s.Dates,
		func(d Dates) bool { return d.Column == column && d.numbers.parts.number > 0 },
	)
}

// SeeDates adds what was noted of columns in further values of the same input.
func (s *Sample) SeeDates(more []Dates) {
	s.Dates = mergeColumns(s.Dates, more, func(d Dates) string { return d.Column }, (*Dates).merge)
}

func (d *Dates) all() (n int64) {
	for i := range d.shapes {
		n += d.shapes[i].all
	}
	return n
}

// merge adds the dates of the same column in another input.
func (d *Dates) merge(o Dates) {
	d.bad += o.bad
	d.numbers = d.numbers.with(o.numbers)
	d.monthSecond.merge(o.monthSecond)
	d.daySecond.merge(o.daySecond)
	for _, from := range o.shapes {
		d.shape(from.pattern, from.numeric, from.example).merge(from)
	}
}

func (s *shape) merge(o shape) {
	s.all += o.all
	for i := range s.by {
		s.by[i] += o.by[i]
		s.firsts[i] = cmp.Or(s.firsts[i], o.firsts[i])
	}
	for i := range s.first {
		s.first[i] |= o.first[i]
		s.third[i] |= o.third[i]
	}
}

// ordersOf reads a text that begins with three numbers and perhaps has a time behind. One number is
// a year: of two digits, or of four at either end. The same one of / . - separates the numbers.
// ordersOf returns the orders in which that is a date, and the first and the third number.
func ordersOf(text []byte) (found orders, first, third int) {
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
	first, begins := number(4)
	if begins == 0 || begins == 3 || at == len(text) {
		return 0, 0, 0
	}
	between := text[at]
	if between != '/' && between != '.' && between != '-' {
		return 0, 0, 0
	}
	at++
	second, digits := number(2)
	if digits == 0 || at == len(text) || text[at] != between {
		return 0, 0, 0
	}
	at++
	third, digits = number(4)
	if digits == 0 || digits == 3 || at < len(text) && '0' <= text[at] && text[at] <= '9' {
		return 0, 0, 0
	}
	day := func(n int) bool { return 1 <= n && n <= 31 }
	month := func(n int) bool { return 1 <= n && n <= 12 }
	if begins == 4 {
		if digits <= 2 && month(second) && day(third) {
			found |= monthSecond
		}
		if digits <= 2 && day(second) && month(third) {
			found |= daySecond
		}
		return found, first, third
	}
	if digits > 1 && day(first) && month(second) {
		found |= dayFirst
	}
	if digits > 1 && month(first) && day(second) {
		found |= monthFirst
	}
	if digits <= 2 && begins == 2 && month(second) && day(third) {
		found |= yearFirst
	}
	return found, first, third
}
