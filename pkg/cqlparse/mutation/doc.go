// Package mutation parses one INSERT, UPDATE or DELETE, as far as a program must know it that runs
// it for many rows.
//
// # Where to start
//
// [Parse] returns a [Statement]: its table, what it assigns, and whether it has a condition.
// [Statement.Unrepeatable] returns why it must not be run twice with the same values.
// [Statement.WithTimestamp] adds a write time.
//
// # Errors
//
// An error is a [*lex.Error], with its line and column. The package accepts more than servers do: a
// server that prepares the statement checks the rest.
//
// # Bytes and concurrency
//
// A Statement is not changed after Parse, and is safe for concurrent use.
//
// # Sources
//
// The grammar of Apache Cassandra 3.11 to 5.0 (Parser.g: insertStatement, updateStatement,
// deleteStatement).
package mutation
