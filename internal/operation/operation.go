// Package operation has the commands without the command line: scan, load, count, clone, plan,
// doctor, and runs that resume or retry an earlier one. Each takes a spec and returns a report. A
// spec is filled in from flags, a COPY statement, or the run directory of an earlier run.
//
// First an operation is prepared: [PrepareScan], [PrepareLoad], [PrepareCount], [PreparePlan],
// [PrepareVerify], [PrepareDoctor], [PrepareResume], [PrepareRetry]. Preparing checks the spec,
// connects, and makes ready what the run needs. An error of it is a usage error, and nothing was
// done. There are two exceptions: an error of the cluster keeps its class (package fault), and a
// run that cannot be resumed returns a [*run.RefusedError].
//
// Then it is run, once. Run returns a report, which holds as far as the run came, even with an
// error. An error means that the run ended early, except for a [*spec.UsageError]. Close must be
// called at the end.
//
// A report has numbers, names and paths, and no formatted text. The command line formats it. Errors
// name settings as flags, such as --ingestrate.
//
// An operation belongs to one goroutine. Its counters may be read by any.
package operation

import (
	"cmp"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
)

// Report is what the reports of all runs over a table have.
type Report struct {
	Table      string // keyspace.table
	Outcome    run.Outcome
	Started    time.Time
	Duration   time.Duration
	TookBefore time.Duration          // that earlier processes of the run took
	Rows       int64                  // rows written out, acknowledged by the cluster, or counted
	Earlier    int64                  // of those, by the run that this one resumed
	Bytes      int64                  // of text written out or read in; 0 of a count
	Before     int64                  // of those, by the run that this one resumed
	Retries    int64                  // requests sent again
	Reasons    []progress.Reason      // why they were, the most frequent first
	Warnings   []ServerWarning        // that nodes sent with answers, the most frequent first
	Latency    progress.Latency       // of all answered requests; none of a run by streaming
	Target     time.Duration          // that small reads on the nodes were kept to; 0: none
	Kept       progress.LatencyRecord // how that was kept

	Consistency string // level of the requests; empty for a load by streaming

	// of CQL frames, as driver.Session.Compression has it; empty: there is no cluster
	FrameCompression string
	Replicated       bool // a row has several replicas, so that the level matters

	SSTables  int      // that were found in folders; 0 of a table that was read otherwise
	Snapshots []string // that they are of; none of live data
}

// newReport begins the report of a run over a table.
func newReport(t *table.Table) Report {
	r := Report{
		Table:       t.Schema.String(),
		Started:     time.Now(),
		Consistency: t.Consistency,
		Replicated:  t.Replicated(),
	}
	if t.Connected() {
		r.FrameCompression = t.Session.Compression()
	}
	return r
}

// newReadingReport begins the report of a run that reads a table.
func newReadingReport(t *files.Source) Report {
	r := newReport(t.Table)
	if t.Files != nil && t.Files.Found != nil {
		r.SSTables, r.Snapshots = len(t.Files.Found.SSTables), t.Files.Found.Tags
	}
	return r
}

// end fills in what the counters say once the work is over and only its journal is to be closed.
func (r *Report) end(c *progress.Counters, t *table.Table) {
	r.Duration = time.Since(r.Started)
	c.End(r.Duration)
	r.Rows, r.Earlier = c.Rows.Load(), c.Earlier.Load()
	r.Bytes, r.Before = c.Bytes.Load(), c.EarlierBytes.Load()
	r.TookBefore = time.Duration(c.EarlierTime.Load())
	r.Retries, r.Reasons, r.Latency = c.Retries.Load(), c.Reasons.List(), c.Requests.Whole()
	r.Target, r.Kept = c.Latency.Now()
	r.addWarnings(t)
}

// addWarnings adds the warnings of a table's nodes so far.
func (r *Report) addWarnings(t *table.Table) {
	if t.Connected() {
		r.Warnings = append(r.Warnings, t.Session.ServerWarnings()...)
		slices.SortStableFunc(r.Warnings, func(a, b ServerWarning) int {
			return cmp.Compare(b.Times, a.Times)
		})
	}
}

// RowsPerSecond returns the speed of this run, without the rows of the run that it resumed.
func (r *Report) RowsPerSecond() float64 { return float64(r.Rows-r.Earlier) / r.seconds() }

// BytesPerSecond returns the speed of this run in bytes of text.
func (r *Report) BytesPerSecond() float64 { return float64(r.Bytes-r.Before) / r.seconds() }

func (r *Report) seconds() float64 { return max(r.Duration.Seconds(), 0.001) }

// ServerWarning is a kind of warnings that nodes sent with answers.
type ServerWarning = driver.ServerWarning

// FailedRange is a token range that could not be read.
type FailedRange = read.FailedRange

// What a load or a clone reports of its SSTables, and a dry run of the fields.
type (
	// Explained is what a load would do, as a dry run reports it.
	Explained = load.Explained
	// ExplainedInput is what becomes of the fields of an input, and of those that have the same.
	ExplainedInput = load.ExplainedInput
	// KeptFiles are the SSTables that were left in a folder.
	KeptFiles = delivery.KeptFiles
	// Imported is what became of a node's SSTables that were to be imported.
	Imported = delivery.Imported
	// Compaction is what the nodes' compaction had to do when all was streamed.
	Compaction = delivery.Compaction
)
