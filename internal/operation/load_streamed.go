package operation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor/probe"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
)

// prepareStream finds out whether the table can be loaded by streaming, and how.
func (l *Load) prepareStream(ctx context.Context) error {
	l.delivery = &delivery.Delivery{
		Env:       l.env,
		Spec:      &l.spec.Writing,
		Table:     l.t,
		Counters:  l.counters,
		Altered:   l.altered,
		Rest:      "by the same command once more, or by cqlbulk resume",
		FromStart: loadFromStart,
		Expires:   l.spec.TTL == 0,
	}
	if err := l.delivery.PrepareLoad(ctx, &l.spec); err != nil {
		return err
	}
	times := probe.HostTimes(&l.spec, l.delivery.Setup.TableOptions)
	probe.WarnOfClocks(ctx, l.env, l.t, times)
	return nil
}

// startStream makes the target of a load by streaming.
func (l *Load) startStream() (err error) {
	r := delivery.LoadRun{Started: time.Now(), Dir: ".", Timestamp: l.job.Timestamp}
	if l.journal != nil {
		m := l.journal.Manifest()
		r.Started, r.Name = m.Started, m.Run
		r.Dir, r.Resumed, r.Begin = l.run.path, l.run.continued, l.journal.Sync
	}
	l.job.Stream, err = l.delivery.NewTarget(r)
	return err
}

// altered is the error of a table that is not what it was.
func (l *Load) altered() error {
	return run.Refused(
		errors.New(
			"the table was altered, or created again, meanwhile: this load cannot continue; " +
				"run cqlbulk load again with the same inputs",
		),
	)
}

// refuseKept refuses to resume a load into a folder if some of its rows are complete. The
// resumed load would remove their SSTables, and not write the rows again.
func (l *Load) refuseKept() error {
	if l.spec.Via != spec.ViaFiles || l.journal.Loaded().Tally.Written == 0 {
		return nil
	}
	return fmt.Errorf(
		"some rows were complete when the run was stopped, and SSTables with these are in %s. "+
			"It cannot be resumed; run cqlbulk load again with the same inputs, in a folder of its own",
		l.spec.Dir,
	)
}

// noteStreams notes what nodes were streamed for others to see, until stop is called.
func (l *Load) noteStreams() (stop func()) {
	if l.journal == nil || l.delivery == nil || l.spec.Via != spec.ViaStream {
		return func() {}
	}
	return notes.KeepStreams(l.run.path, l.job.Counters, l.env.Warn)
}
