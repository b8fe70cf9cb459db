package cqltype

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// StoredClass returns the Java class string of the type, as in the header of an SSTable's
// Statistics.db:
// `org.apache.cassandra.db.marshal.ListType(org.apache.cassandra.db.marshal.Int32Type)`.
//
// A frozen list, set, map or UDT is wrapped in FrozenType, unless it is inside a tuple or another
// frozen type. Source: Cassandra's AbstractType.toString and, for frozen types,
// toString(ignoreFreezing).
func (t *Type) StoredClass() string {
	var b strings.Builder
	t.writeClass(&b, 0, false)
	return b.String()
}

// StoredReversed returns the class string of a clustering column in descending order.
func StoredReversed(t *Type) string {
	return marshalPackage + reversedClass + "(" + t.StoredClass() + ")"
}

// StoredKey returns the class string of a partition key. types are the types of its columns, at
// least one.
func StoredKey(types []*Type) string {
	if len(types) == 1 {
		return types[0].StoredClass()
	}
	var b strings.Builder
	b.WriteString(marshalPackage + compositeClass)
	separator := byte('(')
	for _, t := range types {
		b.WriteByte(separator)
		t.writeClass(&b, 0, false)
		separator = ','
	}
	b.WriteByte(')')
	return b.String()
}

// writeClass appends the class string to b. within is true inside a frozen type or a tuple.
// Incomplete types and trees deeper than MaxDepth are written as in String.
func (t *Type) writeClass(b *strings.Builder, depth int, within bool) {
	switch {
	case t == nil:
		b.WriteString(kindNames[Invalid])
		return
	case depth > MaxDepth:
		b.WriteString("...")
		return
	case t.Class != "":
		b.WriteString(t.Class)
		return
	case t.Kind == Invalid || int(t.Kind) >= len(kindClasses):
		b.WriteString(kindNames[Invalid])
		return
	}
	freezable := t.Kind == List || t.Kind == Set || t.Kind == Map || t.Kind == UDT
	frozen := freezable && t.Frozen && !within
	if frozen {
		b.WriteString(marshalPackage + frozenClass + "(")
	}
	b.WriteString(marshalPackage)
	b.WriteString(kindClasses[t.Kind])
	if !t.Kind.Scalar() {
		within = within || frozen || t.Kind == Tuple
		b.WriteByte('(')
		if t.Kind == UDT {
			b.WriteString(t.Keyspace)
			b.WriteByte(',')
			b.WriteString(hex.EncodeToString([]byte(t.Name)))
		}
		for i, e := range t.Elems {
			if i > 0 || t.Kind == UDT {
				b.WriteByte(',')
			}
			if t.Kind == UDT && i < len(t.FieldNames) {
				b.WriteString(hex.EncodeToString([]byte(t.FieldNames[i])))
				b.WriteByte(':')
			}
			e.writeClass(b, depth+1, within)
		}
		if t.Kind == Vector {
			b.WriteString(" , ")
			b.WriteString(strconv.Itoa(t.Dimension))
		}
		b.WriteByte(')')
	}
	if frozen {
		b.WriteByte(')')
	}
}

// ParseStored reads the class string of a type, as in the header of an SSTable's Statistics.db and
// as [Type.StoredClass] writes it. The result reversed is true if ReversedType wraps the class,
// which marks a clustering column in descending order. A UDT includes its fields. A class that
// Cassandra does not define is Custom, with its parameters.
//
// FrozenType also freezes every type inside. The server does not write it there, so ParseStored
// sets Frozen only for the outermost type.
//
// Errors quote the string, shortened if it is long, and report the byte offset of the fault.
func ParseStored(class string) (t *Type, reversed bool, err error) {
	p := parser{s: class, stored: true}
	if p.enter(reversedClass) {
		reversed = true
	}
	t, err = p.class(0)
	if err == nil && reversed {
		err = p.expect(')')
	}
	if err = p.ended(err); err != nil {
		return nil, false, err
	}
	return t, reversed, nil
}

// ParseStoredKey reads the class string of a partition key: the class of its only column, or
// CompositeType with the classes of all columns. Errors are as in ParseStored.
func ParseStoredKey(class string) ([]*Type, error) {
	p := parser{s: class, stored: true}
	composite := p.enter(compositeClass)
	var types []*Type
	for {
		t, err := p.class(0)
		if err != nil {
			return nil, p.ended(err)
		}
		types = append(types, t)
		if !composite || !p.at(',') {
			break
		}
		p.i++
	}
	var err error
	if composite {
		err = p.expect(')')
	}
	if err = p.ended(err); err != nil {
		return nil, err
	}
	return types, nil
}

// enter reads the name of a class and its "(" if they are next.
func (p *parser) enter(name string) bool {
	p.blanks()
	rest := strings.TrimPrefix(p.s[p.i:], marshalPackage)
	after, ok := strings.CutPrefix(rest, name+"(")
	if ok {
		p.i = len(p.s) - len(after)
	}
	return ok
}

// ended completes the error of a class string. Without an error, it checks that nothing follows the
// class.
func (p *parser) ended(err error) error {
	if err == nil {
		p.blanks()
		if p.i < len(p.s) {
			err = p.unexpected("end of the class")
		}
	}
	if err != nil {
		return fmt.Errorf("class %s: offset %d: %w", strconv.Quote(clip(p.s)), p.i, err)
	}
	return nil
}
