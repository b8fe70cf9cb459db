package clone

import (
	"cmp"
	"context"

	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/streamed"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Open opens the table that is cloned to the table to, and plans to read it. By streaming it sets
// the slice of the settings, if the user did not. The options of the table to are known afterwards.
// The caller closes the source.
func Open(ctx context.Context, r files.Request, to *table.Table) (*files.Source, error) {
	if r.Reading.Via == spec.ViaStream {
		// The clone gets as many SSTables as there are slices.
		r.Reading.Slice = cmp.Or(r.Reading.Slice, streamed.MostAsked)
		return streamed.Open(ctx, r)
	}
	var err error
	if to.KnownOptions, err = to.Options(ctx); err != nil {
		return nil, err
	}
	from := &files.Source{Table: &table.Table{}}
	err = from.OpenOf(ctx, r, to)
	if err == nil {
		err = from.PlaceFiles(r.Env, r.Reading.Ring, r.Table.Keyspace, r.Connection.Consistency)
	}
	if err == nil {
		err = from.PlanFiles(r.Planning)
	}
	if err != nil {
		from.Close()
		return nil, err
	}
	return from, nil
}
