package pace

import (
	"slices"
	"sync"
	"time"
)

// JudgeOptions say what a Judge holds the cluster to. Only Target has no default.
type JudgeOptions struct {
	// Target is the p99 latency that the application's reads shall keep.
	Target time.Duration
	// Window is how long samples are gathered for one verdict. Default 1 s: long
	// enough for some dozens of probes that weigh nothing on the cluster, short
	// enough to act before the application's users notice.
	Window time.Duration
	// MinSamples is the least number of samples for a verdict; a window goes on
	// until it has them. Default 20: below 100 samples the p99 is the slowest one,
	// and of fewer than 20 it says little.
	MinSamples int
	// Below is the part of Target under which there is room for more. Default 0.8.
	// Between it and Target nothing changes, so that the load does not swing.
	Below float64
	// Less is the factor passed to press above the target. Default 0.7.
	Less float64
	// More is the factor passed to press well below the target. Default 1.1: the way
	// back is slower than the way down.
	More float64
}

// maxWindow bounds the samples that a window keeps: the latest ones.
const maxWindow = 4096

// Judge is a thermostat: it is told the latencies of small probe reads, which are
// the application's view of the cluster, compares the p99 of each window with the
// target, and asks for less load or allows more. After it has asked for less it
// leaves out the probes of one window, because requests on their way still run
// under the old load; without that dead time it would ask twice for one cause.
//
// It has no clock of its own: time is what Observe is told. A probe that fails or
// times out is to be observed with the time that it took, or the judge would only
// hear of the good ones.
//
// It is safe for concurrent use.
type Judge struct {
	o     JudgeOptions
	press func(factor float64)

	mu      sync.Mutex
	begin   time.Time // of the window; zero before the first sample
	samples []time.Duration
	seen    int // samples of the window, the ones no longer kept among them
	p99     time.Duration
}

// NewJudge makes a judge that speaks through press, which is usually Gate.Press. It
// is called by Observe, one call at a time.
func NewJudge(o JudgeOptions, press func(factor float64)) *Judge {
	if o.Window <= 0 {
		o.Window = time.Second
	}
	if o.MinSamples <= 0 {
		o.MinSamples = 20
	}
	o.MinSamples = min(o.MinSamples, maxWindow)
	if o.Below <= 0 {
		o.Below = 0.8
	}
	if o.Less <= 0 {
		o.Less = 0.7
	}
	if o.More <= 0 {
		o.More = 1.1
	}
	return &Judge{o: o, press: press}
}

// Observe takes the latency of a probe that ended now. Samples that arrive out of
// order are taken as they come.
func (j *Judge) Observe(now time.Time, latency time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.begin.IsZero() {
		j.begin = now
	}
	if now.Before(j.begin) {
		return // the dead time after asking for less
	}
	if len(j.samples) < maxWindow {
		j.samples = append(j.samples, latency)
	} else {
		j.samples[j.seen%maxWindow] = latency
	}
	j.seen++
	if j.seen < j.o.MinSamples || now.Sub(j.begin) < j.o.Window {
		return
	}
	j.p99 = percentile99(j.samples)
	j.samples, j.seen, j.begin = j.samples[:0], 0, now
	switch {
	case j.p99 > j.o.Target:
		j.begin = now.Add(j.o.Window)
		j.press(j.o.Less)
	case float64(j.p99) < j.o.Below*float64(j.o.Target):
		j.press(j.o.More)
	}
}

// P99 is the p99 of the last whole window, 0 before there was one.
func (j *Judge) P99() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.p99
}

// percentile99 sorts the samples and returns the nearest-rank p99: the least sample
// that at least 99 % of them do not exceed.
func percentile99(samples []time.Duration) time.Duration {
	slices.Sort(samples)
	return samples[(len(samples)*99+99)/100-1]
}
