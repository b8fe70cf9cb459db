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

// Ring is the nodes that rows belong to at a moment. It includes nodes that take over ranges of
// others.
type Ring struct {
	Placement *token.Placement // of all replicas, in all data centers
	Nodes     []string         // ids of the nodes that the placement's indexes mean
	// Truncated is the time of the table's last truncation by node id: milliseconds since the epoch
	// by the node's own clock, 0 for never. A node that does not report it is not in the map.
	Truncated map[string]int64
}

// ErrMoved means that rows that were sent may not be on all nodes that they belong to now. They
// have to be sent again.
var ErrMoved = errors.New("nodes came, went or moved, or the keyspace's replication was changed")

// ErrTruncated means that rows were sent while the table was truncated. Nodes that had them before
// have lost them, and others have not. They have to be sent again.
var ErrTruncated = errors.New("the table was truncated")

// sentInVain reports whether rows have to be sent again.
func sentInVain(err error) bool { return errors.Is(err, ErrMoved) || errors.Is(err, ErrTruncated) }

// truncatedSince reports whether a node has truncated the table since the ring before.
func (r Ring) truncatedSince(before Ring) bool {
	for node, at := range r.Truncated {
		if then, known := before.Truncated[node]; known && at > then {
			return true
		}
	}
	return false
}

// mostMoves is the number of times, at most, that the same rows are sent again because the ring has
// changed.
const mostMoves = 8

// covers reports whether rows that were sent by the options are on all nodes that they belong to in
// another ring.
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

// has reports whether any row belongs to a node.
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

// patiently asks the nodes something, and retries until the patience is over. Nodes that are busy
// now may answer later.
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

// look reads which nodes rows belong to.
func (c *shipper) look(ctx context.Context) (now Ring, err error) {
	err = c.patiently(ctx, func() (err error) {
		now, err = c.o.Ring(ctx)
		return err
	})
	return now, err
}

// aim reads the ring that the next files are made for. It returns an error if the rows have to be
// made with other options.
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

// arrived returns an error with [ErrMoved] or [ErrTruncated] if the rows sent since aim are not on
// all nodes that they belong to. It is called after all of them have arrived. A node that takes
// over a range announces that before it copies the range from others (StorageService.RING_DELAY).
// So a node that is not known by then copies the new rows as well.
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

// countSlice counts the last delivery as a slice. It is not sent again.
func (c *shipper) countSlice() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.add(Stats{Slices: 1, Partitions: c.partitions})
}

// deliverTo sends rows to where they belong, and again if the ring changed meanwhile.
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
