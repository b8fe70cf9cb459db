// Package ingest makes typed rows of inputs in any format and puts them into a target.
//
// One goroutine cuts the inputs into chunks of entire records. Parsers make rows of wire bytes from
// each chunk, with their token, replicas, timestamps and times to live, and put them into the
// target ([write.Target]). A pieceTracker counts what becomes of a chunk's rows. When each of them
// was written or rejected, the piece of the input is complete: its rejects and its record in the
// journal are written. There is a fixed number of chunks, and a chunk is reused when the target has
// released its rows. So a slow target stops the reading.
//
// Every row gets a client timestamp by its place in the input. So the last row of a key wins, in
// whatever order the rows are written.
//
// Start with [Job].
package ingest

import (
	"context"
	"io"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// Input is one stream of records.
type Input struct {
	Name string
	Size int64                         // as it is stored, in bytes; 0 or less: unknown
	Open func() (io.ReadCloser, error) // nil: Job.OpenFile, by the name
	// Plain inputs may be opened more than once, at once and without waiting.
	Plain bool
	// Compare reads again what an earlier run completed, and compares it with what it was, rather
	// than skip it.
	Compare bool
	// Repeats is how often the records were written again before, each time with a timestamp that
	// is later by one.
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
	Format   format.Format // of all inputs; nil: format.CSV
	// SkipLines is the number of lines of each input before its header or first record, which are
	// passed over; not for a Named format.
	SkipLines int64
	Header    bool // inputs begin with the names of their fields; not for a Named format
	Reading        // how the text of records is understood
	// WriteTime is the column whose values are the write times of a statement; empty: none is.
	WriteTime string
	SkipRows  int64         // rows to pass over, of all inputs together
	MaxRows   int64         // rows to load after those; 0: all
	Router    *write.Router // finds the replicas of rows
	Target    write.Target  // takes the rows; it serves one run
	Limits    Limits
	Null      row.State // of a null field: Unset, or Null to delete what is there
	// of all rows, microseconds since the epoch; nil: by their place in the input
	Timestamp *int64
	// Dropped maps columns that were dropped to the time of the last drop, in microseconds since
	// the epoch. Servers hide values of these columns with an earlier timestamp.
	Dropped map[string]int64
	// StampStep is the distance between the timestamps of rows, in microseconds; default 1, at most
	// MaxStampStep.
	StampStep int64
	Memory    int64 // bytes that chunks of text and their rows may take, default 128 MiB
	// for how long rows that were read are still written when the context has ended; default none
	Linger  time.Duration
	Rejects Rejects
	// MaxParseErrors and MaxInsertErrors are the numbers of rows that may be rejected before the
	// run stops with a *LimitError; negative: no limit.
	MaxParseErrors  int64
	MaxInsertErrors int64
	// MaxParsePercent and MaxInsertPercent are limits in percent of the rows read so far, in place
	// of those numbers; 0: none. They are checked from LeastShared rows on, and at the end.
	MaxParsePercent  float64
	MaxInsertPercent float64
	// KeepGoing continues a load that rejects nearly every row. Without it the run stops with a
	// *LimitError, unless there is a limit for the stage.
	KeepGoing bool
	// Former are the readings of the earlier runs that this one resumes, the oldest first. Rows in
	// flight when one of them stopped may already be written. They are read by the same reading
	// again, so that the result is the same.
	Former []Reading
	// Journal records the pieces that are complete; nil disables it. RepeatInDoubt writes rows
	// again that an earlier run may have written and that count twice if they are written twice.
	Journal       Journal
	RepeatInDoubt bool
	Counters      *progress.Counters
	// Explain is called with what becomes of the fields of each input, in the order of the inputs;
	// nil disables it.
	Explain func(input string, e Explanation)
	// AllBadFields makes rejects name all fields that have no valid value, and not only the first
	// one.
	AllBadFields bool
	// records the values of a column; nil, or a nil result: nothing does
	Times func(schema.Column) TimeNoter
	Warn  func(format string, args ...any) // reports something odd that stops nothing
	// Through returns the command that loads an input through a filter, with further settings, for
	// hints. nil: hints name neither the input nor the table.
	Through func(input, filter string, more Settings) string
	// ChunkSize and ChunkRecords are the bytes of text and the records of a piece. A resumed run
	// must have the same. Default: 1 MiB, and the records that 4 MiB hold.
	ChunkSize    int
	ChunkRecords int
	MaxRecord    int // bytes of the longest record, default 64 MiB

	left map[int]leftOut // by input that is not read from its beginning; nil before CountEarlier
}

// TimeNoter records the timestamps of a column. Several goroutines call it for each value, so it
// must be quick.
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
	if out.Format == nil {
		out.Format = format.CSV
	}
	if out.Warn == nil {
		out.Warn = func(string, ...any) {}
	}
	return &out
}

// Run puts all rows into the target, and waits until they are complete. It returns an error if the
// context ended before all was read, or if an input cannot be read or mapped. It also returns one
// if the rejects cannot be written or the target fails. The tally counts what was done until then.
func (j *Job) Run(ctx context.Context) (Tally, error) {
	run := newRun(j.withDefaults())
	err := run.execute(ctx)
	return run.totals.Tally, err
}
