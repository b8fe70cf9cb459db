package operation

import (
	"context"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// hostTimes says what of a load has this host's time.
func hostTimes(o *spec.Load, table driver.TableOptions) doctor.HostTimes {
	times := doctor.HostTimes{Stamped: o.Timestamp == "" && !o.IfNotExists}
	if o.Via != spec.ViaCQL {
		times.Expiring = o.TTL > 0 || table.DefaultTTL > 0 ||
			slices.ContainsFunc(o.Columns, func(name string) bool { return strings.HasPrefix(strings.ToLower(name), "ttl(") })
	}
	return times
}

// clocksOf asks the nodes for their time.
func clocksOf(t *tableSession, ctx context.Context) []doctor.Clock {
	clocks, errs := t.session.Clocks(ctx, t.cluster.Nodes)
	var told []doctor.Clock
	for i, n := range t.cluster.Nodes {
		if errs[i] == nil {
			told = append(told, doctor.Clock{Node: n.Address, Ahead: clocks[i].Ahead, Error: clocks[i].Error})
		}
	}
	return told
}

// warnOfClocks warns of nodes whose clocks differ from this host's, where rows that are streamed have its time: no server
// sees them before they are there.
func (l *Load) warnOfClocks(ctx context.Context) {
	times := hostTimes(&l.spec, l.streaming.table)
	if !l.t.connected() || !times.Stamped && !times.Expiring {
		return
	}
	if told := clocksOf(l.t, ctx); len(told) > 0 {
		if f := doctor.Clocks(told, times); f.State != doctor.OK {
			l.env.Warn("%s: %s", f.Found, f.Do)
		}
	}
}
