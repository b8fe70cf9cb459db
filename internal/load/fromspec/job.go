// Package fromspec makes the job of a load from its settings, its table and its inputs.
package fromspec

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/run/advice"
	"github.com/cqlbulk/cqlbulk/internal/run/retry"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// chunksShare is the part of the memory that chunks of the input and their rows may take. The rest
// is for one record on its way through the splitter, for frames, and for the collector.
const chunksShare = 2

// Load is what a job is made of.
type Load struct {
	Env      spec.Environment
	Spec     *spec.Load // the job keeps it; Job names its columns in the order that it asks for
	Table    *table.Table
	Counters *progress.Counters
	Resumed  bool             // the settings are those of the record of a run
	Former   []ingest.Reading // how earlier runs of the load read its text; none: a new load
	Rejects  *retry.Rejects   // the inputs are these; nil: they are no rejects
	// Statement is run for each row; nil: rows are inserted.
	Statement *table.Statement
	// Shown returns a writer that shows what another one writes.
	Shown func(cql.Writer) cql.Writer

	timeless bool // the table takes no write times
}

// Job makes the job. Its journal, the place for its rejects and a target for streaming are left to
// the caller. An error is a mistake in the settings.
func (l *Load) Job(
	ctx context.Context,
	text format.TextFormat,
	reading ingest.Reading,
	inputs []source.Input,
) (*load.Job, error) {
	o, t := l.Spec, l.Table
	o.OrderColumns(t.Schema)
	reading.Columns = o.Columns
	filled := t.Schema // what the fields of inputs fill
	switch {
	case o.Deletes():
		var err error
		if filled, err = l.onlyKey(&reading); err != nil {
			return nil, err
		}
	case l.Statement != nil:
		filled = l.Statement.Markers()
	}
	if err := o.Dialect.CheckColumns(filled); err != nil {
		return nil, err
	}
	if err := l.findTimeless(ctx, &reading); err != nil {
		return nil, err
	}
	if len(o.Columns) > 0 && o.Format != format.JSONName {
		if _, err := ingest.MapNames(filled, o.Columns, reading.Fields); err != nil {
			return nil, fmt.Errorf("--columns: %w", err)
		}
	}
	server := t.Limits(ctx)
	table.LogLimits(l.Env, server)
	if err := o.CheckCounters(t.Schema, l.Resumed); err != nil {
		return nil, err
	}
	stamp, err := o.WriteTime()
	if err != nil {
		return nil, err
	}
	limits := cql.Limits{
		MaxRows:    o.MaxBatchSize,
		Partitions: server.BatchWarnPartitions,
		Bytes:      server.BatchWarnBytes,
		// One mutation, which the server never warns about; small enough to stay
		// off the large-allocation paths of the commit log and the heap.
		PartitionBytes: min(64<<10, server.MaxMutationBytes),
	}
	if t.IsKeyspaces() {
		limits.MaxRows = min(limits.MaxRows, table.KeyspacesBatch)
	}
	if o.IfNotExists || l.Statement.Alone() {
		limits.MaxRows = 1
	}
	form := format.Of(o.Format, text)
	if o.RejectsOf != "" {
		form = form.Rejected()
	}
	job := &load.Job{CQL: l.writing(limits), Job: ingest.Job{
		Table:     filled,
		Format:    form,
		SkipLines: o.Dialect.SkipLines,
		Header:    o.Header,
		Reading:   reading,
		Former:    l.Former,
		WriteTime: l.Statement.WriteTime(),
		SkipRows:  o.SkipRows,
		MaxRows:   max(o.MaxRows, 0),
		Router:    write.NewRouter(t.Plan.Partitioner(), t.Plan.Placement(), t.Plan.Hosts),
		Limits: ingest.Limits{
			MaxMutationBytes: server.MaxMutationBytes,
			MaxFrameBytes:    server.MaxFrameBytes,
		},
		Timestamp: stamp,
		Memory:    int64(o.Memory) / chunksShare,
		MaxRecord: o.MaxRecord(),

		RepeatInDoubt:    o.RepeatInDoubt,
		MaxParseErrors:   o.MaxParseErrors.Rows,
		MaxInsertErrors:  o.MaxInsertErrors.Rows,
		MaxParsePercent:  o.MaxParseErrors.Percent,
		MaxInsertPercent: o.MaxInsertErrors.Percent,
		KeepGoing:        o.KeepGoing,

		Counters: l.Counters,
		Warn:     l.Env.Warn,
		Through: func(input, filter string, more ingest.Settings) string {
			return advice.ThroughFilter(o, input, filter, more)
		},
		OpenFile: func(name string) (io.ReadCloser, error) {
			return source.Finder{Stores: l.Env.Stores}.Open(name)
		},
	}}
	if o.NullState == spec.NullTombstone {
		job.Null = row.Null
	}
	l.addInputs(job, inputs)
	l.Counters.Limit.Store(job.MaxRows)
	l.Counters.Requests.SetNames(t.NodeName)
	if o.DryRun {
		l.Counters.Requests.Untimed()
	}
	return job, nil
}

