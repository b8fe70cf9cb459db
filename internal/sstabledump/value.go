package sstabledump

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqljson"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// value writes the values of a type, as Cassandra's tools do.
type value struct {
	typ    *cqltype.Type
	layout *cqlwire.Layout
	text   cqltext.Codec
	elems  []*value
	fields []string // of a user-defined type, as they stand in JSON
}

// planValue plans the values of a type.
func planValue(t *cqltype.Type) (*value, error) {
	layout, err := cqlwire.Plan(t)
	if err != nil {
		return nil, err
	}
	text, err := cqltext.Plan(t)
	if err != nil {
		return nil, err
	}
	v := &value{typ: t, layout: layout, text: text}
	for _, e := range t.Elems {
		elem, err := planValue(e)
		if err != nil {
			return nil, err
		}
		v.elems = append(v.elems, elem)
	}
	for _, name := range t.FieldNames {
		if name != strings.ToLower(name) {
			name = `"` + name + `"`
		}
		v.fields = append(v.fields, string(cqljson.AppendString(nil, []byte(name))))
	}
	return v, nil
}

// appendJSON appends a value as AbstractType.toJSONString has it. Where JSON of package cqljson is
// another, since that is read back, it says so.
func (v *value) appendJSON(dst, wire []byte) ([]byte, error) {
	switch v.typ.Kind {
	case cqltype.List, cqltype.Set, cqltype.Vector, cqltype.Tuple:
		return v.appendElems(dst, wire)
	case cqltype.Map:
		return v.appendMap(dst, wire)
	case cqltype.UDT:
		return v.appendFields(dst, wire)
	case cqltype.Ascii, cqltype.Text:
		return cqljson.AppendString(dst, wire), nil
	case cqltype.Blob, cqltype.Custom:
		return fmt.Appendf(dst, `"0x%x"`, wire), nil
	}
	if len(wire) == 0 {
		return append(dst, `""`...), nil
	}
	switch v.typ.Kind {
	case cqltype.Counter:
		// The tool takes the first bytes of the shards for the number.
		return strconv.AppendInt(dst, cqlwire.Int(wire[:min(8, len(wire))]), 10), nil
	case cqltype.Double, cqltype.Float:
		if f, _, ok := v.float(wire); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return append(dst, "null"...), nil
		}
		return v.appendLiteral(dst, wire)
	case cqltype.Timestamp:
		if ms, ok := milliseconds(wire); ok {
			return append(appendTime(append(dst, '"'), ms, ' '), '"'), nil
		}
		return nil, v.malformed()
	case cqltype.Boolean,
		cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Varint,
		cqltype.Decimal:
		return v.appendLiteral(dst, wire)
	default:
		text, err := v.appendText(nil, wire)
		return cqljson.AppendString(dst, text), err
	}
}

// appendLiteral appends a number or a boolean. Bytes that are none are a string, for which the tool
// has an exception.
func (v *value) appendLiteral(dst, wire []byte) ([]byte, error) {
	text, err := v.appendText(nil, wire)
	if bytes.HasPrefix(text, []byte("0x")) {
		return cqljson.AppendString(dst, text), err
	}
	return append(dst, text...), err
}

// appendElems appends an array.
func (v *value) appendElems(dst, wire []byte) (_ []byte, err error) {
	dst = append(dst, '[')
	w := v.layout.Walk(wire)
	for w.Next() {
		if w.Index() > 0 {
			dst = append(dst, ", "...)
		}
		elem := v.elems[0]
		if v.typ.Kind == cqltype.Tuple {
			elem = v.elems[w.Index()]
		}
		if dst, err = elem.orNull(dst, w.Elem(), w.Null()); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), w.Err()
}

// orNull appends an element that may be null.
func (v *value) orNull(dst, wire []byte, null bool) ([]byte, error) {
	if null {
		return append(dst, "null"...), nil
	}
	return v.appendJSON(dst, wire)
}

// appendMap appends an object; keys that are no strings are made some.
func (v *value) appendMap(dst, wire []byte) (_ []byte, err error) {
	dst = append(dst, '{')
	w := v.layout.Walk(wire)
	for w.Next() {
		if w.Index()%2 == 1 {
			dst = append(dst, ": "...)
			if dst, err = v.elems[1].appendJSON(dst, w.Elem()); err != nil {
				return dst, err
			}
			continue
		}
		if w.Index() > 0 {
			dst = append(dst, ", "...)
		}
		key, err := v.elems[0].appendJSON(nil, w.Elem())
		if err != nil {
			return dst, err
		}
		if key[0] == '"' {
			dst = append(dst, key...)
		} else {
			dst = cqljson.AppendString(dst, key)
		}
	}
	return append(dst, '}'), w.Err()
}

