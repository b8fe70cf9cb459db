package table

import (
	"context"
	"fmt"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/memory"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Table is a table of a connected cluster, with the plan for reading all of it.
type Table struct {
	Session     *driver.Session
	Schema      *schema.Table
	Cluster     *topology.Cluster
	Replication map[string]string
	Estimates   []driver.Estimate // by node of the cluster
	Plan        *plan.Plan
	Consistency string // of the session
	// place asks again for the nodes, and plans again. nil: there is no session.
	place func(ctx context.Context, more ...func() error) error

	// The fields below are for a table described by files, without a session, or for a clone of
	// files.
	KnownOptions driver.TableOptions
	scylla       bool                // the cluster is one of ScyllaDB
	Ringed       bool                // the cluster is known
	Dropped      []reconcile.Dropped // columns that the table had
}

// Connected reports whether there is a cluster to ask.
func (t *Table) Connected() bool { return t.Session != nil }

// Open connects and plans. If the table is to be read, Open asks the nodes for their estimates,
// which shape the plan.
func Open(
	ctx context.Context,
	cfg driver.Config,
	t spec.TableName,
	o plan.Options,
	read bool,
) (*Table, error) {
	defer memory.CollectMeanwhile(memory.Small)()
	session, err := driver.Connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	memory.Release() // the nodes' answers while connecting
	out := &Table{Session: session, Consistency: cfg.Consistency}
	if err := out.Describe(ctx, t, o, read); err != nil {
		session.Close()
		return nil, err
	}
	return out, nil
}

// Describe asks the cluster for the table and the nodes that hold it, and plans.
func (t *Table) Describe(
	ctx context.Context,
	name spec.TableName,
	o plan.Options,
	read bool,
) error {
	t.place = func(ctx context.Context, more ...func() error) error {
		return t.placeNodes(ctx, name, o, read, more...)
	}
	err := t.place(ctx, func() (err error) {
		t.Schema, err = t.Session.Table(ctx, name.Keyspace, name.Table)
		return err
	})
	if err != nil {
		return err
	}
	return RefuseTooManyReplicas(t.Consistency, t.Replication, len(t.Cluster.Nodes))
}

// placeNodes asks for the nodes and the replication, together with the questions in more, and
// plans.
func (t *Table) placeNodes(
	ctx context.Context,
	name spec.TableName,
	o plan.Options,
	read bool,
	more ...func() error,
) error {
	err := AskAll(ctx, append(more, func() (err error) {
		t.Cluster, err = t.Session.Topology(ctx)
		return err
	}, func() (err error) {
		t.Replication, err = t.Session.Replication(ctx, name.Keyspace)
		return err
	})...)
	if err != nil {
		return err
	}
	err = AskAll(ctx, func() (err error) {
		o.Placement, err = t.tablets(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if read {
		t.Estimates = t.Session.Estimates(ctx, t.Cluster.Nodes, t.Schema.Keyspace, t.Schema.Name)
		o.Bytes = t.Estimate().Bytes
	}
	t.Plan, err = plan.Make(t.Cluster, t.Replication, o)
	return err
}

// Asks is the number of times that a question to the cluster is asked at most.
const Asks = 3

// AskAll asks the cluster all questions at once. If a question gets no answer, AskAll asks again,
// if possible another node. So one node that hangs cannot keep a run from starting.
func AskAll(ctx context.Context, questions ...func() error) error {
	errs := make([]error, len(questions))
	var asking sync.WaitGroup
	for i, ask := range questions {
		asking.Go(func() { errs[i] = Ask(ctx, ask) })
	}
	asking.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Ask asks the cluster a question. If no answer comes, it asks again, up to three times in all.
func Ask(ctx context.Context, ask func() error) error {
	for attempt := 1; ; attempt++ {
		err := ask()
		if err == nil || attempt == Asks || !fault.Retryable(err, true) {
			return err
		}
		if err := pace.Sleep(ctx, pace.Backoff{}.Delay(attempt)); err != nil {
			return fault.New(fault.Canceled, err)
		}
	}
}

// tablets returns the placement of a ScyllaDB table with tablets, and nil for any other table.
func (t *Table) tablets(ctx context.Context) (*token.Placement, error) {
	ends, replicas, ok, err := t.Session.Tablets(ctx, t.Schema.Keyspace, t.Schema.Name)
	if err != nil || !ok {
		return nil, err
	}
	nodes := make([][]string, len(replicas))
	for i, set := range replicas {
		for _, r := range set {
			nodes[i] = append(nodes[i], r.HostID)
		}
	}
	return t.Cluster.PlaceAt(ends, nodes)
}

// Ping asks a node for a row of its own. If host is empty, it asks all local nodes. It returns nil
// as soon as one node has answered.
func (t *Table) Ping(ctx context.Context, host string) error {
	if host == "" {
		return t.AnyOf(ctx, nil)
	}
	return t.AnyOf(ctx, []string{host})
}

// AnyOf asks some nodes at once, or all local ones if ids is nil. It returns nil as soon as one has
// answered.
func (t *Table) AnyOf(ctx context.Context, ids []string) error {
	if ids == nil {
		for _, n := range t.Cluster.Local() {
			ids = append(ids, n.ID)
		}
	}
	return t.Session.PingAny(ctx, ids)
}

// NodeName returns the address of a node, or its id if the address is not known.
func (t *Table) NodeName(id string) string {
	for _, n := range t.Cluster.Nodes {
		if n.ID == id {
			return n.Address
		}
	}
	return id
}

// Estimate returns the sum of the nodes' estimates.
func (t *Table) Estimate() driver.Estimate {
	var sum driver.Estimate
	for _, e := range t.Estimates {
		sum.Partitions += e.Partitions
		sum.Bytes += e.Bytes
	}
	return sum
}

// IsScylla reports whether the cluster is one of ScyllaDB.
func (t *Table) IsScylla() bool {
	if !t.Connected() {
		return t.scylla
	}
	return t.Session.IsScylla()
}

// Options returns the table's options on the servers.
func (t *Table) Options(ctx context.Context) (o driver.TableOptions, err error) {
	if !t.Connected() {
		return t.KnownOptions, nil
	}
	err = AskAll(ctx, func() (err error) {
		o, err = t.Session.TableOptions(ctx, t.Schema.Keyspace, t.Schema.Name)
		return err
	})
	return o, err
}

// Limits returns the servers' limits on writes.
func (t *Table) Limits(ctx context.Context) driver.Limits {
	if !t.Connected() {
		return driver.DefaultLimits
	}
	return t.Session.Limits(ctx)
}

// Close ends the connection.
func (t *Table) Close() {
	if t.Connected() {
		t.Session.Close()
	}
}

// Tokens returns a range in CQL's notation, and nil if the table is read as one range.
func (t *Table) Tokens(r token.Range) *TokenRange {
	p := t.Plan.Partitioner()
	if p == nil {
		return nil
	}
	return &TokenRange{string(p.Append(nil, r.Start)), string(p.Append(nil, r.End))}
}

// TokenRange is a range of tokens in CQL's notation.
type TokenRange struct {
	Start string // not in the range
	End   string // in it
}

// DroppedColumns asks the cluster for the columns of a table that were dropped, with their times.
func DroppedColumns(
	ctx context.Context,
	s *driver.Session,
	name spec.TableName,
) (dropped []reconcile.Dropped, err error) {
	times, err := s.Dropped(ctx, name.Keyspace, name.Table)
	for column, at := range times {
		dropped = append(dropped, reconcile.Dropped{Name: column, Time: at.UnixMicro()})
	}
	return dropped, err
}

// MergedTable returns the description of the table that merging rows from SSTables needs.
func (t *Table) MergedTable() (*reconcile.Table, error) {
	planned, err := sstable.Plan(t.Schema.Stored())
	if err != nil {
		return nil, err
	}
	return &reconcile.Table{
		Schema:         planned,
		Dropped:        t.Dropped,
		Partitioner:    token.Murmur3,
		StrictLiveness: t.KnownOptions.StrictLiveness,
	}, nil
}

// RefuseStreamOut returns an error with the reason if the nodes cannot stream the table out.
func (t *Table) RefuseStreamOut() error {
	switch {
	case t.KnownOptions.Compact:
		return fmt.Errorf(
			"%s is a table of COMPACT STORAGE, whose rows cannot be read from SSTables",
			t.Schema,
		)
	case t.Schema.ID == "":
		return fmt.Errorf("%s is a virtual table", t.Schema)
	case t.Plan.Placement() == nil:
		return fmt.Errorf("the replicas of %s are not known: %s", t.Schema, t.Plan.Serial)
	case t.Plan.Partitioner() != token.Murmur3:
		return fmt.Errorf(
			"the cluster's partitioner is %s; only Murmur3Partitioner is served",
			t.Plan.Partitioner().Name(),
		)
	case t.IsScylla():
		return fmt.Errorf(
			"ScyllaDB streams only to its own nodes; --via %s reads its snapshots",
			spec.ViaFiles,
		)
	}
	return t.RefuseVersions()
}

// RefuseVersions returns an error if a node's version is not one whose streaming cqlbulk knows.
func (t *Table) RefuseVersions() error {
	for _, n := range t.Cluster.Nodes {
		if r := ReleaseOf(n.Version); r.Before(Release{4}) || !r.Before(Release{6}) {
			return fmt.Errorf(
				"node %s is of version %s; only those of Cassandra 4.0 to 5.0 are streamed with",
				n.Address,
				n.Version,
			)
		}
	}
	return nil
}
