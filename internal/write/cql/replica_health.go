package cql

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// replicaHealth is how the nodes of one set of replicas take writes. When they take none for
// longer than the patience, while others do or at least answer, they are given up: their
// rows are rejected at once, so that they do not hold up the others, but for one batch
// every now and then, that shows when they are back. It is safe for concurrent use.
type replicaHealth struct {
	pulse   pace.Pulse   // its silence is time in which no write was taken
	answers atomic.Int64 // errors among them
	last    atomic.Int32 // how the last write went: taking or failing, 0: there was none

	mu      sync.Mutex
	lost    *lostError // why they are given up; nil: they are not
	probing bool       // a batch is sent to see whether they are back
	probeAt time.Time  // when the next one may be
}

// How the last write to a set's nodes went.
const (
	_ int32 = iota // there was none
	lastTaken
	lastFailed
)

// probeEvery is how long a set of replicas that was given up is left alone.
const probeEvery = time.Second

// lostError is why rows are rejected whose replicas take no writes.
type lostError struct {
	nodes    string
	patience time.Duration
	err      error // of the last attempt
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%s took no write for more than %s: %v", e.nodes, e.patience, e.err)
}

func (e *lostError) Unwrap() error { return e.err }

// reasonGivenUp gives the reason for which the set is given up, nil when it is not; probe says
// that a batch is to be sent all the same, and probed to be called afterwards.
func (s *replicaHealth) reasonGivenUp() (lost *lostError, probe bool) {
	if s.last.Load() != lastFailed {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil || s.probing || time.Now().Before(s.probeAt) {
		return s.lost, false
	}
	s.probing = true
	return s.lost, true
}

// isGivenUp says whether the set is given up.
func (s *replicaHealth) isGivenUp() bool {
	if s.last.Load() != lastFailed {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost != nil
}

// probed is called after a batch that was sent to a set that is given up.
func (s *replicaHealth) probed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probing, s.probeAt = false, time.Now().Add(probeEvery)
}

// healthOf is that of a set.
func (t *Target) healthOf(s *write.Replicas) *replicaHealth { return &t.replicaHealth[s.Index] }

// begin and end enclose the time in which something is asked of a set's nodes.
func (t *Target) begin(st *replicaHealth) {
	t.pulse.Begin()
	t.failureClock.pulse.Begin()
	st.pulse.Begin()
}

func (t *Target) end(st *replicaHealth) {
	st.pulse.End()
	t.failureClock.pulse.End()
	t.pulse.End()
}

// took notes that a set's nodes have taken a write, or refused it for what is in it.
func (t *Target) took(st *replicaHealth) {
	t.failureClock.took.Store(true)
	t.pulse.Answered()
	st.answers.Add(1)
	st.pulse.Answered()
	if st.last.Load() == lastTaken {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.last.Swap(lastTaken) != lastTaken {
		t.takingSets.Add(1)
	}
	st.lost = nil
}

// failed notes a write that a set's nodes have not taken, and says for how long they have
// taken none.
func (t *Target) failed(st *replicaHealth, err error) time.Duration {
	if fault.Answered(err) {
		t.pulse.Answered()
		st.answers.Add(1)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	switch st.last.Swap(lastFailed) {
	case lastTaken:
		t.takingSets.Add(-1)
	case 0:
		t.failedSets.Add(1)
	}
	return st.pulse.Failed()
}

// giveUpReplicas gives up a set whose nodes have taken no write for some time, the last for reason,
// when that is longer than the patience, and not so with the whole cluster. Nil: it is not
// given up.
func (t *Target) giveUpReplicas(
	ctx context.Context,
	st *replicaHealth,
	s *write.Replicas,
	silence time.Duration,
	reason error,
) error {
	if silence <= t.o.Patience {
		return nil
	}
	if t.o.Ping != nil && !t.answers(ctx, nil) {
		return nil
	}
	if t.takingSets.Load() == 0 && (t.o.Ping == nil || t.answers(ctx, s.Hosts)) {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.last.Load() == lastTaken {
		return nil
	}
	if st.lost == nil {
		st.lost = &lostError{t.names(s), t.o.Patience, reason}
		t.warnGivenUp(st.lost)
	}
	return st.lost
}

// warnGivenUp warns of nodes that are given up, once.
func (t *Target) warnGivenUp(e *lostError) {
	if _, told := t.warned.LoadOrStore(e.nodes, true); !told {
		t.o.Warn(
			"%s took no write for more than %s: rows of theirs are rejected until they take one, all others go on",
			e.nodes,
			e.patience,
		)
	}
}

// names names a set's nodes.
func (t *Target) names(s *write.Replicas) string {
	if len(s.Hosts) == 0 {
		return "the cluster"
	}
	var names []string
	for _, host := range s.Hosts {
		names = append(names, t.o.NodeName(host))
	}
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + strings.Join(names, ", ")
}

// answers asks nodes, all of the cluster when there are none, and says whether one of
// them answers. Who asks the same at the same time shares the answer.
func (t *Target) answers(ctx context.Context, hosts []string) bool {
	if t.o.Ping == nil {
		return false
	}
	_, err, _ := t.pings.Do(
		strings.Join(hosts, " "),
		func() (any, error) { return nil, t.o.Ping(ctx, hosts) },
	)
	if err != nil {
		return false
	}
	t.pulse.Answered()
	return true
}

// checkClusterSilent ends a run whose cluster has answered nothing for longer than the patience.
func (t *Target) checkClusterSilent(ctx context.Context, reason error) error {
	if fault.Answered(reason) {
		return nil
	}
	silence := t.pulse.Failed()
	if silence <= t.o.Patience || t.answers(ctx, nil) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, err)
	}
	return fault.New(
		fault.Fatal,
		fmt.Errorf("the cluster has taken no write for %s: %w", silence.Round(time.Second), reason),
	)
}
