package chaos

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// ringSchedules is the number of schedules of TestRings that run with the other tests.
const ringSchedules = 8

// TestRings runs loads, scans and clones while the ring gains, loses, replaces and moves nodes. In
// the end each replica holds what writes by CQL would have left there, no row expires early, and
// nothing hangs.
func TestRings(t *testing.T) {
	c := asked(t)
	if !c.long && c.schedules == ordinary {
		c.schedules = ringSchedules
	}
	c.play(t, runRing)
}

// runRing runs the schedule of a seed: half of them are loads, the others scans, counts and clones.
func runRing(t *testing.T, seed uint64) {
	s := newSchedule(t, seed, "TestRings")
	switch kind := stream(seed, "ring kind").IntN(9); {
	case kind < 4:
		totals.loads.Add(1)
		s.ringLoad()
	case kind == 4:
		totals.scans.Add(1)
		totals.brought.Add(1)
		s.ringCount()
	case kind < 7:
		totals.scans.Add(1)
		s.scan(true, true)
	default:
		totals.clones.Add(1)
		s.ringClone()
	}
}

// script is what happens to the ring of a cluster, one change after the other, beside the program.
type script struct {
	*schedule
	of      *simcluster.Cluster
	r       *rand.Rand
	read    bool          // the program reads the cluster
	changes int           // that are still to begin
	before  int           // acts that precede the program
	late    bool          // what precedes is the first change up to its end
	ready   chan struct{} // closed when they are done
	slow    time.Duration // of a step of a session, so that the ring has time to change

	mu    sync.Mutex
	steps int           // of sessions until the next act; 0 or less: it does not wait for steps
	next  chan struct{} // closed when there are none left

	calm chan struct{} // closed: no other change begins, and the one under way ends at once
	once sync.Once
	done chan struct{} // closed when the script has ended
}

// ringCluster draws a cluster whose nodes hold rows of their own.
func ringCluster(seed uint64, r *rand.Rand) simcluster.Options {
	o := simcluster.Options{
		Base: simcluster.Anywhere, Seed: seed, Replicated: true,
		Nodes: 1 + r.IntN(5), Tokens: 1, Cores: 1 + r.IntN(2),
		Release: []string{"5.0.6", "5.0.6", "4.1.10", "4.0.19"}[r.IntN(4)],
	}
	o.Factor = 1 + r.IntN(min(o.Nodes, 3))
	if o.Nodes >= 4 && chance(r, 3) {
		o.DCs, o.Factor = []string{"a", "b"}, 1+r.IntN(2)
	}
	if chance(r, 2) {
		o.Tokens = 2 + r.IntN(7)
	}
	if chance(r, 3) {
		o.Racks = o.Factor
	}
	return o
}

// newScript draws what will happen to a cluster, and starts it. It returns when what precedes the
// program has happened.
func (s *schedule) newScript(of *simcluster.Cluster, ports *ports, name string) *script {
	r := stream(s.seed, name)
	sc := &script{
		schedule: s,
		of:       of,
		r:        r,
		read:     ports.asked,
		changes:  1 + r.IntN(3),
		before:   1 + r.IntN(12),
		slow:     time.Duration(r.IntN(30)) * time.Millisecond,
		ready:    make(chan struct{}),
		calm:     make(chan struct{}),
		done:     make(chan struct{}),
	}
	if sc.late = chance(r, 3); sc.late {
		sc.before = 1000
	}
	go sc.play()
	select {
	case <-sc.ready:
	case <-sc.done: // all of it happened before
	}
	s.Cleanup(sc.finish)
	ports.follow(sc)
	return sc
}

// step counts a step of a session, of the program with a storage port.
func (sc *script) step() {
	if sc == nil {
		return
	}
	time.Sleep(sc.slow)
	sc.mu.Lock()
	defer sc.mu.Unlock()
	if sc.steps--; sc.steps == 0 {
		close(sc.next)
	}
}

// precede sets how many acts still precede the program.
func (sc *script) precede(acts int) {
	if acts == 0 && sc.before > 0 {
		close(sc.ready)
	}
	sc.before = acts
}

// wait lets some steps pass, or some time. What precedes the program waits for nothing.
func (sc *script) wait() {
	if sc.before > 0 {
		sc.precede(sc.before - 1)
		return
	}
	steps := 0
	if chance(sc.r, 2) {
		steps = 1 + sc.r.IntN(12)
	}
	sc.pause(steps, time.Duration(sc.r.IntN(10<<sc.r.IntN(10)))*time.Millisecond)
}

// longWindow is how long the end of a change may wait when the rows are handed over.
const longWindow = 3 * time.Second

