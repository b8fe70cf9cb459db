package cqlwire

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Use is the purpose of a value. A server decodes some values before it stores them, and compares
// others. There it refuses bytes that it takes elsewhere.
type Use uint8

const (
	// Bound is a value that a client binds to a static or regular column.
	Bound Use = iota
	// BoundKey is a value that a client binds to a column of the partition key.
	BoundKey
	// BoundClustering is a value that a client binds to a clustering column in ascending order.
	BoundClustering
	// Compared is a value that a client binds to a clustering column in descending order. The
	// server does not decode it, because its type (ReversedType) is no collection. Compared is
	// also a value stored in a clustering or in the path of a cell.
	Compared
	// Stored is the value of a cell.
	Stored
	uses
)

// mode is what a value must fulfil in addition to TypeSerializer.validate.
type mode uint8

const (
	// decoded: the server decodes the value (TypeSerializer.deserialize) and encodes it again. It
	// does so with a list, set or map that a client binds, and with all their elements
	// (fromSerialized of cql3.Lists.Value, cql3.Sets.Value and cql3.Maps.Value).
	decoded mode = 1 << iota
	// compared: the server compares the value with others (AbstractType.compare).
	compared
	// nullable: the list may have null elements. deserialize takes them, and validate does not
	// (CASSANDRA-6839).
	nullable
	// nullless: the list must not have elements that deserialize turns into null.
	nullless
)

// modes has the mode of an outermost collection for each Use.
var modes = [uses]mode{
	Bound:           decoded,
	BoundKey:        decoded | nullless,
	BoundClustering: decoded | nullless | compared,
	Compared:        compared,
	Stored:          nullable,
}

// mode returns the mode of an outermost value of the type.
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
		// The server cannot make a cell of null (cql3.Lists.Appender).
		return m | nullless
	default:
		return m
	}
}

// Check is CheckAs for a value that a client binds to a static or regular column.
func (l *Layout) Check(wire []byte) error { return l.CheckAs(Bound, wire) }

// CheckAs returns the reason why a server refuses the bytes as a value of the type. An example is
// "malformed int value: 3 bytes, where 0 or 4 bytes are due". It checks all elements too. It
// allocates only errors.
//
// The rules are those of Cassandra 4.0, 4.1 and 5.0: TypeSerializer.validate, and what the server
// cannot decode or compare. Three rules are stricter:
//
//   - A set or map must have bytes. Cassandra 4.x accepts one of no bytes if it does not decode it.
//   - The length of a vector's element must be a vint of the fewest bytes.
//   - In a clustering, a decimal must have digits, and a list no null. The server stores such a
//     value, and then cannot flush the table, because it cannot compare the value. The same rule
//     holds for decimals in the elements of sets and in the keys of maps that it decodes.
//
// The caller must check that a key has at most 64 KiB, and that a partition key is not empty.
// CheckAs takes all values of a class that has no name in CQL (see Checkable).
func (l *Layout) CheckAs(use Use, wire []byte) error {
	if n := len(wire); n < 32 && l.plain>>n&1 != 0 {
		return nil
	}
	return l.check(wire, l.mode(use))
}

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

// Checkable reports whether CheckAs knows the rules of the type. It does not know those of a class
// that has no name in CQL.
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

// CheckScalar is Check for a type without elements. Its error does not name the type.
func (l *Layout) CheckScalar(wire []byte) error { return l.fault(wire, 0) }

// fault returns what is wrong with a value of a type without elements.
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
		// validate takes it as empty, and deserialize does not.
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
			at |= compared // the server sorts them
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

// checkFields checks a tuple or user type. The server decodes none of its fields, because it
// decodes a tuple to its bytes (TupleSerializer extends BytesSerializer).
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

// checkVector checks a vector. The server decodes its elements if it decodes the vector.
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

// broken returns the error of a walk that ended as w did.
func (l *Layout) broken(w Walk) error {
	w.layout = l
	return w.Err()
}

// checkScale refuses a decimal whose scale is cut off.
func checkScale(wire []byte) error {
	if n := len(wire); n > 0 && n < 4 {
		return fmt.Errorf("%d bytes, where 0 or at least 4 bytes are due", n)
	}
	return nil
}

// wholeDecimal refuses a scale without digits, which make no java.math.BigInteger.
func wholeDecimal(wire []byte, _ mode) error {
	if len(wire) == 4 {
		return errors.New("a scale without digits")
	}
	return nil
}

// wholeText refuses text that java.nio.charset cannot decode. CheckUTF8 takes more.
func wholeText(wire []byte, m mode) error {
	if m&decoded != 0 && !utf8.Valid(wire) {
		return errors.New("not standard UTF-8, which a collection needs")
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

// checkDuration refuses what DurationSerializer.validate refuses. It takes vints that are longer
// than they need to be, and any bytes after the third vint.
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
		return fmt.Errorf("%d months, %d days and %d nanoseconds have different signs",
			months, days, nanos)
	}
	return nil
}
