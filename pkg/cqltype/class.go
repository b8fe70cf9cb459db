package cqltype

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// marshalPackage is the Java package of Cassandra's type classes.
const marshalPackage = "org.apache.cassandra.db.marshal."

// The classes with parameters.
const (
	listClass      = "ListType"
	setClass       = "SetType"
	mapClass       = "MapType"
	tupleClass     = "TupleType"
	vectorClass    = "VectorType"
	userClass      = "UserType"
	frozenClass    = "FrozenType"
	reversedClass  = "ReversedType"
	compositeClass = "CompositeType"
)

// kindClasses are the classes of the kinds without parameters (Cassandra's CQL3Type.Native). For a
// kind with parameters, it is the word before "(".
var kindClasses = [...]string{
	Ascii:     "AsciiType",
	Bigint:    "LongType",
	Blob:      "BytesType",
	Boolean:   "BooleanType",
	Counter:   "CounterColumnType",
	Date:      "SimpleDateType",
	Decimal:   "DecimalType",
	Double:    "DoubleType",
	Duration:  "DurationType",
	Empty:     "EmptyType",
	Float:     "FloatType",
	Inet:      "InetAddressType",
	Int:       "Int32Type",
	Smallint:  "ShortType",
	Text:      "UTF8Type",
	Time:      "TimeType",
	Timestamp: "TimestampType",
	TimeUUID:  "TimeUUIDType",
	Tinyint:   "ByteType",
	UUID:      "UUIDType",
	Varint:    "IntegerType",
	List:      listClass,
	Set:       setClass,
	Map:       mapClass,
	Tuple:     tupleClass,
	UDT:       userClass,
	Vector:    vectorClass,
}

// The older classes of timestamp, timeuuid and uuid. CQL creates columns of these classes only if
// the statement names the class. Type.Class keeps the name, because two of the classes order their
// values differently.
const (
	// DateClass is the class of a Timestamp with values in the order of their bytes.
	DateClass = marshalPackage + "DateType"
	// LegacyTimeUUIDClass is an older class of TimeUUID. It has the same values and order.
	LegacyTimeUUIDClass = marshalPackage + "LegacyTimeUUIDType"
	// LexicalUUIDClass is the class of a UUID with values in the order of java.util.UUID, which
	// compares two signed numbers.
	LexicalUUIDClass = marshalPackage + "LexicalUUIDType"
)

// classes maps the names of the classes without parameters, without their package, to their types.
var classes = func() map[string]Type {
	m := make(map[string]Type)
	for k := Ascii; k <= Varint; k++ {
		m[kindClasses[k]] = Type{Kind: k}
	}
	for class, k := range map[string]Kind{
		DateClass: Timestamp, LegacyTimeUUIDClass: TimeUUID, LexicalUUIDClass: UUID,
	} {
		m[strings.TrimPrefix(class, marshalPackage)] = Type{Kind: k, Class: class}
	}
	return m
}()

// errClass is the error for an unknown class.
var errClass = errors.New("unknown class")

// parseClass returns the type of a class string. If any part of it is unknown, parseClass returns
// nil, and the whole class is Custom.
func parseClass(class string, depth int) *Type {
	p := parser{s: class}
	t, err := p.class(depth)
	if p.blanks(); err != nil || p.i < len(p.s) {
		return nil
	}
	return t
}

// class reads one class with its parameters. An unknown class is Custom if p.stored is true, and
// otherwise an error.
func (p *parser) class(depth int) (*Type, error) {
	if depth > MaxDepth {
		return nil, fmt.Errorf("more than %d levels of nesting", MaxDepth)
	}
	p.blanks()
	start := p.i
	p.i += len(p.s[p.i:]) - len(strings.TrimPrefix(p.s[p.i:], marshalPackage))
	name := p.word()
	p.blanks()
	if p.i == len(p.s) || p.s[p.i] != '(' {
		if t, ok := classes[name]; ok {
			return &t, nil
		}
		return p.unknown(start)
	}
	p.i++
	t := &Type{}
	switch name {
	case reversedClass, frozenClass:
		inner, err := p.class(depth + 1)
		if err != nil {
			return nil, err
		}
		if name == frozenClass {
			if inner.Kind.Scalar() {
				return nil, fmt.Errorf("%s of %s", frozenClass, inner)
			}
			inner.Frozen = true
		}
		return inner, p.expect(')')
	case listClass:
		t.Kind = List
	case setClass:
		t.Kind = Set
	case mapClass:
		t.Kind = Map
	case tupleClass:
		t.Kind = Tuple
	case vectorClass:
		t.Kind = Vector
	case userClass:
		if !p.stored {
			return nil, errClass
		}
		return t, p.user(t, depth)
	default:
		return p.unknown(start)
	}
	return t, p.parameters(t, depth)
}

// parameters reads the parameters of a class of t's kind and the closing parenthesis.
func (p *parser) parameters(t *Type, depth int) error {
	most := 1
	if t.Kind == Map {
		most = 2
	}
	for {
		e, err := p.class(depth + 1)
		if err != nil {
			return err
		}
		t.Elems = append(t.Elems, e)
		if t.Kind == Tuple && !p.at(',') || t.Kind != Tuple && len(t.Elems) == most {
			break
		}
		if err := p.expect(','); err != nil {
			return err
		}
	}
	if t.Kind == Vector {
		if err := p.dimension(t); err != nil {
			return err
		}
	}
	return p.expect(')')
}

// user reads a UDT, starting at its keyspace: `ks,hex(name),hex(field):class,...)`.
func (p *parser) user(t *Type, depth int) error {
	t.Kind = UDT
	p.blanks()
	if t.Keyspace = p.word(); t.Keyspace == "" {
		return p.unexpected("a keyspace")
	}
	err := p.expect(',')
	if err == nil {
		t.Name, err = p.hexName()
	}
	for err == nil && p.at(',') {
		p.i++
		var name string
		if name, err = p.hexName(); err != nil {
			break
		}
		if err = p.expect(':'); err != nil {
			break
		}
		var e *Type
		if e, err = p.class(depth + 1); err != nil {
			break
		}
		t.FieldNames = append(t.FieldNames, name)
		t.Elems = append(t.Elems, e)
	}
	if err != nil {
		return err
	}
	return p.expect(')')
}

// hexName reads a name in hex. UserType writes names in hex because they may contain any character.
func (p *parser) hexName() (string, error) {
	p.blanks()
	start := p.i
	name, err := hex.DecodeString(p.word())
	if err != nil {
		p.i = start
		return "", p.unexpected("a name in hex")
	}
	return string(name), nil
}

// unknown reads the class at start and any parameters as a custom type.
func (p *parser) unknown(start int) (*Type, error) {
	p.i = start
	if !p.stored {
		return nil, errClass
	}
	for p.i < len(p.s) && (wordByte(p.s[p.i]) || strings.IndexByte(".$+-&", p.s[p.i]) >= 0) {
		p.i++
	}
	if p.i == start {
		return nil, p.unexpected("a class")
	}
	end := p.i
	if p.at('(') {
		for open := 0; ; p.i++ {
			if p.i == len(p.s) {
				return nil, p.unexpected("')'")
			}
			if c := p.s[p.i]; c == '(' {
				open++
			} else if c == ')' {
				if open--; open == 0 {
					break
				}
			}
		}
		p.i++
		end = p.i
	}
	return &Type{Kind: Custom, Class: p.s[start:end]}, nil
}

// at reports whether c is next, after blanks.
func (p *parser) at(c byte) bool {
	p.blanks()
	return p.i < len(p.s) && p.s[p.i] == c
}
