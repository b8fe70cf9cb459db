package operation

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
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
	result, err := c.copyAll(ctx)
	r.Ranges, r.Stream = len(result.Done), c.copier.Stats()
	if err == nil {
		r.Failed, err = failedRanges(ctx, c.from, result)
	}
	if err == nil && c.delivery.Folder != nil {
		err = c.delivery.CompleteFolder(ctx)
	}
	r.end(c.counters)
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
		r.Compaction = c.delivery.Compaction(ctx)
	case c.spec.Import:
		r.Files.Imports = c.delivery.Folder.Imports
		if slices.ContainsFunc(r.Files.Imports, func(i Imported) bool { return i.Err != nil }) {
			r.Outcome = run.Partly
		}
	}
	return r, nil
}

// mostMoves is how often a slice is copied again because nodes came, went or moved meanwhile.
const mostMoves = 3

// copyAll copies all slices. When nodes came, went or moved before all of a slice was there, it is
// copied again, out of files that are fetched again.
func (c *Clone) copyAll(ctx context.Context) (result sweep.Result, err error) {
	partitioner := c.from.Plan.Partitioner()
	var done []token.Range // of result, failed ones too
	for moves := 0; ; moves++ {
		err := c.copySlices(ctx, done, func(copied []stream.CopiedRange) {
			moves = 0
			var work int64
			for _, r := range copied {
				done = append(done, r.Range)
				if r.Err != nil {
					c.counters.Failed.Add(1)
					result.Failed = append(result.Failed, sweep.Failure{Range: r.Range, Err: r.Err})
				} else {
					result.Done = append(result.Done, r.Range)
					work += sweep.Work(r.Range, partitioner)
				}
			}
			c.counters.Slice.End(&c.counters.Done, work)
		})
		switch {
		case !errors.Is(err, stream.ErrMoved) && !errors.Is(err, stream.ErrTruncated):
			return result, err
		case moves == mostMoves:
			return result, fault.New(
				fault.Fatal,
				fmt.Errorf(
					"%w, %d times while the same rows were sent: some of them are not on all nodes that they belong to; "+
						"run the same command again to send all of them",
					err,
					moves+1,
				),
			)
		}
		c.delivery.Setup.Options.OnMove(err)
		c.counters.Slice.End(&c.counters.Done, 0)
		c.counters.Stage.Read()
		if c.from.Files.Refetch != nil {
			c.from.Files.Refetch(done)
		}
	}
}

// copySlices copies the slices of what is not done, and calls copied for each one that is there.
func (c *Clone) copySlices(
	ctx context.Context,
	done []token.Range,
	copied func([]stream.CopiedRange),
) error {
	partitioner := c.from.Plan.Partitioner()
	var ring *board.Ring
	if c.board != nil {
		ring = c.board.Ring
	}
	from := c.from.Files.Partitions(c.spec.Memory, ring)
	for ranges, err := range c.slices(ctx, done) {
		if err != nil {
			return err
		}
		for _, r := range ranges {
			c.counters.Slice.Plan(sweep.Work(r, partitioner))
		}
		var slice []stream.CopiedRange
		err := c.copier.Copy(ctx, ranges, files.Processors(), from, func(r stream.CopiedRange) {
			slice = append(slice, r)
		})
		if err != nil {
			return err
		}
		for _, r := range slice { // not before: a slice may be copied again
			ring.Done(r.Range)
			if r.Err != nil {
				ring.Failed(r.Range)
			}
		}
		copied(slice)
	}
	return nil
}

// slices returns the token ranges that are not done, in slices. A slice is copied and delivered as
// a unit. It is what one fetch returns, or enough of the SSTables in folders that few SSTables
// result.
func (c *Clone) slices(ctx context.Context, done []token.Range) iter.Seq2[[]token.Range, error] {
	return func(yield func([]token.Range, error) bool) {
		if pieces := c.from.Files.Pieces; pieces != nil {
			for ranges, err := range pieces.Slices(ctx) {
				if !yield(inOrder(ranges), err) {
					return
				}
			}
			return
		}
		var ranges []token.Range
		for _, s := range c.from.Plan.Splits {
			ranges = append(ranges, s.Range)
		}
		ranges = inOrder(token.Subtract(ranges, done))
		count := int(c.from.Files.Bytes/c.delivery.Setup.Options.DefaultSlice()) + 1
		for part := range slices.Chunk(ranges, max((len(ranges)+count-1)/count, 1)) {
			if !yield(part, nil) {
				return
			}
		}
	}
}

// inOrder gives token ranges in the order of the ring.
func inOrder(ranges []token.Range) []token.Range {
	return slices.SortedFunc(
		slices.Values(ranges),
		func(a, b token.Range) int { return a.Start.Compare(b.Start) },
	)
}

// altered is the error of a table that is not what it was.
func (c *Clone) altered() error {
	return fmt.Errorf("table %s was altered, or created again, meanwhile", c.t.Schema)
}
