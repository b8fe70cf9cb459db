package probe

import (
	"context"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// HostTimes returns which times the rows of a load take from this host's clock: write times, and if
// rows bypass CQL, times of expiry.
func HostTimes(o *spec.Load, t driver.TableOptions) doctor.HostTimes {
	times := doctor.HostTimes{Stamped: o.Timestamp == "" && !o.IfNotExists}
	if o.Via != spec.ViaCQL {
		times.Expiring = o.TTL > 0 || t.DefaultTTL > 0 ||
			slices.ContainsFunc(
				o.Columns,
				func(name string) bool { return strings.HasPrefix(strings.ToLower(name), "ttl(") },
			)
	}
	return times
}

// Clocks asks the nodes for their time. It leaves out nodes that do not answer.
func Clocks(ctx context.Context, t *table.Table) []doctor.Clock {
	clocks, errs := t.Session.Clocks(ctx, t.Cluster.Nodes)
	var known []doctor.Clock
	for i, n := range t.Cluster.Nodes {
		if errs[i] == nil {
			known = append(
				known,
				doctor.Clock{Node: n.Address, Ahead: clocks[i].Ahead, Error: clocks[i].Error},
			)
		}
	}
	return known
}

// WarnOfClocks warns of nodes whose clocks differ from this host's clock, if streamed rows carry
// its time. Servers see such rows only when they have arrived.
func WarnOfClocks(
	ctx context.Context,
	env spec.Environment,
	t *table.Table,
	times doctor.HostTimes,
) {
	if !t.Connected() || !times.Stamped && !times.Expiring {
		return
	}
	if clocks := Clocks(ctx, t); len(clocks) > 0 {
		if f := doctor.Clocks(clocks, times); f.State != doctor.OK {
			env.Warn("%s: %s", f.Found, f.Do)
		}
	}
}
