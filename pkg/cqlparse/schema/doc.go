// Package schema reads statements of CQL that make a schema, as DESCRIBE prints them, as a snapshot has them in
// schema.cql, or as people write them: what tables there are, with their columns and options.
//
// Start with Parse. It reads CREATE KEYSPACE, TYPE, TABLE, INDEX, MATERIALIZED VIEW and TRIGGER, USE, and of ALTER what
// changes the columns or options of a table or a keyspace. All other statements are passed over and listed. It knows what a server
// refuses of types and keys where that would change what is stored, and little else: the statements are taken to be of a
// schema that some server has.
//
// A Schema is built once and then only read; as long as nobody changes it, it is safe for concurrent use.
//
// Sources: the grammar of Apache Cassandra 3.11 to 5.0 (Lexer.g, Parser.g) and the classes CQL3Type,
// CreateTableStatement and SchemaCQLHelper; ScyllaDB's DESCRIBE.
package schema

import (
	"maps"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Schema is what some statements make. Names are as they are stored, without quotes.
type Schema struct {
	Keyspaces []*Keyspace
	Tables    []*Table
	Views     []Dependent // materialized views, and the tables that they are of
	Indexes   []Dependent
	Triggers  []Dependent
	Skipped   []Skipped

	views []*Table // those of Views whose base tables are there
}

// Keyspace is a keyspace.
type Keyspace struct {
	Name    string
	Options map[string]Value
}

// Table is a table. Its columns stand in the order of the statement.
type Table struct {
	Keyspace, Name string
	ID             string // a UUID; empty where the statement does not tell
	Columns        []Column
	Dropped        []DroppedColumn
	Compact        bool // it is one of COMPACT STORAGE
	// ViewOf is the base table of a materialized view; empty of a table. StrictLiveness is true of a view whose primary key
	// has a column that is not in the key of its base table: its rows exist by their liveness alone.
	ViewOf         string
	StrictLiveness bool
	Options        map[string]Value
}

// Kind is the role of a column.
type Kind uint8

// The kinds.
const (
	Regular Kind = iota
	Static
	Clustering
	PartitionKey
)

// Column is a column of a table.
type Column struct {
	Name     string
	Kind     Kind
	Position int // among the columns of its kind, of a key column; else -1, as servers have it
	Type     *cqltype.Type
	Desc     bool // of a clustering column: the greatest value comes first
}

// DroppedColumn is a static or regular column that was dropped: its cells up to that time count no more, be there a
// column of its name again or not. Servers tell the fields of a user-defined type as those of a tuple.
type DroppedColumn struct {
	Column
	Timestamp int64 // microseconds since the epoch; the greatest there is where the statement does not tell
}

// Value is that of an option: a text, a number, a word, or a map of such.
type Value struct {
	Text string
	Map  map[string]string // nil of what is no map
}

// Dependent is an index, a view or a trigger.
type Dependent struct {
	Keyspace, Name, Table string // a name that is not told is empty
	Class                 string // of a custom index, as it stands after USING
	ID                    string // of a view, a UUID; empty where the statement does not tell
}

// Skipped is a statement that was passed over.
type Skipped struct {
	Line      int    // from 1
	Statement string // its first words
}

// Table finds a table; nil when there is none.
func (s *Schema) Table(keyspace, name string) *Table {
	for _, t := range s.Tables {
		if t.Keyspace == keyspace && t.Name == name {
			return t
		}
	}
	return nil
}

// View finds a materialized view whose base table is among the statements, which has the types of its columns; nil when
// there is none.
func (s *Schema) View(keyspace, name string) *Table {
	for _, v := range s.views {
		if v.Keyspace == keyspace && v.Name == name {
			return v
		}
	}
	return nil
}

// MakesView finds the statement of a materialized view, whether its base table is among the statements or not; nil when
// there is none.
func (s *Schema) MakesView(keyspace, name string) *Dependent {
	for i := range s.Views {
		if v := &s.Views[i]; v.Keyspace == keyspace && v.Name == name {
			return v
		}
	}
	return nil
}

// Keyspace finds a keyspace; nil when there is none.
func (s *Schema) Keyspace(name string) *Keyspace {
	for _, k := range s.Keyspaces {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Replication is how a keyspace is replicated; nil when it is not known.
func (s *Schema) Replication(keyspace string) map[string]string {
	k := s.Keyspace(keyspace)
	if k == nil {
		return nil
	}
	return maps.Clone(k.Options["replication"].Map)
}

// Error is a statement that cannot be read, with its place.
type Error = lex.Error
