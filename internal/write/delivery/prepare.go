package delivery

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
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Setup is how SSTables are made and sent, as [Delivery.Prepare] decided it.
type Setup struct {
	Options      stream.Options
	TableOptions driver.TableOptions
	standing     table.Placement
	watch        *ringWatch        // nil: the ring is that of a file
	client       *internode.Client // nil where no storage port is connected to
	disks        Disks
	// addresses of nodes that write SSTables of another version than nb, in their order
	OtherVersions []string
	Method        ImportMethod // of SSTables in a folder
}

// Prepare checks that SSTables can be brought into the table, and decides how.
func (d *Delivery) Prepare(ctx context.Context) error {
	if dir := d.Spec.TempDir; dir != "" {
		if err := streamed.TryTempDir(dir); err != nil {
			return err
		}
	}
	options, err := d.Table.Options(ctx)
	if err != nil {
		return err
	}
	s, err := d.Outline(ctx, options)
	if err != nil {
		return fmt.Errorf("--via %s: %w", d.Spec.Via, err)
	}
	if d.Spec.Via == spec.ViaFiles {
		if err := d.refuseImport(s.Method); err != nil {
			return err
		}
	}
	s.Options.Dir, s.Options.Patience = d.Spec.TempDir, d.Spec.Patience
	d.Counters.Stage.Begin(progress.StageSorting, d.LastStage())
	s.Options.NodeName = d.Table.NodeName
	s.Options.Progress, s.Options.OnRetry = d.Counters, d.Counters.Retried
	if err := d.IgnoreHosts(s); err != nil {
		return err
	}
	if d.Table.Connected() {
		if err := d.lookAtNodes(ctx, s); err != nil {
			return err
		}
	}
	form, err := d.ChooseForm(options, s.Options.Version, s.OtherVersions)
	if err != nil {
		return err
	}
	s.Options.Whole = form.Whole
	if d.Spec.Via == spec.ViaStream && (options.CDC || len(options.Views) > 0) {
		s.Options.BatchBytes = batchShare(d.Table.Limits(ctx).MaxMutationBytes)
	}
	d.Setup = s
	var notes []string
	if form.Why != "" {
		notes = append(notes, "rows are streamed one by one: "+form.Why)
	}
	notes = append(
		notes,
		"rows are written as SSTables: "+
			"CQL permissions, guardrails, audit logs and hints do not apply",
	)
	notes = append(notes, PassedBy(options, d.Spec.Via, s.Method)...)
	if d.Spec.Via == spec.ViaStream {
		told, err := d.lookAtDisks(ctx, s)
		if err != nil {
			return err
		}
		notes = append(notes, told...)
	}
	if len(s.Options.Ignored) > 0 {
		notes = append(
			notes,
			fmt.Sprintf(
				"%s %s left out, and will need a repair",
				strings.Join(d.Spec.IgnoreHosts, ", "),
				human.Verb(len(s.Options.Ignored), "is", "are"),
			),
		)
	}
	for _, note := range notes {
		d.Env.Warn("%s", note)
	}
	return nil
}

// LastStage returns the last stage of a run: SSTables are sent, or written to a folder.
func (d *Delivery) LastStage() string {
	if d.Spec.Via == spec.ViaFiles {
		return progress.StageWriting
	}
	return progress.StageSending
}

// Outline decides what follows from the table and the versions of the nodes. The error is the
// reason why no SSTables can be made for them.
func (d *Delivery) Outline(ctx context.Context, options driver.TableOptions) (*Setup, error) {
	if err := d.refuseStream(options); err != nil {
		return nil, err
	}
	form := fileForm{version: component.NB}
	if d.Spec.Via == spec.ViaFiles {
		var err error
		if form, err = d.chooseFiles(ctx); err != nil {
			return nil, err
		}
	}
	placement, err := d.placement(form.method)
	if err != nil {
		return nil, err
	}
	for i := range placement.Len() {
		if len(placement.Replicas(i)) == 0 {
			return nil, fmt.Errorf(
				"some rows have no replica: the keyspace's replication is %v",
				d.Table.Replication,
			)
		}
	}
	s := &Setup{Method: form.method, TableOptions: options, Options: stream.Options{
		Table:     d.Table.Schema,
		Placement: placement,
		Version:   form.version,
		Single:    form.method == byUpload,
		Ignored:   make(map[string]bool),
	}}
	for _, n := range d.Table.Cluster.Nodes {
		s.Options.Nodes = append(s.Options.Nodes, n.ID)
	}
	return s, nil
}

