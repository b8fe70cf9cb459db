package driver

import (
	"context"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// tableFlags are the flags of a table in system_schema.tables, which say how it stores its rows
// (TableMetadata.Flag).
type tableFlags []string

// ordinary are the flags of a table made without COMPACT STORAGE, and of a view.
var ordinary = tableFlags{"compound"}

// storageOf reads the flags of a table. For a view they are ordinary.
func (s *Session) storageOf(ctx context.Context, keyspace, table string) (tableFlags, error) {
	out := ordinary
	var flags []string
	err := s.each(
		ctx,
		"",
		func() error { out = flags; return nil },
		[]any{&flags},
		"SELECT flags FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
		keyspace,
		table,
	)
	return out, err
}

// compact reports whether a table has COMPACT STORAGE (TableMetadata.Flag.isCQLTable). One without
// clustering columns has no flags, or only that of counters.
func (s tableFlags) compact() bool {
	return !slices.Contains(s, "compound") || slices.Contains(s, "dense") ||
		slices.Contains(s, "super")
}

// shown returns the columns that CQL shows. system_schema.columns also has columns that servers add
// to a table with COMPACT STORAGE, and hide (CompactTableMetadata.hiddenColumns). If all columns
// are in the key, that is a value of type empty. If a table has no clustering columns, it is a
// clustering column and a regular one. What such a table stores as static columns are regular
// columns in CQL.
func (s tableFlags) shown(columns []schema.Column) []schema.Column {
	if !s.compact() {
		return columns
	}
	dense := slices.Contains(s, "dense")
	var shown []schema.Column
	for _, c := range columns {
		switch {
		case dense && c.Kind == schema.Regular && c.Type.Kind == cqltype.Empty:
			continue
		case !dense && (c.Kind == schema.Clustering || c.Kind == schema.Regular):
			continue
		case !dense && c.Kind == schema.Static:
			c.Kind = schema.Regular
		}
		shown = append(shown, c)
	}
	return shown
}
