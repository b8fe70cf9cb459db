package operation

import (
	"context"
	"fmt"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/clone"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// CloneReport is what became of a clone. Its rows are those that SSTables have, deleted and expired
// ones among them.
type CloneReport struct {
	Report
	Stream     StreamStats
	DryRun     bool          // nothing was sent
	Ranges     int           // token ranges cloned
	Failed     []FailedRange // those that could not be read: nothing of them was cloned
	Files      *KeptFiles    // SSTables that are to be imported; nil: there are none
	Compaction *Compaction   // what the nodes still have to compact; nil: no node reported it
}

// StreamStats are the totals of what was streamed or kept as SSTables.
type StreamStats = stream.Stats

// Run reads the source slice by slice and delivers each slice to its nodes. Ranges that could not
// be read are in the report; they are no error.
func (c *Clone) Run(ctx context.Context) (CloneReport, error) {
	r := CloneReport{Report: newReport(c.t), DryRun: c.spec.DryRun}
	// of folders everything is read
	r.Consistency, r.Replicated = c.from.Consistency, c.from.Connected() && c.from.Replicated()
	job := clone.Job{
		Source:     c.from,
		Copier:     c.copier,
		Memory:     c.spec.Memory,
		Counters:   c.counters,
		SliceBytes: c.delivery.Setup.Options.DefaultSlice(),
		OnMove:     c.delivery.Setup.Options.OnMove,
	}
	if c.board != nil {
		job.Ring = c.board.Ring
	}
	result, err := job.Run(ctx)
	r.Ranges, r.Stream = len(result.Done), c.copier.Stats()
	if err == nil {
		r.Failed, err = read.Failed(ctx, c.from, result)
	}
	if err == nil && c.delivery.Folder != nil {
		err = c.delivery.CompleteFolder(ctx)
	}
	r.end(c.counters, c.t)
	r.addWarnings(c.from.Table)
	r.Outcome = run.OutcomeOf(ctx, err, len(r.Failed) > 0)
	if c.delivery.Folder != nil {
		if r.Files = c.delivery.Folder.Report(); err != nil {
			r.Files.Import = ""
		}
	}
	switch {
	case err != nil && fault.ClassOf(err) == fault.Fatal:
		return r, fmt.Errorf("clone of %s: %w", c.from.Schema, err)
	case err != nil || r.DryRun:
		return r, err
	case c.delivery.Folder == nil:
		c.warnOfTruncationMeanwhile(ctx, result.Done)
		r.Compaction = c.delivery.Compaction(ctx)
	case c.spec.Import:
		r.Files.Imports = c.delivery.Folder.Imports
		if slices.ContainsFunc(r.Files.Imports, func(i Imported) bool { return i.Err != nil }) {
			r.Outcome = run.Partly
		}
	}
	return r, nil
}

// warnOfTruncationMeanwhile warns if the new table was truncated while rows were cloned into it.
func (c *Clone) warnOfTruncationMeanwhile(ctx context.Context, done []token.Range) {
	if len(done) == 0 {
		return
	}
	c.t.WarnIfTruncated(ctx, c.env, c.truncated,
		"while rows were cloned: rows that were cloned before that are gone")
}

// altered returns the error for a table that was changed during the run.
func (c *Clone) altered() error {
	return fmt.Errorf("table %s was altered, or created again, meanwhile", c.t.Schema)
}
