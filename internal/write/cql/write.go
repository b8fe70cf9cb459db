package cql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// write is the loop of one writer: it sends a queue's batches until there are no more.
func (t *Target) write(ctx context.Context, q *nodeQueue) error {
	var scratch []row.Row
	for {
		b, err := q.next(ctx)
		if b == nil {
			return err
		}
		scratch = b.rowsOf(scratch[:0])
		err = t.send(ctx, b, scratch)
		t.copied.Add(-b.copied)
		if err != nil {
			return err
		}
		q.rejecting.Store(t.healthOf(b.set).isGivenUp())
		clear(scratch)
		b.free()
	}
}

// send writes a batch and completes each of its rows as written, rejected, in doubt or not applied.
// An error ends the run.
func (t *Target) send(ctx context.Context, b *batch, rows []row.Row) error {
	err := t.attempt(ctx, b, rows)
	if err == nil {
		t.answered()
		return b.written()
	}
	var lost *lostError
	switch class := fault.ClassOf(err); {
	case errors.As(err, &lost):
		return b.reject(write.Unreached, err)
	case class == fault.Canceled || class == fault.Fatal:
		return err
	case class == fault.NotApplied:
		t.answered()
		return b.notApplied(err)
	case len(b.rows) > 1 &&
		(class == fault.Permanent || fault.Retryable(err, b.writer.Idempotent())):
		// One bad row never fails its batch, not even one that the cluster never answers.
		return t.sendEach(ctx, b, err)
	case class == fault.Permanent:
		return b.reject(write.Refused, err)
	default:
		return t.rejectUnwritten(ctx, b, err)
	}
}

// answered records that a batch was written, or that its condition did not hold.
func (t *Target) answered() {
	t.outOfAttempts.Store(0)
	t.leftInDoubt.Store(0)
	t.sent.Add(1)
}

// fewAttempts is the number of attempts for a row whose batch has used up all attempts. If the
// cluster does not answer at all, the load ends soon.
const fewAttempts = 3

// sendEach sends the rows of a failed batch one by one. If enough rows were rejected, it rejects
// the remaining ones for the reason of the batch.
func (t *Target) sendEach(ctx context.Context, b *batch, reason error) error {
	var scratch []row.Row
	for i := range b.rows {
		// The whole batch is released afterwards.
		single := &batch{
			writer: b.writer,
			set:    b.set,
			rows:   b.rows[i : i+1],
			tried:  fault.ClassOf(reason) != fault.Permanent,
			own:    true,
		}
		scratch = single.rowsOf(scratch[:0])
		err := t.send(ctx, single, scratch)
		if errors.Is(err, write.ErrEnough) && i+1 < len(b.rows) {
			left := &batch{rows: b.rows[i+1:]}
			return errors.Join(err, left.reject(write.Unreached, reason))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rejectUnwritten rejects a batch that failed for the state of the cluster, not for its values. The
// run ends if that happens to all batches, but not if other nodes take writes.
func (t *Target) rejectUnwritten(ctx context.Context, b *batch, reason error) error {
	why := write.Unreached
	if fault.ClassOf(reason) == fault.Unknown && !b.writer.Idempotent() {
		why = write.InDoubt
	}
	if err := b.reject(why, reason); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, err)
	}
	if err := t.checkClusterSilent(ctx, reason); err != nil {
		return err
	}
	h := t.healthOf(b.set)
	if why == write.InDoubt {
		_ = t.giveUpReplicas(ctx, h, b.set, h.pulse.Failed(), reason)
		return t.waitInDoubt(ctx, b, reason)
	}
	if t.takingSets.Load() > 0 {
		return nil
	}
	if most := max(int(t.writers.Load()), leastInRow); t.outOfAttempts.Add(1) > int64(most) {
		return takesNone(most, reason)
	}
	return nil
}

// waitInDoubt counts a batch that is in doubt, and waits for a moment. A connection that breaks
// leaves all requests on it in doubt, and also later ones until the break is noticed. Those count
// once.
func (t *Target) waitInDoubt(ctx context.Context, b *batch, reason error) error {
	last := t.lastInDoubt.Load()
	if b.begun.UnixNano() > last && t.lastInDoubt.CompareAndSwap(last, time.Now().UnixNano()) {
		if n := t.leftInDoubt.Add(1); n > leastInRow && t.takingSets.Load() == 0 {
			return takesNone(leastInRow, reason)
		}
	}
	if err := pace.Sleep(
		ctx,
		t.o.Backoff.Delay(min(int(t.leftInDoubt.Load()), longestInDoubt)),
	); err != nil {
		return fault.New(fault.Canceled, err)
	}
	return nil
}

// takesNone returns the error of a run whose last requests, more than most, have all failed.
func takesNone(most int, reason error) error {
	return fault.New(
		fault.Fatal,
		fmt.Errorf(
			"the cluster does not take writes: more than %d requests in a row failed, the last with: %w",
			most,
			reason,
		),
	)
}

// leastInRow is the number of requests that must fail in a row, at least, before the run ends.
const leastInRow = 32

// longestInDoubt is the attempt whose delay is the longest after a batch in doubt.
const longestInDoubt = 4

// each calls f with each tracker of the batch's rows, and with its rows.
func (b *batch) each(f func(p write.Tracker, rows []*write.Row) error) error {
	for rows := b.rows; len(rows) > 0; {
		p, n := rows[0].Tracker, 1
		for n < len(rows) && rows[n].Tracker == p {
			n++
		}
		these := rows[:n]
		rows = rows[n:] // these may be gone when f returns
		if err := f(p, these); err != nil {
			return err
		}
	}
	return nil
}

// written completes the batch's rows as written.
func (b *batch) written() error {
	return b.each(func(p write.Tracker, rows []*write.Row) error {
		var sum rowsum.Sum
		for _, r := range rows {
			sum = sum.Add(r.Sum)
		}
		return p.Written(len(rows), sum)
	})
}

// notApplied completes the batch's rows as not applied.
func (b *batch) notApplied(reason error) error {
	for _, r := range b.rows {
		if err := r.Tracker.NotApplied(r, reason); err != nil {
			return err
		}
	}
	return nil
}

// reject rejects the batch's rows, also those after the one that was enough.
func (b *batch) reject(why write.Outcome, reason error) error {
	var enough error
	for _, r := range b.rows {
		if err := r.Tracker.Reject(r, why, reason); errors.Is(err, write.ErrEnough) {
			enough = err
		} else if err != nil {
			return err
		}
	}
	return enough
}

// free releases the batch's rows.
func (b *batch) free() {
	if b.own {
		return
	}
	_ = b.each(func(p write.Tracker, rows []*write.Row) error {
		p.Release(len(rows))
		return nil
	})
}
