// Package lex cuts CQL into tokens, and reads them one after the other: what the grammars of pkg/cqlparse/schema and
// pkg/cqlparse/where have in common.
//
// Start with NewReader. Blanks and comments are no tokens. What is wrong at a place of the text is an *Error, which has
// line and column.
//
// Source: the grammar of Apache Cassandra 3.11 to 5.0 (Lexer.g). Of a number, a duration or a blob no more is looked at
// than its first byte and where it ends; what a token means is for who reads it.
package lex

import (
	"fmt"
	"strings"
)

// Error is a place of a text that cannot be read. Lines and columns count from 1, columns in characters.
type Error struct {
	Line, Column int
	Reason       string
}

// Error says where and why.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// ErrorAt is an error at a byte of a text.
func ErrorAt(text string, at int, format string, args ...any) *Error {
	before := text[:min(at, len(text))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return &Error{Line: Line(text, at), Column: len([]rune(line)) + 1, Reason: fmt.Sprintf(format, args...)}
}

// Line is the line that a byte of a text stands in, from 1.
func Line(text string, at int) int { return strings.Count(text[:min(at, len(text))], "\n") + 1 }
