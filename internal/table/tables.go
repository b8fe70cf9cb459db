package table

import (
	"context"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// Tables returns the tables and views of a cluster, sorted, as keyspace.table in CQL's spelling. It
// returns when ctx ends, even if a node does not answer.
func Tables(ctx context.Context, env spec.Environment, c spec.Connection) ([]string, error) {
	cfg, err := c.Config(env)
	if err != nil {
		return nil, err
	}
	type answer struct {
		names []string
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		names, err := tableNames(ctx, cfg)
		answers <- answer{names, err}
	}()
	select {
	case a := <-answers:
		return a.names, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func tableNames(ctx context.Context, cfg driver.Config) ([]string, error) {
	session, err := driver.Connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	tables, err := session.TableNames(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, keyspace := range slices.Sorted(maps.Keys(tables)) {
		slices.Sort(tables[keyspace])
		for _, table := range tables[keyspace] {
			names = append(names, cqltype.QuoteIdent(keyspace)+"."+cqltype.QuoteIdent(table))
		}
	}
	return names, nil
}
