package operation

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/clone"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/delivery"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// Clone is a clone of a table that is ready to be made.
type Clone struct {
	env      spec.Environment
	spec     spec.Clone
	t        *table.Table
	counters *progress.Counters
	delivery *delivery.Delivery
	from     *files.Source
	copier   *stream.Copier
	board    *board.Board // nil: the run is not shown
	// of the table that is written to, before the clone
	truncated records.Truncations
}

// PrepareClone connects, compares the tables, and finds out how one becomes the other.
func PrepareClone(ctx context.Context, env spec.Environment, settings spec.Clone) (*Clone, error) {
	if err := settings.Check(); err != nil {
		return nil, err
	}
	c := &Clone{env: env, spec: settings, counters: &progress.Counters{}}
	if err := c.prepare(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Clone) prepare(ctx context.Context) error {
	cfg, err := c.spec.Config(c.env)
	if err != nil {
		return err
	}
	planning := spec.Planning{
		Smudge: plan.DefaultSmudge,
		Splits: 1,
	} // the ring is wanted, and not its parts
	options, err := planning.Options(c.spec.TableName)
	if err != nil {
		return err
	}
	if c.t, err = table.Open(ctx, cfg, c.spec.TableName, options, false); err != nil {
		return err
	}
	if err := c.t.AwaitKnown(ctx, "via "+c.spec.Writing.Via, c.spec.Patience); err != nil {
		return err
	}
	c.t.WarnOfLearned(c.env)
	err = table.AskAll(ctx, func() (err error) {
		c.t.Dropped, err = table.DroppedColumns(ctx, c.t.Session, c.spec.TableName)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.openSource(ctx); err != nil {
		return fmt.Errorf("what is cloned: %w", err)
	}
	if err := clone.Check(c.from, c.t); err != nil {
		return err
	}
	c.delivery = &delivery.Delivery{
		Env:       c.env,
		Spec:      &c.spec.Writing,
		Table:     c.t,
		Counters:  c.counters,
		Altered:   c.altered,
		Rest:      "run the same command again",
		FromStart: "empty the table and run the same command again",
		Listener:  c.from.Files.Listener,
	}
	if err := c.delivery.Prepare(ctx); err != nil {
		return err
	}
	memory.Limit(c.spec.Memory)
	sweep.CountTotal(c.counters, c.from.Plan.Splits, c.from.Plan.Partitioner())
	c.truncated = c.t.Truncations(ctx)
	return c.prepareCopier()
}

// openSource opens what is cloned.
func (c *Clone) openSource(ctx context.Context) error {
	s := &c.spec.From
	planning, err := s.Planning()
	if err != nil {
		return err
	}
	request := files.Request{
		Env:        c.env,
		Reading:    &s.Reading,
		Connection: &s.Connection,
		Table:      s.TableName,
		Planning:   planning,
		Patience:   c.spec.Patience,
	}
	c.from, err = clone.Open(ctx, request, c.t)
	if err == nil {
		c.counters.Receipt.Store(c.from.Files.Receipt)
	}
	return err
}

// prepareCopier makes what brings the partitions to their nodes.
func (c *Clone) prepareCopier() (err error) {
	o := c.delivery.Setup.Options
	o.Run = strconv.FormatInt(time.Now().UnixNano(), 36)
	place := os.TempDir()
	last := c.delivery.LastStage()
	switch {
	case c.spec.DryRun:
		// all else is as in a run, so that what is foretold is what comes
		o.Sender, o.Local, last = delivery.NoSender{}, true, progress.StageMaking
	case c.spec.Writing.Via == spec.ViaFiles:
		if err := c.delivery.CreateFolder(); err != nil {
			return err
		}
		// SSTables that are made there can be linked
		o.Sender, o.Local, place = c.delivery.Folder.Sender, true, c.delivery.Folder.Dir
	default:
		if o.Sender, err = c.delivery.NewSender(); err != nil {
			return err
		}
	}
	c.counters.Stage.Begin(progress.StageMaking, last)
	o.Dir = cmp.Or(o.Dir, place)
	c.copier, err = stream.NewCopier(o)
	return err
}

// Table is the clone's name, as CQL has it.
func (c *Clone) Table() string { return c.t.Schema.String() }

// Counters are what the clone has so far.
func (c *Clone) Counters() *progress.Counters { return c.counters }

// Close ends the connections.
func (c *Clone) Close() {
	if c.from != nil {
		c.from.Close()
	}
	if c.t != nil {
		c.t.Close()
	}
}
