package cli

import (
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// target is a table of a connected cluster, with the plan to sweep it.
type target struct {
	session     *driver.Session
	table       *schema.Table
	cluster     *topology.Cluster
	replication map[string]string
	plan        *plan.Plan
}

func openTarget(ctx context.Context, cfg driver.Config, t tableOptions, o plan.Options) (*target, error) {
	session, err := driver.Connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	out := &target{session: session}
	if err := out.describe(ctx, t, o); err != nil {
		session.Close()
		return nil, err
	}
	return out, nil
}

func (t *target) describe(ctx context.Context, name tableOptions, o plan.Options) error {
	var err error
	if t.table, err = t.session.Table(ctx, name.Keyspace, name.Table); err != nil {
		return err
	}
	if t.cluster, err = t.session.Topology(ctx); err != nil {
		return err
	}
	if t.replication, err = t.session.Replication(ctx, name.Keyspace); err != nil {
		return err
	}
	t.plan, err = plan.Make(t.cluster, t.replication, o)
	return err
}

func (t *target) close() { t.session.Close() }

// sweep are the options that scan and count share.
func (t *target) sweep(attempts, pageRows int) sweep.Options {
	return sweep.Options{Workers: t.plan.Parallel, MaxAttempts: attempts, Hosts: t.plan.Hosts, PageRows: pageRows}
}

// settle says what a sweep left undone. A nil error means that every token of the
// ring was read once.
func (t *target) settle(s streams, r sweep.Result) error {
	if len(r.Failed) == 0 {
		if err := t.plan.Check(r.Done); err != nil {
			return fatal(fmt.Errorf("internal check failed: the ranges read do not make up the ring: %w", err))
		}
		return nil
	}
	for _, f := range r.Failed {
		s.warn("token range %s failed %s", t.describeRange(f.Range), f)
	}
	s.warn("%d token ranges failed, %d were read", len(r.Failed), len(r.Done))
	return partly()
}

func (t *target) describeRange(r token.Range) string {
	p := t.plan.Partitioner()
	if p == nil {
		return "(all)"
	}
	return fmt.Sprintf("(%s, %s]", p.Append(nil, r.Start), p.Append(nil, r.End))
}
