package pace

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// beside is a cluster in virtual time whose cores serve a run and an application. Each request
// waits for a core, first come, first served, and works there for a time.
type beside struct {
	cores      chan struct{}
	page       func() time.Duration // work of a request of the run
	read       func() time.Duration // work of a read of the application
	workers    int
	controller *LatencyController
	gates      []*Gate
	done       atomic.Int64 // requests of the run

	// After each stallEach requests of the run all cores stall, as a server does while it collects
	// garbage, flushes or compacts. 0: never.
	stallEach int64
	stall     time.Duration
}

// stalls stalls the cores if it is time to.
func (b *beside) stalls() {
	if b.stallEach == 0 || b.done.Load()%b.stallEach != 0 {
		return
	}
	for range cap(b.cores) {
		go b.work(b.stall)
	}
}

func (b *beside) work(d time.Duration) {
	b.cores <- struct{}{}
	time.Sleep(d)
	<-b.cores
}

// probe sends probes for that long.
func (b *beside) probe(length time.Duration) {
	var reads sync.WaitGroup
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		reads.Go(func() {
			begin := time.Now()
			b.work(b.read())
			b.controller.Observe(time.Now(), time.Since(begin))
		})
	}
	reads.Wait()
}

// run plays a run beside probes for that long.
func (b *beside) run(t *testing.T, length time.Duration) {
	end := time.Now().Add(length)
	var all sync.WaitGroup
	all.Go(func() { b.probe(length) })
	for i := range b.workers {
		all.Go(func() {
			gate := b.gates[i%len(b.gates)]
			for time.Now().Before(end) && gate.Acquire(t.Context()) == nil {
				begin := time.Now()
				b.work(b.page())
				b.done.Add(1)
				b.stalls()
				gate.Release(time.Since(begin), 1, Good)
			}
		})
	}
	all.Wait()
}

// If the latency of a cluster is above the target whatever the run does, the run does not stand
// still. As soon as it is below again, the controller keeps the target.
func TestLatencyControllerOfAClusterThatIsSlowByItself(t *testing.T) {
	k := NewLatencyController(10 * time.Millisecond)
	g := k.Gate(GateOptions{Ceiling: 8})
	now := time.Unix(1000, 0)
	observe := func(seconds int, latency time.Duration) {
		for range seconds * 100 {
			now = now.Add(10 * time.Millisecond)
			k.Observe(now, latency)
		}
	}
	observe(1, 50*time.Millisecond)
	k.Begin()
	observe(5, 50*time.Millisecond)
	require.InDelta(t, leastShare, k.level, 1e-9)
	observe(300, 50*time.Millisecond)
	require.InDelta(t, highestFloor, k.level, 1e-9)
	require.Equal(t, 1, g.Limit())
	observe(1, time.Millisecond)
	observe(2, 50*time.Millisecond)
	require.Less(t, k.level, highestFloor)
}

