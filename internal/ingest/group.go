package ingest

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/write"
)

// The pieces of small inputs are handled in groups. One journal record notes their beginning, one
// parser takes them, and a target may take their rows as those of one piece. A piece by itself
// costs far more than the few rows that it has.
const (
	smallInput = 8 << 10 // bytes of the largest input that is small
	// bytes of the arrays that a chunk of a small input keeps for its records
	smallRecords = 32 << 10
	groupChunks  = 32      // chunks of a group at most
	groupWeight  = 1 << 20 // bytes of memory from which a group is not filled further
)

// group is chunks that are cut and not sent to a parser yet. The journal does not have their pieces
// yet.
type group struct {
	ctx         context.Context // of the parsers and the target
	first, last *chunk
	count       int
	weight      int64
	begins      []Piece // pieces whose beginning the journal has to note
}

// many reports whether there are enough inputs for groups.
func (r *run) many() bool { return len(r.job.Inputs) >= groupChunks }

// takeChunk waits for an unused chunk.
func (r *run) takeChunk(until context.Context, small bool) (*chunk, error) {
	from := r.empty
	if small {
		from = r.small
	}
	if err := until.Err(); err != nil {
		return nil, err
	}
	select {
	case c := <-from:
		return c, nil
	default:
	}
	if err := r.sendGroup(); err != nil { // otherwise the chunks of the group would never be reused
		return nil, err
	}
	select {
	case c := <-from:
		return c, nil
	case <-until.Done():
		return nil, until.Err()
	}
}

// addToGroup has a chunk parsed, at once or with others of its group.
func (r *run) addToGroup(c *chunk) error {
	weight := c.weigh()
	g := &r.group
	if g.first != nil && (!c.small || g.weight+weight > groupWeight) {
		if err := r.sendGroup(); err != nil {
			return err
		}
	}
	if g.first == nil {
		g.first = c
	} else {
		g.last.next = c
	}
	g.last = c
	g.count++
	g.weight += weight
	if c.tracker.begins {
		g.begins = append(g.begins, c.tracker.piece)
	}
	if c.small && g.count < groupChunks {
		return nil
	}
	return r.sendGroup()
}

// sendGroup has the journal note the pieces of the group, waits for memory, and sends the group to
// the parsers.
func (r *run) sendGroup() error {
	g := &r.group
	if g.first == nil {
		return nil
	}
	first, weight := g.first, g.weight
	if len(g.begins) > 0 {
		if err := r.job.Journal.Begin(g.begins...); err != nil {
			return err
		}
	}
	*g = group{ctx: g.ctx, begins: g.begins[:0]}
	for c := first; c != nil; c = c.next {
		r.openPieces.add(c.tracker)
		r.acceptance.cut.Add(int64(c.count))
	}
	if err := r.admitGroup(g.ctx, first, weight); err != nil {
		return err
	}
	select {
	case r.chunks <- first:
		return nil
	case <-g.ctx.Done():
		return g.ctx.Err()
	}
}

// listRows appends the chunk's rows to a listRows that the target keeps, and counts them as open
// and held.
func (c *chunk) listRows(to []*write.Row) []*write.Row {
	for i := range c.rows {
		to = append(to, &c.rows[i])
	}
	c.tracker.open.Add(int64(len(c.rows)))
	c.tracker.rows.Store(int64(len(c.rows)))
	c.held.Add(int64(len(c.rows)))
	return to
}

// putGroup puts the rows of a group's chunks into the target, in their order. Neighbours with the
// same intake are put together.
func (r *run) putGroup(ctx context.Context, first *chunk) error {
	for first != nil {
		end := first.next
		for end != nil && len(first.views) == 1 && len(end.views) == 1 &&
			end.views[0].intake == first.views[0].intake {
			end = end.next
		}
		var err error
		if first.next == end {
			err = r.putChunk(ctx, first)
		} else {
			err = r.putChunks(ctx, first, end)
		}
		if err != nil {
			return err
		}
		first = end
	}
	return nil
}

// putChunks puts the rows of the chunks from first to the one before end.
func (r *run) putChunks(ctx context.Context, first, end *chunk) error {
	var rows []*write.Row // a list of its own, which outlasts the chunk that is freed first
	for c := first; c != end; c = c.next {
		rows = c.listRows(rows)
	}
	if err := first.views[0].intake.PutGroup(ctx, rows); err != nil {
		return err
	}
	var next *chunk
	for c := first; c != end; c = next {
		next = c.next // the reader may have the chunk as soon as it is freed
		if err := c.tracker.completeRows(1); err != nil {
			return err
		}
		r.free(c, 1)
	}
	return nil
}
