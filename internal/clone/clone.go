// Package clone copies the rows of a table to another table, as SSTables: with their tombstones,
// timestamps and expiries. The caller opens both tables and the copier that sends the SSTables.
package clone

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Job is a table to copy, and where its rows go. A job belongs to one goroutine.
type Job struct {
	Source   *files.Source  // read from SSTables, and planned; the caller closes it
	Copier   *stream.Copier // merges partitions and sends them
	Memory   setting.Size   // that reading may take
	Counters *progress.Counters

	SliceBytes int64           // bytes of the SSTables in folders that are copied as a unit
	Ring       *board.Ring     // nil: no ring is shown
	OnMove     func(why error) // called before a slice is copied again
}

// mostMoves is the number of times that a slice is copied again because nodes joined, left or
// moved.
const mostMoves = 3

// Run copies all ranges of the table, slice by slice. If nodes joined, left or moved while a slice
// was sent, Run fetches its files again and copies the slice again. Ranges that could not be read
// are in the result; they are no error.
func (c *Job) Run(ctx context.Context) (result sweep.Result, err error) {
	partitioner := c.Source.Plan.Partitioner()
	var done []token.Range // of result, failed ones too
	for moves := 0; ; moves++ {
		err := c.copySlices(ctx, done, func(copied []stream.CopiedRange) {
			moves = 0
			var work int64
			for _, r := range copied {
				done = append(done, r.Range)
				if r.Err != nil {
					c.Counters.Failed.Add(1)
					result.Failed = append(result.Failed, sweep.Failure{Range: r.Range, Err: r.Err})
				} else {
					result.Done = append(result.Done, r.Range)
					work += sweep.Work(r.Range, partitioner)
				}
			}
			c.Counters.Slice.End(&c.Counters.Done, work)
		})
		switch {
		case !errors.Is(err, stream.ErrMoved) && !errors.Is(err, stream.ErrTruncated):
			return result, err
		case moves == mostMoves:
			return result, fault.New(
				fault.Fatal,
				fmt.Errorf(
					"%w, %d times while the same rows were sent: some of them are not on all nodes "+
						"that they belong to; run the same command again to send all of them",
					err,
					moves+1,
				),
			)
		}
		c.OnMove(err)
		c.Counters.Slice.End(&c.Counters.Done, 0)
		c.Counters.Stage.Read()
		if c.Source.Files.Refetch != nil {
			c.Source.Files.Refetch(done)
		}
	}
}

// copySlices copies the slices of what is not done, and calls copied for each one that is there.
func (c *Job) copySlices(
	ctx context.Context,
	done []token.Range,
	copied func([]stream.CopiedRange),
) error {
	partitioner := c.Source.Plan.Partitioner()
	from := c.Source.Files.Partitions(c.Memory, c.Ring)
	for ranges, err := range c.slices(ctx, done) {
		if err != nil {
			return err
		}
		for _, r := range ranges {
			c.Counters.Slice.Plan(sweep.Work(r, partitioner))
		}
		var slice []stream.CopiedRange
		err := c.Copier.Copy(ctx, ranges, files.Processors(), from, func(r stream.CopiedRange) {
			slice = append(slice, r)
		})
		if err != nil {
			return err
		}
		for _, r := range slice { // not before: a slice may be copied again
			c.Ring.Done(r.Range)
			if r.Err != nil {
				c.Ring.Failed(r.Range)
			}
		}
		copied(slice)
	}
	return nil
}

// slices returns the token ranges that are not done, in slices. A slice is copied and delivered as
// a unit. It is what one fetch returns, or enough of the SSTables in folders that few SSTables
// result.
func (c *Job) slices(ctx context.Context, done []token.Range) iter.Seq2[[]token.Range, error] {
	return func(yield func([]token.Range, error) bool) {
		if pieces := c.Source.Files.Pieces; pieces != nil {
			for ranges, err := range pieces.Slices(ctx) {
				if !yield(inOrder(ranges), err) {
					return
				}
			}
			return
		}
		var ranges []token.Range
		for _, s := range c.Source.Plan.Splits {
			ranges = append(ranges, s.Range)
		}
		ranges = inOrder(token.Subtract(ranges, done))
		count := int(c.Source.Files.Bytes/c.SliceBytes) + 1
		for part := range slices.Chunk(ranges, max((len(ranges)+count-1)/count, 1)) {
			if !yield(part, nil) {
				return
			}
		}
	}
}

// inOrder returns token ranges in the order of the ring.
func inOrder(ranges []token.Range) []token.Range {
	return slices.SortedFunc(
		slices.Values(ranges),
		func(a, b token.Range) int { return a.Start.Compare(b.Start) },
	)
}
