package driver

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// Ping asks a node for one row of its own, and returns how long the answer took. A small read of an
// application would take as long.
func (s *Session) Ping(ctx context.Context, host string) (time.Duration, error) {
	var key string
	begin := time.Now()
	err := s.each(
		ctx,
		host,
		func() error { return nil },
		[]any{&key},
		"SELECT key FROM system.local",
	)
	return time.Since(begin), err
}

// anyTimeout is how long PingAny waits for an answer. A node has a row of its own at hand, even if
// it is busy.
const anyTimeout = 5 * time.Second

// PingAny asks all nodes for one row of their own at once. It returns nil as soon as one of them
// has answered, even with an error. If none does within five seconds, it returns all errors,
// joined.
func (s *Session) PingAny(ctx context.Context, hosts []string) error {
	var asked sync.WaitGroup
	defer asked.Wait()
	ctx, cancel := context.WithTimeout(ctx, anyTimeout)
	defer cancel()
	answers := make(chan error, len(hosts))
	for _, host := range hosts {
		asked.Go(func() {
			_, err := s.Ping(ctx, host)
			answers <- err
		})
	}
	var silent error
	for range hosts {
		err := <-answers
		if err == nil || fault.Answered(err) {
			return nil
		}
		silent = errors.Join(silent, err)
	}
	return silent
}
