package driver

import (
	"context"
	"fmt"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// each runs a small query, on one host when host is not empty, and calls f after each
// row has been scanned into dest.
func (s *Session) each(ctx context.Context, host string, f func() error, dest []any, stmt string, values ...any) error {
	ctx, err := s.pin(ctx, host, "", token.Token{})
	if err != nil {
		return err
	}
	q := s.s.Query(stmt, values...).WithContext(ctx).Idempotent(true)
	if host == "" {
		q.Consistency(gocql.LocalOne)
	}
	iter := q.Iter()
	for iter.Scan(dest...) {
		if err := f(); err != nil {
			_ = iter.Close()
			return err
		}
	}
	if err := iter.Close(); err != nil {
		return fmt.Errorf("query %q: %w", stmt, classify(ctx, err))
	}
	return nil
}
