package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Ring says which nodes rows belong to at a moment, those included that take over ranges of others.
type Ring struct {
	Placement *token.Placement // of all replicas, in all data centers
	Nodes     []string         // ids of the nodes that the placement's indexes mean
	// Truncated is when nodes last truncated the table, by their ids: milliseconds since the epoch
	// by a node's own clock, 0 for never. A node that does not tell is not in it.
	Truncated map[string]int64
}

// ErrMoved is in the error of rows that were sent, and may not be on all nodes that they belong to
// now: they have to be sent again.
var ErrMoved = errors.New("nodes came, went or moved, or the keyspace's replication was changed")

// ErrTruncated is in the error of rows that were sent while the table was truncated: nodes that had
// them before have lost them, and others have not. They have to be sent again.
var ErrTruncated = errors.New("the table was truncated")

// sentInVain reports whether rows have to be sent again.
func sentInVain(err error) bool { return errors.Is(err, ErrMoved) || errors.Is(err, ErrTruncated) }

// truncatedSince reports whether a node has truncated the table since it told when it did last.
func (r Ring) truncatedSince(before Ring) bool {
	for node, at := range r.Truncated {
		if then, told := before.Truncated[node]; told && at > then {
			return true
		}
	}
	return false
}

// mostMoves is how often the same rows are sent again because the ring has changed.
const mostMoves = 8

// covers reports whether rows that were sent to where they belong by the options are on all nodes
// that they belong to by another ring.
func (o *Options) covers(now Ring) bool {
	sent, to := 0, *o
	to.Placement, to.Nodes = now.Placement, now.Nodes
	for i := range now.Placement.Len() {
		within, wanted := now.Placement.Range(i), to.replicas(i)
		for ; ; sent++ {
			has := o.replicas(sent)
			if slices.ContainsFunc(
				wanted,
				func(id string) bool { return !slices.Contains(has, id) },
			) {
				return false
			}
			end := o.Placement.Range(sent).End
			if !end.Less(within.End) {
				if end == within.End {
					sent++
				}
				break
			}
		}
	}
	return true
}

// has reports whether a node is to have any row.
func (r Ring) has(node string) bool {
	for i := range r.Placement.Len() {
		for _, n := range r.Placement.Replicas(i) {
			if r.Nodes[n] == node {
				return true
			}
		}
	}
	return false
}

// patiently asks the nodes something. Nodes that do not answer now may when they have less to do.
func (c *shipper) patiently(ctx context.Context, ask func() error) error {
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		err := ask()
		if err == nil || !fault.Retryable(err, true) || time.Since(begun) >= c.o.Patience {
			return err
		}
		if err := pace.Sleep(ctx, c.o.Backoff.Delay(attempt)); err != nil {
			return err
		}
	}
}

// look asks which nodes rows belong to.
func (c *shipper) look(ctx context.Context) (now Ring, err error) {
	err = c.patiently(ctx, func() (err error) {
		now, err = c.o.Ring(ctx)
		return err
	})
	return now, err
}

// aim has what is sent next go to where it belongs now, if it is still to be sent as it was made.
func (c *shipper) aim(ctx context.Context) error {
	if c.o.Ring == nil {
		return nil
	}
	now, err := c.look(ctx) // it returns an error if the table was created again
	if err != nil {
		return err
	}
	c.o.Placement, c.o.Nodes, c.aimed = now.Placement, now.Nodes, now
	return c.patiently(ctx, func() error { return c.o.Fits(ctx) })
}

// arrived returns an error with [ErrMoved] or [ErrTruncated] if what was sent since aim is not on
// all nodes that it belongs to. It is called when all of it is there: a node that takes over a
// range announces that before it copies the range from others (StorageService.RING_DELAY), so that
// one that is not known by then copies what was sent as well.
func (c *shipper) arrived(ctx context.Context) error {
	if c.o.Ring == nil {
		return nil
	}
	now, err := c.look(ctx)
	switch {
	case err != nil:
		return err
	case !c.o.covers(now):
		return fault.New(fault.Fatal, ErrMoved)
	case now.truncatedSince(c.aimed):
		return fault.New(fault.Fatal, ErrTruncated)
	}
	return nil
}

// countSlice counts what was sent last as a slice, which is not sent again.
func (c *shipper) countSlice() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.add(Stats{Slices: 1, Partitions: c.partitions})
}

// deliverTo has rows sent to where they belong, and again when that was changed meanwhile.
func (c *shipper) deliverTo(ctx context.Context, deliver func(ctx context.Context) error) error {
	for moves := 0; ; moves++ {
		if err := c.aim(ctx); err != nil {
			return err
		}
		err := deliver(ctx)
		if err == nil {
			err = c.arrived(ctx)
		}
		switch {
		case !sentInVain(err):
			return err
		case moves == mostMoves:
			return fault.New(
				fault.Fatal,
				fmt.Errorf(
					"%w, %d times while the same rows were sent: these do not count as loaded",
					err,
					moves+1,
				),
			)
		}
		c.o.OnMove(err)
		c.o.Progress.Slice.Restart()
	}
}
