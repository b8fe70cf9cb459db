// Package read opens a table to be read ([Open]): by CQL, from SSTables that its nodes stream here,
// or from SSTables in folders. It chooses the options of the sweep over the table's token ranges,
// and says which ranges a sweep gave up.
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
	"errors"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/streamed"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Open opens a table the way that its settings name (--via), and plans to read it. If there is a
// condition, rows from SSTables must meet it; by CQL, the servers check it. The caller closes the
// source.
func Open(ctx context.Context, r files.Request) (*files.Source, error) {
	switch r.Reading.Via {
	case spec.ViaFiles:
		return files.Open(ctx, r)
	case spec.ViaStream:
		return streamed.Open(ctx, r)
	}
	cfg, err := r.Connection.Config(r.Env)
	if err != nil {
		return nil, err
	}
	cfg.Patience = r.Patience
	t, err := table.Open(ctx, cfg, r.Table, r.Planning, true)
	if err != nil {
		return nil, err
	}
	return &files.Source{Table: t}, nil
}

// FailedRange is a token range that could not be read.
type FailedRange struct {
	Tokens *table.TokenRange // nil: the table, read as one range
	Err    error
}

// Damaged returns the path of the component of an SSTable that is damaged, if that is why the range
// could not be read.
func (f FailedRange) Damaged() string { return files.Damaged(f.Err) }

// Failed lists the ranges that a sweep gave up. If there are none, every token of the ring
// was read once, or there is an error. If the table was dropped or replaced during the run, it
// returns an error and no list. Nodes that know of the change fail before all nodes report it.
func Failed(ctx context.Context, t *files.Source, r sweep.Result) ([]FailedRange, error) {
	if len(r.Failed) == 0 {
		if err := t.Plan.Check(r.Done); err != nil {
			return nil, fmt.Errorf(
				"internal check failed: the ranges read do not make up the ring: %w",
				err,
			)
		}
		return nil, nil
	}
	if t.Files != nil && t.Files.Unchanged != nil {
		if err := t.Files.Unchanged(ctx); errors.As(err, new(*run.RefusedError)) {
			return nil, err
		}
	}
	failed := make([]FailedRange, len(r.Failed))
	for i, f := range r.Failed {
		failed[i] = FailedRange{t.Tokens(f.Range), f.Err}
	}
	return failed, nil
}

// Error returns the error that ended a sweep. It is an error of usage if the servers refuse the
// condition (--where) before anything was read.
func Error(err error, where string, begun bool) error {
	if where != "" && !begun && fault.ClassOf(err) == fault.Permanent && fault.Answered(err) {
		if strings.Contains(err.Error(), "ALLOW FILTERING") {
			err = fmt.Errorf(
				"--allow-filtering has the servers read all rows to find those that meet the condition; "+
					"without it they say: %w",
				err,
			)
		}
		return &spec.UsageError{Err: fmt.Errorf("--where: %w", err)}
	}
	return err
}
