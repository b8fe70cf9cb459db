package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gocql/gocql"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// query makes a request with the given values.
func (s *Session) query(
	stmt string,
	values []any,
) *gocql.Query {
	return s.s.Bind(stmt, eachTime(values))
}

// mostPrepared is how often a statement is prepared for one request. The second time is for a node
// that has forgotten it, the third for one that forgot it again at once.
const mostPrepared = 3

// errForgotten is the error of a node that keeps answering that it does not know the statement. The
// library would prepare and send it without end, in nested calls.
var errForgotten = errors.New("the node forgets the statement as soon as it is prepared")

// eachTime passes the values to the library each time that it sends the statement.
func eachTime(values []any) func(*gocql.QueryInfo) ([]any, error) {
	sent := 0
	return func(*gocql.QueryInfo) ([]any, error) {
		if sent++; sent > mostPrepared {
			return nil, errForgotten
		}
		return values, nil
	}
}

// each runs a small query, on one host if host is not empty, and calls f after each row was scanned
// into dest. On any host, it tries another one if a node does not answer within [Session.waitFor].
func (s *Session) each(
	ctx context.Context,
	host string,
	f func() error,
	dest []any,
	stmt string,
	values ...any,
) error {
	if host != "" {
		return s.eachOn(ctx, host, 0, f, dest, stmt, values)
	}
	hosts := s.contactNodes()
	for i, h := range hosts {
		rows := false
		err := s.eachOn(ctx, h.HostID(), s.waitFor(i, hosts), func() error {
			rows = true
			return f()
		}, dest, stmt, values)
		if err == nil {
			s.answering.Store(h.HostID())
			return nil
		}
		if rows || i == len(hosts)-1 || !fault.Retryable(err, true) {
			return err
		}
	}
	return fault.New(fault.Transient, errors.New("the cluster has no node to be asked"))
}

// waitFor returns how long to wait for the i-th of several nodes that are asked the same, one after
// another. The last one has as long as any request. See [Session.eachOn].
func (s *Session) waitFor(i int, hosts []*gocql.HostInfo) time.Duration {
	if i == len(hosts)-1 {
		return 0
	}
	return s.cfg.AskTimeout
}

// eachOn is each on one host. It gives up if the host is silent for that long; 0: as long as for
// any request.
func (s *Session) eachOn(
	ctx context.Context,
	host string,
	wait time.Duration,
	f func() error,
	dest []any,
	stmt string,
	values []any,
) error {
	return s.eachBy(ctx, host, wait, 0, f, dest, stmt, values)
}

// eachBy is eachOn with pages of up to rows rows; 0: the library's default.
func (s *Session) eachBy(
	ctx context.Context,
	host string,
	wait time.Duration,
	rows int,
	f func() error,
	dest []any,
	stmt string,
	values []any,
) error {
	ctx, err := s.chooseNode(ctx, host, "", token.Token{})
	if err != nil {
		return err
	}
	asked, cancel := context.WithCancel(ctx)
	defer cancel()
	answered := func() bool { return true }
	if wait > 0 {
		answered = time.AfterFunc(wait, cancel).Stop
	}
	// Each node has a copy of the schema, and of what it reports about itself.
	q := s.query(stmt, values).WithContext(asked).Idempotent(true).Consistency(gocql.LocalOne)
	if rows > 0 {
		q = q.PageSize(rows)
	}
	iter := q.Iter()
	if !answered() && ctx.Err() == nil {
		_ = iter.Close()
		s.wasSilent(host)
		return fmt.Errorf(
			"query %q: %w",
			stmt,
			silence(ctx.Value(chosenNodeKey{}).(*chosenNode).host, wait),
		)
	}
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
