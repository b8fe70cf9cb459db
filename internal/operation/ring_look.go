package operation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// watchRing finds out where rows belong when a load begins, and has it found out again when they
// are sent, and when they are there.
func (l *landing) watchRing(ctx context.Context, s *streaming) (ringState, error) {
	w := &ringWatch{
		t:      l.t,
		known:  l.t.Cluster,
		client: s.client,
		warn:   l.env.Warn,
		settings: ringSettings{
			port:     l.spec.StoragePort,
			listen:   l.spec.Listen,
			listener: l.listener,
			// If SSTables are imported later, the ring of that moment is not known.
			assumeStable: l.spec.AssumeStable || l.spec.Via == spec.ViaFiles && !l.spec.Import,
			files: l.spec.Via == spec.ViaFiles &&
				!l.spec.AssumeStable,
			ignored: s.options.Ignored,
		},
	}
	s.watch = w
	state, err := l.look(ctx, w)
	if err != nil {
		return state, fmt.Errorf("--via %s: %w", l.spec.Via, err)
	}
	s.standing, s.options.NodeName, s.options.OnMove = state.standing, w.name, l.warnOfMove
	s.options.Fits = func(ctx context.Context) error { return l.refuseOptions(ctx, s.table) }
	if l.spec.Via == spec.ViaStream {
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

// warnOfMove says why rows are sent again.
func (l *landing) warnOfMove(why error) {
	if errors.Is(why, stream.ErrTruncated) {
		l.env.Warn(
			"%s meanwhile: rows that nodes had before are gone, and what was being sent is sent again",
			stream.ErrTruncated,
		)
		return
	}
	l.env.Warn(
		"%s: what was sent meanwhile is sent again, to where it belongs now",
		stream.ErrMoved,
	)
}

// refuseOptions refuses to send rows that were made for other options of the table than it has by
// now. A load that is resumed makes them anew.
func (l *landing) refuseOptions(ctx context.Context, then driver.TableOptions) error {
	now, err := l.t.Options(ctx)
	if err != nil {
		return err
	}
	if what := l.t.Readded(
		records.DropsOf(then.Dropped),
		records.DropsOf(now.Dropped),
	); what != "" {
		return fault.New(
			fault.Fatal,
			run.Refused(
				fmt.Errorf(
					"%s while the rows were read or sent: values that were written before that are null; %s",
					what,
					l.fromStart,
				),
			),
		)
	}
	if what := l.otherwise(then, now); what != "" {
		return fault.New(
			fault.Fatal,
			fmt.Errorf(
				"%s while the rows were read or sent: those that are not loaded have to be made otherwise: %s",
				what,
				l.again,
			),
		)
	}
	return nil
}

// otherwise says what of a table's options has changed that rows are made by; empty: nothing has.
func (l *landing) otherwise(then, now driver.TableOptions) string {
	if l.expires && then.DefaultTTL != now.DefaultTTL {
		return fmt.Sprintf(
			"the table's default time to live was changed from %d to %d seconds",
			then.DefaultTTL,
			now.DefaultTTL,
		)
	}
	if l.spec.Via != spec.ViaStream {
		return "" // a node that imports SSTables builds indexes of any class
	}
	for _, index := range now.Indexes {
		known := func(i driver.Index) bool {
			return i.Name == index.Name && i.Class == index.Class &&
				maps.Equal(i.Options, index.Options)
		}
		if !slices.ContainsFunc(then.Indexes, known) {
			return fmt.Sprintf("the index %s was created", index.Name)
		}
	}
	if mutations := func(o driver.TableOptions) bool { return o.CDC || len(o.Views) > 0 }; mutations(
		now,
	) &&
		!mutations(then) {
		return "the table was given a view, or change capture,"
	}
	return ""
}

// unstable refuses a ring that is changing, for SSTables that are imported later.
func unstable(state ringState) error {
	for _, change := range state.changes {
		return fmt.Errorf(
			"a node %s: SSTables are made for the nodes that rows belong to when they are imported; begin when the change has ended",
			change,
		)
	}
	return nil
}

// askRing asks where rows belong.
func (l *landing) askRing(ctx context.Context, w *ringWatch) (ringState, error) {
	state, err := w.look(ctx)
	if errors.Is(err, table.ErrAltered) {
		err = fault.New(fault.Fatal, l.altered())
	}
	return state, err
}

// look asks where rows belong, and waits until nodes agree.
func (l *landing) look(ctx context.Context, w *ringWatch) (state ringState, err error) {
	err = table.Settled(ctx, l.spec.Patience, func() (err error) {
		if state, err = l.askRing(ctx, w); err == nil && l.spec.Via == spec.ViaStream {
			err = table.RefuseUntold(
				state.cluster.Nodes,
				w.ports(),
				holders(state.Placement, state.Nodes, w.settings.ignored),
				spec.StoragePortFlag,
			)
		}
		return err
	})
	return state, err
}

// sameRing gives an error when the ring is not what it was, as SSTables in a folder cannot follow
// it.
func (l *landing) sameRing(ctx context.Context, w *ringWatch, then ringState) error {
	now, err := l.askRing(ctx, w)
	if err != nil {
		return err
	}
	if err = unstable(
		now,
	); err == nil &&
		!(maps.Equal(now.standing.Told, then.standing.Told) && maps.Equal(now.standing.Places, then.standing.Places) &&
			maps.Equal(now.replication, then.replication)) {
		err = stream.ErrMoved
	}
	if err != nil {
		err = fault.New(
			fault.Fatal,
			fmt.Errorf(
				"%v meanwhile: the SSTables in %s are not for the nodes that rows belong to now, and none of their rows counts as loaded; "+
					"make them again when the change has ended",
				err,
				l.spec.Dir,
			),
		)
	}
	return err
}
