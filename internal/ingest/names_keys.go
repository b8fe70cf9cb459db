package ingest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltext"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// missingKeys returns the columns of the primary key that no field goes to, neither by its name nor
// by a guess.
func (f Fields) missingKeys(
	t *schema.Table,
	names []string,
	columns []renaming,
) (missing []string) {
	taken := make(map[string]bool)
	for _, name := range names {
		if column, ok := f.Renamed[name]; ok {
			name = column
		}
		if s, err := t.Select(name); err == nil && s.Plain && !f.skips(name) {
			taken[s.Name] = true
		}
	}
	for _, c := range columns {
		taken[c.column] = true
	}
	for _, c := range t.Columns {
		if c.IsKey() && !taken[c.Name] {
			missing = append(missing, c.Name)
		}
	}
	return missing
}

// unguessed returns the names that no guess is about.
func unguessed(unknown []string, columns []renaming) []string {
	return slices.DeleteFunc(slices.Clone(unknown), func(name string) bool {
		return slices.ContainsFunc(columns, func(c renaming) bool { return c.field == name })
	})
}

// hintKeys returns the hint for unknown fields if columns of the primary key have no field. One of
// the fields may be the key, and must not be skipped.
func hintKeys(
	t *schema.Table,
	left, keys []string,
	mayHold func(column, field string) bool,
) string {
	if len(keys) == 1 {
		left = slices.DeleteFunc(
			slices.Clone(left),
			func(field string) bool { return !mayHold(keys[0], field) },
		)
	}
	name := human.Verb(len(keys), "key column ", "key columns ") + strings.Join(keys, ", ")
	pairs := make([]string, len(keys))
	for i, key := range keys {
		pairs[i] = "FIELD=" + key
	}
	fields := flagList(left)
	if len(fields) > fieldsShown {
		fields = human.Of(len(left), "field")
	}
	switch {
	case len(left) == 0:
		return fmt.Sprintf(
			"no field is %s of %s, and none has values of its type: add it to the file",
			name,
			t,
		)
	case len(left) == 1 && len(keys) == 1:
		return fmt.Sprintf(
			"no field has the name of %s: --map %s if that is the key",
			name,
			flagList([]string{left[0] + "=" + keys[0]}),
		)
	case len(left) <= len(keys):
		return fmt.Sprintf(
			"no field has the name of %s: --map %s says which of %s it is",
			name,
			flagList(pairs),
			fields,
		)
	default:
		return fmt.Sprintf(
			"no field has the name of %s: --map %s says which of %s it is, and --skipcols leaves out the others",
			name,
			flagList(pairs),
			fields,
		)
	}
}

// valuesSeen is the number of values of a field that a guess looks at.
const valuesSeen = 100

// valuesOf returns the first values of a field of a header; none: they are not known.
func (f Fields) valuesOf(header format.Header, field string) (values [][]byte) {
	at := slices.Index(header.Names, field)
	text := f.firstText()
	if i := strings.Index(string(text), string(header.Raw)); i >= 0 && len(header.Raw) > 0 {
		text = text[i+len(header.Raw):]
	}
	for _, rec := range f.delimited().Records(text, 0) {
		if rec.Err == nil && 0 <= at && at < len(rec.Fields) && len(values) < valuesSeen &&
			len(rec.Fields[at].Text) > 0 {
			values = append(values, rec.Fields[at].Text)
		}
	}
	return values
}

// What values look like that a column takes by some setting.
var (
	likeNumber = regexp.MustCompile(`^[-+0-9.,' eE%$€£]*[0-9][-+0-9.,' eE%$€£]*$`)
	likeTime   = regexp.MustCompile(`[0-9]`)
	likeTruth  = regexp.MustCompile(`^\pL{1,8}$|^[01]$`)
)

// mayHold reports whether a column takes some of the values, as they are or by settings. If no
// values are known, it returns true.
func (f Fields) mayHold(t *schema.Table, column string, values [][]byte) bool {
	s, err := t.Select(column)
	if err != nil || len(values) == 0 || cqltext.TextLike(s.Column.Type) {
		return true
	}
	var like *regexp.Regexp
	switch s.Column.Type.Kind {
	case cqltype.Tinyint,
		cqltype.Smallint,
		cqltype.Int,
		cqltype.Bigint,
		cqltype.Varint,
		cqltype.Counter,
		cqltype.Float,
		cqltype.Double,
		cqltype.Decimal:
		like = likeNumber
	case cqltype.Date, cqltype.Time, cqltype.Timestamp:
		like = likeTime
	case cqltype.Boolean:
		like = likeTruth
	}
	types := f.typedBy([]schema.Column{s.Column})
	return types == nil || slices.ContainsFunc(values, func(value []byte) bool {
		takes, _ := types.takes(0, value)
		return takes || like != nil && like.Match(value)
	})
}

// likely returns the guesses without those of names with other letters whose columns take none of
// the values.
func (f Fields) likely(t *schema.Table, header format.Header, columns []renaming) []renaming {
	return slices.DeleteFunc(
		columns,
		func(c renaming) bool {
			return c.near && !f.mayHold(t, c.column, f.valuesOf(header, c.field))
		},
	)
}