// pause waits for n steps, at most for the given time. Without steps it waits for the time.
func (sc *script) pause(steps int, most time.Duration) {
	next := make(chan struct{})
	sc.mu.Lock()
	sc.steps, sc.next = steps, next
	sc.mu.Unlock()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-next:
	case <-timer.C:
	case <-sc.calm:
	}
}

func (sc *script) isCalm() bool {
	select {
	case <-sc.calm:
		return true
	default:
		return false
	}
}

// finish ends the change that is under way as it would end by itself, and waits for that.
func (sc *script) finish() {
	sc.once.Do(func() { close(sc.calm) })
	<-sc.done
}

// play has the changes happen.
func (sc *script) play() {
	defer close(sc.done)
	for ; sc.changes > 0; sc.changes-- {
		sc.wait()
		if sc.isCalm() {
			return
		}
		ch, err := sc.begin()
		if err != nil || ch == nil {
			continue // it cannot happen to this ring
		}
		totals.changes.Add(1)
		sc.note("%s of node %d (%d) begins", ch.Kind, ch.Node, ch.Other)
		sc.announce(ch)
		for _, part := range sc.parts() {
			sc.wait()
			ch.Transfer(part)
			sc.note("rows of %v go to pending replicas", part)
		}
		if sc.late {
			sc.precede(0)
		}
		calm := sc.isCalm()
		if chance(sc.r, 2) {
			sc.wait()
		} else {
			sc.pause(0, longWindow) // most runs begin and end within it
		}
		if !calm && sc.isCalm() {
			totals.within.Add(1)
		}
		if chance(sc.r, 8) && mayFail(ch.Kind) {
			if err := ch.Abort(); err != nil {
				sc.Error(err)
			}
			totals.aborts.Add(1)
			sc.note("it is given up")
		} else {
			sc.end(ch)
			sc.note("it ends")
		}
		sc.announce(ch)
		if chance(sc.r, 2) {
			sc.wait()
			sc.of.Cleanup()
			sc.note("nodes clean up")
		}
	}
}

// mayFail reports whether a change may be given up, which leaves no node dead and no rows behind.
func mayFail(kind simcluster.ChangeKind) bool {
	return kind == simcluster.Joining || kind == simcluster.Leaving || kind == simcluster.Moving
}

// end finishes a change; the port of a new node may be taken for a moment.
func (sc *script) end(ch *simcluster.Change) {
	for range 1000 {
		if ch.Finish() == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	sc.Error("a change does not end")
}

// begin draws a change and announces it; nil if none can be.
func (sc *script) begin() (*simcluster.Change, error) {
	members := sc.of.Members()
	node := members[sc.r.IntN(len(members))]
	kinds := []simcluster.ChangeKind{
		simcluster.Joining, simcluster.Joining, simcluster.Leaving, simcluster.Leaving,
	}
	if !sc.read { // reads by CQL too find nothing on new replicas before the repair
		kinds = append(kinds, simcluster.Altering)
	}
	if len(sc.of.Tokens(node)) == 1 {
		kinds = append(kinds, simcluster.Moving, simcluster.Moving)
	}
	if sc.of.Factor() > 1 { // of one copy nothing would be left
		kinds = append(kinds, simcluster.Replacing, simcluster.Removing)
	}
	switch kind := kinds[sc.r.IntN(len(kinds))]; kind {
	case simcluster.Joining:
		return sc.of.BeginJoin(sc.of.Rack(node))
	case simcluster.Leaving:
		return sc.of.BeginLeave(node)
	case simcluster.Altering:
		return sc.of.BeginAlter(node, 1+sc.r.IntN(3))
	case simcluster.Moving:
		return sc.of.BeginMove(node)
	default:
		if len(members) < 2 || kind == simcluster.Removing && !sc.of.MayGo(node) {
			return nil, nil
		}
		sc.of.Kill(node)
		sc.note("node %d is dead", node)
		sc.wait()
		if kind == simcluster.Replacing {
			return sc.of.BeginReplace(node)
		}
		return sc.of.BeginRemove(node)
	}
}

// announce announces the ring to the nodes, one after the other.
func (sc *script) announce(ch *simcluster.Change) {
	for _, node := range sc.r.Perm(len(sc.of.Hosts())) {
		if chance(sc.r, 2) {
			sc.wait()
		}
		ch.Announce(node)
	}
}

// parts are the token ranges that are streamed at different moments.
func (sc *script) parts() []token.Range {
	whole := token.Whole(token.Murmur3)
	if chance(sc.r, 2) {
		return []token.Range{whole}
	}
	low, high, _ := token.Halve(whole)
	return []token.Range{low, high}
}

func (sc *script) note(format string, args ...any) {
	sc.schedule.note("  %s ring: "+format, append([]any{time.Now().Format("05.000")}, args...)...)
}
