package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/operation/setting"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/internal/target/stream"
)

// CloneSpec says which table is cloned, and from where.
type CloneSpec struct {
	Connection // of the cluster with the clone
	TableName  // the clone's
	Writing
	From  CloneSource
	Given setting.Given // never nil
}

// CloneSource is what is cloned: a table of another cluster, or the SSTables in folders.
type CloneSource struct {
	Connection        // of the other cluster; without hosts there is none
	TableName         // there, or in the folders; empty: as the clone's
	Reading           // Inputs are the folders; Via and TempDir follow from the rest
	BeginToken string // clone only what comes after it
	EndToken   string // clone only up to it, itself included
}

// fromPrefix is that of the settings of the cluster that is read.
const fromPrefix = "from-"

// NewCloneSpec has the defaults.
func NewCloneSpec() *CloneSpec {
	o := &CloneSpec{Connection: newConnection(CloneConsistency), Writing: newWriting(viaStream, viaFiles), Given: setting.Given{}}
	o.From.Connection = newConnection("")
	o.From.Hosts, o.From.Prefix, o.From.TLS.Files.Prefix = nil, fromPrefix, fromPrefix
	o.From.Internode, o.From.Reading.prefix = newInternode(), fromPrefix
	o.From.Internode.Files.Prefix = fromPrefix + o.From.Internode.Files.Prefix
	return o
}

// Settings names the fields.
func (o *CloneSpec) Settings() setting.List {
	return slices.Concat(o.From.fileSettings(), o.From.streamSettings(), o.From.Connection.settings(), setting.List{
		{Name: "begintoken", Field: &o.From.BeginToken},
		{Name: "endtoken", Field: &o.From.EndToken},
	}, o.Writing.settings(), o.Connection.settings())
}

// fileSettings are those of a clone of folders.
func (s *CloneSource) fileSettings() setting.List {
	return setting.List{
		{Name: "snapshot", Field: &s.Snapshot}, {Name: "schema", Field: &s.Schema, Use: setting.Path}, {Name: "ring", Field: &s.Ring, Use: setting.Path},
		{Name: ignoreCommitLogSetting, Field: &s.IgnoreCommitLog},
	}
}

// streamSettings are those of a clone of a table of another cluster, besides the connection to it.
func (s *CloneSource) streamSettings() setting.List {
	return append(setting.List{
		{Name: s.portFlag(), Field: &s.StoragePort},
		{Name: "slice", Field: &s.Slice},
	}, s.Internode.settings()...)
}

// check refuses what does not go together, and fills in what follows from the rest.
func (o *CloneSpec) check() error {
	if !slices.Contains(o.ways, o.Writing.Via) {
		return fmt.Errorf("--via %q: must be %s or %s: a query can write no tombstone as it was", o.Writing.Via, viaStream, viaFiles)
	}
	if err := o.checkSource(); err != nil {
		return err
	}
	for _, err := range []error{o.Writing.check(), o.Writing.checkImport(o.Given), o.checkVersion(), o.checkForm(), o.refuseDC(o.Connection.DC)} {
		if err != nil {
			return err
		}
	}
	switch {
	case o.Patience <= 0:
		return fmt.Errorf("--patience %s: must be more than 0", o.Patience)
	case o.Writing.Via == viaFiles:
		return o.checkFiles(o.Given, false)
	case o.Given["dir"]:
		return fmt.Errorf("--dir requires --via %s", viaFiles)
	default:
		return nil
	}
}

// checkSource refuses settings of one source that mean nothing with the other.
func (o *CloneSpec) checkSource() error {
	s := &o.From
	var idle setting.List
	var why string
	switch {
	case len(s.Inputs) > 0 && len(s.Hosts) > 0:
		return errors.New("--from-hosts: means nothing where folders are named to be cloned")
	case len(s.Inputs) > 0:
		idle, why = append(s.streamSettings(), s.Connection.settings()...), "where folders are named to be cloned"
		s.Reading.Via = viaFiles
	case len(s.Hosts) > 0:
		idle, why = s.fileSettings(), "with --from-hosts"
		s.Reading.Via = viaStream
	default:
		return errors.New("nothing is named to be cloned: name folders with SSTables after the table, or the cluster that has it with --from-hosts")
	}
	for _, one := range idle {
		if o.Given[one.Name] {
			return fmt.Errorf("--%s: means nothing %s", one.Name, why)
		}
	}
	if err := s.checkStreamed(); err != nil {
		return err
	}
	s.Listen = o.Listen
	s.Consistency, s.Timeout, s.Connections = o.Consistency, o.Timeout, o.Connections
	s.Keyspace, s.Table, s.TempDir = cmp.Or(s.Keyspace, o.Keyspace), cmp.Or(s.Table, o.Table), o.Writing.TempDir
	return nil
}

