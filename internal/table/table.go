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

// Table is a table of a connected cluster, with the plan to sweep it.
type Table struct {
	Session     *driver.Session
	Schema      *schema.Table
	Cluster     *topology.Cluster
	Replication map[string]string
	Estimates   []driver.Estimate // by node of the cluster
	Plan        *plan.Plan
	Consistency string // of the session
	// place asks again which nodes there are, and plans again. nil: there is no session.
	place func(ctx context.Context, more ...func() error) error

	// Of a table that files describe, where there is no session, or that a clone takes them to be
	// of.
	KnownOptions driver.TableOptions
	scylla       bool                // the cluster is one of ScyllaDB
	Ringed       bool                // the cluster is known
	Dropped      []reconcile.Dropped // columns that the table had
}

// Connected says whether there is a cluster to ask.
func (t *Table) Connected() bool { return t.Session != nil }

// Open connects and plans. The nodes are asked for their estimates when the
// table is to be read: they shape the plan.
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
	memory.Release() // what the nodes told while connecting
	out := &Table{Session: session, Consistency: cfg.Consistency}
	if err := out.Describe(ctx, t, o, read); err != nil {
		session.Close()
		return nil, err
	}
	return out, nil
}

// Describe asks the cluster what the table is and which nodes hold it, and plans.
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

// placeNodes asks which nodes there are and how they hold rows, together with further questions,
// and plans.
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

// Asks is how often the cluster is asked what it is.
const Asks = 3

// AskAll asks the cluster what it is, all questions at once, and each again, of another node where
// there is one, when that gets no answer: one node that hangs shall not keep a run from beginning.
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

// Ask asks the cluster a question, and again, up to three times in all, if no answer comes.
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

// tablets is the placement of a table of ScyllaDB's that has tablets, nil of any
// other.
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

// Ping asks a node for a row of its own, or all local nodes when host is empty, and gives
// nil as soon as one has answered.
func (t *Table) Ping(ctx context.Context, host string) error {
	if host == "" {
		return t.AnyOf(ctx, nil)
	}
	return t.AnyOf(ctx, []string{host})
}

// AnyOf asks some nodes at once, all local ones when ids is nil, and gives nil as soon as
// one has answered.
func (t *Table) AnyOf(ctx context.Context, ids []string) error {
	if ids == nil {
		for _, n := range t.Cluster.Local() {
			ids = append(ids, n.ID)
		}
	}
	return t.Session.PingAny(ctx, ids)
}

// NodeName is the address of a node, and its id when that is not known.
func (t *Table) NodeName(id string) string {
	for _, n := range t.Cluster.Nodes {
		if n.ID == id {
			return n.Address
		}
	}
	return id
}

// Estimate is the sum of what the nodes estimate.
func (t *Table) Estimate() driver.Estimate {
	var sum driver.Estimate
	for _, e := range t.Estimates {
		sum.Partitions += e.Partitions
		sum.Bytes += e.Bytes
	}
	return sum
}

// IsScylla says whether the cluster is one of ScyllaDB.
func (t *Table) IsScylla() bool {
	if !t.Connected() {
		return t.scylla
	}
	return t.Session.IsScylla()
}

// Options is what the servers do with the table's rows.
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

// Limits is the servers' own bounds on writes.
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

// Tokens writes a range as CQL does; nil when the table is read as one range.
func (t *Table) Tokens(r token.Range) *TokenRange {
	p := t.Plan.Partitioner()
	if p == nil {
		return nil
	}
	return &TokenRange{string(p.Append(nil, r.Start)), string(p.Append(nil, r.End))}
}

// TokenRange is a range of tokens, as CQL writes them.
type TokenRange struct {
	Start string // not in the range
	End   string // in it
}

// DroppedColumns asks the cluster which columns a table had.
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

// MergedTable is the table that SSTables are made one for.
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

// RefuseStreamOut says why a table cannot be streamed out of its nodes, if it cannot.
func (t *Table) RefuseStreamOut() error {
	switch {
	case t.KnownOptions.Compact:
		return fmt.Errorf(
			"%s is a table of COMPACT STORAGE, whose rows are not told from SSTables",
			t.Schema,
		)
	case t.Schema.ID == "":
		return fmt.Errorf("%s is a virtual table", t.Schema)
	case t.Plan.Placement() == nil:
		return fmt.Errorf("the replicas of %s cannot be told: %s", t.Schema, t.Plan.Serial)
	case t.Plan.Partitioner() != token.Murmur3:
		return fmt.Errorf(
			"the cluster's partitioner is %s; only Murmur3Partitioner is served",
			t.Plan.Partitioner().Name(),
		)
	case t.IsScylla():
		return fmt.Errorf(
			"ScyllaDB streams to nobody else; --via %s reads its snapshots",
			spec.ViaFiles,
		)
	}
	return t.RefuseVersions()
}

// RefuseVersions refuses nodes whose streaming is not known.
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
