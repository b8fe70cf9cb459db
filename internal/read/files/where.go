package files

import (
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/where"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ReadWhere reads the condition that rows of SSTables must meet, which no server looks at.
func (t *Source) ReadWhere(text string) error {
	if text == "" {
		return nil
	}
	known := where.Table{Partitioner: t.Files.Merged.Partitioner, Columns: t.Schema.Declared()}
	var err error
	if t.Files.Where, err = where.Parse(text, known); err != nil {
		return fmt.Errorf("--where: %w", err)
	}
	return nil
}

// selectorsOf selects columns by name.
func (t *Source) selectorsOf(names []string) []schema.Selector {
	var all []schema.Selector
	for _, name := range names {
		for _, c := range t.Schema.Columns {
			if c.Name == name {
				all = append(
					all,
					schema.Selector{Name: c.Name, Type: c.Type, Column: c, Plain: true},
				)
			}
		}
	}
	return all
}

// Wants says whether the condition may hold for rows of a range.
func (f *Files) Wants(r token.Range) bool {
	return f.Where == nil || f.Where.Tokens() == nil ||
		len(token.Intersections(r, f.Where.Tokens())) > 0
}
