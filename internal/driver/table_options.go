package driver

import (
	"context"
	"maps"
	"time"

	"golang.org/x/sync/errgroup"
)

// TableOptions are the options of a table for code that writes its files. They are what servers do
// with its rows, and how they store them.
type TableOptions struct {
	DefaultTTL int  // seconds; 0: rows do not expire
	Compact    bool // it has COMPACT STORAGE
	IsView     bool // it is a materialized view, and has no options but this one and the next
	// a view's rows exist by their liveness only: [reconcile.Table.StrictLiveness]
	StrictLiveness   bool
	CDC              bool // changes are captured
	BloomFPChance    float64
	MinIndexInterval int
	Compression      map[string]string // as the server has it, with or without a class; empty: none
	Views            []string          // materialized views of the table
	Indexes          []Index
	Triggers         []string
	// when columns were last dropped, by name; there may be columns of the same name again
	Dropped map[string]time.Time
}

// Index is a secondary index.
type Index struct {
	Name  string
	Class string // of a custom index, such as SAI; else empty
	// Options are those of a custom index. Target is the target as the server has it: c, or
	// values(c); empty: not known.
	Options map[string]string
}

// TableOptions reads the options of a table. A table that does not exist has none. All requests for
// it are sent at the same time.
func (s *Session) TableOptions(ctx context.Context, keyspace, table string) (TableOptions, error) {
	var o TableOptions
	var viewed string // the base table, if the table is a view
	whole := ctx
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		var flags []string
		found := false
		err := s.each(
			ctx,
			"",
			func() error { found = true; return nil },
			[]any{&o.DefaultTTL, &flags, &o.BloomFPChance, &o.MinIndexInterval, &o.Compression},
			"SELECT default_time_to_live, flags, bloom_filter_fp_chance, min_index_interval, compression FROM system_schema.tables "+
				"WHERE keyspace_name = ? AND table_name = ?",
			keyspace,
			table,
		)
		o.Compact = found && tableFlags(flags).compact()
		if o.Compression["enabled"] == "false" {
			o.Compression = nil
		}
		return err
	})
	group.Go(func() error {
		err := s.each(
			ctx,
			"",
			func() error { return nil },
			[]any{&o.CDC},
			"SELECT cdc FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
			keyspace,
			table,
		)
		if refused(err) { // ScyllaDB has no such column
			return nil
		}
		return err
	})
	group.Go(func() error {
		var name, base string
		return s.each(ctx, "", func() error {
			if name == table {
				o.IsView, viewed = true, base
			}
			if base == table {
				o.Views = append(o.Views, name)
			}
			return nil
		}, []any{&name, &base}, "SELECT view_name, base_table_name FROM system_schema.views WHERE keyspace_name = ?", keyspace)
	})
	group.Go(func() error {
		var name string
		var options map[string]string
		return s.each(ctx, "", func() error {
			o.Indexes = append(o.Indexes, Index{name, options["class_name"], maps.Clone(options)})
			return nil
		}, []any{&name, &options}, "SELECT index_name, options FROM system_schema.indexes WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
	})
	group.Go(func() error {
		var name string
		return s.each(
			ctx,
			"",
			func() error { o.Triggers = append(o.Triggers, name); return nil },
			[]any{
				&name,
			},
			"SELECT trigger_name FROM system_schema.triggers WHERE keyspace_name = ? AND table_name = ?",
			keyspace,
			table,
		)
	})
	group.Go(func() (err error) {
		o.Dropped, err = s.Dropped(ctx, keyspace, table)
		return err
	})
	err := group.Wait()
	if err == nil && o.IsView {
		o.StrictLiveness, err = s.strictLiveness(whole, keyspace, table, viewed)
	}
	return o, err
}

// ViewOf returns the base table of a materialized view; empty for any other table.
func (s *Session) ViewOf(ctx context.Context, keyspace, table string) (base string, err error) {
	err = s.each(
		ctx,
		"",
		func() error { return nil },
		[]any{&base},
		"SELECT base_table_name FROM system_schema.views WHERE keyspace_name = ? AND view_name = ?",
		keyspace,
		table,
	)
	return base, err
}

// strictLiveness reports whether the key of a view has a column that is not in the key of its base
// table. All columns of the base table's key are in the view's (View.baseNonPKColumnsInViewPK).
func (s *Session) strictLiveness(ctx context.Context, keyspace, view, base string) (bool, error) {
	keys := make(map[string]int)
	var kind string
	for _, table := range []string{view, base} {
		err := s.each(ctx, "", func() error {
			if kind == "partition_key" || kind == "clustering" {
				keys[table]++
			}
			return nil
		}, []any{&kind}, "SELECT kind FROM system_schema.columns WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
		if err != nil {
			return false, err
		}
	}
	return keys[view] > keys[base], nil
}