// onlyKey returns a table of the key columns by which rows are deleted. Fields of all other columns
// are not loaded.
func (l *Load) onlyKey(reading *ingest.Reading) (*schema.Table, error) {
	t := l.Table.Schema
	key, err := t.KeyStart(l.Spec.DeleteBy)
	if err != nil {
		return nil, fmt.Errorf("--delete-by: %w", err)
	}
	columns := slices.Clone(t.Columns)
	for i := range columns {
		name := columns[i].Name
		if !slices.ContainsFunc(key, func(c schema.Column) bool { return c.Name == name }) {
			columns[i].Kind = schema.Regular // of the key, too, behind its start
		}
	}
	unread := schema.New(t.Keyspace, t.Name, columns)
	reading.Fields.Unread = unread
	for i := range l.Former {
		l.Former[i].Fields.Unread = unread
	}
	if !l.Spec.Header && len(reading.Columns) == 0 && l.Spec.Format != format.JSONName {
		reading.Columns = l.Spec.DeleteBy // the fields are in the order that was typed
	}
	return schema.New(t.Keyspace, t.Name, key), nil
}

// addInputs adds the inputs to a job, and counts their sizes.
func (l *Load) addInputs(job *load.Job, inputs []source.Input) {
	job.Inputs = make([]ingest.Input, 0, len(inputs))
	var total int64
	for _, in := range inputs {
		made := InputOf(in)
		made.Stamps = l.Rejects.Stamps(in.Name, !job.Table.MayRepeatLater())
		made.Repeats = l.Rejects.Repeats(in.Name)
		job.Inputs = append(job.Inputs, made)
		if total >= 0 && in.Size >= 0 {
			total += in.Size
		} else {
			total = -1
		}
	}
	l.Counters.Total.Store(max(total, 0))
}

// InputOf returns an input of a job. All but the standard input are opened by the job's OpenFile.
func InputOf(in source.Input) ingest.Input {
	made := ingest.Input{Name: in.Name, Size: in.Size, Plain: in.Plain()}
	if in.Stdin() {
		made.Open = func() (io.ReadCloser, error) { return in.Open() }
	}
	return made
}

// lingerTime is how long an interrupted load keeps writing rows that it has read and that must not
// be written twice.
const lingerTime = 10 * time.Second

// Rows that must not be written twice are read in smaller pieces: all of a piece is in doubt when
// the load is killed. Each piece costs a write to the disk before its first row is sent.
const (
	carefulSize    = 256 << 10
	carefulRecords = 1000
)

// mostWide is the largest number of columns of a table whose rows may be written with all columns.
// A row that has few columns then takes four bytes more for each unset column.
const mostWide = 256

// ByCQL sets up a job that writes by CQL. It reports whether rows that are written twice count
// twice. Such rows are read in smaller pieces.
func (l *Load) ByCQL(job *load.Job) (countsTwice bool) {
	columns := l.Table.Schema.Columns
	if l.Statement != nil {
		countsTwice = !l.Statement.Repeatable()
	} else {
		countsTwice = !l.Table.Session.Writer(l.Table.Schema, columns).Idempotent()
	}
	switch {
	case countsTwice:
		job.Linger, job.ChunkSize, job.ChunkRecords = lingerTime, carefulSize, carefulRecords
		if job.Table.MayRepeatLater() { // lists, then
			job.StampStep = ingest.MaxStampStep
		}
	case len(columns) <= mostWide && !l.Spec.IfNotExists && l.Statement == nil:
		job.CQL.Wide = columns
	}
	return countsTwice
}
