package cli

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/sweep"
)

// paceOptions say how much a sweep may ask of the cluster and of this machine.
type paceOptions struct {
	Memory         size
	Rate           float64
	MaxBytesPerSec size
	TargetP99      time.Duration
	MaxAttempts    int
	Patience       time.Duration
	PageSize       int
}

func (o *paceOptions) AddFlags(f *pflag.FlagSet) {
	o.Memory = defaultMemory
	f.Var(&o.Memory, "memory", "memory to use at the most")
	f.Float64Var(&o.Rate, "rate", 0, "rows a second at the most (default: no limit)")
	f.Var(&o.MaxBytesPerSec, "max-bytes-per-sec", "bytes a second to read at the most (default: no limit)")
	f.DurationVar(&o.TargetP99, "target-p99", 0, "slow down when the 99th percentile of small reads on the nodes rises above this (default: watch the scan's own latency alone)")
	f.IntVar(&o.PageSize, "pagesize", 0, "rows of a page (default: as many as make about 256 KiB)")
	f.IntVar(&o.MaxAttempts, "maxattempts", pace.DefaultAttempts, "attempts for a page before what is left of its token range is given up")
	addPatience(f, &o.Patience)
}

func (o *paceOptions) check() error {
	switch {
	case o.Memory < 32<<20:
		return fmt.Errorf("--memory %s: must be at least 32MiB", o.Memory.String())
	case o.Rate < 0:
		return fmt.Errorf("--rate %g: must not be negative", o.Rate)
	case o.TargetP99 < 0:
		return fmt.Errorf("--target-p99 %s: must not be negative", o.TargetP99)
	case o.PageSize < 0:
		return fmt.Errorf("--pagesize %d: must not be negative", o.PageSize)
	case o.MaxAttempts < 1:
		return fmt.Errorf("--maxattempts %d: must be at least 1", o.MaxAttempts)
	}
	return checkPatience(o.Patience)
}

// addPatience adds the flag of how long a run goes on with a cluster that is silent.
func addPatience(f *pflag.FlagSet, patience *time.Duration) {
	f.DurationVar(patience, "patience", pace.DefaultPatience, "how long to go on when no node answers anything, before the run ends")
}

func checkPatience(patience time.Duration) error {
	if patience <= 0 {
		return fmt.Errorf("--patience %s: must be more than 0", patience)
	}
	return nil
}

// The parts of the memory that pages and unfinished partitions may take. The
// rest is for what the driver keeps of frames, for text, and for the collector.
const (
	pagesShare = 4
	holdShare  = 8
)

// gentlePage is the size of page where a latency is to be kept: a node works on it
// for a few milliseconds.
const gentlePage = 64 << 10

// defaultMemory is what a command uses at the most, in bytes, unless it is told.
const defaultMemory = 256 << 20

// slotMemory is what encoding a page may take: its text, and a compressor.
const slotMemory = 16 << 20

// slots is how many pages are encoded at once: enough to keep the processors
// busy while some wait for the disk, as far as the memory lasts.
func (o *paceOptions) slots() int {
	return max(min(runtime.GOMAXPROCS(0)+2, int(o.Memory/slotMemory)), 1)
}

// sweepOptions are the options of a sweep of the target. The function it returns
// ends the watch over the nodes' latency and must be called.
func (o *paceOptions) sweepOptions(ctx context.Context, t *target) (sweep.Options, func()) {
	// A fifth is left for what the collector does not count.
	debug.SetMemoryLimit(int64(o.Memory) / 5 * 4)
	limits := pace.GateOptions{Ceiling: t.plan.Parallel}
	budget := int64(o.Memory) / pagesShare
	page := min(sweep.DefaultPageBytes, budget/int64(2*t.plan.Parallel))
	if o.TargetP99 > 0 {
		// Begin with as little as can be, in bites that hold up nobody for long.
		limits.Start = 1
		page = min(page, gentlePage)
	}
	gate := pace.NewGate(limits)
	rows := pace.NewLimiter(o.Rate)
	bytes := pace.NewLimiter(float64(o.MaxBytesPerSec))
	options := sweep.Options{
		Workers:     t.plan.Parallel,
		MaxAttempts: o.MaxAttempts,
		Patience:    o.Patience,
		Hosts:       t.plan.Hosts,
		PageRows:    o.PageSize,
		PageBytes:   int(page),
		Gate:        gate,
		Ping:        t.ping,
		Budget:      pace.NewBudget(budget),
		BudgetSize:  budget,
		Pace: func(ctx context.Context, n int, size int64) error {
			if err := rows.Wait(ctx, n); err != nil {
				return err
			}
			return bytes.Wait(ctx, int(size))
		},
	}
	if o.TargetP99 == 0 {
		return options, func() {}
	}
	judge := pace.NewJudge(pace.JudgeOptions{Target: o.TargetP99}, gate.Press)
	return options, watch(ctx, t, judge, 2*o.TargetP99+50*time.Millisecond)
}

// probesPerSecond is how often each node is asked for a row of its own to see how
// long an application would wait: enough for a p99 every second, too few to weigh.
const probesPerSecond = 50

// watch probes the local nodes in turn and tells the judge, until the function it
// returns is called.
// A probe that takes longer than limit has told what it had to tell.
func watch(ctx context.Context, t *target, judge *pace.Judge, limit time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	nodes := t.cluster.Local()
	go func() {
		defer close(done)
		ticker := time.NewTicker(time.Second / probesPerSecond)
		defer ticker.Stop()
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				one, end := context.WithTimeout(ctx, limit)
				latency, err := t.session.Ping(one, nodes[i%len(nodes)].ID)
				end()
				if err == nil || latency >= time.Millisecond && ctx.Err() == nil {
					judge.Observe(time.Now(), latency)
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
