package dialect

import (
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
	base64                   bool // blobs
	json                     bool // collections, tuples, user types and vectors
	integers                 bool // 12.0 is a whole number
	currency                 []string
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
		len(c.timestamps)+len(c.dates)+len(c.times)+len(c.columns) == 0 && c.location == time.UTC &&
		!c.base64 && !c.json && !c.integers && len(c.currency) == 0
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
		cqltype.Varint,
		cqltype.Float,
		cqltype.Double,
		cqltype.Decimal:
		return c.number(t, other)
	case cqltype.Blob:
		if c.base64 {
			return base64Blob{t.String()}, nil
		}
	case cqltype.List, cqltype.Set, cqltype.Map, cqltype.Tuple, cqltype.UDT, cqltype.Vector:
		if c.json {
			return format.JSON{}.CellCodec(t, c.TimestampUnit)
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
