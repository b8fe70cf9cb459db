package simcluster

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Faults are rates, each a probability from 0 to 1, at which things go wrong. What
// happens to a request is decided by the seed and its number alone, so that equal
// requests in an equal order meet the same. The zero value is calm.
type Faults struct {
	Seed  uint64
	Until int // no faults after this number of requests; 0: never
	// ByContent numbers requests by their content and how often it came. Then their order does not
	// matter, nor the node, the time or the page size, and concurrent requests meet the same faults
	// on every run.
	ByContent bool
	Prepares  bool // PREPARE requests of the tables are met as well
	System    bool // so are requests for system tables

	// At most one of these meets a request; the constants of their names say what
	// they do.
	ReadTimeout, ReadFailure                              float64
	WriteTimeout, WriteTimeoutApplied, WriteTimeoutPartly float64
	WriteFailure, WriteFailureApplied                     float64
	Overloaded, Unavailable, Bootstrapping                float64
	OverloadedPartly, UnavailablePartly                   float64
	ServerError, ServerErrorApplied                       float64
	Unprepared                                            float64
	DropBefore, DropApplied, DropMidFrame                 float64
	Silence, SilentApplied                                float64
	EmptyPage, ShortPage, TrailingPage                    float64

	// These come on top of it.
	Slow    float64 // the request has to wait
	Delay   Delay   // so long
	Warning float64 // the answer comes with a warning

	// And these happen to the cluster. One node at a time is down.
	NodeDown float64       // a node ends, and the others report it only when it is up again
	DownFor  time.Duration // how long after, default 50 ms
	Move     float64       // a node gets other tokens
	Join     float64       // a node joins; at most three do
}

// rate is the probability of a fault.
type rate struct {
	fault Fault
	p     float64
}

func (f *Faults) rates() []rate {
	return []rate{
		{ReadTimeout, f.ReadTimeout},
		{ReadFailure, f.ReadFailure},
		{
			WriteTimeout,
			f.WriteTimeout,
		},
		{WriteTimeoutApplied, f.WriteTimeoutApplied},
		{WriteTimeoutPartly, f.WriteTimeoutPartly},
		{WriteFailure, f.WriteFailure},
		{WriteFailureApplied, f.WriteFailureApplied},
		{Overloaded, f.Overloaded},
		{Unavailable, f.Unavailable},
		{Bootstrapping, f.Bootstrapping},
		{OverloadedPartly, f.OverloadedPartly},
		{UnavailablePartly, f.UnavailablePartly},
		{
			ServerError,
			f.ServerError,
		},
		{ServerErrorApplied, f.ServerErrorApplied},
		{Unprepared, f.Unprepared},
		{DropBefore, f.DropBefore},
		{DropApplied, f.DropApplied},
		{DropMidFrame, f.DropMidFrame},
		{Silence, f.Silence},
		{SilentApplied, f.SilentApplied},
		{EmptyPage, f.EmptyPage},
		{ShortPage, f.ShortPage},
		{TrailingPage, f.TrailingPage},
	}
}

// check says which rate is none, or that they are too much together.
func (f *Faults) check() error {
	sums := make(map[kindOfWork]float64)
	all := append(
		f.rates(),
		rate{p: f.Slow},
		rate{p: f.Warning},
		rate{p: f.NodeDown},
		rate{p: f.Move},
		rate{p: f.Join},
	)
	for _, r := range all {
		if !(r.p >= 0 && r.p <= 1) {
			return fmt.Errorf("simcluster: the rate %v of fault %q is no probability", r.p, r.fault)
		}
		for _, kind := range []kindOfWork{reading | paging | executing, writing | executing} {
			if r.fault != None && effects[r.fault].meets&kind != 0 {
				sums[kind] += r.p
			}
		}
	}
	for _, sum := range sums {
		if sum > 1+1e-9 {
			return fmt.Errorf(
				"simcluster: the rates of faults that exclude one another make %v together",
				sum,
			)
		}
	}
	return nil
}

// Storm makes faults from a seed: some of all kinds at random rates, so that each of thousands of
// seeds has its own mixture. strength is the largest sum of the rates that a request can meet.
// Requests without an answer are not among them, because each costs the client its time limit, nor
// are nodes that join. The faults end after the given number of requests.
func Storm(seed uint64, strength float64, until int) Faults {
	random := rand.New(rand.NewPCG(mix(seed, 3), 3))
	f := Faults{
		Seed:      seed,
		Until:     until,
		ByContent: random.IntN(2) == 0,
		Prepares:  random.IntN(2) == 0,
	}
	f.Delay = Delay{Mean: time.Duration(1 + random.IntN(3000)*int(time.Microsecond))}
	all := []*float64{
		&f.ReadTimeout,
		&f.ReadFailure,
		&f.WriteTimeout,
		&f.WriteTimeoutApplied,
		&f.WriteTimeoutPartly,
		&f.WriteFailure,
		&f.WriteFailureApplied,
		&f.Overloaded,
		&f.Unavailable,
		&f.Bootstrapping,
		&f.ServerError,
		&f.ServerErrorApplied,
		&f.Unprepared,
		&f.DropBefore,
		&f.DropApplied,
		&f.DropMidFrame,
		&f.EmptyPage,
		&f.ShortPage,
		&f.TrailingPage,
		&f.OverloadedPartly,
		&f.UnavailablePartly,
	}
	sum := 0.0
	for _, rate := range all {
		if random.IntN(3) == 0 {
			*rate = random.Float64()
			sum += *rate
		}
	}
	for _, rate := range all {
		*rate *= min(strength, 1) / max(sum, 1)
	}
	f.Slow, f.Warning = random.Float64()*strength/4, random.Float64()*strength/4
	if random.IntN(4) == 0 {
		f.NodeDown, f.DownFor = strength/50, time.Duration(1+random.IntN(30))*time.Millisecond
	}
	if random.IntN(4) == 0 {
		f.Move = strength / 50
	}
	return f
}
