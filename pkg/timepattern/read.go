package timepattern

import (
	"fmt"
	"strings"
	"time"
)

// composites are the directives that expand to several others.
var composites = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'x': "%m/%d/%y", 'X': "%H:%M:%S",
	'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'R': "%H:%M", 'T': "%H:%M:%S",
}

// simple are the other supported directives.
const simple = "YymbBdHIpMSfzZaAwe"

// parseDirectives parses a pattern of directives. It returns an error for a directive that is
// unknown or does not determine a moment.
func parseDirectives(format string) (form, error) {
	var l form
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			l = append(l, item{literal: format[i]})
			continue
		}
		if i++; i == len(format) {
			return nil, fmt.Errorf("date and time format %q ends in %%", format)
		}
		c := format[i]
		switch {
		case c == '%':
			l = append(l, item{literal: c})
		case composites[c] != "":
			parts, _ := parseDirectives(composites[c])
			l = append(l, parts...)
		case c == 'h':
			l = append(l, item{field: 'b'})
		case strings.IndexByte(simple, c) >= 0:
			l = append(l, item{field: c})
		default:
			return nil, fmt.Errorf("date and time format %q: %%%c cannot be read", format, c)
		}
	}
	return l, nil
}

// Moment is a day and a time of day that were read. Parts that the pattern lacks are those of
// 1900-01-01T00:00:00.
type Moment struct {
	Year, Month, Day, Hour, Minute, Second, Nanos int
	Zoned                                         bool // the text has an offset from UTC
	Offset                                        int  // seconds east of UTC
}

// Time returns the moment as a time. If the text has no offset, it is a time of the location. A
// local time that is skipped or repeated when clocks change is one of those that it may be; see
// time.Date.
func (m *Moment) Time(location *time.Location) time.Time {
	if m.Zoned {
		location = time.UTC
	}
	t := time.Date(
		m.Year, time.Month(m.Month), m.Day, m.Hour, m.Minute, m.Second, m.Nanos, location,
	)
	return t.Add(-time.Duration(m.Offset) * time.Second)
}

// Read reads a whole text. It reports whether the text fits the pattern and is a day that exists.
func (p *Pattern) Read(text []byte) (m Moment, ok bool) {
	for _, f := range p.forms {
		if m, ok = f.read(text); ok {
			break
		}
	}
	return m, ok
}

// reading is a moment while it is read.
type reading struct {
	Moment
	twelve, afternoon bool
}

func (f form) read(text []byte) (_ Moment, ok bool) {
	m := reading{Moment: Moment{Year: 1900, Month: 1, Day: 1}}
	for i := range f {
		it := &f[i]
		switch {
		case it.field != 0:
			text, ok = m.take(it, i == 0, text)
		case isSpace(it.literal):
			// Blanks in the format match one or more in the text; the first item of a run takes
			// them all.
			ok = i > 0 && f[i-1].field == 0 && isSpace(f[i-1].literal)
			for len(text) > 0 && isSpace(text[0]) {
				text, ok = text[1:], true
			}
		default:
			ok = len(text) > 0 && lower(text[0]) == lower(it.literal)
			text = text[min(1, len(text)):]
		}
		if !ok {
			return Moment{}, false
		}
	}
	if len(text) > 0 {
		return Moment{}, false
	}
	if m.twelve {
		m.Hour %= 12
		if m.afternoon {
			m.Hour += 12
		}
	}
	// A day that does not exist, such as 31 September, would be carried into the next month.
	return m.Moment, m.Day <= 28 || m.Day <= daysOf(m.Year, m.Month)
}

