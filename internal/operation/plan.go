package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/read/planned"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Plan is the plan of a scan, which does nothing.
type Plan struct {
	spec spec.Plan
	t    *table.Table
}

// PreparePlan connects and plans.
func PreparePlan(ctx context.Context, env spec.Environment, settings spec.Plan) (*Plan, error) {
	planning, err := settings.Planning.Options(settings.TableName)
	if err != nil {
		return nil, err
	}
	planning.Coarse = true
	cfg, err := settings.Connection.Config(env)
	if err != nil {
		return nil, err
	}
	t, err := table.Open(ctx, cfg, settings.TableName, planning, true)
	if err != nil {
		return nil, err
	}
	t.WarnOfLearned(env)
	return &Plan{settings, t}, nil
}

// Close ends the connection.
func (p *Plan) Close() { p.t.Close() }

// What a plan reports.
type (
	// PlanReport is what a scan would do.
	PlanReport = planned.Report
	// PlanNode is a node and its part in a scan.
	PlanNode = planned.Node
)

// Run describes the plan. It writes the cluster into a file, if the settings name one.
func (p *Plan) Run(ctx context.Context) (PlanReport, error) {
	if p.spec.SaveRing != "" {
		if err := p.t.SaveRing(ctx, p.spec.SaveRing); err != nil {
			return PlanReport{}, err
		}
	}
	r, err := planned.Describe(ctx, p.t, &p.spec.Planning)
	if err == nil {
		r.SavedRing = p.spec.SaveRing
	}
	return r, err
}
