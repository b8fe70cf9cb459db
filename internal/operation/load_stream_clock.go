package operation

import (
	"context"

	"github.com/cqlbulk/cqlbulk/internal/doctor"
	"github.com/cqlbulk/cqlbulk/internal/doctor/probe"
)

// warnOfClocks warns of nodes whose clocks differ from this host's clock, if streamed rows carry
// its time. Servers see such rows only when they have arrived.
func (l *Load) warnOfClocks(ctx context.Context) {
	times := probe.HostTimes(&l.spec, l.delivery.Setup.TableOptions)
	if !l.t.Connected() || !times.Stamped && !times.Expiring {
		return
	}
	if told := probe.Clocks(ctx, l.t); len(told) > 0 {
		if f := doctor.Clocks(told, times); f.State != doctor.OK {
			l.env.Warn("%s: %s", f.Found, f.Do)
		}
	}
}
