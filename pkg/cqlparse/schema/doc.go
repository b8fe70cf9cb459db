// Package schema parses the CQL statements of a schema into keyspaces and tables with columns and
// options. It reads the output of DESCRIBE, the schema.cql of a snapshot, and statements that
// people write.
//
// # Where to start
//
// [Parse] reads a text and returns a [Schema]. It reads USE and CREATE KEYSPACE, TYPE, TABLE,
// INDEX, MATERIALIZED VIEW and TRIGGER. It also reads ALTER statements that change the columns or
// options of a table or keyspace. It skips all other statements and lists them in [Schema].Skipped.
//
// The statements are expected to be the schema of a server. Parse checks types and keys only if a
// server would refuse them and a fault would change what is stored.
//
// # Concurrency
//
// Nothing in this package modifies a Schema after Parse. As long as the caller does not, it is safe
// for concurrent use.
//
// # Sources
//
// The grammar of Apache Cassandra 3.11 to 5.0 (Lexer.g, Parser.g) and the classes CQL3Type,
// CreateTableStatement and SchemaCQLHelper. ScyllaDB's DESCRIBE.
package schema

import (
	"maps"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/lex"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Schema is the result of statements. Names are as stored, without quotes.
type Schema struct {
	Keyspaces []*Keyspace
	Tables    []*Table
	Views     []Dependent // materialized views, with their base tables
	Indexes   []Dependent
	Triggers  []Dependent
	Skipped   []Skipped

	views []*Table // the views whose base tables are in the schema
}

// Keyspace is a keyspace.
type Keyspace struct {
	Name    string
	Options map[string]Value
}

// Table is a table. Its columns are in the order of the statement.
type Table struct {
	Keyspace, Name string
	ID             string // a UUID; empty: not in the statement
	Columns        []Column
	Dropped        []DroppedColumn
	Compact        bool // the table has COMPACT STORAGE
	// ViewOf is the base table of a materialized view; empty: not a view. StrictLiveness is true if
	// the primary key of a view has a column that is not in the key of its base table. The rows of
	// such a view exist only by their liveness.
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
	Name string
	Kind Kind
	// index in the columns of its kind, for key columns; -1, as in servers: other columns
	Position int
	Type     *cqltype.Type
	Desc     bool // a clustering column with the greatest value first
}

// DroppedColumn is a static or regular column that was dropped. Its cells up to Timestamp are
// deleted, even if a column of that name was added again. Servers print a dropped user-defined type
// as a tuple of its fields.
type DroppedColumn struct {
	Column
	Timestamp int64 // microseconds since the epoch; the greatest int64: not in the statement
}

// Value is the value of an option: a text, number or word, or a map of them.
type Value struct {
	Text string
	Map  map[string]string // nil: not a map
}

// Dependent is an index, a view or a trigger.
type Dependent struct {
	Keyspace, Name, Table string // empty: not in the statement
	Class                 string // class of a custom index, from USING; empty: not a custom index
	ID                    string // UUID of a view; empty: not in the statement
}

// Skipped is a statement that Parse skipped.
type Skipped struct {
	Line      int    // from 1
	Statement string // its first words
}

// Table returns a table, or nil if there is none of that name.
func (s *Schema) Table(keyspace, name string) *Table {
	for _, t := range s.Tables {
		if t.Keyspace == keyspace && t.Name == name {
			return t
		}
	}
	return nil
}

// View returns a materialized view with its columns, or nil if there is none of that name. A view
// whose base table is not in the schema has no types, and View returns nil.
func (s *Schema) View(keyspace, name string) *Table {
	for _, v := range s.views {
		if v.Keyspace == keyspace && v.Name == name {
			return v
		}
	}
	return nil
}

// MakesView returns the statement of a materialized view, or nil if there is none of that name. The
// base table need not be in the schema.
func (s *Schema) MakesView(keyspace, name string) *Dependent {
	for i := range s.Views {
		if v := &s.Views[i]; v.Keyspace == keyspace && v.Name == name {
			return v
		}
	}
	return nil
}

// Keyspace returns a keyspace, or nil if there is none of that name.
func (s *Schema) Keyspace(name string) *Keyspace {
	for _, k := range s.Keyspaces {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Replication returns the replication options of a keyspace, or nil if the keyspace is unknown.
func (s *Schema) Replication(keyspace string) map[string]string {
	k := s.Keyspace(keyspace)
	if k == nil {
		return nil
	}
	return maps.Clone(k.Options["replication"].Map)
}

// Error is a fault in a statement, with its position.
type Error = lex.Error
