package cqltext

import (
	"errors"
	"strconv"
)

// The arithmetic of the proleptic Gregorian calendar follows Howard Hinnant's "chrono-Compatible
// Low-Level Date Algorithms" (days_from_civil and civil_from_days). Years begin in March, in eras
// of 400 years, which all have the same number of days. The functions are exact for every year of
// up to nine digits.

const (
	daysPerEra = 146097
	// epochDays is the number of days from 0000-03-01 to 1970-01-01.
	epochDays = 719468

	nanosPerSecond = int64(1_000_000_000)
	nanosPerMilli  = int64(1_000_000)
	nanosPerDay    = 86400 * nanosPerSecond
	millisPerDay   = int64(86_400_000)
)

// floorDiv divides and rounds down, towards the past.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// daysFromCivil returns the number of days from 1970-01-01 to a date.
func daysFromCivil(year, month, day int64) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yearOfEra := year - era*400
	dayOfYear := (153*((month+9)%12)+2)/5 + day - 1
	return era*daysPerEra + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - epochDays
}

// civilFromDays returns the date that is a number of days after 1970-01-01.
func civilFromDays(days int64) (year, month, day int64) {
	days += epochDays
	era := floorDiv(days, daysPerEra)
	dayOfEra := days - era*daysPerEra
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*shifted+2)/5 + 1
	month = (shifted+2)%12 + 1
	year = yearOfEra + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// daysInMonth returns the length of a month, 1 to 12.
func daysInMonth(year, month int64) int64 {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	default:
		return 31
	}
}

// appendDate appends YYYY-MM-DD. A year outside 0000..9999 has a sign and at least four digits.
func appendDate(dst []byte, days int64) []byte {
	year, month, day := civilFromDays(days)
	switch {
	case year < 0:
		dst, year = append(dst, '-'), -year
	case year > 9999:
		dst = append(dst, '+')
	}
	for limit := int64(1000); limit > 1 && year < limit; limit /= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, year, 10)
	dst = append2(append(dst, '-'), month)
	return append2(append(dst, '-'), day)
}

// append2 appends a number below 100 in two digits.
func append2(dst []byte, n int64) []byte {
	return append(dst, '0'+byte(n/10), '0'+byte(n%10))
}

// appendClock appends HH:MM:SS.
func appendClock(dst []byte, seconds int64) []byte {
	dst = append2(dst, seconds/3600)
	dst = append2(append(dst, ':'), seconds/60%60)
	return append2(append(dst, ':'), seconds%60)
}

// appendFraction appends a point and n, padded with leading zeros to digits.
func appendFraction(dst []byte, n int64, digits int) []byte {
	dst = append(dst, '.')
	for range digits {
		dst = append(dst, '0')
	}
	for i := len(dst) - 1; n > 0; i-- {
		dst[i] = '0' + byte(n%10)
		n /= 10
	}
	return dst
}

// maxYearDigits is the largest number of digits of a year with a sign.
const maxYearDigits = 9

var (
	errDateForm = errors.New(
		"not a date of the form YYYY-MM-DD (a year outside 0000..9999 with a sign)",
	)
	errMonth    = errors.New("month out of range 01..12")
	errDay      = errors.New("no such day in that month")
	errTimeForm = errors.New("not a time of the form HH:MM[:SS[.nnnnnnnnn]]")
	errClock    = errors.New("time of day out of range 00:00:00..23:59:59")
)

// parseDate reads a date at the start of text. It returns the days from 1970-01-01 and the rest of
// text.
func parseDate(text []byte) (days int64, rest []byte, err error) {
	digits, negative := cutSign(text)
	signed := len(digits) < len(text)
	n := 0
	for n < len(digits) && isDigit(digits[n]) {
		n++
	}
	year, _ := parseUint(digits[:min(n, maxYearDigits)])
	if n < 4 || n > maxYearDigits || n > 4 && !signed || len(digits) < n+6 || digits[n] != '-' ||
		digits[n+3] != '-' {
		return 0, text, errDateForm
	}
	month, ok := parse2(digits[n+1:])
	day, ok2 := parse2(digits[n+4:])
	if !ok || !ok2 {
		return 0, text, errDateForm
	}
	y := int64(year)
	if negative {
		y = -y
	}
	if month < 1 || month > 12 {
		return 0, text, errMonth
	}
	if day < 1 || day > daysInMonth(y, month) {
		return 0, text, errDay
	}
	return daysFromCivil(y, month, day), digits[n+6:], nil
}

// parse2 reads two digits at the start of text.
func parse2(text []byte) (int64, bool) {
	if len(text) < 2 || !isDigit(text[0]) || !isDigit(text[1]) {
		return 0, false
	}
	return int64(text[0]-'0')*10 + int64(text[1]-'0'), true
}

// parseClock reads HH:MM[:SS[.1 to 9 digits]] at the start of text. It returns the nanoseconds
// since midnight and the rest of text.
func parseClock(text []byte) (nanos int64, rest []byte, err error) {
	hour, ok := parse2(text)
	if !ok || len(text) < 5 || text[2] != ':' {
		return 0, text, errTimeForm
	}
	minute, ok := parse2(text[3:])
	if !ok {
		return 0, text, errTimeForm
	}
	var second, fraction int64
	if rest = text[5:]; len(rest) > 0 && rest[0] == ':' {
		if second, ok = parse2(rest[1:]); !ok {
			return 0, text, errTimeForm
		}
		if rest = rest[3:]; len(rest) > 0 && rest[0] == '.' {
			if fraction, rest, ok = parseFraction(rest[1:]); !ok {
				return 0, text, errTimeForm
			}
		}
	}
	if hour > 23 || minute > 59 || second > 59 {
		return 0, text, errClock
	}
	return ((hour*60+minute)*60+second)*nanosPerSecond + fraction, rest, nil
}

// parseFraction reads 1 to 9 digits as a fraction of a second, in nanoseconds.
func parseFraction(text []byte) (nanos int64, rest []byte, ok bool) {
	n := 0
	for ; n < len(text) && isDigit(text[n]); n++ {
		if n == 9 {
			return 0, text, false
		}
		nanos = nanos*10 + int64(text[n]-'0')
	}
	for i := n; i < 9; i++ {
		nanos *= 10
	}
	return nanos, text[n:], n > 0
}
