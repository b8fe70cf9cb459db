package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/simcluster"
)

// schedule is what is drawn from one seed, and what came of it.
type schedule struct {
	*testing.T
	seed    uint64
	dir     string // of its files
	weather weather
	cluster *simcluster.Cluster
	ports   *ports      // that streams go to, or come from; nil: rows go by CQL
	began   []time.Time // of the processes
	signals *rand.Rand  // draws when the program is stopped
	storyMu sync.Mutex
	story   strings.Builder
}

// table is the full name of the table of every schedule.
const table = "ks.t"

// newSchedule makes a schedule of a test. If it fails, it logs what happened.
func newSchedule(t *testing.T, seed uint64, test string) *schedule {
	s := &schedule{T: t, seed: seed, dir: t.ArtifactDir(), signals: stream(seed, "signals")}
	t.Cleanup(func() {
		if t.Failed() {
			totals.failed.Add(1)
		}
		if t.Failed() || *oneSeed != "" {
			t.Logf(
				"this happened:\n%sonce more: go test ./internal/test/chaos -run %s -seed %d",
				s.story.String(),
				test,
				seed,
			)
		}
	})
	return s
}

// runSchedule runs the schedule of a seed: two of three are loads, a quarter of them by streaming,
// and of the scans half.
func runSchedule(t *testing.T, seed uint64) {
	s := newSchedule(t, seed, "TestCampaign")
	s.weather = drawWeather(seed)
	switch {
	case seed%3 == 2:
		totals.scans.Add(1)
		s.scan(chance(stream(seed, "scan via"), 2), false)
	case chance(stream(seed, "via"), 4):
		totals.loads.Add(1)
		totals.streamed.Add(1)
		s.streamed()
	default:
		totals.loads.Add(1)
		s.load()
	}
}

// stream is the source of one part of a schedule, so that a change of one part leaves
// the others as they are.
func stream(seed uint64, part string) *rand.Rand {
	second := uint64(14695981039346656037)
	for _, b := range []byte(part) {
		second = (second ^ uint64(b)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, second))
}

// chance is true with the probability of one in n.
func chance(r *rand.Rand, n int) bool { return r.IntN(n) == 0 }

// note adds a line to what is shown if the schedule fails.
func (s *schedule) note(format string, args ...any) {
	s.storyMu.Lock()
	defer s.storyMu.Unlock()
	fmt.Fprintf(&s.story, format+"\n", args...)
}

// start starts the cluster with tables, still in calm.
func (s *schedule) start(tables ...simcluster.Table) {
	options := s.weather.cluster
	options.Tables = tables
	c, err := simcluster.Start(options)
	require.NoError(s, err)
	s.cluster = c
	s.Cleanup(c.Close)
	s.note("cluster: %s", brief(s.weather.cluster))
	s.note(
		"faults: %s, attempts %d, hard %t",
		brief(s.weather.faults),
		s.weather.attempts,
		s.weather.hard,
	)
}

// connection are the flags that every command on the cluster has.
func (s *schedule) connection() []string {
	flags := []string{
		"--hosts",
		strings.Join(s.cluster.Hosts(), ","),
		"--port",
		fmt.Sprint(s.cluster.Port()),
		"--timeout",
		"1s",
		"--connections",
		"1",
	}
	if s.ports == nil { // streams are tried for a time
		flags = append(flags, "--maxattempts", fmt.Sprint(s.weather.attempts))
	}
	return flags
}

// The ways to stop a process.
const (
	never = iota
	atRequest
	atTime
)

// stop says when and how a process is stopped.
type stop struct {
	when   int
	number int           // of the request, or of the step of a stream
	after  time.Duration // after that request, or after the start
	signal os.Signal
}

func (s *schedule) drawStop(requests int) stop {
	r := s.signals
	var p stop
	switch r.IntN(6) {
	case 0:
	case 1:
		p = stop{when: atTime, after: time.Duration(r.IntN(1500)) * time.Millisecond}
	default:
		// Early and late are as likely as in between.
		p = stop{when: atRequest, number: 1 + r.IntN(1+r.IntN(max(requests, 1)))}
		if chance(r, 2) {
			p.after = time.Duration(r.IntN(20_000)) * time.Microsecond
		}
	}
	p.signal = syscall.SIGKILL
	if chance(r, 4) {
		p.signal = syscall.SIGTERM
	}
	return p
}

// run runs the program and stops it as p says. A request is one that match is for.
func (s *schedule) run(p stop, match func(simcluster.Request) bool, args ...string) exit {
	s.Helper()
	totals.processes.Add(1)
	var target atomic.Pointer[process]
	end := func() {
		// Without a process it is too early: a request of an earlier one.
		if to := target.Load(); to != nil {
			to.signal(p.signal)
		}
	}
	then := func() {
		if p.after > 0 {
			time.AfterFunc(p.after, end)
		} else {
			end()
		}
	}
	switch {
	case p.when == atRequest && s.ports != nil:
		s.ports.aim(p.number, then)
		defer s.ports.aim(0, nil)
	case p.when == atRequest:
		rule := s.cluster.Inject(
			simcluster.Rule{Match: match, Skip: p.number - 1, Times: 1, Do: then},
		)
		defer rule.Remove()
	}
	s.began = append(s.began, time.Now())
	to := launch(s.T, s.dir, args...)
	target.Store(to)
	if p.when == atTime {
		timer := time.AfterFunc(p.after, end)
		defer timer.Stop()
	}
	begin := time.Now()
	e := to.wait(s.T)
	switch {
	case e.by == syscall.SIGKILL:
		totals.kills.Add(1)
	case e.asked != nil && (e.killed() || e.code == exitInterrupted):
		totals.terms.Add(1)
	case e.code == exitLimit || e.code == exitFatal:
		totals.stops.Add(1)
	}
	s.note(
		"cqlbulk %s\n  stop %+v; %v after %v\n  %s",
		strings.Join(args, " "),
		p,
		e,
		time.Since(begin).Round(time.Millisecond),
		shorten(e.output),
	)
	return e
}

// processAt returns when the process started that ran at a moment; of an earlier one, the first.
func (s *schedule) processAt(at time.Time) time.Time {
	last := s.began[0]
	for _, began := range s.began {
		if began.Before(at) {
			last = began
		}
	}
	return last
}

// brief is what is set in a struct.
func brief(v any) string {
	var set []string
	for of, i := reflect.ValueOf(v), 0; i < of.NumField(); i++ {
		if f := of.Field(i); !f.IsZero() && f.Kind() != reflect.Func {
			set = append(set, fmt.Sprintf("%s %v", of.Type().Field(i).Name, f.Interface()))
		}
	}
	return strings.Join(set, ", ")
}

// shorten keeps the end of what a program says.
func shorten(text string) string {
	const most = 3000
	if len(text) > most {
		text = "..." + text[len(text)-most:]
	}
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// The exit statuses.
const (
	exitOK          = 0
	exitUsage       = 1
	exitPartly      = 2
	exitLimit       = 3
	exitFatal       = 4
	exitInterrupted = 130
)
