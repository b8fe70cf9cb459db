package cqlshtext

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
)

// timestampReader reads what fits a strptime format, else what package cqltext reads: the forms of CQL, and
// numbers, which COPY TO writes, of milliseconds, for years outside 1 to 9999.
type timestampReader struct {
	scalar
	format   layout
	fraction bool // numbers may have one, since they count seconds; those of cqlsh, milliseconds, may not
	other    error
}

func newTimestampReader(s scalar, format string, unit time.Duration) (*timestampReader, error) {
	l, err := parseLayout(format)
	if err != nil {
		return nil, err
	}
	other := fmt.Errorf("not of the form %q, nor YYYY-MM-DD with or without a time and a zone, nor %s", format, cqltext.UnitName(unit))
	return &timestampReader{scalar: s, format: l, fraction: unit == time.Second, other: other}, nil
}

// quotedT may stand between date and time.
var quotedT = []byte("'T'")

func (r *timestampReader) read(dst, text []byte, off int) ([]byte, error) {
	if ms, ok := r.format.parse(text); ok {
		return binary.BigEndian.AppendUint64(dst, uint64(ms)), nil
	}
	digits := cutSign(text)
	n := countDigits(digits)
	fraction := r.fraction && n < len(digits) && isFraction(digits[n:])
	if n == 0 || n < len(digits) && (n < 4 || digits[n] != '-') && !fraction {
		return dst, cqltext.Invalid(r.name, text, r.other)
	}
	if r.format.numeric() && (fraction || n == len(digits) && !beyondYears(text)) {
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

// beyondYears reports whether a number of milliseconds is one that COPY TO writes as such in any format, because
// its year is not within 1 to 9999. Where dates are bare digits as well, another is a date mistyped.
func beyondYears(text []byte) bool {
	const first, last = -62135596800000, 253402300799999
	ms, err := strconv.ParseInt(string(text), 10, 64)
	return err != nil || ms < first || ms > last
}
