package cqlshtext

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// timestampReader reads texts that fit a strptime format, and otherwise the texts of package
// cqltext. These are the forms of CQL, and numbers of milliseconds, which COPY TO writes for years
// outside 1 to 9999.
type timestampReader struct {
	scalar
	format *timepattern.Pattern
	// numbers may have a fraction because they count seconds; cqlsh's milliseconds may not
	fraction bool
	other    error
}

func newTimestampReader(s scalar, format string, unit time.Duration) (*timestampReader, error) {
	pattern, err := timepattern.ParseDirectives(format)
	if err != nil {
		return nil, err
	}
	other := fmt.Errorf(
		"not of the form %q, nor YYYY-MM-DD with or without a time and a zone, nor %s",
		format,
		cqltext.UnitName(unit),
	)
	return &timestampReader{
		scalar:   s,
		format:   pattern,
		fraction: unit == time.Second,
		other:    other,
	}, nil
}

// quotedT is allowed between date and time.
var quotedT = []byte("'T'")

func (r *timestampReader) read(dst, text []byte, off int) ([]byte, error) {
	if m, ok := r.format.Read(text); ok {
		return binary.BigEndian.AppendUint64(dst, uint64(m.Time(time.UTC).UnixMilli())), nil
	}
	digits := cutSign(text)
	n := countDigits(digits)
	fraction := r.fraction && n < len(digits) && isFraction(digits[n:])
	if n == 0 || n < len(digits) && (n < 4 || digits[n] != '-') && !fraction {
		return dst, cqltext.Invalid(r.name, text, r.other)
	}
	if r.format.Numeric() && (fraction || n == len(digits) && !beyondYears(text)) {
		return dst, cqltext.Invalid(r.name, text, r.other)
	}
	if i := bytes.Index(text, quotedT); i >= 0 {
		mark := len(dst)
		dst = append(dst, text[:i]...)
		dst = append(dst, 'T')
		dst = append(dst, text[i+len(quotedT):]...)
		return r.readRewritten(dst, mark, text)
	}
	return r.scalar.read(dst, text, off)
}

// isFraction reports whether a text is a point and digits.
func isFraction(text []byte) bool {
	return text[0] == '.' && len(text) > 1 && countDigits(text[1:]) == len(text)-1
}

// beyondYears reports whether COPY TO writes a number of milliseconds as a number in any format,
// because its year is outside 1 to 9999. If dates are also bare digits, any other number is a
// mistyped date.
func beyondYears(text []byte) bool {
	const first, last = -62135596800000, 253402300799999
	ms, err := strconv.ParseInt(string(text), 10, 64)
	return err != nil || ms < first || ms > last
}
