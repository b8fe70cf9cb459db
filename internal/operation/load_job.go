package operation

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// chunksShare is the part of the memory that chunks of the input and their rows may take. The rest
// is for one record on its way through the splitter, for frames, and for the collector.
const chunksShare = 2

// requestsPerCore is the number of writes that keep a core of the cluster busy. While the core
// works on one of them, the others wait in the node's queue or are on the line.
const requestsPerCore = 16

// lingerTime is how long an interrupted load keeps writing rows that it has read and that must not
// be written twice.
const lingerTime = 10 * time.Second

// Rows that must not be written twice are read in smaller pieces: all of a piece is in doubt when
// the load is killed. Each piece costs a write to the disk before its first row is sent.
const (
	carefulSize    = 256 << 10
	carefulRecords = 1000
)

// useSmallPieces sets up a job whose rows must not be written twice.
func useSmallPieces(job *load.Job) {
	job.Linger, job.ChunkSize, job.ChunkRecords = lingerTime, carefulSize, carefulRecords
	if !job.Table.IsCounter() { // lists, then, which may be with a later timestamp
		job.StampStep = ingest.MaxStampStep
	}
}

// makeJob puts the load together, but for the books that it keeps.
func (l *Load) makeJob(
	ctx context.Context,
	format dsv.Format,
	reading ingest.Reading,
	inputs []source.Input,
) error {
	o, t := &l.spec, l.t
	o.OrderColumns(t.Schema)
	reading.Columns = o.Columns
	if len(o.Columns) > 0 && o.Format != "json" {
		if _, err := ingest.MapNames(t.Schema, o.Columns, reading.Fields); err != nil {
			return fmt.Errorf("--columns: %w", err)
		}
	}
	server := t.Limits(ctx)
	table.TellLimits(l.env, server)
	limits := batchLimits(server, o.MaxBatchSize)
	if t.Schema.IsCounter() {
		switch {
		case o.IfNotExists:
			return fmt.Errorf(
				"--if-not-exists: %s has counters, which know no such condition",
				t.Schema,
			)
		case o.TTL > 0:
			return fmt.Errorf("--ttl: %s has counters, which do not expire", t.Schema)
		case o.Timestamp != "":
			return fmt.Errorf(
				"--timestamp: %s has counters, whose timestamps are the nodes' own",
				t.Schema,
			)
		case o.Given["nulls"] && o.NullState == spec.NullTombstone && !l.run.continued && o.RejectsOf == "": // not of a record
			return fmt.Errorf(
				"--nulls %s: %s has counters, which a null leaves unchanged",
				spec.NullTombstone,
				t.Schema,
			)
		}
	}
	if o.IfNotExists {
		limits.MaxRows = 1
	}
	stamp, err := o.WriteTime()
	if err != nil {
		return err
	}
	former, err := formerReadings(l.reread.Former, format)
	if err != nil {
		return err
	}
	writer := cql.Options{
		NewWriter: l.newWriter(),
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
	if writer.InFlight == 0 {
		writer.InFlight = requestsPerCore * t.Plan.Parallel / plan.DefaultSmudge
	}
	l.job = &load.Job{CQL: writer, Job: ingest.Job{
		Table:    t.Schema,
		JSON:     o.Format == "json",
		Format:   format,
		Header:   o.Header,
		Reading:  reading,
		Former:   former,
		SkipRows: o.SkipRows,
		MaxRows:  max(o.MaxRows, 0),
		Router:   write.NewRouter(t.Plan.Partitioner(), t.Plan.Placement(), t.Plan.Hosts),
		Limits: ingest.Limits{
			MaxMutationBytes: server.MaxMutationBytes,
			MaxFrameBytes:    server.MaxFrameBytes,
		},
		Timestamp: stamp,
		Memory:    int64(o.Memory) / chunksShare,
		MaxRecord: o.MaxRecord(),

		RepeatInDoubt:   o.RepeatInDoubt,
		MaxParseErrors:  o.MaxParseErrors,
		MaxInsertErrors: o.MaxInsertErrors,
		KeepGoing:       o.KeepGoing,

		Counters: l.counters,
		Warn:     l.env.Warn,
		Through: func(input, filter string, more ingest.Settings) string {
			return advice.ThroughFilter(o, input, filter, more)
		},
	}}
	if o.NullState == spec.NullTombstone {
		l.job.Null = row.Null
	}
	l.job.OpenFile = func(name string) (io.ReadCloser, error) { return source.OpenFile(name) }
	l.job.Inputs = make([]ingest.Input, 0, len(inputs))
	var total int64
	for _, in := range inputs {
		made := ingest.Input{
			Name:    in.Name,
			Size:    in.Size,
			Plain:   in.Plain(),
			Stamps:  l.retried.Stamps(in.Name, t.Schema.IsCounter()),
			Repeats: l.retried.Repeats(in.Name),
		}
		if in.Stdin() {
			made.Open = func() (io.ReadCloser, error) { return in.Open() }
		}
		l.job.Inputs = append(l.job.Inputs, made)
		if total >= 0 && in.Size >= 0 {
			total += in.Size
		} else {
			total = -1
		}
	}
	l.counters.Total.Store(max(total, 0))
	l.counters.Limit.Store(l.job.MaxRows)
	l.counters.Requests.SetNames(t.NodeName)
	if l.spec.DryRun {
		l.counters.Requests.Untimed()
	}
	return nil
}

// newWriter makes the writer for a set of columns.
func (l *Load) newWriter() func([]schema.Column) cql.Writer {
	return func(columns []schema.Column) cql.Writer {
		if l.spec.DryRun {
			return l.shown(dryRun{})
		}
		w := l.t.Session.Writer(l.t.Schema, columns).WithTTL(int(l.spec.TTL))
		if l.spec.IfNotExists {
			w = w.Once()
		}
		return l.shown(w)
	}
}

// dryRun is a writer that writes nothing.
type dryRun struct{}

func (dryRun) Write(context.Context, string, []row.Row) error { return nil }
func (dryRun) Idempotent() bool                               { return true }

// batchLimits sets the bounds of a batch from the server's own.
func batchLimits(server driver.Limits, rows int) cql.Limits {
	return cql.Limits{
		MaxRows:    rows,
		Partitions: server.BatchWarnPartitions,
		Bytes:      server.BatchWarnBytes,
		// One mutation, which the server never warns about; small enough to stay
		// off the large-allocation paths of the commit log and the heap.
		PartitionBytes: min(64<<10, server.MaxMutationBytes),
	}
}