// planning is the plan of what is read.
func (s *CloneSource) planning() (plan.Options, error) {
	p := newPlanning()
	p.BeginToken, p.EndToken = s.BeginToken, s.EndToken
	return p.options(s.TableName)
}

// Clone is a clone of a table that is ready to be made.
type Clone struct {
	landing
	spec   CloneSpec
	from   *tableSession
	copier *stream.Copier
	board  *board.Board // nil: nobody looks
}

// PrepareClone connects, compares the tables, and finds out how one becomes the other.
func PrepareClone(ctx context.Context, env Environment, spec CloneSpec) (*Clone, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	c := &Clone{landing: landing{env: env, counters: &progress.Counters{}}, spec: spec}
	c.landing.spec, c.landing.altered, c.landing.again = &c.spec.Writing, c.altered, "run the same command again"
	c.landing.fromStart = "empty the table and run the same command again"
	if err := c.prepare(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Clone) prepare(ctx context.Context) error {
	cfg, err := c.spec.config(c.env)
	if err != nil {
		return err
	}
	planning := Planning{Smudge: plan.DefaultSmudge, Splits: 1} // the ring is wanted, and not its parts
	options, err := planning.options(c.spec.TableName)
	if err != nil {
		return err
	}
	if c.t, err = openTable(ctx, cfg, c.spec.TableName, options, false); err != nil {
		return err
	}
	if err := c.t.knowAll(ctx, "via "+c.spec.Writing.Via, c.spec.Patience); err != nil {
		return err
	}
	c.t.tellLearned(c.env)
	err = insist(ctx, func() (err error) {
		c.t.dropped, err = droppedColumns(ctx, c.t.session, c.spec.TableName)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.openSource(ctx); err != nil {
		return fmt.Errorf("what is cloned: %w", err)
	}
	if err := c.agree(); err != nil {
		return err
	}
	if err := c.prepareLanding(ctx); err != nil {
		return err
	}
	limitMemory(c.spec.Memory)
	sweep.CountTotal(c.counters, c.from.plan.Splits, c.from.plan.Partitioner())
	return c.prepareCopier()
}

// openSource opens what is cloned.
func (c *Clone) openSource(ctx context.Context) error {
	s := &c.spec.From
	planning, err := s.planning()
	if err != nil {
		return err
	}
	if s.Reading.Via == viaStream {
		s.Slice = cmp.Or(s.Slice, mostAsked) // a clone lands as many SSTables as it has slices
		c.from, err = openStream(ctx, c.env, &s.Reading, &s.Connection, s.TableName, planning, "", c.spec.Patience)
		if err == nil {
			c.listener = c.from.files.listener
			c.counters.Receipt.Store(c.from.files.receipt)
		}
		return err
	}
	if c.t.tableOptions, err = c.t.options(ctx); err != nil {
		return err
	}
	s.like = c.t
	c.from = &tableSession{}
	if err := c.from.openFiles(ctx, c.env, &s.Reading, &s.Connection, s.TableName); err != nil {
		return err
	}
	if err := c.from.placeFiles(c.env, s.Ring, s.Keyspace, s.Consistency); err != nil {
		return err
	}
	return c.from.planFiles(planning)
}

// prepareCopier makes what brings the partitions to their nodes.
func (c *Clone) prepareCopier() (err error) {
	o := c.streaming.options
	o.Run = strconv.FormatInt(time.Now().UnixNano(), 36)
	place := os.TempDir()
	last := c.lastStage()
	switch {
	case c.spec.DryRun:
		o.Sender, o.Local, last = noSender{}, true, progress.StageMaking // all else is as in a run, so that what is foretold is what comes
	case c.spec.Writing.Via == viaFiles:
		if err := c.startFiles(); err != nil {
			return err
		}
		o.Sender, o.Local, place = c.files.keeper, true, c.files.dir // SSTables that are made there can be linked
	default:
		if o.Sender, err = c.newSender(); err != nil {
			return err
		}
	}
	c.counters.Stage.Begin(progress.StageMaking, last)
	o.Dir = cmp.Or(o.Dir, place)
	c.copier, err = stream.NewCopier(o)
	return err
}

// Table is the clone's name, as CQL has it.
func (c *Clone) Table() string { return c.t.table.String() }

// Counters are what the clone has so far.
func (c *Clone) Counters() *progress.Counters { return c.counters }

// Close ends the connections.
func (c *Clone) Close() {
	for _, t := range []*tableSession{c.from, c.t} {
		if t != nil {
			t.close()
		}
	}
}
