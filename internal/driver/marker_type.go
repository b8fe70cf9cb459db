package driver

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// hiddenType begins the name of a custom type that stands for a type that the library must not see.
// The [option] of the type follows, as the native protocol has it (section 6).
const hiddenType = "cqlbulk:"

// longestHidden is the largest number of bytes of such an option. The name of a custom type has a
// length of two bytes.
const longestHidden = 1<<16 - 1 - len(hiddenType)

// typeOf returns a type of the library as one of ours.
func typeOf(info gocql.TypeInfo) (*cqltype.Type, error) {
	if option, hidden := strings.CutPrefix(info.Custom(), hiddenType); hidden {
		o := typeOption{left: []byte(option)}
		t := o.read(0)
		return t, o.err
	}
	t := &cqltype.Type{}
	var parts []gocql.TypeInfo
	switch of := info.(type) {
	case gocql.CollectionType:
		t.Kind = map[gocql.Type]cqltype.Kind{
			gocql.TypeList: cqltype.List,
			gocql.TypeSet:  cqltype.Set,
			gocql.TypeMap:  cqltype.Map,
		}[of.Type()]
		if of.Key != nil {
			parts = append(parts, of.Key)
		}
		parts = append(parts, of.Elem)
	case gocql.TupleTypeInfo:
		t.Kind, parts = cqltype.Tuple, of.Elems
	case gocql.UDTTypeInfo:
		t.Kind, t.Keyspace, t.Name = cqltype.UDT, of.KeySpace, of.Name
		for _, f := range of.Elements {
			t.FieldNames, parts = append(t.FieldNames, f.Name), append(parts, f.Type)
		}
	default:
		return cqltype.Parse(info.Type().String(), nil)
	}
	for _, part := range parts {
		elem, err := typeOf(part)
		if err != nil {
			return nil, err
		}
		t.Elems = append(t.Elems, elem)
	}
	return t, nil
}

// typeOption reads an [option] of the native protocol.
type typeOption struct {
	left []byte
	err  error
}

var errTypeOption = errors.New("the server described a type wrongly")

// short reads a number of two bytes.
func (o *typeOption) short() int {
	if len(o.left) < 2 {
		o.left, o.err = nil, errTypeOption
		return 0
	}
	n := binary.BigEndian.Uint16(o.left)
	o.left = o.left[2:]
	return int(n)
}

// text reads a [string].
func (o *typeOption) text() string {
	n := o.short()
	if n > len(o.left) {
		o.left, o.err = nil, errTypeOption
		return ""
	}
	s := string(o.left[:n])
	o.left = o.left[n:]
	return s
}

// read reads a type that is in that many others.
func (o *typeOption) read(depth int) *cqltype.Type {
	if depth > deepest {
		o.err = errTypeOption
	}
	if o.err != nil {
		return nil
	}
	t := &cqltype.Type{}
	elems, id := 0, o.short()
	if o.err != nil {
		return nil
	}
	switch id {
	case optionCustom:
		return o.custom(o.text(), depth)
	case optionList:
		t.Kind, elems = cqltype.List, 1
	case optionSet:
		t.Kind, elems = cqltype.Set, 1
	case optionMap:
		t.Kind, elems = cqltype.Map, 2
	case optionTuple:
		t.Kind, elems = cqltype.Tuple, o.short()
	case optionUDT:
		t.Kind, t.Keyspace, t.Name = cqltype.UDT, o.text(), o.text()
		for n := o.short(); n > 0 && o.err == nil; n-- {
			t.FieldNames = append(t.FieldNames, o.text())
			t.Elems = append(t.Elems, o.read(depth+1))
		}
	default:
		native, err := cqltype.Parse(gocql.Type(id).String(), nil)
		if err != nil {
			o.err = err
		}
		return native
	}
	for ; elems > 0 && o.err == nil; elems-- {
		t.Elems = append(t.Elems, o.read(depth+1))
	}
	return t
}

// custom returns the type of a class, or one that is hidden in its name.
func (o *typeOption) custom(name string, depth int) *cqltype.Type {
	if option, hidden := strings.CutPrefix(name, hiddenType); hidden {
		inner := typeOption{left: []byte(option)}
		t := inner.read(depth + 1)
		o.err = inner.err
		return t
	}
	t, _, err := cqltype.ParseStored(name)
	o.err = err
	return t
}
