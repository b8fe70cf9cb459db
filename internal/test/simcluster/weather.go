package simcluster

import (
	"cmp"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/datastax/go-cassandra-native-protocol/message"
)

// weather decides what happens to requests.
type weather struct {
	mu     sync.Mutex
	faults Faults
	first  int // number of the last request before the faults were set
	number int
	seen   map[uint64]int // by content
	rules  []*Injected
	slow   map[int]Delay // by node
	tally  Tally
	down   bool          // a node is down by the faults
	joined int           // by the faults
	calm   chan struct{} // closed when the faults end
}

// decision is what happens to one request.
type decision struct {
	number   int
	fault    Fault
	answer   message.Error
	shape    shape
	delay    time.Duration
	warnings []string
	part     float64
	then     []func() // to be done to the cluster, first
}

// Tally is what has been done to a cluster and its requests by faults and rules.
type Tally struct {
	Requests int // that could be met
	Faults   map[Fault]int
	Delays   int // of Faults and rules
	Warnings int
	Downs    int // nodes that were stopped
	Moves    int
	Joins    int
}

// Tally counts up since the start.
func (c *Cluster) Tally() Tally {
	w := &c.faults
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.tally
	t.Requests, t.Faults = w.number, make(map[Fault]int, len(w.tally.Faults))
	for fault, count := range w.tally.Faults {
		t.Faults[fault] = count
	}
	return t
}

func (w *weather) init() {
	w.seen, w.slow, w.tally.Faults = make(map[uint64]int), make(map[int]Delay), make(map[Fault]int)
	w.calm = make(chan struct{})
}

// Disturb makes things go wrong from now on, at other rates than before; Until and
// the numbers that the seed works on count from here. The error names a rate that is
// no probability, or says that those that exclude one another make more than 1.
func (c *Cluster) Disturb(f Faults) error {
	if err := f.check(); err != nil {
		return err
	}
	w := &c.faults
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endFaults()
	w.faults, w.first = f, w.number
	clear(w.seen)
	return nil
}

// Calm ends all faults, rules and delays, and restarts a node that a fault stopped, though not one
// that was stopped by Stop. Requests that wait continue to wait.
func (c *Cluster) Calm() {
	w := &c.faults
	w.mu.Lock()
	defer w.mu.Unlock()
	w.endFaults()
	w.rules = nil
	clear(w.slow)
}

// endFaults ends the faults. The caller holds the lock.
func (w *weather) endFaults() {
	w.faults = Faults{}
	close(w.calm)
	w.calm = make(chan struct{})
}

// meet decides what happens to a request, and does it as far as it happens to the
// cluster.
func (c *Cluster) meet(work *work) decision {
	d := c.faults.decide(c, work)
	for _, do := range d.then {
		do()
	}
	if d.fault != None && d.answer == nil && effects[d.fault].answer != nil {
		d.answer = effects[d.fault].answer(work)
	}
	return d
}

func (w *weather) decide(c *Cluster, work *work) decision {
	w.mu.Lock()
	defer w.mu.Unlock()
	var d decision
	f := &w.faults
	eligible := (!work.system || f.System) && (!work.request.Prepare || f.Prepares)
	if eligible {
		w.number++
		d.number = w.number
		work.request.Number = d.number
	}
	d.delay = w.slow[work.request.Node].draw(rand.New(rand.NewPCG(work.content, uint64(w.number))))
	if rule := w.ruled(work.request, work.system); rule != nil {
		d.follow(rule)
	} else if eligible && *f != (Faults{}) {
		if f.Until > 0 && d.number-w.first > f.Until {
			w.endFaults()
		} else {
			w.draw(c, work, &d)
		}
	}
	if effects[d.fault].meets&work.kind() == 0 {
		d.fault, d.answer, d.shape = None, nil, shape{}
	}
	w.count(&d)
	return d
}

func (w *weather) count(d *decision) {
	if d.fault != None {
		w.tally.Faults[d.fault]++
	}
	if d.delay > 0 {
		w.tally.Delays++
	}
	if len(d.warnings) > 0 {
		w.tally.Warnings++
	}
}

// follow takes over what a rule says.
func (d *decision) follow(r *Rule) {
	d.fault, d.warnings, d.part = r.Fault, r.Warnings, 0.5
	d.delay += r.Delay
	if r.Fault == Answer {
		d.answer = r.Error
	}
	d.shape = shapeOf(r.Fault, cmp.Or(r.Rows, 1))
	if r.Do != nil {
		d.then = append(d.then, r.Do)
	}
}

func shapeOf(f Fault, rows int) shape {
	switch f {
	case EmptyPage:
		return shape{empty: true}
	case ShortPage:
		return shape{rows: rows}
	case TrailingPage:
		return shape{trailing: true}
	default:
		return shape{}
	}
}

// draw decides by lot.
func (w *weather) draw(c *Cluster, work *work, d *decision) {
	f := &w.faults
	number := uint64(d.number - w.first)
	if f.ByContent {
		w.seen[work.content]++
		number = mix(work.content, uint64(w.seen[work.content]))
	}
	random := rand.New(rand.NewPCG(mix(f.Seed, number), 4))
	fault, slow, warning := random.Float64(), random.Float64(), random.Float64()
	down, move, join := random.Float64(), random.Float64(), random.Float64()
	d.part = random.Float64()
	rows := 1 + random.IntN(max(work.request.PageSize, 1))
	kind := work.kind()
	for _, r := range f.rates() {
		if effects[r.fault].meets&kind == 0 {
			continue
		}
		if fault -= r.p; fault < 0 {
			d.fault, d.shape = r.fault, shapeOf(r.fault, rows)
			break
		}
	}
	if slow < f.Slow {
		d.delay += f.Delay.draw(random)
	}
	if warning < f.Warning {
		d.warnings = []string{"simulated warning"}
	}
	if down < f.NodeDown {
		w.takeDown(c, d, random.Uint64(), cmp.Or(f.DownFor, 50*time.Millisecond))
	}
	if move < f.Move {
		w.tally.Moves++
		which := random.Uint64()
		d.then = append(d.then, func() { _ = c.Move(c.member(which)) })
	}
	if join < f.Join && w.joined < 3 {
		w.joined++
		w.tally.Joins++
		d.then = append(d.then, func() { _, _ = c.Join("", "") })
	}
}
