package probe

import (
	"context"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// Checks returns the checks of the nodes, for inputs with the given number of bytes. The number of
// cores is that of a plan. If cluster is nil, only certificates are checked.
func (c *Command) Checks(
	cluster *Cluster,
	planning plan.Options,
	inputBytes int64,
) []doctor.Check {
	checks := []doctor.Check{{Name: "tls", Look: func(ctx context.Context) []doctor.Finding {
		return doctor.Certificates(c.Certificates(ctx, cluster), time.Now())
	}}}
	if cluster == nil {
		return checks
	}
	t := cluster.Table
	return append(
		checks,
		doctor.One("versions", func(context.Context) doctor.Finding {
			return doctor.Versions(t.Cluster.Nodes, t.IsScylla())
		}),
		doctor.One("schema", func(ctx context.Context) doctor.Finding {
			return doctor.Schema(cluster.SchemaVersions(ctx))
		}),
		doctor.One("clock", func(ctx context.Context) doctor.Finding {
			times := cluster.HostTimes(ctx)
			return doctor.Clocks(Clocks(ctx, t), times)
		}),
		doctor.One("cores", func(context.Context) doctor.Finding {
			return doctor.Cores(cluster.Cores(planning))
		}),
		doctor.Check{Name: "thresholds", Look: func(ctx context.Context) []doctor.Finding {
			return doctor.Bounds(cluster.Thresholds(ctx))
		}},
		doctor.Check{Name: "disk space", Look: func(ctx context.Context) []doctor.Finding {
			return doctor.Disks(cluster.Disks(ctx), cluster.Share(inputBytes))
		}},
		doctor.One("storage port", cluster.StoragePorts),
	)
}

// TableChecks returns the checks of a table that is described and planned. If cluster is nil, the
// table is known from files, and only its shape is checked.
func (c *Command) TableChecks(cluster *Cluster, t *table.Table) []doctor.Check {
	checks := []doctor.Check{doctor.One("table", func(context.Context) doctor.Finding {
		return Table(t, c.Load != nil).Shape()
	})}
	if cluster == nil {
		return checks
	}
	return append(
		checks,
		doctor.One("replication", func(context.Context) doctor.Finding {
			return doctor.Replicas(Replication(t, c.Config.DC))
		}),
		doctor.Check{Name: "rights", Look: func(ctx context.Context) []doctor.Finding {
			return doctor.Allowed(cluster.Rights(ctx))
		}},
		doctor.One("streaming", func(ctx context.Context) doctor.Finding {
			return doctor.CanStream(cluster.Streaming(ctx))
		}),
	)
}
