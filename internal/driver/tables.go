package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// ErrNotFound is wrapped by the errors for a keyspace or a table that does not exist.
var ErrNotFound = errors.New("not found")

// catalog is the set of tables in which the server describes its tables. It is the ordinary schema,
// or that of the virtual tables of Cassandra 4.0 and later.
type catalog struct{ keyspaces, tables, views, columns string }

var catalogs = []catalog{
	{
		"system_schema.keyspaces",
		"system_schema.tables",
		"system_schema.views",
		"system_schema.columns",
	},
	{
		"system_virtual_schema.keyspaces",
		"system_virtual_schema.tables",
		"",
		"system_virtual_schema.columns",
	},
}

// Table reads the description of a table or a materialized view. Names are stored names. The error
// for an unknown name suggests the nearest one.
func (s *Session) Table(ctx context.Context, keyspace, table string) (*schema.Table, error) {
	for _, c := range catalogs {
		columns, err := s.columns(ctx, c, keyspace, table)
		if err != nil {
			return nil, err
		}
		if len(columns) == 0 {
			continue
		}
		if c.views == "" { // virtual tables have no id
			return schema.New(keyspace, table, columns), nil
		}
		storage, err := s.storageOf(ctx, keyspace, table)
		if err != nil {
			return nil, err
		}
		id, err := s.tableID(ctx, keyspace, table)
		if err != nil {
			return nil, err
		}
		t := schema.New(keyspace, table, storage.shown(columns))
		t.ID = id.String()
		return t, nil
	}
	return nil, s.explainMissing(ctx, keyspace, table)
}

func (s *Session) columns(
	ctx context.Context,
	c catalog,
	keyspace, table string,
) ([]schema.Column, error) {
	var name, order, kind, text string
	var position int
	var columns []schema.Column
	var texts []string
	err := s.each(
		ctx,
		"",
		func() error {
			column := schema.Column{Name: name, Position: position, Desc: order == "desc"}
			switch kind {
			case "partition_key":
				column.Kind = schema.PartitionKey
			case "clustering":
				column.Kind = schema.Clustering
			case "static":
				column.Kind = schema.Static
			default:
				column.Kind = schema.Regular
			}
			columns = append(columns, column)
			texts = append(texts, text)
			return nil
		},
		[]any{&name, &order, &kind, &position, &text},
		"SELECT column_name, clustering_order, kind, position, type FROM "+c.columns+" WHERE keyspace_name = ? AND table_name = ?",
		keyspace,
		table,
	)
	if err != nil {
		if c.views == "" && refused(err) { // a server without virtual tables
			return nil, nil
		}
		return nil, err
	}
	if len(columns) == 0 {
		return nil, nil
	}
	types, err := s.userTypes(ctx, keyspace)
	if err != nil {
		return nil, err
	}
	for i := range columns {
		t, err := cqltype.Parse(texts[i], types.resolve)
		if err != nil {
			return nil, fmt.Errorf("column %q of %s.%s: %w", columns[i].Name, keyspace, table, err)
		}
		columns[i].Type = t
	}
	return columns, nil
}

// Dropped reads which columns of a table were dropped, and when. Older values of such columns do
// not count, even if there is a column of the name again.
func (s *Session) Dropped(
	ctx context.Context,
	keyspace, table string,
) (map[string]time.Time, error) {
	dropped := make(map[string]time.Time)
	var name string
	var at time.Time
	err := s.each(ctx, "", func() error {
		dropped[strings.Clone(name)] = at
		return nil
	}, []any{&name, &at}, "SELECT column_name, dropped_time FROM system_schema.dropped_columns WHERE keyspace_name = ? AND table_name = ?", keyspace, table)
	return dropped, err
}

// Replication reads a keyspace's replication options.
func (s *Session) Replication(ctx context.Context, keyspace string) (map[string]string, error) {
	var replication map[string]string
	found := false
	err := s.each(ctx, "", func() error { found = true; return nil }, []any{&replication},
		"SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = ?", keyspace)
	if err != nil {
		return nil, err
	}
	if !found {
		// Virtual keyspaces have none: each node answers for itself.
		return map[string]string{"class": "LocalStrategy"}, nil
	}
	return replication, nil
}

// Replications reads the replication options of all keyspaces, except for virtual ones.
func (s *Session) Replications(ctx context.Context) (map[string]map[string]string, error) {
	all := make(map[string]map[string]string)
	var name string
	var replication map[string]string
	err := s.each(ctx, "", func() error {
		all[strings.Clone(name)] = replication
		replication = nil
		return nil
	}, []any{&name, &replication}, "SELECT keyspace_name, replication FROM system_schema.keyspaces")
	return all, err
}

// TableNames returns the names of all keyspaces, and of the tables and views in each, except for
// virtual ones.
func (s *Session) TableNames(ctx context.Context) (map[string][]string, error) {
	all := make(map[string][]string)
	for _, from := range []string{"table_name FROM " + catalogs[0].tables, "view_name FROM " + catalogs[0].views} {
		var keyspace, name string
		err := s.each(ctx, "", func() error {
			all[strings.Clone(keyspace)] = append(all[keyspace], strings.Clone(name))
			return nil
		}, []any{&keyspace, &name}, "SELECT keyspace_name, "+from)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Session) explainMissing(ctx context.Context, keyspace, table string) error {
	keyspaces, err := s.names(
		ctx,
		"keyspace_name",
		func(c catalog) string { return c.keyspaces },
		"",
	)
	if err != nil {
		return err
	}
	if !slices.Contains(keyspaces, keyspace) {
		return fmt.Errorf(
			"keyspace %q %w%s",
			keyspace,
			ErrNotFound,
			schema.DidYouMean(keyspace, keyspaces),
		)
	}
	tables, err := s.names(ctx, "table_name", func(c catalog) string { return c.tables }, keyspace)
	if err != nil {
		return err
	}
	views, err := s.names(ctx, "view_name", func(c catalog) string { return c.views }, keyspace)
	if err != nil {
		return err
	}
	return fmt.Errorf(
		"table %q %w in keyspace %q%s",
		table,
		ErrNotFound,
		keyspace,
		schema.DidYouMeanTable(keyspace, table, append(tables, views...)),
	)
}

// names lists one column of a catalog table, from all catalogs that have it.
func (s *Session) names(
	ctx context.Context,
	column string,
	from func(catalog) string,
	keyspace string,
) ([]string, error) {
	var all []string
	for _, c := range catalogs {
		if from(c) == "" {
			continue
		}
		stmt, values := "SELECT "+column+" FROM "+from(c), []any(nil)
		if keyspace != "" {
			stmt += " WHERE keyspace_name = ?"
			values = append(values, keyspace)
		}
		var name string
		err := s.each(
			ctx,
			"",
			func() error { all = append(all, strings.Clone(name)); return nil },
			[]any{&name},
			stmt,
			values...)
		if err != nil && (c.views != "" || !refused(err)) {
			return nil, err
		}
	}
	return all, nil
}
