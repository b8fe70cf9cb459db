// Package cqltype is the model of CQL types: what the server's schema tables say of a column, as a tree.
//
// Start with Parse, which reads the strings of system_schema.columns.type and of
// system_schema.types.field_types, and Type.String, which writes them. ParseStored and Type.StoredClass do the same
// for the class strings of SSTables. QuoteIdent writes an identifier so that CQL reads it back as it is.
//
// A Type is built once and then only read; as long as nobody changes it, it is safe for concurrent use.
//
// Sources: the CQL grammar and the type names of Apache Cassandra 3.11 to 5.0 (CQL3Type, TypeParser,
// ReservedKeywords) and of ScyllaDB, which prints the same strings.
package cqltype

import (
	"strconv"
	"strings"
)

// Type is one CQL type with everything below it.
type Type struct {
	// Kind says which type this is, and with it which of the other fields are used.
	Kind Kind
	// Frozen is true for frozen<...>. It changes nothing in the bytes of a value.
	Frozen bool
	// Elems holds the element types: one for list, set and vector, key and value for map, one for each
	// element of a tuple, one for each field of a UDT.
	Elems []*Type
	// Keyspace and Name are a UDT's, without quotes.
	Keyspace, Name string
	// FieldNames are a UDT's, without quotes, one for each of Elems.
	FieldNames []string
	// Dimension is the number of elements of a vector.
	Dimension int
	// Class is the server-side class of a custom type, without quotes, and of a timestamp, timeuuid or uuid of one
	// of the older classes: DateClass, LegacyTimeUUIDClass, LexicalUUIDClass.
	Class string
}

// String returns the type in CQL, as system_schema prints it: `map<text, frozen<addr>>`. A UDT is given by its
// name alone, quoted when CQL needs it.
func (t *Type) String() string {
	var b strings.Builder
	t.write(&b, 0)
	return b.String()
}

// MultiCell says whether the elements or fields of a column's values are cells of their own: those of collections and
// UDTs that are not frozen (AbstractType.isMultiCell). It is of no meaning for key columns, which are always frozen.
func (t *Type) MultiCell() bool {
	switch t.Kind {
	case List, Set, Map, UDT:
		return !t.Frozen
	default:
		return false
	}
}

// write appends the type to b. Trees deeper than MaxDepth, which only a loop made by hand can have, end in
// "...".
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
