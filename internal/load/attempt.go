package load

import (
	"context"
	"errors"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// attempt sends a batch until it is acknowledged, fails for good, the attempts are used
// up, or its replicas are given up. Attempts do not run out while none of the replicas
// answers anything: that may pass.
func (r *run) attempt(ctx context.Context, b *batch, rows []row.Row) error {
	w, st := b.writer, r.standing(b.set)
	hosts := r.health.Order(b.set.Hosts)
	most := r.job.Attempts
	if b.few {
		most = min(most, fewAttempts)
	}
	lost, again := st.given()
	if lost != nil && !again {
		return lost
	}
	if lost != nil {
		defer st.asked()
		if r.job.Ping != nil && !r.answers(ctx, b.set.Hosts) {
			return lost
		}
		most = max(len(hosts), 1)
	}
	if err := r.waitForRate(ctx, b); err != nil {
		return err
	}
	r.begin(st)
	defer r.end(st)
	unanswered := b.rows[0].chunk.again // an attempt may have been applied
	before := st.answers.Load()
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
			r.takes(st)
			return nil
		}
		class := fault.ClassOf(err)
		if class == fault.NotApplied && unanswered && sameRow(err) {
			r.takes(st)
			return nil // what is there is what an attempt before wrote
		}
		unanswered = unanswered || class == fault.Unknown
		if class == fault.Unknown || class == fault.Transient {
			r.health.FailedFor(host, min(max(restFactor*time.Since(begun), leastRest), mostRest))
		}
		switch {
		case class == fault.Canceled && !begun.IsZero() && !w.Idempotent():
			return fault.New(fault.Unknown, errNoAnswer)
		case class == fault.Permanent || class == fault.NotApplied:
			r.takes(st)
			return err
		case class == fault.Canceled || class == fault.Fatal:
			return err
		}
		silence := r.fails(st, err)
		if !fault.Retryable(err, w.Idempotent()) {
			return err
		}
		if err := r.gone(ctx, err); err != nil {
			return err
		}
		if lost := r.lose(ctx, st, b.set, silence, err); lost != nil {
			return lost
		}
		if attempt >= most && (st.answers.Load() > before || r.answers(ctx, b.set.Hosts)) {
			return err
		}
		r.job.Counters.Retries.Add(1)
		// The other replicas are tried at once, then there is a wait.
		if n := max(len(hosts), 1); attempt%n == 0 {
			if err := pace.Sleep(ctx, r.job.Backoff.Delay(attempt/n)); err != nil {
				return fault.New(fault.Canceled, err)
			}
		}
		r.end(st) // nothing is asked of the cluster meanwhile
		err = r.waitForRate(ctx, b)
		r.begin(st)
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

// sameRow says whether a row that was not written, since there is one of its key,
// is that one.
func sameRow(err error) bool {
	var there interface{ Same() bool }
	return errors.As(err, &there) && there.Same()
}
