package operation

import (
	"context"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
)

// hostTimes says what of a load has this host's time.
func hostTimes(o *spec.Load, t driver.TableOptions) doctor.HostTimes {
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

// clocksOf asks the nodes for their time.
func clocksOf(ctx context.Context, t *table.Table) []doctor.Clock {
	clocks, errs := t.Session.Clocks(ctx, t.Cluster.Nodes)
	var told []doctor.Clock
	for i, n := range t.Cluster.Nodes {
		if errs[i] == nil {
			told = append(
				told,
				doctor.Clock{Node: n.Address, Ahead: clocks[i].Ahead, Error: clocks[i].Error},
			)
		}
	}
	return told
}

// warnOfClocks warns of nodes whose clocks differ from this host's, where rows that are streamed
// have its time: no server sees them before they are there.
func (l *Load) warnOfClocks(ctx context.Context) {
	times := hostTimes(&l.spec, l.delivery.Setup.TableOptions)
	if !l.t.Connected() || !times.Stamped && !times.Expiring {
		return
	}
	if told := clocksOf(ctx, l.t); len(told) > 0 {
		if f := doctor.Clocks(told, times); f.State != doctor.OK {
			l.env.Warn("%s: %s", f.Found, f.Do)
		}
	}
}
