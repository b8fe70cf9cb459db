package simcluster

import (
	"fmt"
	"strconv"

	"github.com/datastax/go-cassandra-native-protocol/datatype"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// native is what is known of a type without elements: its name on the wire and the
// bytes of a value, 0 when they differ.
type native struct {
	typ   datatype.DataType
	width int
}

var natives = map[cqltype.Kind]native{
	cqltype.Ascii:     {datatype.Ascii, 0},
	cqltype.Bigint:    {datatype.Bigint, 8},
	cqltype.Blob:      {datatype.Blob, 0},
	cqltype.Boolean:   {datatype.Boolean, 1},
	cqltype.Counter:   {datatype.Counter, 8},
	cqltype.Date:      {datatype.Date, 4},
	cqltype.Decimal:   {datatype.Decimal, 0},
	cqltype.Double:    {datatype.Double, 8},
	cqltype.Float:     {datatype.Float, 4},
	cqltype.Inet:      {datatype.Inet, 0},
	cqltype.Int:       {datatype.Int, 4},
	cqltype.Smallint:  {datatype.Smallint, 2},
	cqltype.Text:      {datatype.Varchar, 0},
	cqltype.Time:      {datatype.Time, 8},
	cqltype.Timestamp: {datatype.Timestamp, 8},
	cqltype.TimeUUID:  {datatype.Timeuuid, 16},
	cqltype.Tinyint:   {datatype.Tinyint, 1},
	cqltype.UUID:      {datatype.Uuid, 16},
	cqltype.Varint:    {datatype.Varint, 0},
}

// dataType is a type as the protocol names it.
func dataType(t *cqltype.Type) (datatype.DataType, error) {
	if n, ok := natives[t.Kind]; ok {
		return n.typ, nil
	}
	var elems []datatype.DataType
	for _, e := range t.Elems {
		typ, err := dataType(e)
		if err != nil {
			return nil, err
		}
		elems = append(elems, typ)
	}
	switch t.Kind {
	case cqltype.List:
		return datatype.NewList(elems[0]), nil
	case cqltype.Set:
		return datatype.NewSet(elems[0]), nil
	case cqltype.Map:
		return datatype.NewMap(elems[0], elems[1]), nil
	case cqltype.Tuple:
		return datatype.NewTuple(elems...), nil
	default:
		return nil, fmt.Errorf("type %s is not simulated", t)
	}
}

// valid says whether a value has as many bytes as its type must have. An empty
// value is one of every type but those of a collection, as in Cassandra.
func valid(t *cqltype.Type, value []byte) error {
	width := natives[t.Kind].width
	if width > 0 && len(value) != 0 && len(value) != width {
		return sayf("Expected %d or 0 byte long for %s (%d)", width, t, len(value))
	}
	return nil
}

// literal is a text, a number or a truth value as a value of a type.
func literal(t *cqltype.Type, s string) ([]byte, error) {
	switch width := natives[t.Kind].width; t.Kind {
	case cqltype.Text, cqltype.Ascii:
		return []byte(s), nil
	case cqltype.Boolean:
		return boolean(s == "true"), nil
	case cqltype.Bigint, cqltype.Int, cqltype.Smallint, cqltype.Tinyint, cqltype.Timestamp:
		n, err := strconv.ParseInt(s, 10, 8*width)
		if err != nil {
			return nil, fmt.Errorf("literal %q is no %s", s, t)
		}
		return bigint(n)[8-width:], nil
	default:
		return nil, fmt.Errorf("simcluster does not understand a literal of type %s", t)
	}
}
