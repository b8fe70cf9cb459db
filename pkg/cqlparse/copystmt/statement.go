package copystmt

import "strings"

// Direction is the direction of a copy.
type Direction uint8

const (
	// From copies files into a table.
	From Direction = iota
	// To copies a table to a file.
	To
)

// String returns the keyword of the direction.
func (d Direction) String() string {
	if d == To {
		return "TO"
	}
	return "FROM"
}

// standard returns the keyword for the standard stream of a direction.
func (d Direction) standard() string {
	if d == To {
		return "STDOUT"
	}
	return "STDIN"
}

// Position is a place in a statement's text.
type Position struct {
	Offset int // in bytes, from 0
	Line   int // from 1
	Column int // in characters, from 1; a byte that is not UTF-8 counts as one
}

// Option is an option of a statement.
type Option struct {
	Name  string   // in lower case
	Value string   // without its quotes
	At    Position // of the name
}

// Statement is a COPY statement.
type Statement struct {
	Keyspace  string // empty: not in the statement
	Table     string
	Columns   []string // nil: not in the statement
	Direction Direction
	// Files are the texts after FROM or TO, unchanged: each may name several files, separated by
	// commas. There is one after TO, and none if Standard is true.
	Files    []string
	Standard bool     // STDIN or STDOUT
	Options  []Option // in order, including repeated ones
}

// Option returns the last option of a name, in lower case. If an option is repeated, the last one
// counts.
func (s *Statement) Option(name string) (Option, bool) {
	for i := len(s.Options) - 1; i >= 0; i-- {
		if s.Options[i].Name == name {
			return s.Options[i], true
		}
	}
	return Option{}, false
}

// String returns the statement without comments, with every value in quotes. The result of Parse
// for it is the same statement, except for positions.
func (s *Statement) String() string {
	table := quoteName(s.Table)
	if s.Keyspace != "" {
		table = quoteName(s.Keyspace) + "." + table
	}
	parts := []string{"COPY", table}
	if len(s.Columns) > 0 {
		parts = append(parts, "("+join(s.Columns, ", ", quoteName)+")")
	}
	parts = append(parts, s.Direction.String())
	if s.Standard {
		parts = append(parts, s.Direction.standard())
	} else {
		parts = append(parts, join(s.Files, ", ", quoteText))
	}
	if len(s.Options) > 0 {
		parts = append(parts, "WITH", join(s.Options, " AND ", func(o Option) string {
			return strings.ToUpper(o.Name) + " = " + quoteText(o.Value)
		}))
	}
	return strings.Join(parts, " ") + ";"
}

// join returns f of each element, joined by separator.
func join[E any](list []E, separator string, f func(E) string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = f(e)
	}
	return strings.Join(texts, separator)
}

// quoteText returns a text in single quotes.
func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteName returns a name as a CQL identifier, in quotes if necessary.
func quoteName(name string) string {
	bare := name != "" && isLower(name[0]) && !reserved[name]
	for i := 1; i < len(name); i++ {
		bare = bare && (isLower(name[i]) || isDigit(name[i]) || name[i] == '_')
	}
	if bare {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
