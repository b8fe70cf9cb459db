package copystmt

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse checks that no text causes a panic. The String of a statement must parse to the same
// statement, and every position must be in the text.
func FuzzParse(f *testing.F) {
	for _, tc := range good {
		f.Add(tc.text)
	}
	for _, tc := range refused {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			var syntax *Error
			if !errors.As(err, &syntax) || s != nil || syntax.Found == "" || syntax.Expected == "" {
				t.Fatalf("%#v, %v", s, err)
			}
			checkPosition(t, text, syntax.At)
			return
		}
		for i, o := range s.Options {
			checkPosition(t, text, o.At)
			if !strings.EqualFold(text[o.At.Offset:o.At.Offset+len(o.Name)], o.Name) {
				t.Fatalf("%q is not at %+v", o.Name, o.At)
			}
			if i > 0 && o.At.Offset <= s.Options[i-1].At.Offset {
				t.Fatalf("%q is not behind %q", o.Name, s.Options[i-1].Name)
			}
			if last, ok := s.Option(o.Name); !ok || last.At.Offset < o.At.Offset {
				t.Fatalf("%q: found %+v", o.Name, last)
			}
		}
		if s.Table == "" || s.Standard != (len(s.Files) == 0) ||
			s.Direction == To && len(s.Files) > 1 {
			t.Fatalf("%+v", s)
		}
		reparsed, err := Parse(s.String())
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		one, two := positionless(s), positionless(reparsed)
		if !equal(&one, &two) || s.String() != reparsed.String() {
			t.Fatalf("%+v became %+v by way of %s", s, reparsed, s)
		}
	})
}

func equal(a, b *Statement) bool {
	if a.Keyspace != b.Keyspace || a.Table != b.Table || a.Direction != b.Direction ||
		a.Standard != b.Standard {
		return false
	}
	if len(a.Columns) != len(b.Columns) || len(a.Files) != len(b.Files) ||
		len(a.Options) != len(b.Options) {
		return false
	}
	for i := range a.Columns {
		if a.Columns[i] != b.Columns[i] {
			return false
		}
	}
	for i := range a.Files {
		if a.Files[i] != b.Files[i] {
			return false
		}
	}
	for i := range a.Options {
		if a.Options[i] != b.Options[i] {
			return false
		}
	}
	return true
}

// checkPosition counts lines and characters from the start of the text.
func checkPosition(t *testing.T, text string, at Position) {
	t.Helper()
	if at.Offset < 0 || at.Offset > len(text) {
		t.Fatalf("%+v is outside a text of %d bytes", at, len(text))
	}
	before := text[:at.Offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	if at.Line != line || at.Column != column {
		t.Fatalf("%+v is line %d, column %d", at, line, column)
	}
}
