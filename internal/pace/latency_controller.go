package pace

import (
	"math"
	"sync"
	"time"
)

// LatencyController keeps a latency of the cluster below a target. The latencies of small probe
// reads show how long an application would wait. From them it sets its level: how many requests may
// be in flight through the gates that it made, all together. A level below 1 is one request, with
// pauses.
//
// The first second of probes, before any request, gives the idle latency. Then the level begins at
// a fraction of a request. It grows as long as the probes are well below the target, by up to half
// for each short window of them. A probe is slow if it is above the aim, a little below the target.
// With 100 probes a second, two slow ones put that second's p99 above the aim. So at the second
// slow probe within a second the level falls, by as much as the latency exceeds the aim.
//
// The level from which it fell is the wall, or less than that if it fell soon again below a wall.
// The way back to just below the wall follows the curve of CUBIC (RFC 9438), quick at first and
// then flat. The wall is tried again only after a time that doubles with each try, so tries put few
// seconds above the target.
//
// It has no clock: Observe passes the time. The caller must also observe probes that fail or time
// out, with the time that they took.
//
// It is safe for concurrent use.
type LatencyController struct {
	aim time.Duration // latency above which a probe is slow

	mu      sync.Mutex
	gates   []*Gate
	level   float64        // requests in flight, of all gates together
	started bool           // requests have begun
	record  secondRecorder // the record

	wall      float64       // the level that was too much; 0: not known
	cut       float64       // the level after the last cut
	quietTime time.Duration // time without slow probes since the last cut
	climbTime time.Duration // duration of the way back to the wall

	lowered     time.Time // when the level last fell
	blamed      float64   // a level that was cut, blamedGap after the cut before
	blamedGap   time.Duration
	ignoreUntil time.Time // until then, probes show the level before the cut
	slowAt      time.Time // when the last slow probe ended
	slowest     time.Duration
	window      probeWindow

	floor       float64 // lowest level of a gate; 0: leastShare
	cutsAtLeast int     // cuts in a row at the lowest level
}

// probeWindow is a series of probes.
type probeWindow struct {
	begin time.Time
	n     int
	most  time.Duration
}

const (
	// aimShare is the aim's share of the target. The application has other reads than the probes,
	// and its p99 varies around theirs.
	aimShare = 0.8
	// firstLevel is the initial level, in requests.
	firstLevel = 0.25
	// The level grows after a window of at least windowProbes probes that took at least windowTime.
	windowProbes = 20
	windowTime   = 200 * time.Millisecond
	// If the slowest probe is below lightShare of the aim, there is room for more requests. Below
	// idleShare there is much room.
	lightShare, idleShare = 0.8, 0.5
	// lightGrowth and idleGrowth are the factors by which the level grows in those cases.
	lightGrowth, idleGrowth = 1.05, 1.5
	// A cut leaves between leastCut and mostCut of the level.
	leastCut, mostCut = 0.1, 0.7
	// settleTime is how long requests sent before a cut may still be in flight.
	settleTime = 500 * time.Millisecond
	// The level climbs back to belowWall of the wall, in a time from firstBack to longestBack. The
	// wall is forgotten if beyondWall times its level did no harm.
	belowWall, beyondWall  = 0.8, 1.5
	firstBack, longestBack = 20 * time.Second, 2 * time.Minute
	// Servers flush and compact later what a load writes, and stall meanwhile. The level at the
	// time of the write does not matter. Stalls become rarer if less is written. So if a second cut
	// comes within rareGap, at a level below the wall, it lowers the wall by as much as it came too
	// early. The wall is at least leastWallShare of the level. One cut per rareGap is the most that
	// the record allows.
	rareGap = 30 * time.Second
	// Cuts that are at least stallTime apart have separate causes. A gap that is more than
	// rarerTenths tenths of the one before shows that cuts have become rarer. A level below
	// 1/blamelessShare of another one is far below it.
	stallTime      = 5 * time.Second
	rarerTenths    = 15
	blamelessShare = 4
	leastWallShare = 0.1
	// If the latency stays above the aim although hardly a request is sent, the run is not the
	// cause, and must not stand still. After stuckCuts cuts in a row at the lowest level, which
	// take at least 10 s, the lowest level doubles, up to highestFloor.
	stuckCuts    = 20
	highestFloor = 0.25
)

// NewLatencyController makes a controller with a target above zero.
func NewLatencyController(target time.Duration) *LatencyController {
	return &LatencyController{
		aim:       time.Duration(aimShare * float64(target)),
		level:     firstLevel,
		climbTime: firstBack,
		record:    secondRecorder{target: target},
	}
}

// Gate makes a gate. If the controller is nil, the gate chooses its own limit. Otherwise it begins
// with one request in flight, at the controller's level.
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

// Begin records that requests begin now: the probes so far measured the idle latency.
func (k *LatencyController) Begin() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.started = true
	k.record.begin()
	k.window, k.slowAt = probeWindow{}, time.Time{}
}

// Observe records the latency of a probe that ended now. Probes may be observed out of order.
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

// secondSlow records a slow probe, and reports whether it was the second within a second.
func (k *LatencyController) secondSlow(now time.Time, latency time.Duration) bool {
	alarm := now.Sub(k.slowAt) < time.Second
	if !alarm {
		k.slowest = 0
	}
	k.slowAt, k.slowest = now, max(k.slowest, latency)
	return alarm
}

// lower cuts the level by the latency of the slow probes.
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

// causedElsewhere reports whether the level is far below what it was, and cuts have not become
// rarer. Stalls that the run causes become rarer the less it sends. Other stalls must not stop the
// run.
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

// raise lets the level grow after a window without slow probes.
func (k *LatencyController) raise(took time.Duration, wideRoom bool) {
	k.floor, k.cutsAtLeast = 0, 0
	if k.used() < k.level*belowWall {
		return // the gates' own limits are below the level
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

// used returns the part of the level that the gates let pass.
func (k *LatencyController) used() float64 {
	limit := 0
	for _, g := range k.gates {
		limit += g.Limit()
	}
	return min(k.level, float64(limit))
}

// ceiling returns the number of requests that the gates would let pass without a controller.
func (k *LatencyController) ceiling() float64 {
	most := 0
	for _, g := range k.gates {
		most += g.ceiling()
	}
	return float64(most)
}

// leastLevel returns the lowest level.
func (k *LatencyController) leastLevel() float64 {
	return max(k.floor, leastShare) * float64(max(len(k.gates), 1))
}

// allowGates sets each gate's share of the level.
func (k *LatencyController) allowGates() {
	for _, g := range k.gates {
		g.Allow(k.level / float64(len(k.gates)))
	}
}

// Record returns the record of the probes so far.
func (k *LatencyController) Record() LatencyRecord {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.record.record
}
