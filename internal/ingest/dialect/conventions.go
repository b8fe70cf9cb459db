package dialect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// conventions are the forms of dates, numbers and truth values in cqlbulk's own dialect. They apply
// to whole columns, and in JSON to strings. Inside collections the text is always CQL's. The
// dialect decides what is null.
type conventions struct {
	cqlshtext.Options
	dateFormat string
}

// plan returns the codec of a column of delimited text.
func (c conventions) plan(t *cqltype.Type) (format.Codec, error) {
	if other, err := c.other(t); other != nil || err != nil {
		return other, err
	}
	return cqltext.PlanIn(t, c.TimestampUnit)
}

// other returns the codec of a column whose values follow a convention; nil: they follow none.
func (c conventions) other(t *cqltype.Type) (format.Codec, error) {
	other, err := cqlshtext.Plan(t, c.Options)
	if err != nil {
		return nil, err
	}
	separators := c.DecimalSep + c.ThousandsSep
	switch t.Kind {
	case cqltype.Timestamp:
		if c.DateTimeFormat != "" {
			return bare{other}, nil
		}
	case cqltype.Boolean:
		if c.BoolTrue != "" {
			return bare{other}, nil
		}
	case cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Counter,
		cqltype.Varint:
		if c.ThousandsSep != "" {
			return groupedNumber{other, t.String(), c.ThousandsSep, ""}, nil
		}
	case cqltype.Float, cqltype.Double, cqltype.Decimal:
		if decimal := c.DecimalSep; separators != "" {
			if decimal == "" {
				decimal = "."
			}
			return groupedNumber{other, t.String(), c.ThousandsSep, decimal}, nil
		}
	case cqltype.Date:
		if c.dateFormat != "" {
			own, err := cqltext.PlanIn(t, c.TimestampUnit)
			if err != nil {
				return nil, err
			}
			return newPatternDate(own, t, c.dateFormat)
		}
	}
	return nil, nil
}

// bare is a codec without its rule for what is null.
type bare struct{ format.Codec }

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

// patternDate reads dates by a pattern, and if that fails, as CQL does. The pattern comes first:
// %Y-%d-%m reads what CQL would read as another day.
type patternDate struct {
	own    format.Codec
	moment cqlshtext.Codec
	name   string
	err    error
}

func newPatternDate(own format.Codec, t *cqltype.Type, pattern string) (format.Codec, error) {
	moment, err := cqlshtext.Plan(
		&cqltype.Type{Kind: cqltype.Timestamp},
		cqlshtext.Options{DateTimeFormat: pattern},
	)
	if err != nil {
		return nil, err
	}
	return patternDate{
		own,
		moment,
		t.String(),
		fmt.Errorf("not of the form %q, nor YYYY-MM-DD", pattern),
	}, nil
}

var errTimeOfDay = errors.New("a date has no time of day")

func (d patternDate) AppendWire(dst, text []byte) ([]byte, error) {
	var room [8]byte
	moment, err := d.moment.AppendWire(room[:0], text)
	if err != nil {
		if out, err := d.own.AppendWire(dst, text); err == nil {
			return out, nil
		}
		return dst, cqltext.Invalid(d.name, text, d.err)
	}
	const day = 24 * 3600 * 1000
	ms := int64(binary.BigEndian.Uint64(moment))
	if ms%day != 0 {
		return dst, cqltext.Invalid(d.name, text, errTimeOfDay)
	}
	return binary.BigEndian.AppendUint32(dst, uint32(ms/day+cqlwire.DateEpoch)), nil
}
