package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/target/stream"
)

// watchRing finds out where rows belong when a load begins, and has it found out again when they are sent, and when they are
// there.
func (l *landing) watchRing(ctx context.Context, s *streaming) (ringState, error) {
	w := &ringWatch{t: l.t, known: l.t.cluster, client: s.client, warn: l.env.Warn, settings: ringSettings{
		port: l.spec.StoragePort, listen: l.spec.Listen, listener: l.listener,
		// Of SSTables that somebody imports later nobody knows how the ring is then.
		assumeStable: l.spec.AssumeStable || l.spec.Via == viaFiles && !l.spec.Import,
		files:        l.spec.Via == viaFiles && !l.spec.AssumeStable, ignored: s.options.Ignored,
	}}
	s.watch = w
	state, err := l.look(ctx, w)
	if err != nil {
		return state, fmt.Errorf("--via %s: %w", l.spec.Via, err)
	}
	s.standing, s.options.NodeName, s.options.OnMove = state.standing, w.name, func() {
		l.env.Warn("%s: what was sent meanwhile is sent again, to where it belongs now", stream.ErrMoved)
	}
	if l.spec.Via == viaStream {
		s.options.Placement, s.options.Nodes = state.Placement, state.Nodes
		s.options.Ring = func(ctx context.Context) (stream.Ring, error) {
			now, err := l.askRing(ctx, w)
			return now.Ring, err
		}
		return state, nil
	}
	if err := unstable(state); err != nil {
		return state, fmt.Errorf("--via %s: %w", l.spec.Via, err)
	}
	made := stream.Ring{Placement: s.options.Placement, Nodes: s.options.Nodes}
	s.options.Ring = func(ctx context.Context) (stream.Ring, error) { return made, l.sameRing(ctx, w, state) }
	return state, nil
}

// unstable refuses a ring that is changing, for SSTables that are imported by and by.
func unstable(state ringState) error {
	for _, change := range state.changes {
		return fmt.Errorf("a node %s: SSTables are made for the nodes that rows belong to when they are imported; begin when that is over", change)
	}
	return nil
}

// askRing asks where rows belong.
func (l *landing) askRing(ctx context.Context, w *ringWatch) (ringState, error) {
	state, err := w.look(ctx)
	if errors.Is(err, errAltered) {
		err = fault.New(fault.Fatal, l.altered())
	}
	return state, err
}

// settleTime is how long gossip may take until all nodes know of a change: as long as nodes themselves wait for that
// (StorageService.RING_DELAY).
const settleTime = 30 * time.Second

// look asks where rows belong, and waits until nodes agree.
func (l *landing) look(ctx context.Context, w *ringWatch) (state ringState, err error) {
	err = settled(ctx, l.spec.Patience, func() (err error) {
		if state, err = l.askRing(ctx, w); err == nil && l.spec.Via == viaStream {
			err = refuseUntold(state.cluster.Nodes, w.ports(), holders(state.Placement, state.Nodes, w.settings.ignored), storagePortSetting)
		}
		return err
	})
	return state, err
}

// settled asks about the ring, and again while nodes do not agree, until the patience or [settleTime] has passed.
func settled(ctx context.Context, patience time.Duration, ask func() error) error {
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		err := ask()
		if err == nil || !fault.Retryable(err, true) || time.Since(begun) >= min(settleTime, patience) {
			return err
		}
		if err := pace.Sleep(ctx, pace.Backoff{}.Delay(attempt)); err != nil {
			return fault.New(fault.Canceled, err)
		}
	}
}

// sameRing gives an error when the ring is not what it was, as SSTables in a folder cannot follow it.
func (l *landing) sameRing(ctx context.Context, w *ringWatch, then ringState) error {
	now, err := l.askRing(ctx, w)
	if err != nil {
		return err
	}
	if err = unstable(now); err == nil && !(maps.Equal(now.standing.told, then.standing.told) && maps.Equal(now.standing.places, then.standing.places) &&
		maps.Equal(now.replication, then.replication)) {
		err = stream.ErrMoved
	}
	if err != nil {
		err = fault.New(fault.Fatal, fmt.Errorf("%v meanwhile: the SSTables in %s are not for the nodes that rows belong to now, and none of their rows counts as loaded; "+
			"make them anew when that is over", err, l.spec.Dir))
	}
	return err
}
