// Package load reads delimited text or JSON lines and writes its rows to a table.
//
// One goroutine cuts the inputs into chunks of whole records. Parsers turn each
// chunk into rows of wire bytes, group them by partition and then by replicas
// into batches, and hand the batches to a pool of writers. A chunk goes back to
// the pool when the last of its rows is acknowledged or rejected; there is a fixed
// number of chunks, so a slow cluster stops the reading.
//
// Every row gets a client timestamp by its place in the input, so that the last
// row of a key wins whatever the order of the writes.
package load

import (
	"context"
	"io"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Writer writes rows of one set of columns as one request to a node (any node
// when host is empty). It must be safe for concurrent use and give errors with a
// class (package fault).
type Writer interface {
	Write(ctx context.Context, host string, rows []row.Row) error
	// Idempotent says whether a row may be written twice.
	Idempotent() bool
}

// Input is one stream of records.
type Input struct {
	Name string
	Size int64 // as it is stored, in bytes; 0 or less: unknown
	Open func() (io.ReadCloser, error)
	// Plain inputs may be opened more than once, at once and without waiting.
	Plain bool
	// Compare has what an earlier run settled read again and compared with what it was,
	// rather than passed over.
	Compare bool
	// Stamps are the timestamps that the records had when they were loaded before,
	// in their order; 0, or no more of them: none.
	Stamps []int64
	// Repeats is how often the records were written again before, each time with a
	// timestamp that is later by one.
	Repeats uint8
}

// Job is one load.
type Job struct {
	Table     *schema.Table
	Inputs    []Input
	JSON      bool // inputs are JSON lines, an object a row, and not delimited text
	Format    dsv.Format
	Header    bool     // inputs begin with a line of names
	Columns   []string // names of the fields; empty: from the header, or all of the table's columns without one
	Fields    Fields   // what those names mean
	SkipRows  int64    // rows to pass over, of all inputs together
	MaxRows   int64    // rows to load after those; 0: all
	Nulls     []string // texts that stand for null besides an empty field
	NewWriter func(columns []schema.Column) Writer
	Router    *Router
	Limits    Limits
	Latin1    bool      // the inputs are in ISO 8859-1 and not in UTF-8; not for JSON
	Null      row.State // of a null field: Unset, or Null to delete what is there
	Timestamp *int64    // of all rows, microseconds since the epoch; nil: by their place in the input
	// StampStep is how far apart the timestamps of rows are, in microseconds; default 1,
	// at the most MaxStampStep.
	StampStep int64
	MinBatch  int           // rows from which a batch does not wait for those of later chunks; default 10
	Memory    int64         // bytes that chunks of text and their rows may take, default 128 MiB
	Rate      *pace.Limiter // rows a second; nil: none
	ByteRate  *pace.Limiter // bytes of cells a second; nil: none
	InFlight  int           // requests under way at the most
	Attempts  int           // for one request before its rows are rejected; default pace.DefaultAttempts
	Backoff   pace.Backoff
	Patience  time.Duration // with a cluster that answers no request, and with replicas that take no row; default pace.DefaultPatience
	// Ping asks nodes for something small, all of the cluster when hosts is nil, and gives
	// nil once one of them has answered: whether it is a node that is away or the whole
	// cluster, nothing else tells when only rows of that node are left. Nil: none answers.
	Ping     func(ctx context.Context, hosts []string) error
	NodeName func(host string) string // what messages call a node; default its id
	Linger   time.Duration            // for which rows that were read are still written when the context has ended; default none
	Rejects  Rejects
	// MaxParseErrors and MaxInsertErrors are how many rows may be rejected before
	// the run stops with a *LimitError; negative: no limit.
	MaxParseErrors  int64
	MaxInsertErrors int64
	// KeepGoing has a load go on that rejects nearly every row; without it the run stops
	// with a *LimitError, unless there is a limit for the stage.
	KeepGoing bool
	// Journal keeps what is settled; nil: nobody. RepeatInDoubt writes rows again
	// that an earlier run may have written and that writing twice counts twice.
	Journal       Journal
	RepeatInDoubt bool
	Counters      *progress.Counters
	Warn          func(format string, args ...any) // something odd that stops nothing
	// ChunkSize and ChunkRecords are how many bytes of text, and records, make up a
	// piece, the same in a run that goes on; default 1 MiB, and what 4 MiB hold.
	ChunkSize    int
	ChunkRecords int
	MaxRecord    int // bytes of the longest record, default 64 MiB
}

// MaxStampStep is the largest StampStep.
const MaxStampStep = 8

// Result is what became of the rows: of all of them, those of an earlier run that
// this one went on with included. Existing are rows not written since there was
// one of their key already; InDoubt those that may or may not have been applied
// and must not be repeated. Sum is that of a scan of the same columns, when no key
// comes twice and nulls were null before.
type Result struct {
	Tally
	Batches  int64         // requests acknowledged by this run
	P50, P99 time.Duration // latency of those
}

// Rejected is the number of rows in the rejects file.
func (r Result) Rejected() int64 { return r.ParseErrors + r.InsertErrors }

func (j *Job) withDefaults() *Job {
	out := *j
	if out.Attempts <= 0 {
		out.Attempts = pace.DefaultAttempts
	}
	if out.InFlight <= 0 {
		out.InFlight = 32
	}
	if out.Patience <= 0 {
		out.Patience = pace.DefaultPatience
	}
	if out.StampStep <= 0 {
		out.StampStep = 1
	}
	if out.MinBatch <= 0 {
		out.MinBatch = 10
	}
	if out.Memory <= 0 {
		out.Memory = 128 << 20
	}
	if out.ChunkSize <= 0 {
		out.ChunkSize = 1 << 20
	}
	if most := maxRecords(len(out.Table.Columns)); out.ChunkRecords <= 0 || out.ChunkRecords > most {
		out.ChunkRecords = most
	}
	if out.MaxRecord <= 0 {
		out.MaxRecord = 64 << 20
	}
	if out.Journal == nil {
		out.Journal = noJournal{out.Rejects}
	}
	if out.NodeName == nil {
		out.NodeName = func(host string) string { return host }
	}
	if out.Warn == nil {
		out.Warn = func(string, ...any) {}
	}
	return &out
}

// Run loads. It returns an error when the run could not go on: the context
// ended before all was read, an input could not be read or mapped, the rejects could not be written,
// or the cluster refused to go on. What was written until then is in the result.
func (j *Job) Run(ctx context.Context) (Result, error) {
	run := newRun(j.withDefaults())
	err := run.all(ctx)
	return run.result(), err
}
