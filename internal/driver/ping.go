package driver

import (
	"context"
	"time"
)

// Ping asks a node for one row of its own and says how long the answer took: what
// a small read of an application would wait there.
func (s *Session) Ping(ctx context.Context, host string) (time.Duration, error) {
	var key string
	begin := time.Now()
	err := s.each(ctx, host, func() error { return nil }, []any{&key}, "SELECT key FROM system.local")
	return time.Since(begin), err
}
