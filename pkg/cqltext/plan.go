package cqltext

import (
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// scalars are the codecs of the types that have neither elements nor a class.
var scalars = [...]codec{
	cqltype.Ascii:     &textCodec{valid: cqlwire.CheckASCII},
	cqltype.Bigint:    intCodec(cqltype.Bigint, 8),
	cqltype.Blob:      rawCodec(cqlwire.Scalar(cqltype.Blob)),
	cqltype.Boolean:   &booleanCodec,
	cqltype.Counter:   intCodec(cqltype.Counter, 8),
	cqltype.Date:      &dateCodec,
	cqltype.Decimal:   &decimalCodec,
	cqltype.Double:    &doubleCodec,
	cqltype.Duration:  &durationCodec,
	cqltype.Empty:     &emptyCodec,
	cqltype.Float:     &floatCodec,
	cqltype.Inet:      &inetCodec,
	cqltype.Int:       intCodec(cqltype.Int, 4),
	cqltype.Smallint:  intCodec(cqltype.Smallint, 2),
	cqltype.Text:      &textCodec{valid: cqlwire.CheckUTF8},
	cqltype.Time:      &timeCodec,
	cqltype.Timestamp: &timestampCodec,
	cqltype.TimeUUID:  &timeuuidCodec,
	cqltype.Tinyint:   intCodec(cqltype.Tinyint, 1),
	cqltype.UUID:      &uuidCodec,
	cqltype.Varint:    &varintCodec,
}

// Plan returns the codec of a type. It returns an error if cqlwire.Plan does, or if a UDT has two
// fields of the same name. Every type that cqltype.Parse returns can be planned, if its UDTs can.
func Plan(t *cqltype.Type) (Codec, error) { return PlanIn(t, time.Millisecond) }

// PlanIn is Plan for texts in which a timestamp that is a number counts units since
// 1970-01-01T00:00:00Z. unit is time.Second, time.Millisecond, time.Microsecond or time.Nanosecond.
// Seconds may have a decimal fraction. Fractions of a millisecond are rounded down, towards the
// past.
func PlanIn(t *cqltype.Type, unit time.Duration) (Codec, error) {
	wire, err := cqlwire.Plan(t)
	if err != nil {
		return nil, fmt.Errorf("no codec for type %s: %w", t, err)
	}
	c, err := plan(t, wire, unit)
	if err != nil {
		return nil, fmt.Errorf("no codec for type %s: %w", t, err)
	}
	if list, ok := c.(*seqCodec); ok {
		list.nullable = list.list
	}
	return c, nil
}

func plan(t *cqltype.Type, wire *cqlwire.Layout, unit time.Duration) (codec, error) {
	if t.Kind == cqltype.Timestamp && unit != time.Millisecond {
		return timestampCodecIn(unit), nil
	}
	if int(t.Kind) < len(scalars) && scalars[t.Kind] != nil {
		return scalars[t.Kind], nil
	}
	elems := make([]codec, len(t.Elems))
	for i, e := range t.Elems {
		c, err := plan(e, wire.Elem(i), unit)
		if err != nil {
			return nil, err
		}
		elems[i] = c
	}
	switch t.Kind {
	case cqltype.List:
		return &seqCodec{wire: wire, elem: elems[0], open: '[', close: ']', list: true}, nil
	case cqltype.Set:
		return &seqCodec{wire: wire, elem: elems[0], open: '{', close: '}'}, nil
	case cqltype.Map:
		return &mapCodec{wire: wire, key: elems[0], value: elems[1]}, nil
	case cqltype.Vector:
		return &vectorCodec{wire: wire, elem: elems[0]}, nil
	case cqltype.UDT:
		return newUDTCodec(t, wire, elems)
	case cqltype.Tuple:
		return &tupleCodec{wire: wire, elems: elems}, nil
	default:
		return rawCodec(*wire), nil
	}
}
