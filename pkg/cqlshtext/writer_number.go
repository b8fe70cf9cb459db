package cqlshtext

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// integerText writes whole numbers. COPY TO groups their digits through a float, which changes
// numbers above 2^53. Here they are exact.
type integerText struct {
	layout cqlwire.Layout
	Separators
}

func (w *integerText) appendText(dst, wire []byte) ([]byte, error) {
	if !w.layout.AllowsSize(len(wire)) {
		return dst, w.layout.CheckScalar(wire)
	}
	mark := len(dst)
	if len(wire) <= 8 {
		dst = strconv.AppendInt(dst, cqlwire.Int(wire), 10)
	} else {
		dst = cqlwire.BigInt(wire).Append(dst, 10)
	}
	return w.Apply(dst, mark), nil
}

// Separators are the decimal point and the text between groups of three digits; empty: a point, and
// none.
type Separators struct{ Point, Thousands string }

// Apply puts the separators into the number at text[mark:], which has a point and no groups. It
// leaves NaN, Infinity and exponents as they are.
func (s Separators) Apply(text []byte, mark int) []byte {
	end := mark
	for end < len(text) && (text[end] == '-' || isDigit(text[end])) {
		end++
	}
	if s.Point != "" && s.Point != "." && end < len(text) && text[end] == '.' {
		fraction := string(text[end+1:])
		text = append(append(text[:end], s.Point...), fraction...)
	}
	return group(text, mark, end, s.Thousands)
}

// group puts the separator between groups of three digits of the number at text[from:to].
func group(text []byte, from, to int, separator string) []byte {
	if from < to && text[from] == '-' {
		from++
	}
	if separator == "" || to-from <= 3 {
		return text
	}
	rest := string(text[from:])
	digits, text := rest[:to-from], text[:from]
	first := (len(digits)-1)%3 + 1
	text = append(text, digits[:first]...)
	for i := first; i < len(digits); i += 3 {
		text = append(text, separator...)
		text = append(text, digits[i:i+3]...)
	}
	return append(text, rest[len(digits):]...)
}

// decimalText writes decimals as Python's str(Decimal) does. With separators, COPY TO writes a
// decimal as a float, which loses digits. Here it keeps them all.
type decimalText struct{ Separators }

func (w *decimalText) appendText(dst, wire []byte) ([]byte, error) {
	scale, unscaled, ok := cqlwire.Decimal(wire)
	if !ok {
		layout := cqlwire.Scalar(cqltype.Decimal)
		return dst, layout.CheckScalar(wire)
	}
	mark := len(dst)
	// BigDecimal's text is the same if the number has the fewest bytes.
	if !cqlwire.Minimal(unscaled) {
		wire = cqlwire.AppendBigInt(cqlwire.AppendScale(nil, scale), cqlwire.BigInt(unscaled))
	}
	dst, err := decimals.AppendText(dst, wire)
	if err != nil {
		return dst, err
	}
	return w.Apply(dst, mark), nil
}

var decimals = mustPlanOwn(cqltype.Decimal)

func mustPlanOwn(kind cqltype.Kind) cqltext.Codec {
	codec, err := cqltext.Plan(&cqltype.Type{Kind: kind})
	if err != nil {
		panic(err)
	}
	return codec
}

// floatText writes floats and doubles with a number of digits, as format_floating_point_type does.
// In groups, COPY TO loses the carry of a fraction that rounds to 1. Here 1.999999 with 5 digits
// is 2.
type floatText struct {
	ownText
	precision int
	Separators
}

func (w *floatText) appendText(dst, wire []byte) ([]byte, error) {
	var v float64
	switch len(wire) {
	case 4:
		v = float64(math.Float32frombits(binary.BigEndian.Uint32(wire)))
	case 8:
		v = math.Float64frombits(binary.BigEndian.Uint64(wire))
	default:
		return w.ownText.appendText(dst, wire)
	}
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...), nil
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...), nil
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...), nil
	}
	mark := len(dst)
	if w.Thousands == "" {
		dst = strconv.AppendFloat(dst, v, 'g', w.digits(v), 64)
	} else if dst = strconv.AppendFloat(dst, v, 'f', max(w.precision, 0), 64); w.precision > 0 {
		dst = bytes.TrimSuffix(bytes.TrimRight(dst, "0"), []byte{'.'})
	}
	return w.Apply(dst, mark), nil
}

// epsilon is Python's sys.float_info.epsilon.
const epsilon = 1.0 / (1 << 52)

// digits returns the significant digits of a number. The digits before the point do not count if
// there is no exponent.
func (w *floatText) digits(v float64) int {
	v = math.Abs(v)
	if v > epsilon {
		if exponent := int(math.Log10(v)); exponent >= -4 && exponent < w.precision {
			return max(w.precision+exponent+1, 1)
		}
	}
	return max(w.precision, 1)
}
