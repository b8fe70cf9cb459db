package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// write is the loop of one writer: it sends a lane's batches until there are no
// more.
func (r *run) write(ctx context.Context, l *lane) error {
	var scratch []row.Row
	for {
		b, err := l.next(ctx)
		if b == nil {
			return err
		}
		scratch = b.rowsOf(scratch[:0])
		if err := r.send(ctx, b, scratch); err != nil {
			return err
		}
		clear(scratch)
		if err := r.settle(b); err != nil {
			return err
		}
	}
}

// settle gives up the holds that a batch's rows have of their chunks.
func (r *run) settle(b *batch) error {
	for rows := b.rows; len(rows) > 0; {
		c, n := rows[0].chunk, 1
		for n < len(rows) && rows[n].chunk == c {
			n++
		}
		// The rows are no longer there when the last hold is given up.
		rows = rows[n:]
		if err := r.release(c, n); err != nil {
			return err
		}
	}
	return nil
}

// send writes a batch and settles each of its rows: acknowledged, rejected, in
// doubt, or there already. An error ends the run.
func (r *run) send(ctx context.Context, b *batch, rows []row.Row) error {
	err := r.attempt(ctx, b, rows)
	if err == nil {
		r.answered()
		r.job.Counters.Rows.Add(int64(len(b.rows)))
		r.acknowledge(b)
		return nil
	}
	var lost *lostError
	switch class := fault.ClassOf(err); {
	case errors.As(err, &lost):
		return r.refuse(b, Insert, err)
	case class == fault.Canceled || class == fault.Fatal:
		return err
	case class == fault.NotApplied:
		r.answered()
		for _, p := range b.rows {
			p.chunk.add(Tally{Existing: 1})
			r.tookRows(1)
		}
		return nil
	case len(b.rows) > 1 && (class == fault.Permanent || fault.Retryable(err, b.writer.Idempotent())):
		// One bad row never takes its batch along, not even one that the cluster
		// never answers.
		return r.sendEach(ctx, b, err)
	case class == fault.Permanent:
		if err := r.refuse(b, Insert, err); err != nil {
			return err
		}
		return r.notTaken(len(b.rows))
	default:
		return r.giveUp(ctx, b, err)
	}
}

// answered notes that a batch was dealt with as it should be.
func (r *run) answered() {
	r.exhausted.Store(0)
	r.doubts.Store(0)
	r.sent.Add(1)
}

// fewAttempts is how often a row is tried whose batch has used up all attempts: when it
// is the cluster that does not answer, that shall be known soon.
const fewAttempts = 3

// sendEach sends the rows of a batch that failed one by one. Those that a limit
// leaves over are refused for what the batch was refused for.
func (r *run) sendEach(ctx context.Context, b *batch, reason error) error {
	var scratch []row.Row
	for i := range b.rows {
		single := &batch{writer: b.writer, set: b.set, rows: b.rows[i : i+1], few: fault.ClassOf(reason) != fault.Permanent}
		scratch = single.rowsOf(scratch[:0])
		err := r.send(ctx, single, scratch)
		var limit *LimitError
		if errors.As(err, &limit) && i+1 < len(b.rows) {
			return errors.Join(err, r.refuse(&batch{rows: b.rows[i+1:]}, Insert, reason))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// acknowledge counts the rows of a batch as written.
func (r *run) acknowledge(b *batch) {
	for rows := b.rows; len(rows) > 0; {
		c, n := rows[0].chunk, 0
		var sum rowsum.Sum
		for n < len(rows) && rows[n].chunk == c {
			sum = sum.Add(rows[n].sum)
			n++
		}
		c.add(Tally{Written: int64(n), Sum: sum})
		r.tookRows(n)
		rows = rows[n:]
	}
}

// giveUp settles a batch that failed for the state of the cluster, not for what
// is in it. When that is all that happens the run ends; not when it happens to the rows
// of some nodes while others take theirs.
func (r *run) giveUp(ctx context.Context, b *batch, reason error) error {
	stage := Insert
	if fault.ClassOf(reason) == fault.Unknown && !b.writer.Idempotent() {
		stage = InDoubt
	}
	if err := r.refuse(b, stage, reason); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, err)
	}
	if err := r.gone(ctx, reason); err != nil {
		return err
	}
	st := r.standing(b.set)
	if stage == InDoubt {
		_ = r.lose(ctx, st, b.set, st.pulse.Failed(), reason)
		return r.doubt(ctx, b, reason)
	}
	if r.takers.Load() > 0 {
		return nil
	}
	if most := max(r.job.InFlight, leastExhausted); r.exhausted.Add(1) > int64(most) {
		return refused(most, reason)
	}
	return nil
}

// doubt deals with a batch that is in doubt. A connection that breaks leaves all in
// doubt that is under way on it, and what is sent on it next, as long as nobody has
// noticed: so that counts once, and no more is sent for a moment.
func (r *run) doubt(ctx context.Context, b *batch, reason error) error {
	last := r.doubted.Load()
	if b.begun.UnixNano() > last && r.doubted.CompareAndSwap(last, time.Now().UnixNano()) {
		if n := r.doubts.Add(1); n > leastExhausted && r.takers.Load() == 0 {
			return refused(leastExhausted, reason)
		}
	}
	if err := pace.Sleep(ctx, r.job.Backoff.Delay(min(int(r.doubts.Load()), longestDoubt))); err != nil {
		return fault.New(fault.Canceled, err)
	}
	return nil
}

// refused ends a run of whose batches more than that have failed in a row.
func refused(most int, reason error) error {
	return fault.New(fault.Fatal, fmt.Errorf("the cluster does not take writes: more than %d requests in a row failed, the last with: %w", most, reason))
}

// leastExhausted is how many requests may use up all their attempts in a row before
// the cluster is taken not to take writes.
const leastExhausted = 32

// longestDoubt is the attempt whose delay is the longest after a batch in doubt.
const longestDoubt = 4

// refuse gives up the rows of a batch.
func (r *run) refuse(b *batch, stage Stage, reason error) error {
	var stop error // a limit is reached: the batch's other rows are refused as well
	for _, p := range b.rows {
		err := r.reject(p.chunk, Reject{
			File: p.chunk.file.name, Header: p.chunk.file.header, Raw: p.raw, Line: p.line, Field: 1,
			Offset: p.offset, Stamp: p.stamp, Repeats: p.chunk.repeats, Reason: reason.Error(), Stage: stage,
		})
		var limit *LimitError
		if errors.As(err, &limit) {
			stop = err
		} else if err != nil {
			return err
		}
	}
	return stop
}
