package pace

import (
	"math"
	"sync"
	"time"
)

// LatencyController keeps a latency of the cluster below a target. It is told the latencies of small probe
// reads, which are what an application would wait, and sets how many requests the gates that it
// made let be under way, all together: its level. A level below 1 is one request, with pauses.
//
// The first second of probes, before any request, is the idle latency. The level then begins at a
// fraction of a request and grows as long as the probes are well below the target, by half for
// each short window of them. A probe is slow above the aim, which is a little below the target.
// Two slow probes within a second put that second's p99 above the aim, at 100 probes a second, so
// the level falls at the second one, by as much as the latency is above the aim. What it had
// reached is the wall, or less than that if it fell soon again below a wall. The way back to just
// below the wall follows the curve of CUBIC (RFC 9438), quick at first and then level, and the wall
// is tried again only after a time that doubles with each such try, so that tries put few seconds
// above the target.
//
// It has no clock of its own: time is what Observe is told. A probe that fails or times out is to
// be observed with the time that it took, or the keeper would only hear of the good ones.
//
// It is safe for concurrent use.
type LatencyController struct {
	aim time.Duration // above which a probe is slow

	mu      sync.Mutex
	gates   []*Gate
	level   float64        // requests under way, of all gates together
	started bool           // requests have begun
	record  secondRecorder // the record

	wall      float64       // the level that was too much; 0: none is known
	cut       float64       // what the level fell to then
	quietTime time.Duration // quiet time since then
	climbTime time.Duration // how long the way back to the wall takes

	lowered     time.Time // when the level last fell
	blamed      float64   // a level that fell, after blamedGap without a cut
	blamedGap   time.Duration
	ignoreUntil time.Time // until when probes are still those of the level before
	slowAt      time.Time // when the last slow probe ended
	slowest     time.Duration
	window      probeWindow

	floor       float64 // the lowest level of a gate; 0: leastShare
	cutsAtLeast int     // cuts in a row at the lowest level
}

// probeWindow is a number of probes in a row.
type probeWindow struct {
	begin time.Time
	n     int
	most  time.Duration
}

const (
	// aimShare is the aim's share of the target: the application that the target is for has other
	// reads than the probes, and its p99 scatters around theirs.
	aimShare = 0.8
	// firstLevel is where the level begins, in requests.
	firstLevel = 0.25
	// windowProbes is how many probes a change for the better is judged by, and windowTime how
	// long they take at the least.
	windowProbes = 20
	windowTime   = 200 * time.Millisecond
	// lightShare is the part of the aim below which there is room for more, and wide that below which
	// there is much.
	lightShare, idleShare = 0.8, 0.5
	// Growth of the level with a window: where there is room, and where there is much.
	lightGrowth, idleGrowth = 1.05, 1.5
	// A cut leaves between leastCut and mostCut of the level.
	leastCut, mostCut = 0.1, 0.7
	// settleTime is how long requests under way may still run under the old level after a cut.
	settleTime = 500 * time.Millisecond
	// The level comes back to belowWall of the wall, in a time from firstBack to longestBack, and
	// the wall is forgotten when beyondWall times it did no harm.
	belowWall, beyondWall  = 0.8, 1.5
	firstBack, longestBack = 20 * time.Second, 2 * time.Minute
	// What a load writes is flushed and compacted later, and the server stands still for it now and
	// then, whatever the level was when it was written: the less is written, the rarer that is. So
	// a second cut within rare, at a level that is below the wall, lowers the wall as much as it
	// was too early, but not below leastRare of the level: once per rare is the least that the
	// record bears.
	rareGap = 30 * time.Second
	// Cuts that are lone apart are of two stalls, and one that comes after moreRarely tenths of the
	// time has become rarer. A level below one part of innocent of another is far below it.
	stallTime      = 5 * time.Second
	rarerTenths    = 15
	blamelessShare = 4
	leastWallShare = 0.1
	// If the latency stays above the aim although hardly a request is sent, the run is not the
	// cause, and must not stand still: after stuckCuts cuts in a row at the lowest level, which
	// take 10 s or more, that doubles, up to highestFloor.
	stuckCuts    = 20
	highestFloor = 0.25
)

// NewLatencyController makes a keeper of a target above zero.
func NewLatencyController(target time.Duration) *LatencyController {
	return &LatencyController{
		aim:       time.Duration(aimShare * float64(target)),
		level:     firstLevel,
		climbTime: firstBack,
		record:    secondRecorder{target: target},
	}
}

// Gate makes a gate. A nil Keeper leaves it to itself; another has it begin with one request
// under way, and at the level.
func (k *LatencyController) Gate(o GateOptions) *Gate {
	if k == nil {
		return NewGate(o)
	}
	o.Start = 1
	g := NewGate(o)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.gates = append(k.gates, g)
	k.allowGates()
	return g
}

// Begin says that requests begin now: what was observed until now is the idle latency.
func (k *LatencyController) Begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.started = true
	k.record.begin()
	k.window, k.slowAt = probeWindow{}, time.Time{}
}

