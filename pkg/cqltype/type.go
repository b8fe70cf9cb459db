// Package cqltype models CQL types as trees, and reads and writes them in CQL and as Java classes.
//
// # Where to start
//
//   - [Parse] reads a type in CQL, as in system_schema.columns.type and
//     system_schema.types.field_types.
//   - [Type.String] writes a type in CQL.
//   - [ParseStored] and [Type.StoredClass] read and write the class strings of SSTables.
//   - [QuoteIdent] writes an identifier so that CQL reads it back unchanged.
//
// Values of these types are read and written by other packages: cqlwire (bytes), cqltext (text),
// cqljson (JSON) and cqlorder (order).
//
// # Concurrency
//
// Nothing in this package modifies a Type after it is built. As long as the caller does not, a Type
// is safe for concurrent use.
//
// # Sources
//
// The CQL grammar and the type names of Apache Cassandra 3.11 to 5.0: CQL3Type, TypeParser and
// ReservedKeywords. ScyllaDB prints the same strings.
package cqltype

import (
	"strconv"
	"strings"
)

// Type is a CQL type, including the types of its elements.
type Type struct {
	// Kind is the kind of the type. It decides which of the other fields are used.
	Kind Kind
	// Frozen is true for frozen<...>. It does not change the bytes of a value.
	Frozen bool
	// Elems are the element types: one for list, set and vector, key and value for map. A tuple has
	// one for each element, a UDT one for each field.
	Elems []*Type
	// Keyspace and Name are the names of a UDT, without quotes.
	Keyspace, Name string
	// FieldNames are the field names of a UDT, without quotes, in the order of Elems.
	FieldNames []string
	// Dimension is the number of elements of a vector.
	Dimension int
	// Class is the Java class of a custom type, without quotes. It is also set for the older
	// classes of timestamp, timeuuid and uuid: DateClass, LegacyTimeUUIDClass and LexicalUUIDClass.
	Class string
}

// String returns the type in CQL, as system_schema prints it: `map<text, frozen<addr>>`. A UDT is
// written as its name alone, quoted if CQL requires quotes.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b, 0)
	return b.String()
}

// MultiCell reports whether a column of the type stores each element or field in its own cell
// (AbstractType.isMultiCell). That holds for collections and UDTs that are not frozen. The result
// is meaningless for key columns, which are always frozen.
func (t *Type) MultiCell() bool {
	switch t.Kind {
	case List, Set, Map, UDT:
		return !t.Frozen
	default:
		return false
	}
}

// write appends the type to b. In a tree deeper than MaxDepth it writes "..."; only a tree built by
// hand, for example with a loop, is so deep.
func (t *Type) write(b *strings.Builder, depth int) {
	if t == nil {
		b.WriteString(kindNames[Invalid])
		return
	}
	if depth > MaxDepth {
		b.WriteString("...")
		return
	}
	if t.Frozen {
		b.WriteString("frozen<")
	}
	switch t.Kind {
	case List, Set, Map, Tuple, Vector:
		b.WriteString(t.Kind.String())
		b.WriteByte('<')
		for i, e := range t.Elems {
			if i > 0 {
				b.WriteString(", ")
			}
			e.write(b, depth+1)
		}
		if t.Kind == Vector {
			b.WriteString(", ")
			b.WriteString(strconv.Itoa(t.Dimension))
		}
		b.WriteByte('>')
	case UDT:
		b.WriteString(quoteTypeName(t.Name))
	default:
		if t.Class == "" && t.Kind != Custom {
			b.WriteString(t.Kind.String())
			break
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(t.Class, "'", "''"))
		b.WriteByte('\'')
	}
	if t.Frozen {
		b.WriteByte('>')
	}
}
