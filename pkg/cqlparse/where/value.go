package where

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/cqlorder"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// takes are the forms of literals for each type (Constants.Literal.testAssignment).
var takes = map[cqltype.Kind][]form{
	cqltype.Ascii:     {formText},
	cqltype.Text:      {formText},
	cqltype.Inet:      {formText},
	cqltype.Date:      {formText, formInteger},
	cqltype.Time:      {formText, formInteger},
	cqltype.Timestamp: {formText, formInteger},
	cqltype.Tinyint:   {formInteger},
	cqltype.Smallint:  {formInteger},
	cqltype.Int:       {formInteger},
	cqltype.Bigint:    {formInteger},
	cqltype.Counter:   {formInteger},
	cqltype.Varint:    {formInteger},
	cqltype.Decimal:   {formInteger, formFloat},
	cqltype.Double:    {formInteger, formFloat},
	cqltype.Float:     {formInteger, formFloat},
	cqltype.UUID:      {formUUID},
	cqltype.TimeUUID:  {formUUID},
	cqltype.Boolean:   {formBoolean},
	cqltype.Duration:  {formDuration},
	cqltype.Blob:      {formHex},
	cqltype.Custom:    {formHex},
	cqltype.Empty:     {formHex},
	cqltype.List:      {formList},
	cqltype.Set:       {formSet},
	cqltype.Map:       {formMap},
	cqltype.Tuple:     {formTuple},
	cqltype.UDT:       {formMap},
	cqltype.Vector:    {formList},
}

// shownTerm is the largest number of bytes of a literal in a message.
const shownTerm = 60

// noValue returns an error at a literal that is not a value of a type.
func (p *parser) noValue(t *cqltype.Type, x *term, why string) error {
	text := x.String()
	if len(text) > shownTerm {
		text = strings.ToValidUTF8(text[:shownTerm], "") + "..."
	}
	if why != "" {
		why = ": " + why
	}
	return p.ErrorAt(x.at, "%s: %s is not of type %s%s", p.subject, text, t, why)
}

// value returns the bytes of a literal, never nil.
func (p *parser) value(t *cqltype.Type, x *term) ([]byte, error) {
	if t.Kind != cqltype.Tuple {
		x = x.plain()
	}
	if x.form == formNull {
		return nil, p.ErrorAt(
			x.at, "%s: null cannot be compared", p.subject,
		)
	}
	if !slices.Contains(takes[t.Kind], x.form) &&
		!(t.Kind == cqltype.Map && x.form == formSet && len(x.elems) == 0) {
		return nil, p.noValue(t, x, "")
	}
	switch t.Kind {
	case cqltype.List, cqltype.Set, cqltype.Map:
		return p.collection(t, x)
	case cqltype.Tuple:
		return p.tuple(t, x)
	case cqltype.UDT:
		return p.userType(t, x)
	case cqltype.Vector:
		return p.vector(t, x)
	default:
		return p.scalar(t, x)
	}
}

// scalar returns the bytes of a literal without elements.
func (p *parser) scalar(t *cqltype.Type, x *term) ([]byte, error) {
	text := x.text
	switch t.Kind {
	case cqltype.Inet, cqltype.Timestamp:
		if text == "" {
			return []byte{}, nil
		}
	case cqltype.Date, cqltype.Time:
		if integer.MatchString(text) {
			return p.rawTime(t, x)
		}
	case cqltype.Duration:
		text = plainDuration(text)
	}
	if t.Kind != cqltype.Ascii && t.Kind != cqltype.Text && x.form == formText &&
		(strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")) {
		return nil, p.noValue(t, x, "")
	}
	codec, err := cqltext.Plan(t)
	if err != nil {
		return nil, p.ErrorAt(x.at, "%s: %v", p.subject, err)
	}
	wire, err := codec.AppendWire([]byte{}, []byte(text))
	if err != nil {
		return nil, p.noValue(t, x, reason(err))
	}
	if t.Kind == cqltype.Inet {
		wire = shortInet(wire)
	}
	return wire, nil
}

// shortInet returns an address as java.net.InetAddress does: an IPv4 address in IPv6 form becomes
// an IPv4 address.
func shortInet(wire []byte) []byte {
	const mapped = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff"
	return []byte(strings.TrimPrefix(string(wire), mapped))
}

// rawTime reads a date or a time that is a number. A date is a number of days, in which 1970-01-01
// is the middle (SimpleDateSerializer). A time is a number of nanoseconds (TimeSerializer).
func (p *parser) rawTime(t *cqltype.Type, x *term) ([]byte, error) {
	n, err := strconv.ParseInt(x.text, 10, 64)
	switch {
	case t.Kind == cqltype.Date && err == nil && n >= 0 && n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(nil, uint32(n)), nil
	case t.Kind == cqltype.Date:
		return nil, p.noValue(
			t, x, "a number of days is from 0 to 4294967295, and 1970-01-01 is 2147483648",
		)
	case err == nil && n >= 0 && n < nanosPerDay:
		return binary.BigEndian.AppendUint64(nil, uint64(n)), nil
	default:
		return nil, p.noValue(t, x, "a number of nanoseconds is from 0 to 86399999999999")
	}
}

