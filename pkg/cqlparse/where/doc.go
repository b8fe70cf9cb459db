// Package where parses the conditions of a CQL WHERE clause and evaluates them for rows. It serves
// programs that read the rows of a table without a server to select them.
//
// # Where to start
//
//   - [Parse] parses a condition, once for a table.
//   - [Condition.Columns] returns the columns whose cells the condition needs.
//   - [Condition.Holds] evaluates the condition for a row.
//   - [Condition.Tokens] returns the token ranges outside which the condition holds for no row.
//
// Cells are the bytes of the native protocol, as in package cqlwire. A nil cell is null.
//
// # Grammar
//
//	conditions = relation { AND relation }
//	relation   = column op literal | column IN ( literals ) | column [ key ] op literal
//	           | column CONTAINS literal | column CONTAINS KEY literal | column IS NOT NULL
//	           | ( columns ) op ( literals ) | ( columns ) IN ( ( literals ), ... )
//	           | TOKEN ( columns ) op token | ( relation )
//	op         = "=" | "<" | "<=" | ">" | ">=" | "!="
//
// A token is a number, or TOKEN of the literals of a partition key. Literals are those of CQL and
// must fit the type: 'x' and 1.5 do not fit int. The columns of a tuple must be consecutive
// clustering columns.
//
// The package refuses everything that must be computed, such as functions, casts and arithmetic. It
// also refuses bind markers, LIKE, BETWEEN and NOT. It accepts conditions that a server refuses
// without ALLOW FILTERING, because they read too much. It also accepts relations that only some
// versions know, such as IN of regular columns.
//
// # Meaning
//
//   - No relation holds for a null.
//   - Values are compared as in package cqlorder, texts by their bytes. Tuples are compared by the
//     first column that differs, in ascending order even if the clustering order descends.
//   - A condition with all columns of the partition key by = or IN selects these keys. Then equal
//     values of key columns with different bytes, such as 1.0 and 1.00, differ. The same applies to
//     CONTAINS in a frozen collection of decimals, tuples or user-defined types.
//   - The least token as an upper bound is no bound, because no row has that token.
//   - A timestamp without a zone is in UTC.
//   - The cell of a collection that is not frozen is the value that a client reads. Its elements
//     can be tested, but it cannot be compared.
//
// # Bytes and concurrency
//
// A Condition is immutable and safe for concurrent use. Holds does not retain its arguments. It
// allocates only if cqlorder.Order.Compare does. If the bytes of a cell are not a value of its
// type, the order of package cqlorder decides whether a relation holds.
//
// # Sources
//
// Of Apache Cassandra 5.0:
//
//   - the grammar: Parser.g and Lexer.g
//   - the literals of each type: cql3.Constants.Literal, and Literal of cql3.Lists, Sets, Maps,
//     Tuples and UserTypes
//   - the allowed comparisons: cql3.restrictions
//   - the meaning of relations: db.filter.RowFilter and cql3.Operator
package where

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Table describes a table to Parse.
type Table struct {
	Columns []schema.Column
	// Partitioner computes tokens. nil: TOKEN is refused, and Tokens does not use keys.
	Partitioner token.Partitioner
}

// Condition is a parsed condition.
type Condition struct {
	text      string
	columns   []string
	relations []relation
	tokens    []token.Range // nil: all
}

// String returns the condition in CQL, in a canonical form. It parses to the same condition.
func (c *Condition) String() string { return c.text }

// Columns returns the names of the columns whose cells Holds needs, each once. The caller must not
// modify the slice.
func (c *Condition) Columns() []string { return c.columns }

// Tokens returns the token ranges in which the condition can hold, in order and not adjacent. nil:
// anywhere. Empty: nowhere. The caller must not modify the slice.
func (c *Condition) Tokens() []token.Range { return c.tokens }

// Holds reports whether the condition holds for a row. cells are in the order of Columns, and t is
// the token of the row's partition.
func (c *Condition) Holds(cells [][]byte, t token.Token) bool {
	for _, r := range c.relations {
		if !r.holds(cells, t) {
			return false
		}
	}
	return true
}

// cell returns the index of a column in Columns, and adds it if it is missing.
func (c *Condition) cell(column string) int {
	if i := slices.Index(c.columns, column); i >= 0 {
		return i
	}
	c.columns = append(c.columns, column)
	return len(c.columns) - 1
}
