package sweep

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
)

// silence tells nodes that do not answer from a cluster that does not. A request
// without an answer tells of its node alone. So when nobody else has been answered
// meanwhile, the nodes are asked; only when none of them answers either is it the
// cluster that keeps silent. It is safe for concurrent use.
type silence struct {
	patience time.Duration
	pulse    pace.Liveness
	// ask asks the nodes in a goroutine of its own and calls over afterwards; nil when
	// there is no way to ask them.
	ask func(over func(err error))

	mu    sync.Mutex
	asked chan struct{} // closed when the question under way is over; nil: there is none
}

// broken says whether a node has answered since there were so many answers: a request,
// or the question that is asked now.
func (s *silence) broken(ctx context.Context, before int64) bool {
	if s.ask != nil && s.pulse.Answers() == before {
		select {
		case <-s.question():
		case <-ctx.Done():
		}
	}
	return s.pulse.Answers() > before
}

// question asks the nodes, once for all who want to know at a time, and gives what is
// closed when that is over.
func (s *silence) question() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != nil {
		return s.asked
	}
	asked := make(chan struct{})
	s.asked = asked
	s.ask(func(err error) {
		if err == nil {
			s.pulse.Answered()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = nil
		close(asked)
	})
	return asked
}

// lasts takes in a request that failed with err while no node answered, and gives an
// error of class Fatal when that has been so for longer than patience.
func (s *silence) lasts(err error) error {
	lasted := s.pulse.Failed()
	if lasted <= s.patience {
		return nil
	}
	return fault.New(
		fault.Fatal,
		fmt.Errorf("the cluster has answered no read for %s: %w", lasted.Round(time.Second), err),
	)
}
