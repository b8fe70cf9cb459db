package cqltype

import (
	"strings"
)

// marshalPackage is where Cassandra keeps its own type classes.
const marshalPackage = "org.apache.cassandra.db.marshal."

// classes maps the classes without parameters to their kinds (Cassandra's CQL3Type.Native, and the older names
// of timestamp and uuid). LegacyTimeUUIDType and LexicalUUIDType order differently but hold the same bytes.
var classes = map[string]Kind{
	"AsciiType":          Ascii,
	"BooleanType":        Boolean,
	"ByteType":           Tinyint,
	"BytesType":          Blob,
	"CounterColumnType":  Counter,
	"DateType":           Timestamp,
	"DecimalType":        Decimal,
	"DoubleType":         Double,
	"DurationType":       Duration,
	"EmptyType":          Empty,
	"FloatType":          Float,
	"InetAddressType":    Inet,
	"Int32Type":          Int,
	"IntegerType":        Varint,
	"LegacyTimeUUIDType": TimeUUID,
	"LexicalUUIDType":    UUID,
	"LongType":           Bigint,
	"ShortType":          Smallint,
	"SimpleDateType":     Date,
	"TimeType":           Time,
	"TimeUUIDType":       TimeUUID,
	"TimestampType":      Timestamp,
	"UTF8Type":           Text,
	"UUIDType":           UUID,
}

// parseClass returns the type a class string stands for, or nil when any part of it is not one of the
// well-known ones, so that the whole stays Custom.
func parseClass(class string, depth int) *Type {
	p := parser{s: class}
	t := p.class(depth)
	if p.blanks(); p.i < len(p.s) {
		return nil
	}
	return t
}

// class reads one class with its parameters; nil when it is not known.
func (p *parser) class(depth int) *Type {
	if depth > MaxDepth {
		return nil
	}
	p.blanks()
	p.i += len(p.s[p.i:]) - len(strings.TrimPrefix(p.s[p.i:], marshalPackage))
	name := p.word()
	p.blanks()
	if p.i == len(p.s) || p.s[p.i] != '(' {
		if k, ok := classes[name]; ok {
			return &Type{Kind: k}
		}
		return nil
	}
	p.i++
	inner := p.class(depth + 1)
	if inner == nil {
		return nil
	}
	t := &Type{Elems: []*Type{inner}}
	switch name {
	case "ReversedType":
		t = inner
	case "FrozenType":
		if inner.Kind.Scalar() {
			return nil
		}
		inner.Frozen = true
		t = inner
	case "ListType":
		t.Kind = List
	case "SetType":
		t.Kind = Set
	case "MapType":
		t.Kind = Map
		if p.expect(',') != nil {
			return nil
		}
		value := p.class(depth + 1)
		if value == nil {
			return nil
		}
		t.Elems = append(t.Elems, value)
	case "TupleType":
		t.Kind = Tuple
		for p.expect(',') == nil {
			e := p.class(depth + 1)
			if e == nil {
				return nil
			}
			t.Elems = append(t.Elems, e)
		}
	case "VectorType":
		t.Kind = Vector
		if p.dimension(t) != nil {
			return nil
		}
	default:
		return nil
	}
	if p.expect(')') != nil {
		return nil
	}
	return t
}
