package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// number returns the codec of numbers; nil: they follow no convention. other reads separators.
func (c conventions) number(t *cqltype.Type, other format.Codec) (format.Codec, error) {
	integer := isInteger(t.Kind)
	decimal := c.DecimalSep
	if decimal == "" {
		decimal = "."
	}
	var codec format.Codec
	switch {
	case integer && c.integers:
		own, err := cqltext.Plan(t)
		if err != nil {
			return nil, err
		}
		codec = decimalInteger{own, t.String()}
		if c.ThousandsSep+c.DecimalSep != "" {
			if decimal == c.ThousandsSep { // 12.0 must not become 120
				decimal = ""
			}
			codec = unseparated{codec, c.ThousandsSep, decimal}
			codec = groupedNumber{codec, t.String(), c.ThousandsSep, decimal}
		}
	case integer && c.ThousandsSep != "":
		codec = groupedNumber{other, t.String(), c.ThousandsSep, ""}
	case !integer && c.ThousandsSep+c.DecimalSep != "":
		codec = groupedNumber{other, t.String(), c.ThousandsSep, decimal}
	case len(c.currency) > 0:
		own, err := cqltext.Plan(t)
		if err != nil {
			return nil, err
		}
		codec = own
	}
	if codec != nil && len(c.currency) > 0 {
		signs := slices.Clone(c.currency) // US$ before $
		slices.SortStableFunc(signs, func(a, b string) int { return len(b) - len(a) })
		codec = priced{codec, signs}
	}
	return codec, nil
}

// wholeNumber returns the codec for the numbers of JSON in a column of whole numbers; nil: the
// column has others.
func wholeNumber(c schema.Column) (format.Codec, error) {
	if !isInteger(c.Type.Kind) {
		return nil, nil
	}
	own, err := cqltext.Plan(c.Type)
	return decimalInteger{own, c.Type.String()}, err
}

// isInteger reports whether a type of numbers has only whole ones.
func isInteger(kind cqltype.Kind) bool {
	switch kind {
	case cqltype.Tinyint, cqltype.Smallint, cqltype.Int, cqltype.Bigint, cqltype.Counter,
		cqltype.Varint:
		return true
	default:
		return false
	}
}

// decimalInteger reads whole numbers that may have a fraction of zeros or an exponent, as pandas
// writes those of columns with nulls: 12.0, 1.2e1.
type decimalInteger struct {
	own  format.Codec
	name string
}

var errFraction = errors.New("not a whole number")

// mostZeros bounds the zeros that an exponent appends or takes away. The largest double has 309
// digits.
const mostZeros = 400

// AppendWire implements format.Codec.
func (d decimalInteger) AppendWire(dst, text []byte) ([]byte, error) {
	scaled := bytes.ContainsAny(text, "eE")
	raw := bytes.HasPrefix(text, []byte("0x")) // the bytes of a malformed value
	if raw || !scaled && bytes.IndexByte(text, '.') < 0 {
		return d.own.AppendWire(dst, text)
	}
	mantissa, exponent := cutExponent(strings.TrimSpace(string(text)))
	whole, fraction, _ := strings.Cut(mantissa, ".")
	shift := 0
	if scaled {
		var err error
		shift, err = strconv.Atoi(exponent)
		if err != nil || shift > mostZeros || shift < -mostZeros {
			return dst, cqltext.Invalid(d.name, text, errFraction)
		}
	}
	fraction = strings.TrimRight(fraction, "0")
	digits := whole + fraction
	if whole != "" && strings.Trim(digits, "+-0") == "" {
		shift = len(fraction) // zero has any exponent
	}
	switch zeros := shift - len(fraction); {
	case zeros >= 0 && zeros <= mostZeros:
		digits += strings.Repeat("0", zeros)
	case zeros < 0 && strings.HasSuffix(digits, strings.Repeat("0", min(-zeros, len(digits)))) &&
		-zeros < len(digits):
		digits = digits[:len(digits)+zeros]
	default:
		return dst, cqltext.Invalid(d.name, text, errFraction)
	}
	out, err := d.own.AppendWire(dst, []byte(digits))
	if err != nil {
		return out, cqltext.Invalid(d.name, text, errFraction)
	}
	return out, nil
}

