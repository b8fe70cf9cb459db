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
	for b := range l.batches {
		scratch = b.rowsOf(scratch[:0])
		if err := r.send(ctx, b, scratch); err != nil {
			return err
		}
		clear(scratch)
		if err := r.settle(b); err != nil {
			return err
		}
	}
	return nil
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
	switch class := fault.ClassOf(err); {
	case class == fault.Canceled || class == fault.Fatal:
		return err
	case class == fault.NotApplied:
		r.answered()
		for _, p := range b.rows {
			p.chunk.add(Tally{Existing: 1})
		}
		return nil
	case len(b.rows) > 1 && (class == fault.Permanent || fault.Retryable(err, b.writer.Idempotent())):
		// One bad row never takes its batch along, not even one that the cluster
		// never answers.
		return r.sendEach(ctx, b, err)
	case class == fault.Permanent:
		return r.refuse(b, Insert, err)
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
		rows = rows[n:]
	}
}

// giveUp settles a batch that failed for the state of the cluster, not for what
// is in it. When that is all that happens the run ends.
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
	if silence := r.pulse.Failed(); silence > r.job.Patience {
		return gone(silence, reason)
	}
	if stage == InDoubt {
		return r.doubt(ctx, b, reason)
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
		if n := r.doubts.Add(1); n > leastExhausted {
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

// attempt sends a batch until it is acknowledged, fails for good, or the
// attempts are used up.
func (r *run) attempt(ctx context.Context, b *batch, rows []row.Row) error {
	if err := r.waitForRate(ctx, b); err != nil {
		return err
	}
	r.pulse.Begin()
	defer r.pulse.End()
	w := b.writer
	hosts := r.health.Order(b.set.Hosts)
	unanswered := b.rows[0].chunk.again // an attempt may have been applied
	before := r.pulse.Answers()
	most := r.job.Attempts
	if b.few {
		most = min(most, fewAttempts)
	}
	for attempt := 1; ; attempt++ {
		host := ""
		if len(hosts) > 0 {
			host = hosts[(attempt-1)%len(hosts)]
		}
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, err)
		}
		begun, err := r.request(ctx, w, host, rows)
		b.begun = begun
		if err == nil {
			r.health.Answered(host)
			r.pulse.Answered()
			return nil
		}
		class := fault.ClassOf(err)
		if class == fault.NotApplied && unanswered && sameRow(err) {
			r.pulse.Answered()
			return nil // what is there is what an attempt before wrote
		}
		unanswered = unanswered || class == fault.Unknown
		if class == fault.Unknown || class == fault.Transient {
			r.health.FailedFor(host, min(max(restFactor*time.Since(begun), leastRest), mostRest))
		}
		if fault.Answered(err) {
			r.pulse.Answered()
		} else if class != fault.Canceled && fault.Retryable(err, w.Idempotent()) {
			if silence := r.pulse.Failed(); silence > r.job.Patience {
				return gone(silence, err)
			}
		}
		if !begun.IsZero() && fault.ClassOf(err) == fault.Canceled && !w.Idempotent() {
			return fault.New(fault.Unknown, errNoAnswer)
		}
		// Attempts do not run out while nobody is answered.
		if !fault.Retryable(err, w.Idempotent()) || attempt >= most && r.pulse.Answers() > before {
			return err
		}
		r.job.Counters.Retries.Add(1)
		// The other replicas are tried at once, then there is a wait.
		if n := max(len(hosts), 1); attempt%n == 0 {
			if err := pace.Sleep(ctx, r.job.Backoff.Delay(attempt/n)); err != nil {
				return fault.New(fault.Canceled, err)
			}
		}
		r.pulse.End() // nothing is asked of the cluster meanwhile
		err = r.waitForRate(ctx, b)
		r.pulse.Begin()
		if err != nil {
			return err
		}
	}
}

// waitForRate waits until a batch may be sent, once more or for the first time.
func (r *run) waitForRate(ctx context.Context, b *batch) error {
	err := r.job.Rate.Wait(ctx, len(b.rows))
	if err == nil && r.job.ByteRate != nil {
		err = r.job.ByteRate.Wait(ctx, b.size())
	}
	if err != nil {
		return fault.New(fault.Canceled, err)
	}
	return nil
}

// errNoAnswer is why a row is in doubt that was sent when the run was stopped.
var errNoAnswer = errors.New("the run was stopped before the answer came: it may have been applied")

// A node that failed is passed over for some times as long as it was waited for: each
// batch that waits for a node that hangs keeps its chunk, and there are few chunks.
const (
	restFactor = 10
	leastRest  = 500 * time.Millisecond
	mostRest   = 5 * time.Minute
)

// leastExhausted is how many requests may use up all their attempts in a row before
// the cluster is taken not to take writes.
const leastExhausted = 32

// longestDoubt is the attempt whose delay is the longest after a batch in doubt.
const longestDoubt = 4

// gone ends a run whose cluster answers nothing.
func gone(silence time.Duration, reason error) error {
	return fault.New(fault.Fatal, fmt.Errorf("the cluster has taken no write for %s: %w", silence.Round(time.Second), reason))
}

// sameRow says whether a row that was not written, since there is one of its key,
// is that one.
func sameRow(err error) bool {
	var there interface{ Same() bool }
	return errors.As(err, &there) && there.Same()
}

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
