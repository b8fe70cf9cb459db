package timepattern

import "time"

// Append appends a time in its location as text. It reports whether the pattern can write the time:
// years outside 1 to 9999 have no text. Digits that the pattern has no place for are cut off.
func (p *Pattern) Append(dst []byte, t time.Time) ([]byte, bool) {
	year, month, day := t.Date()
	if year < 1 || year > 9999 {
		return dst, false
	}
	hour, minute, second := t.Clock()
	for i := range p.forms[0] {
		it := &p.forms[0][i]
		switch it.field {
		case 0:
			dst = append(dst, it.literal)
		case 'Y':
			dst = it.appendNumber(dst, year, 4)
		case 'y':
			dst = it.appendNumber(dst, year%100, 2)
		case 'm':
			dst = it.appendNumber(dst, int(month), 2)
		case 'b', 'B':
			dst = it.appendName(dst, months[month-1])
		case 'd':
			dst = it.appendNumber(dst, day, 2)
		case 'e':
			if day < 10 {
				dst = append(dst, ' ')
			}
			dst = appendDigits(dst, day, 1)
		case 'H':
			dst = it.appendNumber(dst, hour, 2)
		case 'I':
			dst = it.appendNumber(dst, (hour+11)%12+1, 2)
		case 'p':
			dst = append(dst, "AMPM"[hour/12*2:hour/12*2+2]...)
		case 'M':
			dst = it.appendNumber(dst, minute, 2)
		case 'S':
			dst = it.appendNumber(dst, second, 2)
		case 'f':
			dst = it.appendFraction(dst, t.Nanosecond())
		case 'a', 'A':
			dst = it.appendName(dst, weekdays[(t.Weekday()+6)%7])
		case 'w':
			dst = appendDigits(dst, int(t.Weekday()), 1)
		case 'z':
			_, offset := t.Zone()
			dst = it.appendZone(dst, offset)
		case 'Z':
			name, _ := t.Zone()
			dst = append(dst, name...)
		}
	}
	return dst, true
}

// appendNumber appends a number with as many digits as the pattern has; strptime: with digits.
func (it *item) appendNumber(dst []byte, n, digits int) []byte {
	if it.least > 0 {
		digits = it.least
	}
	return appendDigits(dst, n, digits)
}

func appendDigits(dst []byte, n, digits int) []byte {
	var room [9]byte
	i := len(room)
	for ; n > 0 || digits > 0; digits-- {
		i--
		room[i] = byte('0' + n%10)
		n /= 10
	}
	return append(dst, room[i:]...)
}

// appendFraction appends a fraction of a second. A directive has six digits, as in strftime. Java's
// letters have one each. A fraction of any length has the fewest of 3, 6 and 9 digits.
func (it *item) appendFraction(dst []byte, nanos int) []byte {
	digits := it.most
	if digits == 0 {
		digits = 6
	}
	if it.least < it.most {
		for digits > 3 && nanos%1000 == 0 {
			digits, nanos = digits-3, nanos/1000
		}
		return appendDigits(dst, nanos, digits)
	}
	for range 9 - digits {
		nanos /= 10
	}
	return appendDigits(dst, nanos, digits)
}

// appendName appends a name. Some fields have only its first three letters.
func (it *item) appendName(dst []byte, name string) []byte {
	if it.field == 'a' || it.field == 'b' {
		name = name[:3]
	}
	dst = append(dst, name[0]-'a'+'A')
	return append(dst, name[1:]...)
}

// appendZone appends an offset in seconds in the style of the field.
func (it *item) appendZone(dst []byte, offset int) []byte {
	if offset == 0 && it.zone >= zoneLetter {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = appendDigits(append(dst, sign), offset/3600, 2)
	minute := offset / 60 % 60
	if it.least == 1 && minute == 0 {
		return dst
	}
	if it.zone == zoneColon || it.zone == zoneLetterColon {
		dst = append(dst, ':')
	}
	return appendDigits(dst, minute, 2)
}
