package fromspec

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// requestsPerCore is the number of writes that keep a core of the cluster busy. While the core
// works on one of them, the others wait in the node's queue or are on the line.
const requestsPerCore = 16

// writing returns how rows are written by CQL.
func (l *Load) writing(limits cql.Limits) cql.Options {
	o, t := l.Spec, l.Table
	w := cql.Options{
		NewWriter: l.newWriter,
		Limits:    limits,
		MinBatch:  o.MinBatchSize,
		Rate:      pace.NewLimiter(o.IngestRate),
		ByteRate:  pace.NewLimiter(float64(o.MaxBytesPerSec)),
		InFlight:  o.InFlight,
		Attempts:  o.MaxAttempts,
		Patience:  o.Patience,
		Ping:      t.AnyOf,
		NodeName:  t.NodeName,
	}
	if w.InFlight == 0 {
		w.InFlight = requestsPerCore * t.Plan.Parallel / plan.DefaultSmudge
	}
	return w
}

// newWriter makes the writer for a set of columns.
func (l *Load) newWriter(columns []schema.Column) cql.Writer {
	if l.Spec.DryRun {
		return l.Shown(dryRun{})
	}
	if l.Statement != nil {
		return l.Shown(l.Statement.Writer(columns))
	}
	w := l.Table.Session.Writer(l.Table.Schema, columns).WithTTL(int(l.Spec.TTL))
	if l.Spec.IfNotExists {
		w = w.Once()
	}
	if l.timeless {
		w = w.Timeless()
	}
	return l.Shown(w)
}

// findTimeless finds out whether the table takes write times of clients. If not, it has all
// readings refuse them.
func (l *Load) findTimeless(ctx context.Context, reading *ingest.Reading) error {
	needed := ""
	switch o := l.Spec; {
	case o.Timestamp != "":
		needed = "--timestamp"
	case o.PreserveTimes:
		needed = "--preserve-times"
	}
	taken, err := l.Table.TakesTimes(ctx, needed)
	if err != nil || taken {
		return err
	}
	l.timeless = true
	const why = "the table takes no write times, and so no times of columns"
	reading.Fields.Untimed = why
	for i := range l.Former {
		l.Former[i].Fields.Untimed = why
	}
	l.Env.Warn(
		"the table takes no write times, so the servers choose them: of several rows of one key " +
			"any may win, and a row that is sent again replaces what was written since",
	)
	return nil
}

// dryRun is a writer that writes nothing.
type dryRun struct{}

func (dryRun) Write(context.Context, string, []row.Row) error { return nil }
func (dryRun) Idempotent() bool                               { return true }