// From the third second on, at most one second in twenty is above the target, and the run uses what
// is left.
func TestLatencyControllerKeepsTheTarget(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		cores, gates int
		page, target time.Duration
		scatter      bool
		share        float64       // least share of the cores' time that the run gets
		length       time.Duration // of the run after its third second; 0: one minute
	}{
		{cores: 2, gates: 1, page: 2 * ms, target: 5 * ms, share: 0.3},
		{cores: 2, gates: 1, page: 2 * ms, target: 20 * ms, share: 0.5},
		{cores: 2, gates: 1, page: 2 * ms, target: 10 * ms, scatter: true, share: 0.2},
		{cores: 6, gates: 3, page: 3 * ms, target: 10 * ms, share: 0.5, length: 20 * time.Second},
		{cores: 48, gates: 1, page: 5 * ms, target: 10 * ms, share: 0.6, length: 10 * time.Second},
		{
			cores: 24, gates: 3, page: 5 * ms, target: 10 * ms, scatter: true, share: 0.4,
			length: 20 * time.Second,
		},
		// one request is too much: tries of more become rare only later
		{cores: 1, gates: 1, page: 8 * ms, target: 5 * ms, length: 10 * time.Minute},
	} {
		c.length = cmp.Or(c.length, time.Minute)
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var draw sync.Mutex
				random := rand.New(rand.NewPCG(1, 2))
				b := &beside{
					cores:      make(chan struct{}, c.cores),
					workers:    8 * c.cores,
					controller: NewLatencyController(c.target),
				}
				b.read = func() time.Duration { return 200 * time.Microsecond }
				b.page = func() time.Duration {
					if !c.scatter {
						return c.page
					}
					draw.Lock()
					defer draw.Unlock()
					return time.Duration(random.ExpFloat64() * float64(c.page))
				}
				for range c.gates {
					b.gates = append(
						b.gates,
						b.controller.Gate(GateOptions{Ceiling: b.workers / c.gates}),
					)
				}
				b.probe(time.Second)
				b.controller.Begin()
				b.run(t, 3*time.Second)
				before := b.controller.Record()
				b.done.Store(0)
				b.run(t, c.length)
				r := b.controller.Record()
				got := float64(
					b.done.Load(),
				) / (c.length.Seconds() / c.page.Seconds() * float64(c.cores))
				t.Logf(
					"%+v, then %+v, %.2f of the cores, level %.3f, wall %.3f",
					before,
					r,
					got,
					b.controller.level,
					b.controller.wall,
				)
				require.Positive(t, r.Seconds-before.Seconds)
				require.LessOrEqual(
					t,
					float64(r.Above-before.Above),
					0.05*float64(r.Seconds-before.Seconds),
				)
				require.Greater(t, got, c.share)
			})
		})
	}
}

// Servers flush and compact later what a load writes, whatever the level was when it was written.
// Stalls become rarer if less is written.
func TestLatencyControllerWritesLessWhereWhatIsWrittenStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		b := &beside{
			cores:      make(chan struct{}, 2),
			workers:    16,
			controller: NewLatencyController(5 * ms),
			stallEach:  1500,
			stall:      200 * ms,
		}
		b.read = func() time.Duration { return 200 * time.Microsecond }
		b.page = func() time.Duration { return 2 * ms }
		b.gates = []*Gate{b.controller.Gate(GateOptions{Ceiling: b.workers})}
		b.probe(time.Second)
		b.controller.Begin()
		b.run(t, 3*time.Second)
		before := b.controller.Record()
		for i := range 5 {
			d := b.done.Load()
			b.run(t, time.Minute)
			r := b.controller.Record()
			t.Logf(
				"minute %d: %d requests, %d of %d seconds above",
				i+1,
				b.done.Load()-d,
				r.Above-before.Above,
				r.Seconds-before.Seconds,
			)
			assert.LessOrEqual(
				t,
				float64(r.Above-before.Above),
				0.05*float64(r.Seconds-before.Seconds),
			)
		}
	})
}

// Stalls that do not depend on the run do not stop it.
func TestLatencyControllerOfStallsThatTheRunDoesNotCause(t *testing.T) {
	for _, every := range []int{15, 25, 45, 70} {
		k := NewLatencyController(50 * time.Millisecond)
		k.Gate(GateOptions{Ceiling: 32})
		k.Begin()
		now, sum := time.Unix(1000, 0), 0.0
		const seconds = 1200
		for s := 1; s <= seconds; s++ {
			for i := range 100 {
				now = now.Add(10 * time.Millisecond)
				latency := 3 * time.Millisecond
				if s%every == 0 && i < 2 {
					latency = 150 * time.Millisecond
				}
				k.Observe(now, latency)
			}
			if s > seconds/2 {
				sum += k.level
			}
		}
		require.Greater(
			t,
			sum/(seconds/2),
			0.2,
			"requests at once by the mean, with a stall every %d s",
			every,
		)
	}
}
