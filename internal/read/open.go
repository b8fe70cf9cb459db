// Package read opens a table to be read ([Open]): by CQL, from SSTables that its nodes stream here,
// or from SSTables in folders.
//
// A program can open several sources and read them at once: of one cluster or of several, each in
// another way. Sources share nothing but the process: the limits that package memory sets for the
// collector, and the ports of this host. Two sources that are streamed need different ports
// ([spec.Reading.Listen]); by default each takes a free one of a few. So two tables are compared
// by two sweeps, whose consumers sum up the rows of each token range:
//
//	for _, source := range []*files.Source{here, there} {
//		group.Go(func() error {
//			reader := source.Reader(files.Wanted{Read: columns, Query: query, Now: now})
//			_, err := sweep.Run(ctx, source.Plan.Splits, reader, options, newConsumer)
//			return err
//		})
//	}
//
// The plans of two clusters have different splits. A consumer that compares them puts each row into
// a range of its own choice, by the token of the row's partition key.
package read

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/streamed"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Open opens a table the way that it is read (o.Via), and plans to read it. If there is a condition
// (where), rows from SSTables must meet it; by CQL, the servers check it. The caller closes the
// source.
func Open(
	ctx context.Context,
	env spec.Environment,
	o *spec.Reading,
	conn *spec.Connection,
	name spec.TableName,
	planning plan.Options,
	where string,
	patience time.Duration,
) (*files.Source, error) {
	switch o.Via {
	case spec.ViaFiles:
		return files.Open(ctx, env, o, conn, name, planning, where)
	case spec.ViaStream:
		return streamed.Open(ctx, env, o, conn, name, planning, where, patience)
	}
	cfg, err := conn.Config(env)
	if err != nil {
		return nil, err
	}
	cfg.Patience = patience
	t, err := table.Open(ctx, cfg, name, planning, true)
	if err != nil {
		return nil, err
	}
	return &files.Source{Table: t}, nil
}
