package operation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/selectstmt"
)

// selectColumns returns what the scan selects, and the query that reads it beside the key.
func (s *Scan) selectColumns(ctx context.Context) ([]schema.Selector, driver.Query, error) {
	parsed, err := s.spec.Selected()
	if err != nil {
		return nil, driver.Query{}, err
	}
	query := driver.Query{Where: s.spec.Where, AllowFiltering: s.spec.AllowFiltering}
	if parsed != nil {
		query.PerPartition, query.Distinct = parsed.PerPartition, parsed.Distinct
	}
	if parsed == nil || len(parsed.Items) == 0 {
		selection, err := s.t.Schema.Selectors(s.spec.Columns)
		return selection, query, err
	}
	if err := s.refuseAggregates(ctx, parsed.Functions); err != nil {
		return nil, query, fmt.Errorf("--query: %w", err)
	}
	for _, item := range parsed.Items {
		query.Select = append(query.Select, item.Text)
	}
	var found []driver.Selected
	err = table.AskAll(ctx, func() (err error) {
		reader := s.t.Session.Reader(s.t.Schema, query, s.t.Plan.Partitioner())
		found, err = s.t.Session.PrepareSelect(ctx, reader)
		return err
	})
	query.Select = nil
	if err != nil {
		return nil, query, fmt.Errorf("--query: %w", err)
	}
	selection, err := s.selectorsOf(parsed.Items, found)
	if err != nil {
		err = fmt.Errorf("--query: %w", err)
	}
	return selection, query, err
}

// selectorsOf returns the items of a SELECT with the names and types that the servers have for
// them.
func (s *Scan) selectorsOf(
	items []selectstmt.Item,
	found []driver.Selected,
) ([]schema.Selector, error) {
	if len(found) != len(items) {
		return nil, fmt.Errorf("the servers find %d columns in it, and not %d", len(found), len(items))
	}
	var selection []schema.Selector
	for i, item := range items {
		name := found[i].Name
		if slices.ContainsFunc(selection, func(o schema.Selector) bool { return o.Name == name }) {
			return nil, fmt.Errorf("two of its columns are called %q: rename one with AS", name)
		}
		selector := schema.Selector{Name: name, CQL: item.Text, Type: found[i].Type}
		selector.Column = schema.Column{Name: name, Kind: schema.Regular, Type: found[i].Type}
		if c, ok := s.t.Schema.Column(item.Column); ok {
			selector.Column, selector.Type, selector.Plain = c, c.Type, true
		}
		selection = append(selection, selector)
	}
	return selection, nil
}

// refuseAggregates refuses functions that make one row of many: those of the servers, and those of
// users in any keyspace.
func (s *Scan) refuseAggregates(ctx context.Context, functions []string) error {
	if len(functions) == 0 {
		return nil
	}
	aggregates := []string{"avg", "count", "max", "min", "sum"}
	err := table.AskAll(ctx, func() error {
		own, err := s.t.Session.Aggregates(ctx)
		aggregates = append(aggregates, own...)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range functions {
		if slices.Contains(aggregates, name) {
			return fmt.Errorf(
				"%s is an aggregate, and each token range would have a result of its own "+
					"(cqlbulk count counts rows)",
				strings.ToUpper(name),
			)
		}
	}
	return nil
}

// columnsOf returns the columns of an output.
func columnsOf(selection []schema.Selector) []schema.Column {
	var columns []schema.Column
	for _, s := range selection {
		columns = append(columns, schema.Column{Name: s.Name, Kind: schema.Regular, Type: s.Type})
	}
	return columns
}
