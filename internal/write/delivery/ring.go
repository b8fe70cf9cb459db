package delivery

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

// watchRing reads the ring when a load begins, and sets up that it is read again when rows are sent
// and when they have arrived.
func (d *Delivery) watchRing(ctx context.Context, s *Setup) (ringState, error) {
	w := &ringWatch{
		t:      d.Table,
		known:  d.Table.Cluster,
		client: s.client,
		warn:   d.Env.Warn,
		settings: ringSettings{
			port:     d.Spec.StoragePort,
			listen:   d.Spec.Listen,
			listener: d.Listener,
			// The ring at the time of a later import is not known.
			assumeStable: d.Spec.AssumeStable || d.Spec.Via == spec.ViaFiles && !d.Spec.Import,
			files: d.Spec.Via == spec.ViaFiles &&
				!d.Spec.AssumeStable,
			ignored: s.Options.Ignored,
		},
	}
	s.watch = w
	state, err := d.look(ctx, w)
	if err != nil {
		return state, fmt.Errorf("--via %s: %w", d.Spec.Via, err)
	}
	s.standing, s.Options.NodeName, s.Options.OnMove = state.standing, w.name, d.warnOfMove
	s.Options.Fits = func(ctx context.Context) error { return d.refuseOptions(ctx, s.TableOptions) }
	if d.Spec.Via == spec.ViaStream {
		s.Options.Placement, s.Options.Nodes = state.Placement, state.Nodes
		s.Options.Ring = func(ctx context.Context) (stream.Ring, error) {
			now, err := d.askRing(ctx, w)
			return now.Ring, err
		}
		return state, nil
	}
	if err := unstable(state); err != nil {
		return state, fmt.Errorf("--via %s: %w", d.Spec.Via, err)
	}
	made := stream.Ring{Placement: s.Options.Placement, Nodes: s.Options.Nodes}
	s.Options.Ring = func(ctx context.Context) (stream.Ring, error) {
		return made, d.sameRing(ctx, w, state)
	}
	return state, nil
}

// warnOfMove warns that rows are sent again, and why.
func (d *Delivery) warnOfMove(why error) {
	if errors.Is(why, stream.ErrTruncated) {
		d.Env.Warn(
			"%s meanwhile: rows that nodes had before are gone, and what was being sent is sent again",
			stream.ErrTruncated,
		)
		return
	}
	d.Env.Warn(
		"%s: what was sent meanwhile is sent again, to where it belongs now",
		stream.ErrMoved,
	)
}

// refuseOptions refuses to send rows that were made for other options of the table. A resumed load
// makes them again.
func (d *Delivery) refuseOptions(ctx context.Context, then driver.TableOptions) error {
	now, err := d.Table.Options(ctx)
	if err != nil {
		return err
	}
	if what := d.Table.Readded(
		records.DropsOf(then.Dropped),
		records.DropsOf(now.Dropped),
	); what != "" {
		return fault.New(
			fault.Fatal,
			run.Refused(
				fmt.Errorf(
					"%s while the rows were read or sent: values that were written before that are null; %s",
					what,
					d.FromStart,
				),
			),
		)
	}
	if what := d.otherwise(then, now); what != "" {
		return fault.New(
			fault.Fatal,
			fmt.Errorf(
				"%s while the rows were read or sent: the rows that are not loaded need other SSTables: %s",
				what,
				d.Rest,
			),
		)
	}
	return nil
}

// otherwise returns which option of the table has changed that SSTables depend on; empty: none has.
func (d *Delivery) otherwise(then, now driver.TableOptions) string {
	if d.Expires && then.DefaultTTL != now.DefaultTTL {
		return fmt.Sprintf(
			"the table's default time to live was changed from %d to %d seconds",
			then.DefaultTTL,
			now.DefaultTTL,
		)
	}
	if d.Spec.Via != spec.ViaStream {
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
	mutations := func(o driver.TableOptions) bool { return o.CDC || len(o.Views) > 0 }
	if mutations(now) && !mutations(then) {
		return "the table was given a view, or change capture,"
	}
	return ""
}

// unstable refuses a ring that is changing, for SSTables that are imported later.
func unstable(state ringState) error {
	for _, change := range state.changes {
		return fmt.Errorf(
			"a node %s: SSTables are made for the replicas at the time of the import; begin when the change has ended",
			change,
		)
	}
	return nil
}

// askRing reads the ring.
func (d *Delivery) askRing(ctx context.Context, w *ringWatch) (ringState, error) {
	state, err := w.look(ctx)
	switch {
	case errors.Is(err, table.ErrAltered):
		err = fault.New(fault.Fatal, d.Altered())
	case errors.Is(err, driver.ErrNotFound):
		err = fault.New(
			fault.Fatal,
			run.Refused(fmt.Errorf("the table was dropped meanwhile (%w)", err)),
		)
	}
	return state, err
}

// look reads the ring, and waits until the nodes agree.
func (d *Delivery) look(ctx context.Context, w *ringWatch) (state ringState, err error) {
	err = table.AwaitAgreement(ctx, d.Spec.Patience, func() (err error) {
		if state, err = d.askRing(ctx, w); err == nil && d.Spec.Via == spec.ViaStream {
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

// sameRing returns an error if the ring has changed: SSTables in a folder cannot follow it.
func (d *Delivery) sameRing(ctx context.Context, w *ringWatch, then ringState) error {
	now, err := d.askRing(ctx, w)
	if err != nil {
		return err
	}
	same := maps.Equal(now.standing.Told, then.standing.Told) &&
		maps.Equal(now.standing.Places, then.standing.Places) &&
		maps.Equal(now.replication, then.replication)
	if err = unstable(now); err == nil && !same {
		err = stream.ErrMoved
	}
	if err != nil {
		err = fault.New(
			fault.Fatal,
			fmt.Errorf(
				"%v meanwhile: the SSTables in %s are not for the nodes that rows belong to now, and none of their rows counts as loaded; "+
					"make them again when the change has ended",
				err,
				d.Spec.Dir,
			),
		)
	}
	return err
}