// daysOf returns the number of days of a month.
func daysOf(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// take reads the value of a directive at the start of text. COPY TO writes years before 1000
// without leading zeros, as the C library does, so a year at the start may be short. Elsewhere it
// may not. To shorten the seconds to milliseconds, COPY TO uses the last point with digits after
// it, so %d.%m.%Y gives 13.12.201 for 13.12.2015.
func (m *reading) take(it *item, first bool, text []byte) (rest []byte, ok bool) {
	if it.least > 0 && it.field != 'z' {
		return m.takeDigits(it, text)
	}
	switch it.field {
	case 'Y':
		n := len(text)
		m.Year, text, ok = takeNumber(text, 4, 1, 9999)
		return text, ok && (first || n-len(text) == 4)
	case 'y':
		n := len(text)
		m.Year, text, ok = takeNumber(text, 2, 0, 99)
		if m.Year += 1900; m.Year < 1969 {
			m.Year += 100
		}
		return text, ok && n-len(text) == 2
	case 'm':
		m.Month, text, ok = takeNumber(text, 2, 1, 12)
	case 'b':
		m.Month, text, ok = takeName(text, months[:], 3)
		m.Month++
	case 'B':
		m.Month, text, ok = takeName(text, months[:], 0)
		m.Month++
	case 'd', 'e':
		if len(text) > 0 && text[0] == ' ' {
			text = text[1:]
		}
		m.Day, text, ok = takeNumber(text, 2, 1, 31)
	case 'H':
		m.Hour, text, ok = takeNumber(text, 2, 0, 23)
	case 'I':
		m.twelve = true
		m.Hour, text, ok = takeNumber(text, 2, 1, 12)
	case 'p':
		var half int
		half, text, ok = takeName(text, halves[:], 0)
		m.afternoon = half == 1
	case 'M':
		m.Minute, text, ok = takeNumber(text, 2, 0, 59)
	case 'S':
		m.Second, text, ok = takeNumber(text, 2, 0, 59)
	case 'f':
		n := len(text)
		m.Nanos, text, ok = takeNumber(text, 6, 0, 999999)
		for n -= len(text); n < 9; n++ {
			m.Nanos *= 10
		}
	case 'z':
		return m.takeZone(it, text)
	case 'Z':
		m.Zoned = true
		_, text, ok = takeName(text, zones[:], 0)
	case 'a':
		_, text, ok = takeName(text, weekdays[:], 3)
	case 'A':
		_, text, ok = takeName(text, weekdays[:], 0)
	case 'w':
		_, text, ok = takeNumber(text, 1, 0, 6)
	}
	return text, ok
}

// takeDigits reads a number of Java's letters. A year of two digits is of the 21st century.
func (m *reading) takeDigits(it *item, text []byte) (rest []byte, ok bool) {
	n, i := 0, 0
	for ; i < len(text) && i < it.most && isDigit(text[i]); i++ {
		n = n*10 + int(text[i]-'0')
	}
	if i < it.least {
		return text, false
	}
	within := func(part *int, least, most int) bool {
		*part = n
		return n >= least && n <= most
	}
	switch it.field {
	case 'Y':
		ok = within(&m.Year, 1, 9999)
	case 'y':
		m.Year, ok = 2000+n, true
	case 'm':
		ok = within(&m.Month, 1, 12)
	case 'd':
		ok = within(&m.Day, 1, 31)
	case 'H':
		ok = within(&m.Hour, 0, 23)
	case 'I':
		m.twelve = true
		ok = within(&m.Hour, 1, 12)
	case 'M':
		ok = within(&m.Minute, 0, 59)
	case 'S':
		ok = within(&m.Second, 0, 59)
	case 'f':
		for range 9 - i {
			n *= 10
		}
		m.Nanos, ok = n, true
	}
	return text[i:], ok
}

// takeZone reads Z, +HHMM or +HH:MM, and +HH if the pattern may have that.
func (m *reading) takeZone(it *item, text []byte) (rest []byte, ok bool) {
	m.Zoned = true
	if len(text) > 0 && text[0] == 'Z' {
		return text[1:], it.least == 0 || it.zone >= zoneLetter
	}
	if len(text) < 3 || text[0] != '+' && text[0] != '-' || countDigits(text[1:3]) < 2 {
		return text, false
	}
	hour, minute, rest := int(text[1]-'0')*10+int(text[2]-'0'), 0, text[3:]
	minutes := rest
	if len(minutes) > 0 && minutes[0] == ':' {
		minutes = minutes[1:]
	}
	if countDigits(minutes) >= 2 && minutes[0] <= '5' {
		minute, rest = int(minutes[0]-'0')*10+int(minutes[1]-'0'), minutes[2:]
	} else if it.least != 1 {
		return text, false
	}
	m.Offset = (hour*60 + minute) * 60
	if text[0] == '-' {
		m.Offset = -m.Offset
	}
	return rest, hour < 24
}

// takeNumber reads a number of at most the given digits, and one digit fewer if the number would be
// too large.
func takeNumber(text []byte, digits, least, most int) (n int, rest []byte, ok bool) {
	i := 0
	for ; i < len(text) && i < digits && isDigit(text[i]); i++ {
		next := n*10 + int(text[i]-'0')
		if next > most {
			break
		}
		n = next
	}
	return n, text[i:], i > 0 && n >= least
}

var (
	months = [...]string{
		"january",
		"february",
		"march",
		"april",
		"may",
		"june",
		"july",
		"august",
		"september",
		"october",
		"november",
		"december",
	}
	weekdays = [...]string{
		"monday",
		"tuesday",
		"wednesday",
		"thursday",
		"friday",
		"saturday",
		"sunday",
	}
	halves = [...]string{"am", "pm"}
	zones  = [...]string{"utc", "gmt"}
)

// takeName reads one of the names in any case. If letters is not 0, it reads only the first letters
// of a name.
func takeName(text []byte, names []string, letters int) (place int, rest []byte, ok bool) {
	for i, name := range names {
		if letters > 0 {
			name = name[:letters]
		}
		k := 0
		for k < len(name) && k < len(text) && lower(text[k]) == name[k] {
			k++
		}
		if k == len(name) {
			return i, text[k:], true
		}
	}
	return 0, text, false
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// countDigits returns the number of digits at the start of a text.
func countDigits(text []byte) int {
	for i, c := range text {
		if !isDigit(c) {
			return i
		}
	}
	return len(text)
}
