package spec

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// ColumnPatterns are the patterns of one column of dates or times.
type ColumnPatterns struct {
	Kind  cqltype.Kind // of the column
	Texts []string
}

// timeKinds are the types that have patterns, by their names in CQL.
var timeKinds = map[string]cqltype.Kind{
	"timestamp": cqltype.Timestamp,
	"date":      cqltype.Date,
	"time":      cqltype.Time,
}

// PatternsByColumn returns the patterns of single columns (--column), by the names of the columns.
func (o *TimeTexts) PatternsByColumn() (map[string]ColumnPatterns, error) {
	columns := make(map[string]ColumnPatterns)
	for _, text := range o.ColumnTexts {
		name, form, found := strings.Cut(text, "=")
		kindName, pattern, ok := strings.Cut(form, ":")
		kind, known := timeKinds[strings.ToLower(strings.TrimSpace(kindName))]
		if !found || !ok || !known || pattern == "" {
			return nil, fmt.Errorf(
				"--column %q: must be NAME=TYPE:PATTERN, where the type is timestamp, date or time",
				text,
			)
		}
		if err := checkPattern("column", kind, pattern); err != nil {
			return nil, err
		}
		name = strings.TrimSpace(name)
		own, given := columns[name]
		if given && own.Kind != kind {
			return nil, fmt.Errorf("--column %q: column %s has another type before", text, name)
		}
		columns[name] = ColumnPatterns{kind, append(own.Texts, pattern)}
	}
	return columns, nil
}

// Check returns an error if a column is of another type.
func (p ColumnPatterns) Check(name string, t *cqltype.Type) error {
	if t.Kind != p.Kind {
		return fmt.Errorf("--column: the type of column %q is %s, and not %s", name, t, p.Kind)
	}
	return nil
}

// CheckColumns returns an error if a table has no column of patterns, or one of another type.
func (o *TimeTexts) CheckColumns(t *schema.Table) error {
	columns, err := o.PatternsByColumn()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		i := slices.IndexFunc(t.Columns, func(c schema.Column) bool { return c.Name == name })
		if i < 0 {
			return fmt.Errorf(
				"--column: %s has no column %q%s", t, name, schema.DidYouMean(name, t.Names()),
			)
		}
		if err := columns[name].Check(name, t.Columns[i].Type); err != nil {
			return err
		}
	}
	return nil
}
