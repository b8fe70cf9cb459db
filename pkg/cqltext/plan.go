package cqltext

import (
	"fmt"
	"math"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// maxDepth bounds how deep types may be nested, and with it the recursion of every codec. It leaves room for
// UDTs, whose own fields cqltype.MaxDepth does not count.
const maxDepth = 2 * cqltype.MaxDepth

// scalars are the codecs of the types that have neither elements nor a class.
var scalars = [...]codec{
	cqltype.Ascii:     &textCodec{name: "ascii", valid: checkASCII},
	cqltype.Bigint:    intCodec("bigint", 8),
	cqltype.Blob:      rawCodec("blob"),
	cqltype.Boolean:   &booleanCodec,
	cqltype.Counter:   intCodec("counter", -8),
	cqltype.Date:      &dateCodec,
	cqltype.Decimal:   &decimalCodec,
	cqltype.Double:    &doubleCodec,
	cqltype.Duration:  &durationCodec,
	cqltype.Empty:     &emptyCodec,
	cqltype.Float:     &floatCodec,
	cqltype.Inet:      &inetCodec,
	cqltype.Int:       intCodec("int", 4),
	cqltype.Smallint:  intCodec("smallint", -2),
	cqltype.Text:      &textCodec{name: "text", valid: checkUTF8},
	cqltype.Time:      &timeCodec,
	cqltype.Timestamp: &timestampCodec,
	cqltype.TimeUUID:  &timeuuidCodec,
	cqltype.Tinyint:   intCodec("tinyint", -1),
	cqltype.UUID:      &uuidCodec,
	cqltype.Varint:    &varintCodec,
}

// Plan returns the codec of a type. It fails when the type is nil, nested too deep or not whole, such as a map
// with one element type; every type that cqltype.Parse returns can be planned, provided its UDTs can.
func Plan(t *cqltype.Type) (Codec, error) {
	c, err := plan(t, 0)
	if err != nil {
		return nil, fmt.Errorf("no codec for type %s: %w", t, err)
	}
	return c, nil
}

func plan(t *cqltype.Type, depth int) (codec, error) {
	if t == nil {
		return nil, fmt.Errorf("a type is missing")
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels of nesting", maxDepth)
	}
	if int(t.Kind) < len(scalars) && scalars[t.Kind] != nil {
		return scalars[t.Kind], nil
	}
	if t.Kind == cqltype.Custom {
		return rawCodec(t.String()), nil
	}
	elems := make([]codec, len(t.Elems))
	for i, e := range t.Elems {
		c, err := plan(e, depth+1)
		if err != nil {
			return nil, err
		}
		elems[i] = c
	}
	want := len(elems)
	switch t.Kind {
	case cqltype.List, cqltype.Set, cqltype.Vector:
		want = 1
	case cqltype.Map:
		want = 2
	case cqltype.UDT:
		want = len(t.FieldNames)
	case cqltype.Tuple:
	default:
		return nil, fmt.Errorf("unknown kind %d", t.Kind)
	}
	if len(elems) != want {
		return nil, fmt.Errorf("%s has %d element types, not %d", t.Kind, len(elems), want)
	}
	switch t.Kind {
	case cqltype.List:
		return &seqCodec{name: t.String(), elem: elems[0], open: '[', close: ']'}, nil
	case cqltype.Set:
		return &seqCodec{name: t.String(), elem: elems[0], open: '{', close: '}'}, nil
	case cqltype.Map:
		return &mapCodec{name: t.String(), key: elems[0], value: elems[1]}, nil
	case cqltype.Vector:
		return newVectorCodec(t, elems[0])
	case cqltype.UDT:
		return newUDTCodec(t, elems)
	default:
		return &tupleCodec{name: t.String(), elems: elems}, nil
	}
}

// newVectorCodec checks the dimension against what one value may hold.
func newVectorCodec(t *cqltype.Type, elem codec) (codec, error) {
	if t.Dimension <= 0 {
		return nil, fmt.Errorf("vector dimension %d is not positive", t.Dimension)
	}
	size := -1
	if n := elem.fixedLen(); n >= 0 {
		if n > 0 && t.Dimension > math.MaxInt32/n {
			return nil, fmt.Errorf("a vector of %d elements of %d bytes is longer than a value may be", t.Dimension, n)
		}
		size = n * t.Dimension
	}
	return &vectorCodec{name: t.String(), elem: elem, dimension: t.Dimension, size: size}, nil
}
