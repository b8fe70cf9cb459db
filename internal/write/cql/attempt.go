package cql

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
func (t *Target) attempt(ctx context.Context, b *batch, rows []row.Row) error {
	w, st := b.writer, t.healthOf(b.set)
	hosts := t.health.Order(b.set.Hosts)
	most := t.o.Attempts
	if b.tried {
		most = min(most, fewAttempts)
	}
	lost, probe := st.reasonGivenUp()
	if lost != nil && !probe {
		return lost
	}
	if lost != nil {
		defer st.probed()
		if t.o.Ping != nil && !t.answers(ctx, b.set.Hosts) {
			return lost
		}
		most = max(len(hosts), 1)
	}
	if err := t.waitForRate(ctx, b); err != nil {
		return err
	}
	t.begin(st)
	defer t.end(st)
	unanswered := b.rows[0].Tracker.Begun() // an attempt may have been applied
	for attempt := 1; ; attempt++ {
		host := ""
		if len(hosts) > 0 {
			host = hosts[(attempt-1)%len(hosts)]
		}
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Canceled, err)
		}
		before := st.answers.Load()
		begun, err := t.request(ctx, w, host, rows)
		b.begun = begun
		if err == nil {
			t.health.Answered(host)
			t.took(st)
			return nil
		}
		class := fault.ClassOf(err)
		if class == fault.NotApplied && unanswered && sameRow(err) {
			t.took(st)
			return nil // what is there is what an attempt before wrote
		}
		unanswered = unanswered || class == fault.Unknown
		if class == fault.Unknown || class == fault.Transient {
			t.health.FailedFor(host, min(max(restFactor*time.Since(begun), leastRest), mostRest))
		}
		switch {
		case class == fault.Canceled && !begun.IsZero() && !w.Idempotent():
			return fault.New(fault.Unknown, errNoAnswer)
		case class == fault.Permanent || class == fault.NotApplied:
			t.took(st)
			return err
		case class == fault.Canceled || class == fault.Fatal:
			return err
		}
		silence := t.failed(st, err)
		if !fault.Retryable(err, w.Idempotent()) {
			return err
		}
		if err := t.checkClusterSilent(ctx, err); err != nil {
			return err
		}
		if lost := t.giveUpReplicas(ctx, st, b.set, silence, err); lost != nil {
			return lost
		}
		if err := t.checkNoneTaken(ctx, b.set, begun, err); err != nil {
			return err
		}
		if attempt >= most && (st.answers.Load() > before || t.answers(ctx, b.set.Hosts)) {
			return err
		}
		t.o.OnRetry(host, err)
		// The other replicas are tried at once, then there is a wait.
		if n := max(len(hosts), 1); attempt%n == 0 {
			if !b.own {
				t.detach(b) // so that it holds up nobody while it waits
				rows = b.rowsOf(rows[:0])
			}
			if err := pace.Sleep(ctx, t.o.Backoff.Delay(attempt/n)); err != nil {
				return fault.New(fault.Canceled, err)
			}
		}
		t.end(st) // nothing is asked of the cluster meanwhile
		err = t.waitForRate(ctx, b)
		t.begin(st)
		if err != nil {
			return err
		}
	}
}

// waitForRate waits until a batch may be sent, once more or for the first time.
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
