// Package lex splits CQL into tokens and reads them one by one. The grammars of packages schema and
// where are built on it.
//
// # Where to start
//
// [NewReader] returns a [Reader] of the tokens of a text. Blanks and comments are not tokens. Every
// fault in a text is an [*Error], with its line and column.
//
// # Bytes and concurrency
//
// Tokens are parts of the text. A Reader belongs to one goroutine.
//
// # Sources
//
// The grammar of Apache Cassandra 3.11 to 5.0 (Lexer.g). The package checks only the first byte and
// the end of a number, duration or blob. The caller gives tokens their meaning.
package lex

import (
	"fmt"
	"strings"
)

// Error is a fault in a text. Line and Column count from 1, Column in characters.
type Error struct {
	Line, Column int
	Reason       string
}

// Error returns position and reason in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// ErrorAt returns an error at a byte of a text.
func ErrorAt(text string, at int, format string, args ...any) *Error {
	before := text[:min(at, len(text))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &Error{
		Line:   Line(text, at),
		Column: len([]rune(line)) + 1,
		Reason: fmt.Sprintf(format, args...),
	}
}

// Line returns the line that contains a byte of a text, from 1.
func Line(text string, at int) int { return strings.Count(text[:min(at, len(text))], "\n") + 1 }
