package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor/probe"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/notes"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// prepareStream finds out whether the table can be loaded by streaming, and how.
func (l *Load) prepareStream(ctx context.Context) error {
	l.delivery = &delivery.Delivery{
		Env:       l.env,
		Spec:      &l.spec.Writing,
		Table:     l.t,
		Counters:  l.counters,
		Altered:   l.altered,
		Again:     "by the same command once more, or by cqlbulk resume",
		FromStart: loadAnew,
		Expires:   l.spec.TTL == 0,
	}
	if err := l.delivery.Prepare(ctx); err != nil {
		return err
	}
	o := &l.delivery.Setup.Options
	if indexes := l.delivery.Setup.TableOptions.Indexes; len(indexes) > 0 {
		limits := l.t.Limits(ctx)
		if l.spec.User == "" {
			// Guardrails are for users that are no superusers. Without a login, all users are
			// (ClientState.isSuper).
			limits.MaxTermBytes, limits.MaxFrozenTermBytes, limits.MaxVectorBytes = 0, 0, 0
		}
		o.Indexes = delivery.IndexesOf(l.t.Schema, indexes, limits)
	}
	o.TTL = int32(cmp.Or(int(l.spec.TTL), l.delivery.Setup.TableOptions.DefaultTTL))
	o.Append = l.spec.AppendCollections
	o.Memory = delivery.SortMemory(l.spec.Memory)
	// In a folder all rows are one slice: a resumed load writes no complete rows again.
	if l.spec.Via == spec.ViaStream {
		o.Slice = cmp.Or(int64(l.spec.Slice), o.DefaultSlice())
		o.OnOverdue = func(ttl, took time.Duration) {
			l.env.Warn(
				"rows with a time to live of %s took %s to reach the nodes, and some had expired by then: a smaller --slice sends them sooner",
				ttl,
				took.Round(time.Second),
			)
		}
	}
	times := probe.HostTimes(&l.spec, l.delivery.Setup.TableOptions)
	probe.WarnOfClocks(ctx, l.env, l.t, times)
	return nil
}

// startStream makes the target of a load by streaming.
func (l *Load) startStream() error {
	o := l.delivery.Setup.Options
	started := time.Now()
	o.Run = strconv.FormatInt(started.UnixNano(), 36)
	if l.journal != nil {
		m := l.journal.Manifest()
		started, o.Run = m.Started, m.Run
	}
	if l.journal != nil && o.Append {
		// Rows of pieces that are forgotten get other timestamps, and other places of list
		// elements.
		o.Begin = l.journal.Sync
	}
	o.Timestamp = started.UnixMicro()
	if l.job.Timestamp != nil {
		o.Timestamp = *l.job.Timestamp
	}
	place := "." // where there is neither a folder for SSTables nor a run directory
	if l.journal != nil {
		place = l.run.path
	}
	var err error
	switch {
	case l.spec.DryRun:
		o.Sender, o.Local = delivery.NoSender{}, true
		l.counters.Stage.Begin(progress.StageSorting, progress.StageMaking)
	case l.spec.Via == spec.ViaFiles:
		if err := l.delivery.CreateFolder(); err != nil {
			return err
		}
		if err := l.clearFiles(); err != nil {
			return err
		}
		o.Sender, o.Local, o.Complete = l.delivery.Folder.Sender, true, l.delivery.CompleteFolder
		place = l.delivery.Folder.Dir // SSTables that are made there can be linked
	default:
		if o.Sender, err = l.delivery.NewSender(); err != nil {
			return err
		}
	}
	o.Dir = cmp.Or(o.Dir, place)
	l.job.Stream, err = stream.New(o)
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

// refuseSettled refuses to resume a load into a folder if some of its rows are complete. The
// resumed load would remove their SSTables, and not write the rows again.
func (l *Load) refuseSettled() error {
	if l.spec.Via != spec.ViaFiles || l.journal.Loaded().Tally.Written == 0 {
		return nil
	}
	return fmt.Errorf(
		"some rows were settled when the run was stopped, and SSTables with these are in %s: it cannot be resumed; run cqlbulk load again with the same inputs, in a folder of its own",
		l.spec.Dir,
	)
}

// clearFiles removes what an earlier run of the load left in the folder.
func (l *Load) clearFiles() error {
	if !l.run.continued {
		return nil
	}
	kept := l.delivery.Folder
	for _, path := range []string{kept.ImportPath(), manifest.Path(kept.Dir, true)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("what an earlier run left: %w", err)
		}
	}
	if err := kept.Sender.Clear(); err != nil {
		return fmt.Errorf("SSTables of an earlier run: %w", err)
	}
	return nil
}

// noteStreams notes what nodes were streamed for others to see, until stop is called.
func (l *Load) noteStreams() (stop func()) {
	if l.journal == nil || l.delivery == nil || l.spec.Via != spec.ViaStream {
		return func() {}
	}
	return notes.KeepStreams(l.run.path, l.job.Counters, l.env.Warn)
}
