package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/where"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Files are the SSTables that a table is read from.
type Files struct {
	Merged *reconcile.Table
	All    sstables.Files
	Pieces *sstables.Pieces // that they are fetched in; nil: they are all there
	opened []sstables.File  // those in folders, as they were found
	Whole  []sstables.File  // those of them that are not damaged altogether
	Found  *snapshot.Found  // nil: they are streamed
	// unflushed are segments of commit logs that have rows which are in no SSTable.
	Unflushed []string
	Where     *where.Condition // that rows must meet; nil: there is none
	// unchanged gives an error when the table is not what it was when its reading began; nil: it is
	// not to be asked for.
	Unchanged func(ctx context.Context) error
	// refetch begins to fetch the pieces again, without the ranges that are done; nil: they are all
	// there.
	Refetch     func(done []token.Range)
	Receipt     *progress.Receipt   // of what nodes stream; nil: they do not
	Listener    *internode.Listener // where nodes bring them; nil: they do not
	Partitioner string              // its class
	Bytes       int64               // of Data.db, not compressed
}

// NewCounters makes the counters of a run that reads the table.
func (t *Source) NewCounters() *progress.Counters {
	c := new(progress.Counters)
	if t.Files != nil {
		c.Receipt.Store(t.Files.Receipt)
	}
	return c
}

