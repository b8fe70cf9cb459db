// Package ingest makes typed rows of delimited text or JSON lines and gives them to a target.
//
// One goroutine cuts the inputs into chunks of whole records. Parsers turn each chunk into
// rows of wire bytes, with their token, replicas, timestamps and times to live, and give
// them to the target ([write.Target]). What becomes of a chunk's rows is in its account;
// when that is known of all, the piece of the input that it is of is settled: its rejects and
// its record in the journal are written. A chunk is used again when the target has freed
// its rows; there is a fixed number of them, so a slow target stops the reading.
//
// Every row gets a client timestamp by its place in the input, so that the last
// row of a key wins whatever the order of the writes.
//
// Start with [Job].
package ingest

import (
	"context"
	"io"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// Input is one stream of records.
type Input struct {
	Name string
	Size int64                         // as it is stored, in bytes; 0 or less: unknown
	Open func() (io.ReadCloser, error) // nil: Job.OpenFile, by the name
	// Plain inputs may be opened more than once, at once and without waiting.
	Plain bool
	// Compare has what an earlier run settled read again and compared with what it was,
	// rather than passed over.
	Compare bool
	// Repeats is how often the records were written again before, each time with a
	// timestamp that is later by one.
	Repeats uint8
	// Stamps are the timestamps that the records had when they were loaded before,
	// in their order; 0, or no more of them: none.
	Stamps []int64
}

// Job is one load.
type Job struct {
	Table  *schema.Table
	Inputs []Input
	// opens the inputs that have no Open: many share one function
	OpenFile func(name string) (io.ReadCloser, error)
	// inputs are JSON lines, an object a row, and not delimited text
	JSON     bool
	Format   dsv.Format
	Header   bool          // inputs begin with a line of names
	Reading                // how the text of records is understood
	SkipRows int64         // rows to pass over, of all inputs together
	MaxRows  int64         // rows to load after those; 0: all
	Router   *write.Router // tells where rows belong
	Target   write.Target  // takes the rows; it serves one run
	Limits   Limits
	Null     row.State // of a null field: Unset, or Null to delete what is there
	// of all rows, microseconds since the epoch; nil: by their place in the input
	Timestamp *int64
	// StampStep is how far apart the timestamps of rows are, in microseconds; default 1,
	// at the most MaxStampStep.
	StampStep int64
	Memory    int64 // bytes that chunks of text and their rows may take, default 128 MiB
	// for which rows that were read are still written when the context has ended; default none
	Linger  time.Duration
	Rejects Rejects
	// MaxParseErrors and MaxInsertErrors are how many rows may be rejected before
	// the run stops with a *LimitError; negative: no limit.
	MaxParseErrors  int64
	MaxInsertErrors int64
	// KeepGoing has a load go on that rejects nearly every row; without it the run stops
	// with a *LimitError, unless there is a limit for the stage.
	KeepGoing bool
	// Former are the readings of earlier runs that this one goes on with, the oldest first; of
	// pieces that they began, a row that may have been written is written again as it was.
	Former []Reading
	// Journal keeps what is settled; nil: nobody. RepeatInDoubt writes rows again
	// that an earlier run may have written and that writing twice counts twice.
	Journal       Journal
	RepeatInDoubt bool
	Counters      *progress.Counters
	// Explain is told what becomes of the fields of each input, when it is known, in the order of
	// the inputs; nil: nobody asks.
	Explain func(input string, e Explanation)
	// AllBadFields has rejects name all fields of which no value can be made, and not the
	// first alone.
	AllBadFields bool
	// notes the values of a column; nil, or returns nil: nothing does
	Times func(schema.Column) TimeNoter
	Warn  func(format string, args ...any) // something odd that stops nothing
	// Through returns the command that loads an input through a filter, with settings besides the
	// present ones, for hints; nil: hints name neither the input nor the table.
	Through func(input, filter string, more Settings) string
	// ChunkSize and ChunkRecords are how many bytes of text, and records, make up a
	// piece, the same in a run that goes on; default 1 MiB, and what 4 MiB hold.
	ChunkSize    int
	ChunkRecords int
	MaxRecord    int // bytes of the longest record, default 64 MiB

	left map[int]leftOut // by input, of which something is left out; nil before CountEarlier
}

// TimeNoter notes the timestamps of a column. It is called for each of them by several goroutines,
// and must be quick.
type TimeNoter interface {
	// NoteTime takes a value, the text that it was read from, and the place of its record. It keeps
	// neither slice.
	NoteTime(wire, text []byte, file string, line int64)
}

// open opens an input.
func (j *Job) open(i Input) (io.ReadCloser, error) {
	if i.Open != nil {
		return i.Open()
	}
	return j.OpenFile(i.Name)
}

// MaxStampStep is the largest StampStep.
const MaxStampStep = 8

func (j *Job) withDefaults() *Job {
	out := *j
	if out.StampStep <= 0 {
		out.StampStep = 1
	}
	if out.Memory <= 0 {
		out.Memory = 128 << 20
	}
	if out.ChunkSize <= 0 {
		out.ChunkSize = 1 << 20
	}
	if most := maxRecords(
		len(out.Table.Columns),
	); out.ChunkRecords <= 0 ||
		out.ChunkRecords > most {
		out.ChunkRecords = most
	}
	if out.MaxRecord <= 0 {
		out.MaxRecord = 64 << 20
	}
	if out.Journal == nil {
		out.Journal = noJournal{out.Rejects}
	}
	if out.Warn == nil {
		out.Warn = func(string, ...any) {}
	}
	return &out
}

// Run gives all rows to the target, and waits until they are settled. It returns an error
// when the run could not go on: the context ended before all was read, an input could not be
// read or mapped, the rejects could not be written, or the target could not go on. The tally
// is of what was done until then.
func (j *Job) Run(ctx context.Context) (Tally, error) {
	run := newRun(j.withDefaults())
	err := run.all(ctx)
	return run.totals.Tally, err
}