// lookAtNodes reads the ring, so that a later change of it is seen.
func (d *Delivery) lookAtNodes(ctx context.Context, s *Setup) error {
	if d.Spec.Via == spec.ViaStream || d.Spec.Import {
		var err error
		s.client = &internode.Client{Limiter: pace.NewLimiter(float64(d.Spec.MaxBytesPerSec))}
		if s.client.TLS, err = d.Spec.Internode.Config(d.Env); err != nil {
			return err
		}
	}
	state, err := d.watchRing(ctx, s)
	if err != nil {
		return err
	}
	if d.Spec.Via == spec.ViaStream {
		if err := d.findStorage(ctx, s, state.cluster.Nodes); err != nil {
			return err
		}
	}
	return d.Table.RefuseUnknown("via "+d.Spec.Via, s.standing.Places)
}

// batchShare returns the most bytes of rows in an SSTable that become one mutation. Nodes refuse
// larger mutations. The same rows take a little more or less there, and a mutation names its
// columns.
func batchShare(mutation int) int64 { return int64(mutation) * 7 / 8 }

// sortShare is the share of the memory that is for rows that are being sorted.
const sortShare = 4

// byCQL is the advice for a table that cannot be streamed.
const byCQL = "it takes rows by CQL alone (cqlbulk scan and load without --via)"

// refuseStream returns an error if the table cannot be loaded by streaming.
func (d *Delivery) refuseStream(options driver.TableOptions) error {
	t := d.Table.Schema
	switch {
	case t.IsCounter():
		return fmt.Errorf("%s has counters, which only the servers can count: %s", t, byCQL)
	case options.Compact:
		return fmt.Errorf("%s is a table of COMPACT STORAGE: %s", t, byCQL)
	case t.ID == "" && d.Table.Connected():
		return fmt.Errorf("%s is a virtual table", t)
	case d.Table.Plan.Placement() == nil:
		return fmt.Errorf("the replicas of %s are not known: %s", t, d.Table.Plan.Serial)
	case d.Table.Plan.Partitioner().Name() != "Murmur3Partitioner":
		return fmt.Errorf(
			"the cluster's partitioner is %s; only Murmur3Partitioner is served",
			d.Table.Plan.Partitioner().Name(),
		)
	case options.IsView:
		return fmt.Errorf("%s is a materialized view: its base table is what can be loaded", t)
	case d.Spec.Via == spec.ViaFiles:
		return nil
	case d.Table.IsScylla():
		return fmt.Errorf(
			"ScyllaDB takes no streams from others; --via %s makes SSTables for it",
			spec.ViaFiles,
		)
	}
	return d.Table.RefuseVersions()
}

// placement returns the replicas of the table's rows. With the method upload they hardly matter,
// since a node sends the rows on to their replicas. A table with tablets has those of the moment.
func (d *Delivery) placement(by ImportMethod) (*token.Placement, error) {
	if by == byUpload {
		return d.Table.Plan.Placement(), nil
	}
	return d.Table.Cluster.PlaceAll(d.Table.Replication)
}

// PassedBy returns what is different for the table's triggers, views and change data capture from a
// load by CQL.
func PassedBy(o driver.TableOptions, via string, by ImportMethod) (notes []string) {
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

// NewSender returns the sender that streams to the storage ports.
func (d *Delivery) NewSender() (*sender, error) {
	id, err := internode.ParseUUID(d.Table.Schema.ID)
	if err != nil {
		return nil, fmt.Errorf("table %s: id: %w", d.Table.Schema, err)
	}
	var indexes []string
	for _, index := range d.Setup.TableOptions.Indexes {
		indexes = append(indexes, index.Name)
	}
	return &sender{
		client:   d.Setup.client,
		table:    id,
		address:  d.Setup.watch.address,
		disks:    d.Setup.disks,
		indexes:  indexes,
		patience: cmp.Or(d.Spec.Patience, pace.DefaultPatience),
		failure:  d.Table.Session.StreamFailure,
		ended:    d.Table.Session.StreamEnded,
	}, nil
}