// reason returns the reason why a text is not a value, without the text.
func reason(err error) string {
	var of *cqltext.Error
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// nanosPerDay is the number of nanoseconds of a day, one more than the greatest time.
const nanosPerDay = 24 * 3600 * 1_000_000_000

// plainDuration adds the designators to a duration in the alternative form of ISO 8601, which has
// none.
func plainDuration(text string) string {
	sign := text[:strings.IndexByte(text, 'P')+1] // empty if there is no P
	var years, months, days, hours, minutes, seconds int
	n, _ := fmt.Sscanf(
		text[len(sign):],
		"%4d-%2d-%2dT%2d:%2d:%2d",
		&years,
		&months,
		&days,
		&hours,
		&minutes,
		&seconds,
	)
	if n < 6 {
		return text
	}
	return fmt.Sprintf("%s%dY%dM%dDT%dH%dM%dS", sign, years, months, days, hours, minutes, seconds)
}

// elem returns the bytes of an element, which must not be null.
func (p *parser) elem(t *cqltype.Type, x *term) ([]byte, error) {
	if x.form == formNull {
		return nil, p.ErrorAt(x.at, "%s: a collection cannot contain null", p.subject)
	}
	return p.value(t, x)
}

// collection returns the bytes of a list, a set or a map. Sets and maps are sorted at every depth.
func (p *parser) collection(t *cqltype.Type, x *term) ([]byte, error) {
	order, err := cqlorder.Plan(t)
	if err != nil {
		return nil, p.ErrorAt(x.at, "%s: %v", p.subject, err)
	}
	wire := cqlwire.AppendCount(nil, len(x.elems)/len(t.Elems))
	for i := range x.elems {
		elem, err := p.elem(t.Elems[i%len(t.Elems)], &x.elems[i])
		if err != nil {
			return nil, err
		}
		wire = cqlwire.AppendElem(wire, elem)
	}
	if wire, err = order.AppendCanonical(nil, wire); err != nil {
		return nil, p.noValue(t, x, err.Error())
	}
	return wire, nil
}

// field appends an element of a tuple or a user-defined type.
func (p *parser) field(wire []byte, t *cqltype.Type, x *term) ([]byte, error) {
	if x.form == formNull {
		return cqlwire.AppendNull(wire), nil
	}
	elem, err := p.value(t, x)
	if err != nil {
		return nil, err
	}
	return cqlwire.AppendElem(wire, elem), nil
}

// tuple returns the bytes of a tuple. Missing elements at the end are null.
func (p *parser) tuple(t *cqltype.Type, x *term) (wire []byte, err error) {
	if len(x.elems) == 0 || len(x.elems) > len(t.Elems) {
		return nil, p.noValue(t, x, fmt.Sprintf("it has %d elements", len(x.elems)))
	}
	for i := range x.elems {
		if wire, err = p.field(wire, t.Elems[i], &x.elems[i]); err != nil {
			return nil, err
		}
	}
	return wire, nil
}

// userType returns the bytes of a value of a user-defined type. Missing fields are null.
func (p *parser) userType(t *cqltype.Type, x *term) (wire []byte, err error) {
	wire = []byte{}
	values := make([]*term, len(t.Elems))
	for i := 0; i < len(x.elems); i += 2 {
		key := &x.elems[i]
		if key.form != formName {
			return nil, p.noValue(t, x, "its keys are not names of fields")
		}
		n := slices.Index(t.FieldNames, key.text)
		if n < 0 || n >= len(values) {
			return nil, p.ErrorAt(
				key.at, "%s: %s has no field %s%s", p.subject, t, key, hint(key.text, t.FieldNames),
			)
		}
		if values[n] != nil {
			return nil, p.ErrorAt(key.at, "%s: the field %s occurs twice", p.subject, key)
		}
		values[n] = &x.elems[i+1]
	}
	for i, v := range values {
		if v == nil {
			wire = cqlwire.AppendNull(wire)
		} else if wire, err = p.field(wire, t.Elems[i], v); err != nil {
			return nil, err
		}
	}
	return wire, nil
}

// vector returns the bytes of a vector.
func (p *parser) vector(t *cqltype.Type, x *term) ([]byte, error) {
	layout, err := cqlwire.Plan(t)
	if err != nil {
		return nil, p.ErrorAt(x.at, "%s: %v", p.subject, err)
	}
	if len(x.elems) != t.Dimension {
		return nil, p.noValue(t, x, fmt.Sprintf("it has %d elements", len(x.elems)))
	}
	wire := []byte{}
	for i := range x.elems {
		elem, err := p.elem(t.Elems[0], &x.elems[i])
		if err != nil {
			return nil, err
		}
		mark := len(wire)
		if wire, err = layout.Close(append(layout.Open(wire), elem...), mark); err != nil {
			return nil, p.noValue(t, x, err.Error())
		}
	}
	return wire, nil
}

// hint suggests the closest of some names, if one is close.
func hint(name string, names []string) string {
	if nearest := levenshtein.Nearest(name, names); nearest != "" {
		return fmt.Sprintf("; did you mean %s?", cqltype.QuoteIdent(nearest))
	}
	return ""
}
