package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// PrepareLoad prepares the delivery of a load: it is Prepare, and the settings of the load.
func (d *Delivery) PrepareLoad(ctx context.Context, load *spec.Load) error {
	if err := d.Prepare(ctx); err != nil {
		return err
	}
	o, table := &d.Setup.Options, d.Setup.TableOptions
	if len(table.Indexes) > 0 && !load.Deletes() {
		limits := d.Table.Limits(ctx)
		if load.User == "" {
			// Guardrails are for users that are no superusers. Without a login, all users are
			// (ClientState.isSuper).
			limits.MaxTermBytes, limits.MaxFrozenTermBytes, limits.MaxVectorBytes = 0, 0, 0
		}
		o.Indexes = IndexesOf(d.Table.Schema, table.Indexes, limits)
	}
	if !load.Deletes() { // a deletion does not expire
		o.TTL = int32(cmp.Or(int(load.TTL), table.DefaultTTL))
	}
	o.Append, o.Delete = load.AppendCollections, load.Deletes()
	if o.Delete {
		key, err := d.Table.Schema.KeyStart(load.DeleteBy)
		if err != nil {
			return fmt.Errorf("--delete-by: %w", err)
		}
		o.DeleteBy = len(key) - len(d.Table.Schema.OfKind(schema.PartitionKey))
	}
	o.Memory = int64(load.Memory) / sortShare
	// In a folder all rows are one slice: a resumed load writes no complete rows again.
	if load.Via == spec.ViaStream {
		o.Slice = cmp.Or(int64(load.Slice), o.DefaultSlice())
		o.OnOverdue = func(ttl, took time.Duration) {
			d.Env.Warn(
				"rows with a time to live of %s took %s to reach the nodes. "+
					"Some had expired by then: a smaller --slice sends them sooner",
				ttl,
				took.Round(time.Second),
			)
		}
	}
	return nil
}

// LoadRun is what the target of a load needs to know of its run.
type LoadRun struct {
	Name    string // a name that no other load has; empty: one of the present time
	Started time.Time
	Dir     string       // run directory, or another folder for files that are made; see --temp-dir
	Resumed bool         // the run resumes an earlier one
	Begin   func() error // see stream.Options; may be nil
	// Timestamp is the write time of all rows in microseconds; nil: that of Started.
	Timestamp *int64
}

// NewTarget returns the target of a load. It creates the folder of the SSTables if they are not
// streamed, and removes there what an earlier run of the load left. PrepareLoad comes before it.
func (d *Delivery) NewTarget(r LoadRun) (*stream.Target, error) {
	o := d.Setup.Options
	o.Run = cmp.Or(r.Name, strconv.FormatInt(r.Started.UnixNano(), 36))
	o.Timestamp = r.Started.UnixMicro()
	if r.Timestamp != nil {
		o.Timestamp = *r.Timestamp
	}
	if o.Append {
		// Rows of pieces that are forgotten get other timestamps, and other places of list
		// elements.
		o.Begin = r.Begin
	}
	dir := r.Dir
	var err error
	switch {
	case d.Spec.DryRun:
		o.Sender, o.Local = NoSender{}, true
		d.Counters.Stage.Begin(progress.StageSorting, progress.StageMaking)
	case d.Spec.Via == spec.ViaFiles:
		if err := d.CreateFolder(); err != nil {
			return nil, err
		}
		if r.Resumed {
			if err := d.Folder.clear(); err != nil {
				return nil, err
			}
		}
		o.Sender, o.Local, o.Complete = d.Folder.Sender, true, d.CompleteFolder
		dir = d.Folder.Dir // SSTables that are made there can be linked
	default:
		if o.Sender, err = d.NewSender(); err != nil {
			return nil, err
		}
	}
	o.Dir = cmp.Or(o.Dir, dir)
	return stream.New(o)
}

// clear removes what an earlier run of the load left in the folder.
func (k *SSTableFolder) clear() error {
	for _, path := range []string{k.ImportPath(), manifest.Path(k.Dir, true)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("what an earlier run left: %w", err)
		}
	}
	if err := k.Sender.Clear(); err != nil {
		return fmt.Errorf("SSTables of an earlier run: %w", err)
	}
	return nil
}

// Describe returns how rows go into the table, as a part of a sentence.
func (d *Delivery) Describe() string {
	o := &d.Setup.Options
	nodes := len(o.Nodes) - len(o.Ignored)
	switch {
	case d.Spec.Via == spec.ViaFiles:
		return fmt.Sprintf(
			"rows are sorted, and kept in %s as SSTables of version %s",
			d.Spec.Dir,
			o.Version,
		)
	case o.Whole != nil:
		return fmt.Sprintf(
			"rows are sorted, made SSTables of, and these streamed to %s, %s at a time",
			human.Of(nodes, "node"),
			human.Size(o.Slice),
		)
	default:
		return fmt.Sprintf(
			"rows are sorted and streamed to %s, %s SSTables of them, %s at a time",
			human.Of(nodes, "node"),
			human.Verb(nodes, "which makes", "which make"),
			human.Size(o.Slice),
		)
	}
}
