package load

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// standing is how the nodes of one set of replicas take writes. When they take none for
// longer than the patience, while others do or at least answer, they are given up: their
// rows are rejected at once, so that they do not hold up the others, but for one batch
// every now and then, that shows when they are back. It is safe for concurrent use.
type standing struct {
	pulse   pace.Pulse   // its silence is time in which no write was taken
	answers atomic.Int64 // errors among them
	last    atomic.Int32 // how the last write went: unasked, taking or failing

	mu     sync.Mutex
	lost   *lostError // why they are given up; nil: they are not
	asking bool       // a batch is sent to see whether they are back
	askAt  time.Time  // when the next one may be
}

// How the last write to a set's nodes went.
const (
	unasked int32 = iota
	taking
	failing
)

// askAgain is how long a set of replicas that was given up is left alone.
const askAgain = time.Second

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

// given gives the reason for which the set is given up, nil when it is not; again says
// that a batch is to be sent all the same, and asked to be called afterwards.
func (s *standing) given() (lost *lostError, again bool) {
	if s.last.Load() != failing {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil || s.asking || time.Now().Before(s.askAt) {
		return s.lost, false
	}
	s.asking = true
	return s.lost, true
}

func (s *standing) asked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking, s.askAt = false, time.Now().Add(askAgain)
}

// standing is that of a set.
func (r *run) standing(s *Set) *standing { return &r.standings[s.index] }

// begin and end enclose the time in which something is asked of a set's nodes.
func (r *run) begin(st *standing) {
	r.pulse.Begin()
	st.pulse.Begin()
}

func (r *run) end(st *standing) {
	st.pulse.End()
	r.pulse.End()
}

// takes notes that a set's nodes have taken a write, or refused it for what is in it.
func (r *run) takes(st *standing) {
	r.pulse.Answered()
	st.answers.Add(1)
	st.pulse.Answered()
	if st.last.Load() == taking {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.last.Swap(taking) != taking {
		r.takers.Add(1)
	}
	st.lost = nil
}

// fails notes a write that a set's nodes have not taken, and says for how long they have
// taken none.
func (r *run) fails(st *standing, err error) time.Duration {
	if fault.Answered(err) {
		r.pulse.Answered()
		st.answers.Add(1)
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.last.Swap(failing) == taking {
		r.takers.Add(-1)
	}
	return st.pulse.Failed()
}

// lose gives up a set whose nodes have taken no write for some time, the last for reason,
// when that is longer than the patience, and not so with the whole cluster. Nil: it is not
// given up.
func (r *run) lose(ctx context.Context, st *standing, s *Set, silence time.Duration, reason error) error {
	if silence <= r.job.Patience {
		return nil
	}
	if r.job.Ping != nil && !r.answers(ctx, nil) {
		return nil
	}
	if r.takers.Load() == 0 && (r.job.Ping == nil || r.answers(ctx, s.Hosts)) {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.last.Load() == taking {
		return nil
	}
	if st.lost == nil {
		st.lost = &lostError{r.names(s), r.job.Patience, reason}
		r.tellLost(st.lost)
	}
	return st.lost
}

// tellLost warns of nodes that are given up, once.
func (r *run) tellLost(e *lostError) {
	if _, told := r.told.LoadOrStore(e.nodes, true); !told {
		r.job.Warn("%s took no write for more than %s: rows of theirs are rejected until they take one, all others go on", e.nodes, e.patience)
	}
}

// names names a set's nodes.
func (r *run) names(s *Set) string {
	if len(s.Hosts) == 0 {
		return "the cluster"
	}
	var names []string
	for _, host := range s.Hosts {
		names = append(names, r.job.NodeName(host))
	}
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + strings.Join(names, ", ")
}

// answers asks nodes, all of the cluster when there are none, and says whether one of
// them answers. Who asks the same at the same time shares the answer.
func (r *run) answers(ctx context.Context, hosts []string) bool {
	if r.job.Ping == nil {
		return false
	}
	_, err, _ := r.pings.Do(strings.Join(hosts, " "), func() (any, error) { return nil, r.job.Ping(ctx, hosts) })
	if err != nil {
		return false
	}
	r.pulse.Answered()
	return true
}

// gone ends a run whose cluster has answered nothing for longer than the patience.
func (r *run) gone(ctx context.Context, reason error) error {
	if fault.Answered(reason) {
		return nil
	}
	silence := r.pulse.Failed()
	if silence <= r.job.Patience || r.answers(ctx, nil) {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return fault.New(fault.Canceled, err)
	}
	return fault.New(fault.Fatal, fmt.Errorf("the cluster has taken no write for %s: %w", silence.Round(time.Second), reason))
}