// appendFields appends an object with all fields of a user-defined type.
func (v *value) appendFields(dst, wire []byte) (_ []byte, err error) {
	dst = append(dst, '{')
	w := v.layout.Walk(wire)
	for i, name := range v.fields {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(append(dst, name...), ": "...)
		null := true
		if w.Next() {
			null = w.Null()
		}
		if dst, err = v.elems[i].orNull(dst, w.Elem(), null); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), w.Err()
}

// appendText appends a value of a key or of a cell's path, as AbstractType.getString has it.
func (v *value) appendText(dst, wire []byte) ([]byte, error) {
	switch v.typ.Kind {
	case cqltype.Ascii, cqltype.Text:
		return append(dst, wire...), nil
	case cqltype.Blob, cqltype.Custom, cqltype.List, cqltype.Set, cqltype.Map, cqltype.Vector:
		return hex.AppendEncode(dst, wire), nil
	case cqltype.Tuple, cqltype.UDT:
		return v.appendParts(dst, wire)
	}
	if len(wire) == 0 {
		return dst, nil
	}
	switch v.typ.Kind {
	case cqltype.Timestamp:
		if ms, ok := milliseconds(wire); ok {
			return appendTime(dst, ms, 'T'), nil
		}
	case cqltype.Inet:
		if a, ok := netip.AddrFromSlice(wire); ok {
			return appendAddress(dst, a.Unmap()), nil
		}
	case cqltype.Float, cqltype.Double:
		if f, bits, ok := v.float(wire); ok {
			return appendFloat(dst, f, bits), nil
		}
	default:
		return v.text.AppendText(dst, wire)
	}
	return nil, v.malformed()
}

// malformed is the error of bytes that are no value.
func (v *value) malformed() error { return fmt.Errorf("malformed %s value", v.typ) }

// partQuoter marks what would part the fields of a tuple (TupleType.getString).
var partQuoter = strings.NewReplacer(":", `\:`, "@", `\@`)

// appendParts appends the fields of a tuple, or of a user-defined type.
func (v *value) appendParts(dst, wire []byte) ([]byte, error) {
	w := v.layout.Walk(wire)
	for w.Next() {
		if w.Index() > 0 {
			dst = append(dst, ':')
		}
		if w.Null() {
			dst = append(dst, '@')
			continue
		}
		part, err := v.elems[w.Index()].appendText(nil, w.Elem())
		if err != nil {
			return dst, err
		}
		dst = append(dst, partQuoter.Replace(string(part))...)
	}
	return dst, w.Err()
}

// float reads a float or a double.
func (v *value) float(wire []byte) (f float64, bits int, ok bool) {
	switch {
	case v.typ.Kind == cqltype.Float && len(wire) == 4:
		return float64(math.Float32frombits(uint32(cqlwire.Int(wire)))), 32, true
	case v.typ.Kind == cqltype.Double && len(wire) == 8:
		return math.Float64frombits(uint64(cqlwire.Int(wire))), 64, true
	default:
		return 0, 0, false
	}
}

// appendFloat appends a number in the layout of Java's Double.toString, with the fewest digits that
// read back as the same number.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	form := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-3 || a >= 1e7) {
		form = 'e'
	}
	digits := strconv.FormatFloat(f, form, -1, bits)
	mantissa, exponent, has := strings.Cut(digits, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	dst = append(dst, mantissa...)
	if !has {
		return dst
	}
	n, _ := strconv.Atoi(exponent) // FormatFloat has made it
	return strconv.AppendInt(append(dst, 'E'), int64(n), 10)
}

// appendAddress appends an address in the form of Java's InetAddress.getHostAddress, which shortens
// nothing.
func appendAddress(dst []byte, a netip.Addr) []byte {
	if a.Is4() {
		return a.AppendTo(dst)
	}
	b := a.As16()
	for i := 0; i < len(b); i += 2 {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = strconv.AppendUint(dst, uint64(b[i])<<8|uint64(b[i+1]), 16)
	}
	return dst
}

// milliseconds reads a timestamp.
func milliseconds(wire []byte) (int64, bool) {
	if len(wire) != 8 {
		return 0, false
	}
	return cqlwire.Int(wire), true
}

// appendTime appends a timestamp (TimestampSerializer).
func appendTime(dst []byte, ms int64, between byte) []byte {
	t := time.UnixMilli(ms).UTC()
	dst = t.AppendFormat(dst, "2006-01-02")
	return t.AppendFormat(append(dst, between), "15:04:05.000Z")
}

// appendInstant appends a time as Java's Instant.toString has it: its fraction in groups of three
// digits, those needed.
func appendInstant(dst []byte, t time.Time) []byte {
	if t = t.UTC(); t.Year() > 9999 {
		dst = append(dst, '+')
	}
	form := "2006-01-02T15:04:05Z"
	switch n := t.Nanosecond(); {
	case n == 0:
	case n%1e6 == 0:
		form = "2006-01-02T15:04:05.000Z"
	default:
		form = "2006-01-02T15:04:05.000000Z"
	}
	return t.AppendFormat(dst, form)
}
