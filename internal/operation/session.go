package operation

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// tableSession is a table of a connected cluster, with the plan to sweep it.
type tableSession struct {
	session     *driver.Session
	table       *schema.Table
	cluster     *topology.Cluster
	replication map[string]string
	estimates   []driver.Estimate // by node of the cluster
	plan        *plan.Plan
	consistency string // of the session
	// place asks again which nodes there are, and plans again. nil: there is no session.
	place func(ctx context.Context, more ...func() error) error

	// Of a table that files describe, where there is no session, or that a clone takes them to be of.
	tableOptions driver.TableOptions
	scylla       bool                // the cluster is one of ScyllaDB
	ringed       bool                // the cluster is known
	dropped      []reconcile.Dropped // columns that the table had
}

// connected says whether there is a cluster to ask.
func (t *tableSession) connected() bool { return t.session != nil }

// openTable connects and plans. The nodes are asked for their estimates when the
// table is to be read: they shape the plan.
func openTable(ctx context.Context, cfg driver.Config, t spec.TableName, o plan.Options, read bool) (*tableSession, error) {
	defer collectMeanwhile(smallMemory)()
	session, err := driver.Connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	releaseHeap() // what the nodes told while connecting
	out := &tableSession{session: session, consistency: cfg.Consistency}
	if err := out.describe(ctx, t, o, read); err != nil {
		session.Close()
		return nil, err
	}
	return out, nil
}

func (t *tableSession) describe(ctx context.Context, name spec.TableName, o plan.Options, read bool) error {
	t.place = func(ctx context.Context, more ...func() error) error {
		return t.placeNodes(ctx, name, o, read, more...)
	}
	err := t.place(ctx, func() (err error) {
		t.table, err = t.session.Table(ctx, name.Keyspace, name.Table)
		return err
	})
	if err != nil {
		return err
	}
	return refuseTooMany(t.consistency, t.replication, len(t.cluster.Nodes))
}

// placeNodes asks which nodes there are and how they hold rows, together with further questions, and plans.
func (t *tableSession) placeNodes(ctx context.Context, name spec.TableName, o plan.Options, read bool, more ...func() error) error {
	err := insist(ctx, append(more, func() (err error) {
		t.cluster, err = t.session.Topology(ctx)
		return err
	}, func() (err error) {
		t.replication, err = t.session.Replication(ctx, name.Keyspace)
		return err
	})...)
	if err != nil {
		return err
	}
	err = insist(ctx, func() (err error) {
		o.Placement, err = t.tablets(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if read {
		t.estimates = t.session.Estimates(ctx, t.cluster.Nodes, t.table.Keyspace, t.table.Name)
		o.Bytes = t.estimate().Bytes
	}
	t.plan, err = plan.Make(t.cluster, t.replication, o)
	return err
}

// asks is how often the cluster is asked what it is.
const asks = 3

// insist asks the cluster what it is, all questions at once, and each again, of another node where
// there is one, when that gets no answer: one node that hangs shall not keep a run from beginning.
func insist(ctx context.Context, questions ...func() error) error {
	errs := make([]error, len(questions))
	var asking sync.WaitGroup
	for i, ask := range questions {
		asking.Go(func() { errs[i] = insistOn(ctx, ask) })
	}
	asking.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func insistOn(ctx context.Context, ask func() error) error {
	for attempt := 1; ; attempt++ {
		err := ask()
		if err == nil || attempt == asks || !fault.Retryable(err, true) {
			return err
		}
		if err := pace.Sleep(ctx, pace.Backoff{}.Delay(attempt)); err != nil {
			return fault.New(fault.Canceled, err)
		}
	}
}

// tablets is the placement of a table of ScyllaDB's that has tablets, nil of any
// other.
func (t *tableSession) tablets(ctx context.Context) (*token.Placement, error) {
	ends, replicas, ok, err := t.session.Tablets(ctx, t.table.Keyspace, t.table.Name)
	if err != nil || !ok {
		return nil, err
	}
	nodes := make([][]string, len(replicas))
	for i, set := range replicas {
		for _, r := range set {
			nodes[i] = append(nodes[i], r.HostID)
		}
	}
	return t.cluster.PlaceAt(ends, nodes)
}

// ping asks a node for a row of its own, or all local nodes when host is empty, and gives
// nil as soon as one has answered.
func (t *tableSession) ping(ctx context.Context, host string) error {
	if host == "" {
		return t.anyOf(ctx, nil)
	}
	return t.anyOf(ctx, []string{host})
}

// anyOf asks some nodes at once, all local ones when ids is nil, and gives nil as soon as
// one has answered.
func (t *tableSession) anyOf(ctx context.Context, ids []string) error {
	if ids == nil {
		for _, n := range t.cluster.Local() {
			ids = append(ids, n.ID)
		}
	}
	return t.session.PingAny(ctx, ids)
}

// nodeName is the address of a node, and its id when that is not known.
func (t *tableSession) nodeName(id string) string {
	for _, n := range t.cluster.Nodes {
		if n.ID == id {
			return n.Address
		}
	}
	return id
}

// estimate is the sum of what the nodes estimate.
func (t *tableSession) estimate() driver.Estimate {
	var sum driver.Estimate
	for _, e := range t.estimates {
		sum.Partitions += e.Partitions
		sum.Bytes += e.Bytes
	}
	return sum
}

// isScylla says whether the cluster is one of ScyllaDB.
func (t *tableSession) isScylla() bool {
	if !t.connected() {
		return t.scylla
	}
	return t.session.IsScylla()
}

// options is what the servers do with the table's rows.
func (t *tableSession) options(ctx context.Context) (o driver.TableOptions, err error) {
	if !t.connected() {
		return t.tableOptions, nil
	}
	err = insist(ctx, func() (err error) {
		o, err = t.session.TableOptions(ctx, t.table.Keyspace, t.table.Name)
		return err
	})
	return o, err
}

// limits is the servers' own bounds on writes.
func (t *tableSession) limits(ctx context.Context) driver.Limits {
	if !t.connected() {
		return driver.DefaultLimits
	}
	return t.session.Limits(ctx)
}

func (t *tableSession) close() {
	if t.connected() {
		t.session.Close()
	}
}

// tokens writes a range as CQL does; nil when the table is read as one range.
func (t *tableSession) tokens(r token.Range) *TokenRange {
	p := t.plan.Partitioner()
	if p == nil {
		return nil
	}
	return &TokenRange{string(p.Append(nil, r.Start)), string(p.Append(nil, r.End))}
}

// sweepError is the error that ended a sweep. A condition (--where) that the servers
// refuse before anything was read is a matter of usage.
func sweepError(err error, where string, begun bool) error {
	if where != "" && !begun && fault.ClassOf(err) == fault.Permanent && fault.Answered(err) {
		if strings.Contains(err.Error(), "ALLOW FILTERING") {
			err = fmt.Errorf("--allow-filtering has the servers read all rows to find those that meet the condition; without it they say: %w", err)
		}
		return &spec.UsageError{Err: fmt.Errorf("--where: %w", err)}
	}
	return err
}
