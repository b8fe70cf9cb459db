package driver

import (
	"context"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// tableFlags is the flags of a table in system_schema.tables, which say how it keeps its rows
// (TableMetadata.Flag).
type tableFlags []string

// ordinary is the storage of a table that CQL made without COMPACT STORAGE, and of a view.
var ordinary = tableFlags{"compound"}

// storageOf reads the flags of a table. A view has none that differ.
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

// compact reports whether a table is one of COMPACT STORAGE (TableMetadata.Flag.isCQLTable). One
// without clustering columns has no flags, or that of counters alone.
func (s tableFlags) compact() bool {
	return !slices.Contains(s, "compound") || slices.Contains(s, "dense") ||
		slices.Contains(s, "super")
}

// shown gives the columns that CQL shows. system_schema.columns has those, too, that the servers
// add to a table of COMPACT STORAGE and hide (CompactTableMetadata.hiddenColumns): a value of the
// type empty where all columns are of the key, and a clustering column and a regular one where a
// table has no clustering columns. What such a table keeps as static columns are regular columns in
// CQL.
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
