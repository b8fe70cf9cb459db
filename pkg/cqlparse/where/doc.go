// Package where reads the conditions of a WHERE clause of CQL and says of rows whether they hold: for who reads the
// rows of a table without a server that would choose them.
//
// Start with Parse, once for a table. Condition.Columns are the columns whose cells Condition.Holds looks at, row by row;
// Condition.Tokens are the token ranges outside of which it holds for no row. Cells are the bytes that the native protocol
// has for values, as in pkg/cqlwire, a cell that is nil is null.
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
// A token is a number, or TOKEN of the literals of a partition key. Literals are those of CQL, and must be such as the
// type takes: 'x' and 1.5 are no int. What has to be computed, as functions, casts and arithmetic have, and what stands for
// something else, as bind markers do, is refused; so are LIKE, BETWEEN and NOT. The columns of a tuple are clustering columns
// that follow each other.
//
// What a server refuses because it would have to read too much (without ALLOW FILTERING) is taken, and so is what only some
// versions know, as IN of regular columns is.
//
// # Meaning
//
// A null fulfils no relation. Values are compared as pkg/cqlorder does, texts by their bytes. Tuples of columns are compared
// by the first column that differs, whatever the clustering order. A condition that gives all columns of the partition key by = or
// IN asks for these keys, and then values of key columns that are equal and not the same, as 1.0 and 1.00, are others; so they
// are where CONTAINS looks into a frozen collection for decimals, tuples or user-defined types. A bound
// from above that is the least token is no bound, since no row has that token. A timestamp without a zone is of UTC.
//
// A collection that is not frozen is given as a client reads it; it can be asked for what it contains, and not be compared.
//
// # Bytes and concurrency
//
// A Condition is only read, by any number of goroutines. Holds keeps nothing of what it is given and allocates nothing, but
// where cqlorder.Order.Compare does. Bytes of a cell that are no value of its type fulfil a relation or do not, as the order of
// pkg/cqlorder has it.
//
// Sources, of Apache Cassandra 5.0: the grammar (Parser.g, Lexer.g), cql3.Constants.Literal (which literal is of which type),
// cql3.Lists, Sets, Maps, Tuples and UserTypes (Literal), cql3.restrictions (what may be compared), db.filter.RowFilter and
// cql3.Operator (when a relation holds).
package where

import (
	"slices"

	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Table is what a condition must know of a table.
type Table struct {
	Columns []schema.Column
	// Partitioner makes the tokens. Without one TOKEN is refused, and no key is told from others by its token.
	Partitioner token.Partitioner
}

// Condition is what holds for some rows of a table.
type Condition struct {
	text      string
	columns   []string
	relations []relation
	tokens    []token.Range // nil: all
}

// String is the condition in CQL, in a form of its own: parsed again it gives the same.
func (c *Condition) String() string { return c.text }

// Columns are the names of the columns whose cells Holds looks at, each once. The slice must not be changed.
func (c *Condition) Columns() []string { return c.columns }

// Tokens are the token ranges of the rows that the condition can hold for, in order and apart from each other. Nil says
// that it can hold anywhere, an empty slice that it holds nowhere. The slice must not be changed.
func (c *Condition) Tokens() []token.Range { return c.tokens }

// Holds says whether the condition holds for a row. The cells are those of Columns, in that order, and t is the token of
// the row's partition.
func (c *Condition) Holds(cells [][]byte, t token.Token) bool {
	for _, r := range c.relations {
		if !r.holds(cells, t) {
			return false
		}
	}
	return true
}

// cell is the place of a column in Columns, to which it is added.
func (c *Condition) cell(column string) int {
	if i := slices.Index(c.columns, column); i >= 0 {
		return i
	}
	c.columns = append(c.columns, column)
	return len(c.columns) - 1
}