// unseparated takes separators out of a number before its codec reads it.
type unseparated struct {
	codec              format.Codec
	thousands, decimal string
}

// AppendWire implements format.Codec.
func (u unseparated) AppendWire(dst, text []byte) ([]byte, error) {
	plain := string(text)
	if u.thousands != "" {
		plain = strings.ReplaceAll(plain, u.thousands, "")
	}
	if u.decimal != "" && u.decimal != "." {
		plain = strings.Replace(plain, u.decimal, ".", 1)
	}
	return u.codec.AppendWire(dst, []byte(plain))
}

// priced passes over the sign of a currency before or after a number.
type priced struct {
	codec format.Codec
	signs []string
}

// AppendWire implements format.Codec.
func (p priced) AppendWire(dst, text []byte) ([]byte, error) {
	number := bytes.TrimSpace(text)
	minus := bytes.HasPrefix(number, []byte("-"))
	if minus {
		number = bytes.TrimLeft(number[1:], " ")
	}
	for _, sign := range p.signs {
		rest, found := bytes.CutPrefix(number, []byte(sign))
		if !found {
			rest, found = bytes.CutSuffix(number, []byte(sign))
		}
		if !found {
			continue
		}
		if rest = bytes.TrimSpace(rest); minus {
			rest = append([]byte("-"), rest...)
		}
		return p.codec.AppendWire(dst, rest)
	}
	return p.codec.AppendWire(dst, text)
}

// groupedNumber reads numbers with a decimal mark, and with a separator between groups of three
// digits. It refuses a separator elsewhere: 12.5 must not become 125.
type groupedNumber struct {
	codec              format.Codec
	name               string
	thousands, decimal string // empty: there is none
}

func (g groupedNumber) AppendWire(dst, text []byte) ([]byte, error) {
	if !g.fits(strings.TrimSpace(string(text))) {
		return dst, cqltext.Invalid(g.name, text, g.reason())
	}
	return g.codec.AppendWire(dst, text)
}

func (g groupedNumber) reason() error {
	switch {
	case g.thousands == "":
		return fmt.Errorf("not a number whose decimal mark is %q", g.decimal)
	case g.decimal == "":
		return fmt.Errorf("not a whole number with %q between groups of three digits", g.thousands)
	}
	return fmt.Errorf(
		"not a number with %q between groups of three digits and the decimal mark %q",
		g.thousands,
		g.decimal,
	)
}

// fits reports whether a text may be such a number. It accepts texts without digits, such as NaN:
// the codec judges those.
func (g groupedNumber) fits(text string) bool {
	text = strings.TrimLeft(text, "+-")
	if !strings.ContainsAny(text, "0123456789") {
		return true
	}
	whole, fraction := text, ""
	if g.decimal != "" {
		whole, fraction, _ = strings.Cut(text, g.decimal)
	}
	if fraction == "" { // an exponent may follow either
		whole, _ = cutExponent(whole)
	} else {
		fraction, _ = cutExponent(fraction)
	}
	if !digits(fraction) {
		return false
	}
	if g.thousands == "" || !strings.Contains(whole, g.thousands) {
		return digits(whole)
	}
	for i, group := range strings.Split(whole, g.thousands) {
		if !digits(group) || len(group) > 3 || len(group) < 3 && i > 0 || group == "" {
			return false
		}
	}
	return true
}

// cutExponent cuts a number before its e. The exponent has its sign.
func cutExponent(text string) (before, exponent string) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// digits reports whether a text has only digits, or is empty.
func digits(text string) bool { return strings.Trim(text, "0123456789") == "" }
