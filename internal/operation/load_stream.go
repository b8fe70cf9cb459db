package operation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/streamed"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/spec/setting"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// streaming is what rows are streamed with, or made SSTables of that are kept.
type streaming struct {
	options  stream.Options
	table    driver.TableOptions
	standing table.Placement
	watch    *ringWatch        // nil: the ring is that of a file
	client   *internode.Client // nil where no storage port is connected to
	disks    disks
	// addresses of nodes that write SSTables of another version than nb, in their order
	others []string
	taking taking // of SSTables in a folder
}

// prepareLanding finds out whether rows can be streamed into the table, and how.
func (l *landing) prepareLanding(ctx context.Context) error {
	if dir := l.spec.TempDir; dir != "" {
		if err := streamed.TryTempDir(dir); err != nil {
			return err
		}
	}
	options, err := l.t.Options(ctx)
	if err != nil {
		return err
	}
	s, err := l.outline(ctx, options)
	if err != nil {
		return fmt.Errorf("--via %s: %w", l.spec.Via, err)
	}
	if l.spec.Via == spec.ViaFiles {
		if err := l.refuseImport(s.taking); err != nil {
			return err
		}
	}
	s.options.Dir, s.options.Patience = l.spec.TempDir, l.spec.Patience
	l.counters.Stage.Begin(progress.StageSorting, l.lastStage())
	s.options.NodeName, s.options.Progress, s.options.OnRetry = l.t.NodeName, l.counters, l.counters.Retried
	if err := l.ignoreHosts(s); err != nil {
		return err
	}
	if l.t.Connected() {
		if err := l.lookAtNodes(ctx, s); err != nil {
			return err
		}
	}
	form, err := l.chooseForm(options, s.options.Version, s.others)
	if err != nil {
		return err
	}
	s.options.Whole = form.whole
	if l.spec.Via == spec.ViaStream && (options.CDC || len(options.Views) > 0) {
		s.options.BatchBytes = batchShare(l.t.Limits(ctx).MaxMutationBytes)
	}
	l.streaming = s
	var notes []string
	if form.why != "" {
		notes = append(notes, "rows are streamed one by one: "+form.why)
	}
	notes = append(
		notes,
		"rows are written by streaming SSTables: "+
			"CQL permissions, guardrails, audit logs and hints do not apply",
	)
	notes = append(notes, passedBy(options, l.spec.Via, s.taking)...)
	if l.spec.Via == spec.ViaStream {
		told, err := l.lookAtDisks(ctx, s)
		if err != nil {
			return err
		}
		notes = append(notes, told...)
	}
	if len(s.options.Ignored) > 0 {
		notes = append(
			notes,
			fmt.Sprintf(
				"%s %s left out, and will need a repair",
				strings.Join(l.spec.IgnoreHosts, ", "),
				human.Verb(len(s.options.Ignored), "is", "are"),
			),
		)
	}
	for _, note := range notes {
		l.env.Warn("%s", note)
	}
	return nil
}

// lastStage is what becomes of SSTables in the end.
func (l *landing) lastStage() string {
	if l.spec.Via == spec.ViaFiles {
		return progress.StageWriting
	}
	return progress.StageSending
}

// outline says what rows are streamed with, or made SSTables of, as far as the table and the
// versions of the nodes tell. The error says why they cannot be.
func (l *landing) outline(ctx context.Context, options driver.TableOptions) (*streaming, error) {
	if err := l.refuseStream(options); err != nil {
		return nil, err
	}
	form := fileForm{version: sstable.NB}
	if l.spec.Via == spec.ViaFiles {
		var err error
		if form, err = l.chooseFiles(ctx); err != nil {
			return nil, err
		}
	}
	placement, err := l.placement(form.taking)
	if err != nil {
		return nil, err
	}
	for i := range placement.Len() {
		if len(placement.Replicas(i)) == 0 {
			return nil, fmt.Errorf(
				"some rows have no replica: the keyspace's replication is %v",
				l.t.Replication,
			)
		}
	}
	s := &streaming{taking: form.taking, table: options, options: stream.Options{
		Table:     l.t.Schema,
		Placement: placement,
		Version:   form.version,
		Single:    form.taking == byUpload,
		Ignored:   make(map[string]bool),
	}}
	for _, n := range l.t.Cluster.Nodes {
		s.options.Nodes = append(s.options.Nodes, n.ID)
	}
	return s, nil
}

// lookAtNodes takes down where the nodes are, so that it is seen when they have moved.
func (l *landing) lookAtNodes(ctx context.Context, s *streaming) error {
	if l.spec.Via == spec.ViaStream || l.spec.Import {
		var err error
		s.client = &internode.Client{Limiter: pace.NewLimiter(float64(l.spec.MaxBytesPerSec))}
		if s.client.TLS, err = l.spec.Internode.Config(l.env); err != nil {
			return err
		}
	}
	state, err := l.watchRing(ctx, s)
	if err != nil {
		return err
	}
	if l.spec.Via == spec.ViaStream {
		if err := l.findStorage(ctx, s, state.cluster.Nodes); err != nil {
			return err
		}
	}
	return l.t.RefuseUnknown("via "+l.spec.Via, s.standing.Places)
}

