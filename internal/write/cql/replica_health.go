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

// replicaHealth tracks whether the nodes of one set of replicas take writes. They are given up if
// they take none for longer than the patience, while others do or at least answer. Then their rows
// are rejected at once, so that they do not delay the others. One batch each probeEvery is still
// sent, to find out when the nodes are back. It is safe for concurrent use.
type replicaHealth struct {
	pulse   pace.Liveness // its silence is the time without a write that was taken
	answers atomic.Int64  // answers, errors included
	last    atomic.Int32  // result of the last write: lastTaken or lastFailed, 0: there was none

	mu      sync.Mutex
	lost    *lostError // why the set is given up; nil: it is not
	probing bool       // a batch is in flight to find out whether the nodes are back
	probeAt time.Time  // time of the next such batch, at the earliest
}

// Results of the last write to a set's nodes.
const (
	_ int32 = iota // there was none
	lastTaken
	lastFailed
)

// probeEvery is the time between batches that are sent to replicas that were given up.
const probeEvery = time.Second

// lostError is the reason for rejecting rows whose replicas take no writes.
type lostError struct {
	nodes    string
	patience time.Duration
	err      error // of the last attempt
}

func (e *lostError) Error() string {
	return fmt.Sprintf("%s took no write for more than %s: %v", e.nodes, e.patience, e.err)
}

func (e *lostError) Unwrap() error { return e.err }

// reasonGivenUp returns why the set is given up, nil if it is not. If probe is true the caller
// sends a batch all the same, and calls probed afterwards.
func (h *replicaHealth) reasonGivenUp() (lost *lostError, probe bool) {
	if h.last.Load() != lastFailed {
		return nil, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lost == nil || h.probing || time.Now().Before(h.probeAt) {
		return h.lost, false
	}
	h.probing = true
	return h.lost, true
}

// isGivenUp reports whether the set is given up.
func (h *replicaHealth) isGivenUp() bool {
	if h.last.Load() != lastFailed {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lost != nil
}

// probed is called after a batch that was sent to a set that is given up.
func (h *replicaHealth) probed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.probing, h.probeAt = false, time.Now().Add(probeEvery)
}

// healthOf returns the health of a set.
func (t *Target) healthOf(s *write.Replicas) *replicaHealth { return &t.replicaHealth[s.Index] }

// begin and end enclose the time in which a request to a set's nodes is in flight.
func (t *Target) begin(h *replicaHealth) {
	t.pulse.Begin()
	t.failureClock.pulse.Begin()
	h.pulse.Begin()
}

func (t *Target) end(h *replicaHealth) {
	h.pulse.End()
	t.failureClock.pulse.End()
	t.pulse.End()
}

// took records that a set's nodes have taken a write, or refused it for its values.
func (t *Target) took(h *replicaHealth) {
	t.failureClock.took.Store(true)
	t.pulse.Answered()
	h.answers.Add(1)
	h.pulse.Answered()
	if h.last.Load() == lastTaken {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Swap(lastTaken) != lastTaken {
		t.takingSets.Add(1)
	}
	h.lost = nil
}

// failed records a write that a set's nodes have not taken, and returns for how long they have
// taken none.
func (t *Target) failed(h *replicaHealth, err error) time.Duration {
	if fault.Answered(err) {
		t.pulse.Answered()
		h.answers.Add(1)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch h.last.Swap(lastFailed) {
	case lastTaken:
		t.takingSets.Add(-1)
	case 0:
		t.failedSets.Add(1)
	}
	return h.pulse.Failed()
}

// giveUpReplicas gives up a set whose nodes have taken no write for longer than the patience,
// unless that is so with the whole cluster. The last error was reason. It returns nil if the set is
// not given up.
func (t *Target) giveUpReplicas(
	ctx context.Context,
	h *replicaHealth,
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Load() == lastTaken {
		return nil
	}
	if h.lost == nil {
		h.lost = &lostError{t.names(s), t.o.Patience, reason}
		t.warnGivenUp(h.lost)
	}
	return h.lost
}

// warnGivenUp warns once of nodes that are given up.
func (t *Target) warnGivenUp(e *lostError) {
	if _, warned := t.warned.LoadOrStore(e.nodes, true); !warned {
		t.o.Warn(
			"%s took no write for more than %s: rows of theirs are rejected until they take one, all others are still written",
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

// answers asks nodes, or all nodes if hosts is empty, and reports whether one of them answers.
// Callers that ask the same at the same time share the answer.
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

// checkClusterSilent returns an error of class Fatal if the cluster has answered nothing for longer
// than the patience.
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
