package driver

import (
	"context"
	"errors"
	"fmt"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// query is a request with the values given.
func (s *Session) query(stmt string, values []any) *gocql.Query { return s.s.Bind(stmt, again(values)) }

// mostPrepared is how often a statement is prepared for one request: a second time
// when the node has forgotten it, a third when it did so at that very moment.
const mostPrepared = 3

// errForgotten is a node that goes on saying that it knows no such statement. The
// library would prepare and send it again for ever, one call within the other.
var errForgotten = errors.New("the node forgets the statement as soon as it is prepared")

// again gives the library the values, each time that it sends the statement.
func again(values []any) func(*gocql.QueryInfo) ([]any, error) {
	sent := 0
	return func(*gocql.QueryInfo) ([]any, error) {
		if sent++; sent > mostPrepared {
			return nil, errForgotten
		}
		return values, nil
	}
}

// each runs a small query, on one host when host is not empty, and calls f after each
// row has been scanned into dest.
func (s *Session) each(ctx context.Context, host string, f func() error, dest []any, stmt string, values ...any) error {
	ctx, err := s.pin(ctx, host, "", token.Token{})
	if err != nil {
		return err
	}
	q := s.query(stmt, values).WithContext(ctx).Idempotent(true)
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