// batchShare is how large the rows of a mutation may be, by their bytes in an SSTable, so that
// nodes do not refuse it: in a mutation the same rows take a little more or less, and its columns
// are named.
func batchShare(mutation int) int64 { return int64(mutation) * 7 / 8 }

// sortMemory is the part of the memory that rows take which are being sorted. The largest rows take
// memory besides: as input, and encoded.
func sortMemory(memory setting.Size) int64 { return int64(memory)/4 - largeRows }

// largeRows is that memory.
const largeRows = 8 << 20

// byCQL says how a table is loaded that cannot be by streaming.
const byCQL = "it takes rows by CQL alone (cqlbulk scan and load without --via)"

// refuseStream says why a table cannot be loaded by streaming, if it cannot.
func (l *landing) refuseStream(options driver.TableOptions) error {
	t := l.t.Schema
	switch {
	case t.IsCounter():
		return fmt.Errorf("%s has counters, which only the servers can count: %s", t, byCQL)
	case options.Compact:
		return fmt.Errorf("%s is a table of COMPACT STORAGE: %s", t, byCQL)
	case t.ID == "" && l.t.Connected():
		return fmt.Errorf("%s is a virtual table", t)
	case l.t.Plan.Placement() == nil:
		return fmt.Errorf("the replicas of %s cannot be told: %s", t, l.t.Plan.Serial)
	case l.t.Plan.Partitioner().Name() != "Murmur3Partitioner":
		return fmt.Errorf(
			"the cluster's partitioner is %s; only Murmur3Partitioner is served",
			l.t.Plan.Partitioner().Name(),
		)
	case options.IsView:
		return fmt.Errorf("%s is a materialized view: its base table is what can be loaded", t)
	case l.spec.Via == spec.ViaFiles:
		return nil
	case l.t.IsScylla():
		return fmt.Errorf(
			"ScyllaDB takes no streams from others; --via %s makes SSTables for it",
			spec.ViaFiles,
		)
	}
	return l.t.RefuseVersions()
}

// placement finds the replicas of the table. Of one that is taken by upload it hardly matters,
// since a node sends rows to where they belong: where there are tablets it is that of the moment.
func (l *landing) placement(by taking) (*token.Placement, error) {
	if by == byUpload {
		return l.t.Plan.Placement(), nil
	}
	return l.t.Cluster.PlaceAll(l.t.Replication)
}

// passedBy says what is otherwise with a table's triggers, views and change capture than when rows
// come by CQL.
func passedBy(o driver.TableOptions, via string, by taking) (notes []string) {
	if len(o.Triggers) > 0 {
		notes = append(
			notes,
			fmt.Sprintf(
				"the table has triggers (%s), which are not run",
				strings.Join(o.Triggers, ", "),
			),
		)
	}
	switch {
	case via == spec.ViaFiles && by == byUpload:
		// its views and indexes are brought up to date
	case via == spec.ViaFiles && len(o.Views) > 0:
		notes = append(
			notes,
			fmt.Sprintf(
				"the table has views (%s), which will not have the rows when these are imported, until they are dropped and created again",
				strings.Join(o.Views, ", "),
			),
		)
	case via == spec.ViaFiles && o.CDC:
		notes = append(notes, "the table's change capture does not see rows that are imported")
	case len(o.Views) > 0 || o.CDC:
		var of []string
		if len(o.Views) > 0 {
			of = append(of, fmt.Sprintf("views (%s)", strings.Join(o.Views, ", ")))
		}
		if o.CDC {
			of = append(of, "change capture")
		}
		notes = append(
			notes,
			fmt.Sprintf(
				"the servers write each row once more, for the table's %s, which takes them as long as by CQL",
				strings.Join(of, " and "),
			),
		)
	}
	return notes
}

// newSender makes what streams to the storage ports.
func (l *landing) newSender() (*streamSender, error) {
	id, err := internode.ParseUUID(l.t.Schema.ID)
	if err != nil {
		return nil, fmt.Errorf("table %s: id: %w", l.t.Schema, err)
	}
	var indexes []string
	for _, index := range l.streaming.table.Indexes {
		indexes = append(indexes, index.Name)
	}
	return &streamSender{
		client:   l.streaming.client,
		table:    id,
		address:  l.streaming.watch.address,
		disks:    l.streaming.disks,
		indexes:  indexes,
		patience: cmp.Or(l.spec.Patience, pace.DefaultPatience),
		failure:  l.t.Session.StreamFailure,
		ended:    l.t.Session.StreamEnded,
	}, nil
}
