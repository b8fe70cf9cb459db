package cqlorder

import (
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
)

// Order is the order of the values of one type.
type Order struct {
	form   form
	size   int // bytes of each value; 0: no fixed length
	bits   int // the largest number of bits of a prefix: see Prefix
	layout *cqlwire.Layout
	elems  []*Order // as cqltype.Type.Elems
	// plain: the server stores a value unchanged, even inside a collection.
	plain bool
	udt   bool
}

// form is the method by which the values of a type are compared.
type form uint8

const (
	unsigned form = iota // byte by byte
	inet                 // also byte by byte
	nothing              // all values are equal
	signed               // two's complement of a fixed length
	number4              // two's complement of 4 bytes
	number8              // two's complement of 8 bytes
	boolean
	float
	double
	timeUUID
	randomUUID  // any version
	lexicalUUID // two signed numbers
	varint
	decimal
	list
	set
	entries // of a map
	fields  // of a tuple or a UDT
	vector
)

// timestampBits is the number of bits of a timestamp in a prefix: in milliseconds, they span 4,460
// years before and after 1970.
const timestampBits = 48

// Plan returns the order of a type's values. It returns an error if cqlwire.Plan does: if the type
// is nil, nested too deep or incomplete.
func Plan(t *cqltype.Type) (*Order, error) {
	layout, err := cqlwire.Plan(t)
	if err != nil {
		return nil, err
	}
	return plan(t, layout), nil
}

func plan(t *cqltype.Type, layout *cqlwire.Layout) *Order {
	o := &Order{layout: layout, bits: 64, plain: true}
	for i, e := range t.Elems {
		elem := plan(e, layout.Elem(i))
		o.elems = append(o.elems, elem)
		o.plain = o.plain && elem.plain
	}
	switch t.Kind {
	case cqltype.Inet:
		o.form, o.plain = inet, false
	case cqltype.Empty:
		o.form = nothing
	case cqltype.Tinyint:
		o.form, o.size = signed, 1
	case cqltype.Smallint:
		o.form, o.size = signed, 2
	case cqltype.Int:
		o.form, o.size = number4, 4
	case cqltype.Bigint, cqltype.Counter:
		o.form, o.size = number8, 8
	case cqltype.Timestamp:
		if t.Class != cqltype.DateClass {
			o.form, o.size, o.bits = number8, 8, timestampBits
		}
	case cqltype.Date:
		o.bits = 32
	case cqltype.Boolean:
		o.form, o.size = boolean, 1
	case cqltype.Float:
		o.form, o.size = float, 4
	case cqltype.Double:
		o.form, o.size = double, 8
	case cqltype.TimeUUID:
		o.form, o.size = timeUUID, 16
	case cqltype.UUID:
		o.form, o.size = randomUUID, 16
		if t.Class == cqltype.LexicalUUIDClass {
			o.form = lexicalUUID
		}
	case cqltype.Varint:
		o.form = varint
	case cqltype.Decimal:
		o.form = decimal
	case cqltype.List:
		o.form = list
	case cqltype.Set:
		o.form, o.plain = set, false
	case cqltype.Map:
		o.form, o.plain = entries, false
	case cqltype.Tuple, cqltype.UDT:
		o.form, o.plain, o.udt = fields, true, t.Kind == cqltype.UDT
	case cqltype.Vector:
		o.form = vector
	}
	return o
}