// Open finds the SSTables of a table in folders, and plans to read them. The caller closes the
// source.
func Open(ctx context.Context, r Request) (*Source, error) {
	t := &Source{Table: &table.Table{}}
	err := t.OpenOf(ctx, r, nil)
	if err == nil {
		err = t.PlaceFiles(r.Env, r.Reading.Ring, r.Table.Keyspace, r.Connection.Consistency)
	}
	if err == nil {
		err = t.PlanFiles(r.Planning)
	}
	if err != nil {
		err = fmt.Errorf("--via %s: %w", spec.ViaFiles, err)
	} else {
		err = t.ReadWhere(r.Where)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// OpenOf finds the SSTables, and neither places them nor plans. If no schema lies beside them, they
// are those of the table like. If like is nil, OpenOf asks the cluster for the schema.
func (t *Source) OpenOf(ctx context.Context, r Request, like *table.Table) error {
	env, o, conn, name := r.Env, r.Reading, r.Connection, r.Table
	var declared *cqlschema.Table
	if _, err := driver.ParseConsistency(conn.Consistency); err != nil {
		return fmt.Errorf("--%s: %w", spec.ConsistencyFlag, err)
	}
	var err error
	request := snapshot.Request{
		Keyspace: name.Keyspace,
		Table:    name.Table,
		Tag:      o.Snapshot,
		Paths:    o.Inputs,
	}
	if o.Schema != "" {
		if declared, err = t.ReadSchemaFile(env, o.Schema, name); err != nil {
			return fmt.Errorf("--schema %s: %w", o.Schema, err)
		}
		request.ID = declared.ID
	}
	found, err := snapshot.Find(request)
	if err != nil {
		return err
	}
	logPassedOver(env, found.Skipped)
	request.ID = found.ID
	t.Files = &Files{Found: found}
	switch {
	case declared != nil:
		if found.ViewPath != "" && !t.KnownOptions.IsView {
			return t.notAView(found.ViewPath + " makes a materialized view")
		}
	case found.Schema != "":
		if declared, err = t.ParseSchema(env, found.SchemaPath, found.Schema, name); err != nil {
			return fmt.Errorf("%s: %w", found.SchemaPath, err)
		}
	case like != nil:
		if found.ViewPath == "" {
			env.Warn(
				"%s: they are taken to have the columns of %s",
				noSchema(found, name),
				like.Schema,
			)
		}
		t.Schema, t.KnownOptions, t.Dropped = like.Schema, like.KnownOptions, like.Dropped
	default:
		if err := t.askSchema(ctx, env, conn, name); err != nil {
			return fmt.Errorf(
				"%s, nor is a file named with --schema; asked of the cluster: %w",
				noSchema(found, name),
				err,
			)
		}
		if err := t.refuseOther(found); err != nil {
			return err
		}
	}
	t.KnownOptions.IsView = t.KnownOptions.IsView || found.ViewPath != ""
	if declared != nil {
		for _, d := range declared.Dropped {
			t.Dropped = append(t.Dropped, reconcile.Dropped{Name: d.Name, Time: d.Timestamp})
		}
	}
	if t.KnownOptions.Compact {
		return fmt.Errorf(
			"%s is a table of COMPACT STORAGE, whose rows cannot be read from SSTables",
			t.Schema,
		)
	}
	if t.Files.Merged, err = t.MergedTable(); err != nil {
		return err
	}
	return t.OpenFound(env, request, o.IgnoreCommitLog)
}

// findings is how often a search for files is repeated.
const findings = 5

// OpenFound opens the SSTables that were found, and checks the commit logs. A node that runs
// removes SSTables that it has compacted, and commit logs whose rows it has flushed. Other files
// have those rows then. If a file of live data has gone, OpenFound searches for the files once
// more.
func (t *Source) OpenFound(
	env spec.Environment,
	request snapshot.Request,
	ignoreCommitLog bool,
) error {
	var before error
	for n := 1; ; n++ {
		err := t.openAll(env)
		if err == nil {
			err = t.checkCommitLogs(env, ignoreCommitLog)
		}
		switch {
		case !errors.Is(err, fs.ErrNotExist) || len(t.Files.Found.Live) == 0:
			return err
		case before != nil && before.Error() == err.Error():
			return err // the file was missing before
		case n == findings:
			return fmt.Errorf(
				"%w: a node that runs removes files, and did so %d times while they were opened: "+
					"take a snapshot (nodetool snapshot), and read that",
				err,
				n,
			)
		}
		before = err
		t.CloseFiles()
		found, err := snapshot.Find(request)
		if err != nil {
			return err
		}
		t.Files = &Files{Merged: t.Files.Merged, Found: found}
	}
}

// logPassedOver names what was passed over.
func logPassedOver(env spec.Environment, skipped []snapshot.Skipped) {
	for i, s := range skipped {
		if i == table.SkippedShown {
			env.Warn("and %d more were passed over", len(skipped)-i)
			return
		}
		env.Warn("passed over: %s", s)
	}
}

// askSchema asks the cluster what the table is.
func (t *Source) askSchema(
	ctx context.Context,
	env spec.Environment,
	conn *spec.Connection,
	name spec.TableName,
) error {
	cfg, err := conn.Config(env)
	if err != nil {
		return err
	}
	s, err := driver.Connect(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.Close()
	return table.AskAll(ctx, func() (err error) {
		t.Schema, err = s.Table(ctx, name.Keyspace, name.Table)
		return err
	}, func() (err error) {
		t.KnownOptions, err = s.TableOptions(ctx, name.Keyspace, name.Table)
		return err
	}, func() (err error) {
		t.Dropped, err = table.DroppedColumns(ctx, s, name)
		return err
	})
}

// openAll opens the SSTables that were found. Of a damaged one, the ranges fail that it may have
// rows of.
func (t *Source) openAll(env spec.Environment) error {
	all := make([]sstables.File, len(t.Files.Found.SSTables))
	broken := make(map[int]*tablefile.DamagedError)
	var whole []sstables.File
	for i, f := range t.Files.Found.SSTables {
		file, err := sstables.Open(f.Folder, f.Descriptor)
		if damage := (*tablefile.DamagedError)(nil); errors.As(err, &damage) {
			env.Warn("%s: the token ranges that it may have rows of cannot be read", err)
			broken[i] = damage
			continue
		}
		if err != nil {
			return err
		}
		t.Closers = append(t.Closers, file.Close)
		all[i], whole = file, append(whole, file)
		if by := file.Statistics().Partitioner; t.Files.Partitioner == "" {
			t.Files.Partitioner = by
		} else if by != t.Files.Partitioner {
			return fmt.Errorf(
				"%s is of %s, and others are of %s",
				file.Path(),
				by,
				t.Files.Partitioner,
			)
		}
		if err := t.refuseViewed(file); err != nil {
			return err
		}
		t.Files.Bytes += file.Length()
	}
	for _, damage := range broken {
		if len(whole) == 0 {
			return fmt.Errorf("no SSTable can be read: %w", damage)
		}
	}
	// Otherwise each range would report the columns in which they differ from the table.
	err := sstables.Agree(t.Files.Merged, whole)
	if err != nil {
		return err
	}
	if t.Files.Merged.Partitioner, err = token.ByClass(t.Files.Partitioner); err != nil {
		return err
	}
	for i, damage := range broken {
		f := t.Files.Found.SSTables[i]
		file, err := sstables.OpenDamaged(
			f.Folder,
			f.Descriptor,
			t.Files.Merged.Partitioner,
			damage,
		)
		if err != nil {
			return err
		}
		t.Closers = append(t.Closers, file.Close)
		all[i] = file
	}
	t.Files.opened, t.Files.All, t.Files.Whole = all, sstables.Fixed(all), whole
	return nil
}

// The parts that SSTables are read in.
const (
	// filesShare is the part of the memory that SSTables may take.
	filesShare = 2
	// fileSplit is the size of the token ranges that are read one by one.
	fileSplit = 32 << 20
	// splitsOfWorker is how many of them there are at least, so that all workers come to an end
	// together.
	splitsOfWorker = 16
)

// PlanFiles plans to read the SSTables, which is work for the processors of this machine.
func (t *Source) PlanFiles(o plan.Options) (err error) {
	if o.Parallel == 0 {
		o.Parallel = Processors()
	}
	if o.Splits == 0 && o.Shard.Of <= 1 {
		o.Splits = max(o.Parallel*splitsOfWorker, int(t.Files.Bytes/fileSplit))
	}
	t.Plan, err = plan.Make(t.Cluster, t.Replication, o)
	return err
}

// Processors is how many ranges of SSTables are read at once, as far as the memory lasts.
func Processors() int { return runtime.GOMAXPROCS(0) }

// bounded returns the files with a limit on how many are read at the same time: the memory.
func (f *Files) bounded(memory setting.Size) sstables.Files {
	return sstables.Bounded(f.All, pace.NewBudget(int64(memory)/filesShare))
}

// selection returns the selectors in the form of package reconcile.
func (f *Files) selection(read []schema.Selector) []reconcile.Selector {
	kinds := map[schema.Kind]reconcile.Kind{
		schema.PartitionKey: reconcile.PartitionKey,
		schema.Clustering:   reconcile.Clustering,
		schema.Static:       reconcile.Static,
		schema.Regular:      reconcile.Regular,
	}
	var out []reconcile.Selector
	for _, s := range read {
		selector := reconcile.Selector{
			Kind:  kinds[s.Column.Kind],
			Name:  s.Column.Name,
			Index: s.Column.Position,
		}
		switch {
		case s.Plain:
		case s.TTL:
			selector.What = reconcile.TTL
		default:
			selector.What = reconcile.WriteTime
		}
		out = append(out, selector)
	}
	return out
}

// Sum returns a checksum of the list of files. It is empty for a table that is read by CQL.
func (f *Files) Sum() string {
	if f == nil || f.Found == nil {
		return ""
	}
	h := xxh3.New()
	for _, t := range f.Found.SSTables {
		fmt.Fprintf(h, "%s\x00%s\x00", t.Node, t.Name(component.DataDB))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// CloseFiles closes what is open.
func (t *Source) CloseFiles() {
	for _, c := range slices.Backward(t.Closers) {
		_ = c() // nothing was written
	}
	t.Closers = nil
}
