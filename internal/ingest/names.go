package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// folded returns a name without capitals, blanks, underscores and other signs. Programs that write
// the same column differently agree in that.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// renaming is a field and the column that it seems to be.
type renaming struct {
	field, column string
	near          bool // some of their letters differ
}

// guessColumns returns the columns that names of unknown fields seem to be. Names that differ only
// by capitals, blanks and signs come first, and then those that differ by few letters. A column
// that has another field is not guessed.
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
	left := slices.DeleteFunc(t.Names(), func(column string) bool { return taken[column] })
	fields, columns := spellings(unknown), spellings(left)
	found := matching(fields, columns, spelling.same)
	for _, p := range found {
		fields = slices.DeleteFunc(fields, func(s spelling) bool { return s.name == p.field })
		columns = slices.DeleteFunc(columns, func(s spelling) bool { return s.name == p.column })
	}
	for _, p := range matching(fields, columns, spelling.near) {
		found = append(found, renaming{p.field, p.column, true})
	}
	return found
}

// spelling is a name and what is compared of it.
type spelling struct{ name, folded, digits string }

func spellings(names []string) []spelling {
	out := make([]spelling, len(names))
	for i, name := range names {
		out[i] = spelling{name, folded(name), digitsOf(name)}
	}
	return out
}

// digitsOf returns the digits of a name.
func digitsOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// same reports whether two names differ by capitals, blanks and signs alone.
func (s spelling) same(o spelling) bool { return s.folded == o.folded }

// near reports whether few letters of two names differ: one of four. Names with other digits are
// names of other things.
func (s spelling) near(o spelling) bool {
	least := min(len(s.folded), len(o.folded))
	most := max(least/4, 1)
	return least >= 3 && s.digits == o.digits && max(len(s.folded), len(o.folded))-least <= most &&
		levenshtein.Distance(s.folded, o.folded) <= most
}

// matching returns the fields that are like exactly one column that is like no other field. Two
// columns or two fields that are alike decide nothing.
func matching(
	fields, columns []spelling,
	alike func(field, column spelling) bool,
) (out []renaming) {
	like, times := make(map[string][]string), make(map[string]int)
	for _, field := range fields {
		for _, column := range columns {
			if alike(field, column) {
				like[field.name] = append(like[field.name], column.name)
				times[column.name]++
			}
		}
	}
	for _, field := range fields {
		if c := like[field.name]; len(c) == 1 && times[c[0]] == 1 {
			out = append(out, renaming{field: field.name, column: c[0]})
		}
	}
	return out
}

// describeGuesses lists the columns that were guessed from names with other letters. It is empty if
// there are none.
func describeGuesses(columns []renaming) string {
	var texts []string
	for _, c := range columns {
		if c.near {
			texts = append(texts, fmt.Sprintf("field %q is taken for column %q", c.field, c.column))
		}
	}
	return strings.Join(texts, "; ")
}

// naming returns the settings that map the fields to the columns that they seem to be, and skip the
// others. It skips none if one of them may be a missing column of the primary key.
func (f Fields) naming(columns []renaming, unknown, keys []string) Settings {
	pairs, skipped := maps.Clone(f.Renamed), slices.Clone(f.Skipped)
	if pairs == nil {
		pairs = make(map[string]string)
	}
	for _, c := range columns {
		pairs[c.field] = c.column
	}
	for _, name := range unknown {
		if _, mapped := pairs[name]; !mapped && len(keys) == 0 {
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

// fieldsShown is the number of bytes, at most, of a list of fields in a hint.
const fieldsShown = 200

// hintNames returns the flags for fields that match no column by name. Some of the fields seem to
// be one of columns. The keys are columns of the primary key without a field. The function mayHold
// reports whether such a column takes the values of a field.
func hintNames(
	t *schema.Table,
	columns []renaming,
	unknown, keys []string,
	mayHold func(column, field string) bool,
) string {
	left := unguessed(unknown, columns)
	if len(columns) == 0 {
		if len(keys) > 0 {
			return hintKeys(t, left, keys, mayHold)
		}
		return hintField(t.Noun(), unknown)
	}
	if len(unknown) == 1 && columns[0].near {
		return hintNear(
			columns[0],
			slices.ContainsFunc(
				t.Columns,
				func(c schema.Column) bool { return c.Name == columns[0].column && c.IsKey() },
			),
		)
	}
	var pairs []string
	for _, c := range columns {
		pairs = append(pairs, c.field+"="+c.column)
	}
	mapped, skipped := flagList(pairs), flagList(left)
	if len(mapped)+len(skipped) > fieldsShown {
		mapped, skipped = "FIELD=COLUMN,...", "FIELD,..."
	}
	text := fmt.Sprintf("--map %s says which columns they are", mapped)
	switch {
	case len(left) > 0 && len(keys) > 0:
		text += "; " + hintKeys(t, left, keys, mayHold)
	case len(left) > 0:
		text += fmt.Sprintf(", --skipcols %s leaves out the others", skipped)
	}
	return text
}

// hintNear returns the hint for one field that seems to be a column. A column of the primary key
// has no other field, so that the field is not to be left out.
func hintNear(c renaming, key bool) string {
	text := fmt.Sprintf(
		"--map %s says which column it is",
		flagList([]string{c.field + "=" + c.column}),
	)
	if !key {
		text += fmt.Sprintf(
			", --skipcols %s leaves out what is no column",
			flagList([]string{c.field}),
		)
	}
	return text
}

// hintField returns the hint for fields whose names are no columns, or no markers, as noun says.
func hintField(noun string, names []string) string {
	pair, list := flagList([]string{names[0] + "=" + strings.ToUpper(noun)}), " "+flagList(names)
	if len(list) > fieldsShown {
		pair, list = "FIELD="+strings.ToUpper(noun), ""
	}
	return fmt.Sprintf(
		"--map %s says which %s it is, --skipcols%s leaves out what is no %[2]s",
		pair,
		noun,
		list,
	)
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
