package cqlwire

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Use is what a value is for. The servers read some values before they store them, and compare some: then they refuse
// bytes that they take elsewhere.
type Use uint8

const (
	// Bound is a value that a client binds to a static or regular column.
	Bound Use = iota
	// BoundKey is one that a client binds to a column of the partition key.
	BoundKey
	// BoundClustering is one that a client binds to a clustering column in ascending order.
	BoundClustering
	// Compared is one that a client binds to a clustering column in descending order, whose type (ReversedType) is no
	// collection to the server; and one that is stored in a clustering, or in the path of a cell.
	Compared
	// Stored is the value of a cell.
	Stored
	uses
)

// mode is what must hold for the bytes of a value besides TypeSerializer.validate.
type mode uint8

const (
	// decoded: the server reads the value (TypeSerializer.deserialize) and writes it anew, as it does with all that is
	// in a list, set or map that a client binds (cql3.Lists, Sets and Maps, Value.fromSerialized).
	decoded mode = 1 << iota
	// compared: the server compares the value with others (AbstractType.compare).
	compared
	// nullable: elements of the list may be null. Reading one does not refuse them, other than validate
	// (CASSANDRA-6839).
	nullable
	// nullless: elements of the list must not become null when they are read.
	nullless
)

// modes are those of an outermost value. One that is no collection is not read.
var modes = [uses]mode{
	Bound:           decoded,
	BoundKey:        decoded | nullless,
	BoundClustering: decoded | nullless | compared,
	Compared:        compared,
	Stored:          nullable,
}

// mode returns what must hold for an outermost value of the type.
func (l *Layout) mode(use Use) mode {
	m := modes[use]
	switch {
	case l.form != counted:
		return m & compared
	case l.kind != cqltype.List:
		return m & (decoded | compared)
	case use == Bound && l.frozen:
		return m | nullable
	case use == Bound:
		// A cell cannot be made of null (cql3.Lists.Appender).
		return m | nullless
	default:
		return m
	}
}

// Check is CheckAs for a value that a client binds to a column that is not part of the primary key.
func (l *Layout) Check(wire []byte) error { return l.CheckAs(Bound, wire) }

// CheckAs says why a server would not take the bytes as a value of the type, as "malformed int value: 3 bytes, where 0
// or 4 bytes are due". All that is inside is checked too. The longest key (64 KiB) and the empty partition key are left
// to the caller. The values of a class that has no name in CQL are not checked.
//
// The rules are those of Cassandra 4.0, 4.1 and 5.0: TypeSerializer.validate, and what reading and comparing refuse
// besides. They differ in one point, where the strictest holds: 4.x takes a set or map of no bytes that it does not read. It is
// stricter than any of them in two points. The length of a vector's element must be a vint of the fewest bytes. In a
// clustering, and in the elements of sets and the keys of maps, decimals must be whole and lists without null: the
// server stores the first such value, and fails where it compares it with a second one.
func (l *Layout) CheckAs(use Use, wire []byte) error { return l.check(wire, l.mode(use)) }

func (l *Layout) check(wire []byte, m mode) error {
	switch l.form {
	case scalar:
		if err := l.fault(wire, m); err != nil {
			return malformed(l, "%v", err)
		}
		return nil
	case counted:
		return l.checkCounted(wire, m)
	case fields:
		return l.checkFields(wire, m&compared)
	default:
		return l.checkVector(wire, m)
	}
}

// Checkable reports whether CheckAs knows the rules of the type: there is no class without a name in CQL in it.
func (l *Layout) Checkable() bool {
	if l.kind == cqltype.Custom {
		return false
	}
	for _, e := range l.elems {
		if !e.Checkable() {
			return false
		}
	}
	return true
}

// CheckScalar is Check for a type without elements, with an error that does not name the type.
func (l *Layout) CheckScalar(wire []byte) error { return l.fault(wire, 0) }

// fault says what is wrong with a value of a type without elements.
func (l *Layout) fault(wire []byte, m mode) error {
	if !l.sizes.allow(len(wire)) {
		return fmt.Errorf("%d bytes, where %s are due", len(wire), l.sizes.words)
	}
	if l.valid != nil {
		if err := l.valid(wire); err != nil {
			return err
		}
	}
	if m != 0 && l.whole != nil {
		return l.whole(wire, m)
	}
	return nil
}

