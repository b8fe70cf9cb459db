package cql

import (
	"context"
	"errors"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
)

// attempt sends a batch until it is acknowledged, fails for good, has used up its attempts, or its
// replicas are given up. Attempts do not run out while none of the replicas answers anything: that
// may pass.
func (t *Target) attempt(ctx context.Context, b *batch, rows []row.Row) error {
	w, h := b.writer, t.healthOf(b.set)
	hosts := t.health.Order(b.set.Hosts)
	most := t.o.Attempts
	if b.tried {
		most = min(most, fewAttempts)
	}
	lost, probe := h.reasonGivenUp()
	if lost != nil && !probe {
		return lost
	}
	if lost != nil {
		defer h.probed()
		if t.o.Ping != nil && !t.answers(ctx, b.set.Hosts) {
			return lost
		}
		most = max(len(hosts), 1)
	}
	if err := t.waitForRate(ctx, b); err != nil {
		return err
	}
	t.begin(h)
	defer t.end(h)
	unanswered := b.rows[0].Tracker.Begun() // an earlier attempt may have been applied
	for attempt := 1; ; attempt++ {
		host := ""
		if len(hosts) > 0 {
			host = hosts[(attempt-1)%len(hosts)]
		}
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, err)
		}
		before := h.answers.Load()
		begun, err := t.request(ctx, w, host, rows)
		b.begun = begun
		if err == nil {
			t.health.Answered(host)
			t.took(h)
			return nil
		}
		class := fault.ClassOf(err)
		if class == fault.NotApplied && unanswered && sameRow(err) {
			t.took(h)
			return nil // an earlier attempt wrote the row that exists
		}
		unanswered = unanswered || class == fault.Unknown
		if class == fault.Unknown || class == fault.Transient {
			t.health.FailedFor(host, min(max(restFactor*time.Since(begun), leastRest), mostRest))
		}
		switch {
		case class == fault.Canceled && !begun.IsZero() && !w.Idempotent():
			return fault.New(fault.Unknown, errNoAnswer)
		case class == fault.Permanent || class == fault.NotApplied:
			t.took(h)
			return err
		case class == fault.Canceled || class == fault.Fatal:
			return err
		}
		silence := t.failed(h, err)
		if !fault.Retryable(err, w.Idempotent()) {
			return err
		}
		if err := t.checkClusterSilent(ctx, err); err != nil {
			return err
		}
		if lost := t.giveUpReplicas(ctx, h, b.set, silence, err); lost != nil {
			return lost
		}
		if err := t.checkNoneTaken(ctx, b.set, begun, err); err != nil {
			return err
		}
		if attempt >= most && (h.answers.Load() > before || t.answers(ctx, b.set.Hosts)) {
			return err
		}
		t.o.OnRetry(host, err)
		// The other replicas are tried at once, unless the server wants a wait. Then there is one.
		wait := fault.After(err)
		due := wait > 0
		if n := max(len(hosts), 1); attempt%n == 0 {
			due, wait = true, max(wait, t.o.Backoff.Delay(attempt/n))
		}
		if due {
			if !b.own {
				t.detach(b) // so that its chunk is free while it waits
				rows = b.rowsOf(rows[:0])
			}
			if err := pace.Sleep(ctx, wait); err != nil {
				return fault.New(fault.Canceled, err)
			}
		}
		t.end(h) // no request is in flight meanwhile
		err = t.waitForRate(ctx, b)
		t.begin(h)
		if err != nil {
			return err
		}
	}
}

// waitForRate waits until the rate limits let a batch pass.
func (t *Target) waitForRate(ctx context.Context, b *batch) error {
	if t.o.Rate == nil && t.o.ByteRate == nil {
		return nil
	}
	t.rated.Add(1)
	defer t.rated.Add(-1)
	err := t.o.Rate.Wait(ctx, len(b.rows))
	if err == nil && t.o.ByteRate != nil {
		err = t.o.ByteRate.Wait(ctx, b.size())
	}
	if err != nil {
		return fault.New(fault.Canceled, err)
	}
	return nil
}

// errNoAnswer is the reason of a row in doubt that was sent when the run was stopped.
var errNoAnswer = errors.New("the run was stopped before the answer came: it may have been applied")

// If a node fails, no request is sent to it for some times as long as it was waited for. A batch
// that waits for a node that hangs keeps its chunk, and there are few chunks.
const (
	restFactor = 10
	leastRest  = 500 * time.Millisecond
	mostRest   = 5 * time.Minute
)

// sameRow reports whether a row that was not written because one of its key exists is that row.
func sameRow(err error) bool {
	var there interface{ Same() bool }
	return errors.As(err, &there) && there.Same()
}
