package cqlshtext

import (
	"fmt"
	"strings"
	"time"
)

// layout is a parsed strptime format: directives and the characters between them. It reads as
// Python's datetime.strptime does in the C locale, but without backtracking. Each of two adjacent
// numbers therefore takes as many digits as it can.
type layout []layoutItem

// layoutItem is one directive or, if directive is 0, one required character.
type layoutItem struct {
	directive byte
	literal   byte
}

// composites are the directives that expand to several others.
var composites = map[byte]string{
	'c': "%a %b %d %H:%M:%S %Y", 'x': "%m/%d/%y", 'X': "%H:%M:%S",
	'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'R': "%H:%M", 'T': "%H:%M:%S",
}

// simple are the other supported directives.
const simple = "YymbBdHIpMSfzZaAwe"

// parseLayout parses a format. It returns an error for a directive that is unknown or does not
// determine a moment.
func parseLayout(format string) (layout, error) {
	var l layout
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			l = append(l, layoutItem{literal: format[i]})
			continue
		}
		if i++; i == len(format) {
			return nil, fmt.Errorf("date and time format %q ends in %%", format)
		}
		c := format[i]
		switch {
		case c == '%':
			l = append(l, layoutItem{literal: c})
		case composites[c] != "":
			parts, _ := parseLayout(composites[c])
			l = append(l, parts...)
		case c == 'h':
			l = append(l, layoutItem{directive: 'b'})
		case strings.IndexByte(simple, c) >= 0:
			l = append(l, layoutItem{directive: c})
		default:
			return nil, fmt.Errorf("date and time format %q: %%%c cannot be read", format, c)
		}
	}
	return l, nil
}

// numeric reports whether the format consists of digits.
func (l layout) numeric() bool {
	for _, item := range l {
		if strings.IndexByte("YymdHIMSfw", item.directive) < 0 && !isDigit(item.literal) {
			return false
		}
	}
	return true
}

// moment is the values of the directives read so far.
type moment struct {
	year, month, day, hour, minute, second, nanos int
	offset                                        int // seconds east of UTC
	twelve, afternoon                             bool
}

// parse reads a whole text and returns its milliseconds since 1970-01-01T00:00:00Z. Missing parts
// are those of 1900-01-01T00:00:00Z.
func (l layout) parse(text []byte) (ms int64, ok bool) {
	m := moment{year: 1900, month: 1, day: 1}
	for i, item := range l {
		switch {
		case item.directive != 0:
			text, ok = m.take(item.directive, i == 0, text)
		case isSpace(item.literal):
			// Blanks in the format match one or more in the text; the first item of a run takes
			// them all.
			ok = i > 0 && l[i-1].directive == 0 && isSpace(l[i-1].literal)
			for len(text) > 0 && isSpace(text[0]) {
				text, ok = text[1:], true
			}
		default:
			ok = len(text) > 0 && lower(text[0]) == lower(item.literal)
			text = text[min(1, len(text)):]
		}
		if !ok {
			return 0, false
		}
	}
	if len(text) > 0 {
		return 0, false
	}
	if m.twelve {
		m.hour %= 12
		if m.afternoon {
			m.hour += 12
		}
	}
	t := time.Date(
		m.year, time.Month(m.month), m.day, m.hour, m.minute, m.second, m.nanos, time.UTC,
	)
	// A day that does not exist, such as 31 September, would be carried into the next month.
	return t.UnixMilli() - int64(m.offset)*1000, t.Day() == m.day
}

// take reads the value of a directive at the start of text. COPY TO writes years before 1000
// without leading zeros, as the C library does, so a year at the start may be short. Elsewhere it
// may not. To shorten the seconds to milliseconds, COPY TO uses the last point with digits after
// it, so %d.%m.%Y gives 13.12.201 for 13.12.2015.
func (m *moment) take(directive byte, first bool, text []byte) (rest []byte, ok bool) {
	switch directive {
	case 'Y':
		n := len(text)
		m.year, text, ok = takeNumber(text, 4, 1, 9999)
		return text, ok && (first || n-len(text) == 4)
	case 'y':
		n := len(text)
		m.year, text, ok = takeNumber(text, 2, 0, 99)
		if m.year += 1900; m.year < 1969 {
			m.year += 100
		}
		return text, ok && n-len(text) == 2
	case 'm':
		m.month, text, ok = takeNumber(text, 2, 1, 12)
	case 'b':
		m.month, text, ok = takeName(text, months[:], 3)
		m.month++
	case 'B':
		m.month, text, ok = takeName(text, months[:], 0)
		m.month++
	case 'd', 'e':
		if len(text) > 0 && text[0] == ' ' {
			text = text[1:]
		}
		m.day, text, ok = takeNumber(text, 2, 1, 31)
	case 'H':
		m.hour, text, ok = takeNumber(text, 2, 0, 23)
	case 'I':
		m.twelve = true
		m.hour, text, ok = takeNumber(text, 2, 1, 12)
	case 'p':
		var half int
		half, text, ok = takeName(text, halves[:], 0)
		m.afternoon = half == 1
	case 'M':
		m.minute, text, ok = takeNumber(text, 2, 0, 59)
	case 'S':
		m.second, text, ok = takeNumber(text, 2, 0, 59)
	case 'f':
		n := len(text)
		m.nanos, text, ok = takeNumber(text, 6, 0, 999999)
		for n -= len(text); n < 9; n++ {
			m.nanos *= 10
		}
	case 'z':
		return m.takeZone(text)
	case 'Z':
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

// takeZone reads Z, +HHMM or +HH:MM.
func (m *moment) takeZone(text []byte) (rest []byte, ok bool) {
	if len(text) > 0 && text[0] == 'Z' {
		return text[1:], true
	}
	if len(text) < 5 || text[0] != '+' && text[0] != '-' {
		return text, false
	}
	minutes := text[3:]
	if minutes[0] == ':' {
		minutes = minutes[1:]
	}
	if countDigits(text[1:]) < 2 || countDigits(minutes) < 2 || text[1] > '2' || minutes[0] > '5' {
		return text, false
	}
	hour := int(text[1]-'0')*10 + int(text[2]-'0')
	m.offset = (hour*60 + int(minutes[0]-'0')*10 + int(minutes[1]-'0')) * 60
	if text[0] == '-' {
		m.offset = -m.offset
	}
	return minutes[2:], hour < 24
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
