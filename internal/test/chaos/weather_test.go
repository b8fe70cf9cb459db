package chaos

import (
	"math/rand/v2"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// weather is the cluster of a schedule and what goes wrong with it.
type weather struct {
	cluster  simcluster.Options
	faults   simcluster.Faults
	attempts int
	// hard says that attempts do not get through all faults: rows and ranges fail, and a run may
	// fail too.
	hard bool
}

// enough is how many attempts get a request through any ordinary storm.
const enough = 60

func drawWeather(seed uint64) weather {
	r := stream(seed, "weather")
	w := weather{cluster: drawCluster(seed, r), attempts: enough, hard: chance(r, 5)}
	strength, until := 0.1+0.5*r.Float64(), 30+r.IntN(400)
	if w.cluster.Factor == 1 {
		strength /= 2 // without another replica, there is a wait before each attempt
	}
	if w.hard {
		strength, until, w.attempts = 0.5+0.4*r.Float64(), 300+r.IntN(1500), 1+r.IntN(3)
		if w.cluster.Factor == 1 {
			until = min(until, 600) // four of five requests may fail, and each then waits
		}
	}
	switch f := &w.faults; r.IntN(8) {
	case 0:
		// Only slow, so that much is under way when the program is stopped.
		f.Slow, f.Delay = 1, simcluster.Delay{
			Min:  time.Millisecond,
			Mean: time.Duration(1+r.IntN(10)) * time.Millisecond,
		}
	case 1:
		*f = simcluster.Storm(seed, strength, until)
		f.System = w.hard
	case 2:
		// Requests that get no answer cost the client its time limit.
		*f = simcluster.Storm(seed, strength/2, until)
		f.Silence, f.SilentApplied = 0.01*r.Float64(), 0.01*r.Float64()
	default:
		*f = simcluster.Storm(seed, strength, until)
	}
	if w.faults.Slow < 1 && chance(r, 2) {
		w.faults.Slow, w.faults.Delay = 0.5, simcluster.Delay{
			Mean: time.Duration(1+r.IntN(10)) * time.Millisecond,
		}
	}
	w.faults = w.without(w.faults)
	return w
}

// warningsOnTablets says that answers may have both a warning and a hint on tablets.
// The simulated cluster writes them in the other order than the driver reads them.
const warningsOnTablets = false

// without leaves out what the simulated cluster cannot do.
func (w *weather) without(f simcluster.Faults) simcluster.Faults {
	if w.cluster.Tablets > 0 && !warningsOnTablets {
		f.Warning = 0
	}
	if w.cluster.Replicated {
		f.Move = 0 // such a move takes no rows to the new replicas, as the changes of a script do
	}
	return f
}

// release is a version whose nodes the driver asks again as soon as they are up: of
// later ones it waits ten seconds.
const release = "3.11.19"

func drawCluster(seed uint64, r *rand.Rand) simcluster.Options {
	o := simcluster.Options{
		Base:    simcluster.Anywhere,
		Seed:    seed,
		Nodes:   1 + r.IntN(4),
		Tokens:  1 + r.IntN(8),
		Cores:   1 + r.IntN(2),
		Release: release,
	}
	o.Factor = 1 + r.IntN(min(o.Nodes, 3))
	if o.Nodes == 4 && chance(r, 2) {
		o.DCs, o.Factor = []string{"a", "b"}, 1+r.IntN(2)
	}
	if chance(r, 3) {
		o.Racks = o.Factor
	}
	if chance(r, 3) {
		o.Shards = 1 + r.IntN(3)
		if chance(r, 2) {
			o.Tablets = 1 + r.IntN(16)
		}
		if chance(r, 2) {
			o.PageBytes = 200 + r.IntN(5000)
		}
	}
	return o
}