// checkCounted checks a list, set or map.
func (l *Layout) checkCounted(wire []byte, m mode) error {
	count, ok := Count(wire)
	switch {
	case !ok:
		return l.broken(Walk{wire: wire, fault: noCount})
	case count < 0 && m&decoded != 0:
		// Validate goes through none of the elements then; deserialize refuses it.
		return malformed(l, "%d elements", count)
	}
	inside := m & (decoded | compared)
	pos := 4
	for i := range max(count, 0) * len(l.elems) {
		elem, length, next, ok := ElemAt(wire, pos)
		if !ok {
			return l.broken(Walk{wire: wire, index: i, fault: cutOff})
		}
		pos = next
		at, e := inside, l.elems[i%len(l.elems)]
		switch {
		case length < 0 && m&nullable != 0:
			continue
		case length < 0:
			return l.broken(Walk{wire: wire, index: i, length: length, fault: nullElem})
		case length == 0 && m&nullless != 0 && e.emptyNull:
			return malformed(l, "element %d has no bytes, which is null", i)
		case m&decoded != 0 && i%len(l.elems) == 0 && l.kind != cqltype.List:
			at |= compared // it sorts them
		}
		if err := e.check(elem, at); err != nil {
			return err
		}
	}
	if pos < len(wire) {
		return l.broken(Walk{wire: wire, end: pos, fault: leftOver})
	}
	return nil
}

// checkFields checks a tuple or user type. Whatever it is in, the server only validates what is in it: to read one is to
// keep its bytes.
func (l *Layout) checkFields(wire []byte, m mode) error {
	pos := 0
	for i, e := range l.elems {
		if pos == len(wire) {
			return nil
		}
		elem, length, next, ok := ElemAt(wire, pos)
		if !ok {
			return l.broken(Walk{wire: wire, index: i, fault: cutOff})
		}
		pos = next
		if length < 0 {
			continue
		}
		if err := e.check(elem, m); err != nil {
			return err
		}
	}
	if pos < len(wire) {
		return l.broken(Walk{wire: wire, end: pos, fault: leftOver})
	}
	return nil
}

// checkVector checks a vector, whose elements are read where the vector itself is.
func (l *Layout) checkVector(wire []byte, m mode) error {
	if len(wire) == 0 {
		return l.broken(Walk{fault: cutOff})
	}
	e, pos := l.elems[0], 0
	for i := range l.limit {
		elem, next, ok := VectorElemAt(wire, pos, e.fixed)
		if !ok {
			return l.broken(Walk{wire: wire, index: i, fault: cutOff})
		}
		pos = next
		if len(elem) == 0 && m&decoded != 0 && e.emptyNull {
			return malformed(l, "element %d has no bytes, which is null", i)
		}
		if err := e.check(elem, m); err != nil {
			return err
		}
	}
	if pos < len(wire) {
		return l.broken(Walk{wire: wire, end: pos, fault: leftOver})
	}
	return nil
}

// broken is the error of a walk through a value of the type that ended so.
func (l *Layout) broken(w Walk) error {
	w.layout = l
	return w.Err()
}

// checkScale refuses a decimal that is cut off in its scale.
func checkScale(wire []byte) error {
	if n := len(wire); n > 0 && n < 4 {
		return fmt.Errorf("%d bytes, where 0 or at least 4 bytes are due", n)
	}
	return nil
}

// wholeDecimal refuses a scale without a number: java.math.BigInteger is not made of no bytes.
func wholeDecimal(wire []byte, _ mode) error {
	if len(wire) == 4 {
		return errors.New("a scale without a number")
	}
	return nil
}

// wholeText refuses text that is read and that the standard does not take for UTF-8, as java.nio.charset does.
func wholeText(wire []byte, m mode) error {
	if m&decoded != 0 && !utf8.Valid(wire) {
		return errors.New("not the UTF-8 of the standard, which inside a collection is due")
	}
	return nil
}

// checkTimeUUID refuses the versions of UUID other than 1 (utils.TimeUUID.AbstractSerializer).
func checkTimeUUID(wire []byte) error {
	if len(wire) == 16 && wire[6]>>4 != 1 {
		return fmt.Errorf("UUID version %d, where a timeuuid is of version 1", wire[6]>>4)
	}
	return nil
}

// checkDuration refuses what DurationSerializer.validate does. It takes longer vints than needed, and any bytes after
// the third.
func checkDuration(wire []byte) error {
	months, n1 := longVint(wire)
	days, n2 := longVint(wire[n1:])
	nanos, n3 := longVint(wire[n1+n2:])
	switch {
	case n1 == 0 || n2 == 0 || n3 == 0:
		return errors.New("months, days or nanoseconds are cut off")
	case months != int64(int32(months)) || days != int64(int32(days)):
		return fmt.Errorf("%d months and %d days, where 32 bits are due", months, days)
	case (months > 0 || days > 0 || nanos > 0) && (months < 0 || days < 0 || nanos < 0):
		return fmt.Errorf("%d months, %d days and %d nanoseconds are not of one sign", months, days, nanos)
	}
	return nil
}