// Observe takes the latency of a probe that ended now. Samples that arrive out of order are taken
// as they come.
func (k *LatencyController) Observe(now time.Time, latency time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.record.add(now, latency)
	if !k.started || now.Before(k.ignoreUntil) {
		return
	}
	if latency > k.aim && k.secondSlow(now, latency) {
		k.lower(now)
		return
	}
	w := &k.window
	if w.n == 0 {
		w.begin = now
	}
	w.n++
	w.most = max(w.most, latency)
	if took := now.Sub(w.begin); w.n >= windowProbes && took >= windowTime {
		if float64(w.most) < lightShare*float64(k.aim) {
			k.raise(took, float64(w.most) < idleShare*float64(k.aim))
		}
		k.window = probeWindow{}
	}
}

// secondSlow takes a slow probe, and says whether it was the second within a second.
func (k *LatencyController) secondSlow(now time.Time, latency time.Duration) bool {
	alarm := now.Sub(k.slowAt) < time.Second
	if !alarm {
		k.slowest = 0
	}
	k.slowAt, k.slowest = now, max(k.slowest, latency)
	return alarm
}

// lower cuts the level to what the slow probes ask for.
func (k *LatencyController) lower(now time.Time) {
	if k.wall > 0 && k.quietTime >= k.climbTime { // the wall was tried
		k.climbTime = min(2*k.climbTime, longestBack)
	}
	if k.level > k.leastLevel() {
		k.cutsAtLeast = 0
	} else if k.cutsAtLeast++; k.cutsAtLeast == stuckCuts {
		k.floor, k.cutsAtLeast = min(2*max(k.floor, leastShare), highestFloor), 0
	}
	used, gap := k.used(), now.Sub(k.lowered)
	switch {
	case k.causedElsewhere(used, gap):
		k.wall, k.climbTime = k.blamed, firstBack
	case k.wall > 0 && used <= belowWall*k.wall && gap < rareGap:
		k.wall = used * max(gap.Seconds()/rareGap.Seconds(), leastWallShare)
	default:
		k.wall = used
	}
	k.quietTime, k.lowered = 0, now
	part := float64(k.aim) / float64(k.slowest)
	k.level = max(k.wall*min(max(part, leastCut), mostCut), k.leastLevel())
	k.cut = min(k.level, belowWall*k.wall)
	k.ignoreUntil = now.Add(settleTime)
	k.window, k.slowAt = probeWindow{}, time.Time{}
	k.allowGates()
}

// causedElsewhere reports whether the level is far below what it was, and that did not make the stalls
// any rarer. What the run causes comes less often the less it sends; for what it does not cause it
// must not come to a standstill.
func (k *LatencyController) causedElsewhere(used float64, gap time.Duration) bool {
	switch {
	case gap < stallTime || k.lowered.IsZero():
		return false // the same stall, or the level is still far too high
	case k.blamed == 0 || used > k.blamed || gap > rarerTenths*k.blamedGap/10:
		k.blamed, k.blamedGap = used, gap
		return false
	}
	return used < k.blamed/blamelessShare
}

// raise lets the level grow after a window without harm.
func (k *LatencyController) raise(took time.Duration, wideRoom bool) {
	k.floor, k.cutsAtLeast = 0, 0
	if k.used() < k.level*belowWall {
		return // the gates hold more back than the level does
	}
	switch {
	case k.wall == 0 && wideRoom:
		k.level *= idleGrowth
	case k.wall == 0:
		k.level *= lightGrowth
	default:
		if k.quietTime += took; k.quietTime < k.climbTime {
			rest := 1 - k.quietTime.Seconds()/k.climbTime.Seconds()
			high := belowWall * k.wall
			k.level = max(k.level, high-(high-k.cut)*math.Pow(rest, 3))
			break
		}
		k.level *= math.Pow(lightGrowth, took.Seconds())
		if k.level > beyondWall*k.wall {
			k.wall, k.climbTime = 0, firstBack
		}
	}
	k.level = min(k.level, k.ceiling())
	k.allowGates()
}

// used is how much of the level the gates let pass.
func (k *LatencyController) used() float64 {
	limit := 0
	for _, g := range k.gates {
		limit += g.Limit()
	}
	return min(k.level, float64(limit))
}

// ceiling is what the gates would let pass without a keeper.
func (k *LatencyController) ceiling() float64 {
	most := 0
	for _, g := range k.gates {
		most += g.ceiling()
	}
	return float64(most)
}

// leastLevel is the lowest level.
func (k *LatencyController) leastLevel() float64 {
	return max(k.floor, leastShare) * float64(max(len(k.gates), 1))
}

// allowGates tells the gates their shares of the level.
func (k *LatencyController) allowGates() {
	for _, g := range k.gates {
		g.Allow(k.level / float64(len(k.gates)))
	}
}

// Record is what has been observed so far.
func (k *LatencyController) Record() LatencyRecord {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.record.record
}
