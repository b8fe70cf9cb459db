package dialect

import (
	"fmt"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/timepattern"
)

// conventions are the forms of dates, numbers and truth values in cqlbulk's own dialect. They apply
// to whole columns, and in JSON to strings. Inside collections the text is always CQL's. The
// dialect decides what is null.
type conventions struct {
	cqlshtext.Options
	timestamps, dates, times []string // patterns
	columns                  map[string]spec.ColumnPatterns
	location                 *time.Location
}

// of returns the conventions of a column.
func (c conventions) of(column schema.Column) (conventions, error) {
	own, ok := c.columns[column.Name]
	if !ok {
		return c, nil
	}
	if err := own.Check(column.Name, column.Type); err != nil {
		return c, err
	}
	c.timestamps, c.dates, c.times = own.Texts, own.Texts, own.Texts
	return c, nil
}

// none reports whether there is no convention: all texts are as CQL has them.
func (c *conventions) none() bool {
	return c.BoolTrue+c.DecimalSep+c.ThousandsSep == "" && c.TimestampUnit == time.Millisecond &&
		len(c.timestamps)+len(c.dates)+len(c.times)+len(c.columns) == 0 && c.location == time.UTC
}

// plan returns the codec of a column of delimited text.
func (c conventions) plan(column schema.Column) (format.Codec, error) {
	if other, err := c.other(column); other != nil || err != nil {
		return other, err
	}
	return cqltext.PlanIn(column.Type, c.TimestampUnit)
}

// other returns the codec of a column whose values follow a convention; nil: they follow none.
func (c conventions) other(column schema.Column) (format.Codec, error) {
	c, err := c.of(column)
	if err != nil {
		return nil, err
	}
	t := column.Type
	other, err := cqlshtext.Plan(t, c.Options)
	if err != nil {
		return nil, err
	}
	separators := c.DecimalSep + c.ThousandsSep
	switch t.Kind {
	case cqltype.Timestamp:
		return c.timestamp(t)
	case cqltype.Time:
		if len(c.times) > 0 {
			return c.byPatterns(t, c.times, "HH:MM:SS", appendTime)
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
		if len(c.dates) > 0 {
			return c.byPatterns(t, c.dates, "YYYY-MM-DD", appendDate)
		}
	}
	return nil, nil
}

// timestamp returns the codec of timestamps; nil: they follow no convention.
func (c conventions) timestamp(t *cqltype.Type) (format.Codec, error) {
	if len(c.timestamps) == 0 && c.location == time.UTC {
		return nil, nil
	}
	cql, err := cqltext.PlanIn(t, c.TimestampUnit)
	if err != nil {
		return nil, err
	}
	var own format.Codec = cql
	if c.location != time.UTC {
		own = localTimestamps{cql, c.location}
	}
	if len(c.timestamps) == 0 {
		return own, nil
	}
	form := "YYYY-MM-DD with or without a time and a zone, nor " +
		cqltext.UnitName(c.TimestampUnit)
	return newPatterned(c.timestamps, own, t, form, timestampsIn(c.location))
}

// byPatterns returns a codec of patterns and, if none fits, of the form of CQL.
func (c conventions) byPatterns(
	t *cqltype.Type,
	patterns []string,
	form string,
	wire func([]byte, *timepattern.Moment) ([]byte, error),
) (format.Codec, error) {
	own, err := cqltext.PlanIn(t, c.TimestampUnit)
	if err != nil {
		return nil, err
	}
	return newPatterned(patterns, own, t, form, wire)
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
