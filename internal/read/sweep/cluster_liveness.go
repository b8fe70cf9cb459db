package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// clusterLiveness distinguishes nodes that do not answer from a cluster that does not answer. A
// request without an answer says something about its node only. So if no other request was answered
// meanwhile, it pings all nodes. If none of them answers, the cluster is silent. It is safe for
// concurrent use.
type clusterLiveness struct {
	patience time.Duration
	liveness pace.Liveness
	// ping pings the nodes in a goroutine of its own, and calls over when it ends; nil: no ping
	ping func(over func(err error))

	mu      sync.Mutex
	pinging chan struct{} // closed when the ping in flight ends; nil: none is in flight
}

// answeredSince reports whether a node has answered since the number of answers was before: a
// request, or the ping that it sends if there was none.
func (s *clusterLiveness) answeredSince(ctx context.Context, before int64) bool {
	if s.ping != nil && s.liveness.Answers() == before {
		select {
		case <-s.pingOnce():
		case <-ctx.Done():
		}
	}
	return s.liveness.Answers() > before
}

// pingOnce pings the nodes. Callers that wait at the same time share one ping. It returns a channel
// that is closed when the ping ends.
func (s *clusterLiveness) pingOnce() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pinging != nil {
		return s.pinging
	}
	asked := make(chan struct{})
	s.pinging = asked
	s.ping(func(err error) {
		if err == nil {
			s.liveness.Answered()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pinging = nil
		close(asked)
	})
	return asked
}

// noAnswer records a request that failed with err while no node answered. If that lasts longer than
// the patience, it returns an error of class Fatal.
func (s *clusterLiveness) noAnswer(err error) error {
	lasted := s.liveness.Failed()
	if lasted <= s.patience {
		return nil
	}
	return fault.New(
		fault.Fatal,
		fmt.Errorf("the cluster has answered no read for %s: %w", lasted.Round(time.Second), err),
	)
}
