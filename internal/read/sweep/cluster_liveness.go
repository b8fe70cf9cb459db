package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// clusterLiveness tells nodes that do not answer from a cluster that does not. A request
// without an answer tells of its node alone. So when nobody else has been answered
// meanwhile, the nodes are asked; only when none of them answers either is it the
// cluster that keeps silent. It is safe for concurrent use.
type clusterLiveness struct {
	patience time.Duration
	liveness pace.Liveness
	// ping asks the nodes in a goroutine of its own and calls over afterwards; nil when
	// there is no way to ask them.
	ping func(over func(err error))

	mu      sync.Mutex
	pinging chan struct{} // closed when the question under way is over; nil: there is none
}

// answeredSince says whether a node has answered since there were so many answers: a request,
// or the question that is asked now.
func (s *clusterLiveness) answeredSince(ctx context.Context, before int64) bool {
	if s.ping != nil && s.liveness.Answers() == before {
		select {
		case <-s.pingOnce():
		case <-ctx.Done():
		}
	}
	return s.liveness.Answers() > before
}

// pingOnce asks the nodes, once for all who want to know at a time, and gives what is
// closed when that is over.
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

// noAnswer takes in a request that failed with err while no node answered, and gives an
// error of class Fatal when that has been so for longer than patience.
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
