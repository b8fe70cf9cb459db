package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/schema"
)

// printFields says what becomes of the fields of an input.
func (s streams) printFields(in operation.ExplainedInput) {
	s.note("%s has %s:", in.Name, human.Of(len(in.Fields), "field"))
	field, column := 0, 0
	for _, f := range in.Fields {
		field = max(field, utf8.RuneCountInString(f.Field))
		column = max(column, utf8.RuneCountInString(f.Loaded))
	}
	field, column = min(field, widestName), min(column, widestName)
	for _, f := range in.Fields {
		what := "not loaded"
		if f.Loaded != "" {
			what = fmt.Sprintf("%-*s  %s", column, f.Loaded, typeOf(f.Column, f.Loaded))
		}
		s.note("  %-*s  %s", field, f.Field, what)
	}
	if len(in.Missing) > 0 {
		s.note("  no field, so these stay as they are: %s", strings.Join(in.Missing, ", "))
	}
}

// widestName is the largest column, from the margin, at which names are aligned.
const widestName = 30

// typeOf is the type of what a field goes to, and its part of the key.
func typeOf(c schema.Column, loaded string) string {
	switch {
	case loaded != c.Name:
		return "time of a value" // as ttl(c)
	case c.Kind == schema.Regular:
		return c.Type.String()
	default:
		return c.Type.String() + ", " + c.Kind.String()
	}
}

// printExplained says how rows would go into the table.
func (s streams) printExplained(e *operation.Explained) {
	if e == nil || len(e.Inputs) == 0 {
		return
	}
	for _, in := range e.Inputs {
		if in.Like > 0 {
			s.note("the fields of %s are those of %s", human.Of(in.Like, "further input"), in.Name)
		}
	}
	if e.Others > 0 {
		s.note(
			"%s %s other fields",
			human.Of(e.Others, "further input"),
			human.Verb(e.Others, "has", "have"),
		)
	}
	if !e.KeysAlone {
		s.note("%s", nullDoes(e))
	}
	s.note("%s", e.Way)
}

// nullDoes says what a null field does.
func nullDoes(e *operation.Explained) string {
	null := "a field with nothing"
	for _, text := range e.Nulls {
		null += fmt.Sprintf(", or %q,", text)
	}
	does := "leaves its column as it is"
	if e.NullDeletes {
		does = "deletes what is in its column"
	}
	return null + " " + does
}
