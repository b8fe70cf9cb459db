// Package selectstmt parses a SELECT, as far as a program must know it that reads a whole table by
// it, one token range after another.
//
// # Where to start
//
// [Parse] returns a [Statement] with the parts of the text. The caller adds a token range to the
// condition, and puts the parts together again.
//
// # Errors
//
// An error is a [*lex.Error], with its line and column. Parts that have no meaning for a token
// range, such as ORDER BY, are errors. The package accepts more than servers do: a server that
// prepares the statement checks the rest.
//
// # Bytes and concurrency
//
// A Statement is not changed after Parse, and is safe for concurrent use.
//
// # Sources
//
// The grammar of Apache Cassandra 3.11 to 5.0 (Parser.g: selectStatement).
package selectstmt
