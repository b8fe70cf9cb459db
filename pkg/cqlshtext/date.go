package cqlshtext

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// dateReader reads YYYY-MM-DD, where month and day may have one digit. It also reads days since
// 1970-01-01, which COPY TO writes for a date outside the years 1 to 9999.
type dateReader struct{ scalar }

// The range of days that COPY TO writes as dates: 0001-01-01 to 9999-12-31.
const (
	firstDay = -719162
	lastDay  = 2932896
)

var (
	errDays = errors.New(
		"a number of days is only allowed for a date outside the years 1 to 9999",
	)
	errDaysRange = errors.New("out of range -2147483648..2147483647 days for date")
)

func (r *dateReader) read(dst, text []byte, off int) ([]byte, error) {
	mark := len(dst)
	if digits := cutSign(text); len(digits) > 0 && countDigits(digits) == len(digits) {
		days, err := strconv.ParseInt(string(text), 10, 64)
		switch {
		case err != nil || days < math.MinInt32 || days > math.MaxInt32:
			return dst, cqltext.Invalid(r.name, text, errDaysRange)
		case days >= firstDay && days <= lastDay:
			return dst, cqltext.Invalid(r.name, text, errDays)
		}
		return binary.BigEndian.AppendUint32(dst, uint32(days+cqlwire.DateEpoch)), nil
	}
	dst, ok := appendPaddedDate(dst, text)
	if !ok {
		return r.scalar.read(dst[:mark], text, off)
	}
	return r.readRewritten(dst, mark, text)
}

// appendPaddedDate appends YYYY-M-D as YYYY-MM-DD. It returns false if the text does not have that
// form or needs no zeros.
func appendPaddedDate(dst, text []byte) ([]byte, bool) {
	if len(text) >= 10 || countDigits(text) != 4 || len(text) < 8 || text[4] != '-' {
		return dst, false
	}
	dst = append(dst, text[:4]...)
	month := countDigits(text[5:])
	day := text[min(6+month, len(text)):]
	if month == 0 || len(day) == 0 || text[5+month] != '-' || countDigits(day) != len(day) {
		return dst, false
	}
	for _, part := range [2][]byte{text[5 : 5+month], day} {
		dst = append(dst, '-')
		if len(part) == 1 {
			dst = append(dst, '0')
		}
		dst = append(dst, part...)
	}
	return dst, true
}

// timeReader reads HH:MM:SS.nnnnnnnnn, where the hour may have one digit.
type timeReader struct{ scalar }

func (r *timeReader) read(dst, text []byte, off int) ([]byte, error) {
	if len(text) < 2 || text[1] != ':' {
		return r.scalar.read(dst, text, off)
	}
	mark := len(dst)
	dst = append(append(dst, '0'), text...)
	return r.readRewritten(dst, mark, text)
}

// cutSign returns text without a leading + or -.
func cutSign(text []byte) []byte {
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		return text[1:]
	}
	return text
}

// countDigits returns the number of decimal digits at the start of text.
func countDigits(text []byte) int {
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	return n
}
