package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// folded is a name without capitals, blanks, underscores and other signs: what remains of it
// however programs write the names of columns.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// renaming is a field and the column that it seems to be.
type renaming struct{ field, column string }

// guessColumns returns for names of fields that are no columns the columns that differ from them by
// capitals, blanks and signs alone. A column that another field goes to is none of them.
func (f Fields) guessColumns(t *schema.Table, names []string) []renaming {
	taken := make(map[string]bool)
	var unknown []string
	for _, name := range names {
		if f.skips(name) {
			continue
		}
		column := name
		if other, ok := f.Renamed[name]; ok {
			column = other
		}
		if s, err := t.Select(column); err != nil {
			unknown = append(unknown, name)
		} else if s.Plain {
			taken[s.Name] = true
		}
	}
	columns, fields := make(map[string][]string), make(map[string]int)
	for _, column := range t.Names() {
		if !taken[column] {
			columns[folded(column)] = append(columns[folded(column)], column)
		}
	}
	for _, name := range unknown {
		fields[folded(name)]++
	}
	var out []renaming
	for _, name := range unknown {
		// Two columns, or two fields, that differ by signs alone are nothing to guess by.
		if c := columns[folded(name)]; len(c) == 1 && fields[folded(name)] == 1 {
			out = append(out, renaming{name, c[0]})
		}
	}
	return out
}

// naming are the settings by which the fields go to the columns that they seem to be, and others nowhere.
func (f Fields) naming(columns []renaming, unknown []string) Settings {
	pairs, skipped := maps.Clone(f.Renamed), slices.Clone(f.Skipped)
	if pairs == nil {
		pairs = make(map[string]string)
	}
	for _, c := range columns {
		pairs[c.field] = c.column
	}
	for _, name := range unknown {
		if _, mapped := pairs[name]; !mapped {
			skipped = append(skipped, name)
		}
	}
	out := make(Settings)
	for _, field := range slices.Sorted(maps.Keys(pairs)) {
		out["map"] = append(out["map"], field+"="+pairs[field])
	}
	if len(skipped) > 0 {
		out["skipcols"] = skipped
	}
	return out
}

// fieldsShown is how long a list of fields is that a hint names.
const fieldsShown = 200

// hintNames returns the flags for fields that match no column by name, some of which seem to be columns.
func hintNames(t *schema.Table, columns []renaming, unknown []string) string {
	if len(columns) == 0 {
		return hintField(t, unknown...)
	}
	var pairs, left []string
	for _, c := range columns {
		pairs = append(pairs, c.field+"="+c.column)
	}
	for _, name := range unknown {
		if !slices.ContainsFunc(columns, func(c renaming) bool { return c.field == name }) {
			left = append(left, name)
		}
	}
	mapped, skipped := flagList(pairs), flagList(left)
	if len(mapped)+len(skipped) > fieldsShown {
		mapped, skipped = "FIELD=COLUMN,...", "FIELD,..."
	}
	text := fmt.Sprintf("--map %s says which columns they are", mapped)
	if len(left) > 0 {
		text += fmt.Sprintf(", --skipcols %s leaves out the others", skipped)
	}
	return text
}

// hintField says what can be done with fields that are no columns.
func hintField(t *schema.Table, names ...string) string {
	if list := flagList(names); len(list) <= fieldsShown {
		column := cmp.Or(levenshtein.Nearest(names[0], t.Names()), "COLUMN")
		return fmt.Sprintf("--map %s says which column it is, --skipcols %s leaves out what is no column", flagList([]string{names[0] + "=" + column}), list)
	}
	return "--map FIELD=COLUMN says which column it is, --skipcols leaves out what is no column"
}

// flagList writes names as the value of a flag, as one types it into a shell.
func flagList(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		if strings.ContainsAny(name, `,"`) {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		quoted[i] = name
	}
	return safetext.ShellWord(strings.Join(quoted, ","))
}
