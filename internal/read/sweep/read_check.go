package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// readCheck distinguishes a sweep in which every request fails from one whose first ranges are
// broken, too large, or on nodes that are down. If no page has come for longer than the patience,
// it reads one row of one token from each node. If a node can execute the statement at all, that
// read succeeds. It is safe for concurrent use.
type readCheck struct {
	patience  time.Duration
	succeeded atomic.Bool // a page has come: there is nothing to check

	mu      sync.Mutex
	since   time.Time // when the first request began that failed while nodes answered
	running bool
}

// maxCheckedNodes is the largest number of nodes that a check asks.
const maxCheckedNodes = 16

// checkReads records a request that began at begun and failed, while some node answered. It returns
// an error of class Fatal if no request can succeed.
func (w *worker) checkReads(ctx context.Context, begun time.Time) error {
	t := &w.run.readCheck
	if t.succeeded.Load() || w.run.options.Ping == nil || !t.due(begun) {
		return nil
	}
	reason := w.run.checkNodes(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = false
	lasted := time.Since(t.since)
	t.since = time.Now()
	if reason == nil || t.succeeded.Load() {
		return nil
	}
	return fault.New(fault.Fatal, fmt.Errorf("no read has succeeded for %s, not even of a single "+
		"token, though nodes answer: %w", lasted.Round(time.Second), reason))
}

// due reports whether it is time for a check. One caller at a time makes it.
func (t *readCheck) due(begun time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.since.IsZero() {
		t.since = begun
	}
	if t.running || time.Since(t.since) < t.patience {
		return false
	}
	t.running = true
	return true
}

// checkNodes reads one token from each node. If all live nodes fail, it returns the error of one of
// them. It returns nil if one succeeded, or none answered.
func (r *run) checkNodes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, max(r.readCheck.patience, minCheckTime))
	defer cancel()
	asked := make(map[string]bool)
	failures := make(chan error, maxCheckedNodes)
	var asking sync.WaitGroup
	for _, s := range r.splits {
		host, set := "", s.Set
		if set == token.Several {
			set = r.options.Borders.FindFirst(s.Range)
		}
		if hosts := r.options.Hosts(set); len(hosts) > 0 {
			host = hosts[0]
		}
		within, ok := firstToken(s.Range)
		if asked[host] || !ok {
			continue
		}
		asked[host] = true
		asking.Go(func() { failures <- r.readOneToken(ctx, host, within) })
		if len(asked) == maxCheckedNodes {
			break
		}
	}
	asking.Wait()
	close(failures)
	var reason error
	for err := range failures {
		if err != nil {
			reason = err
		}
	}
	if r.readCheck.succeeded.Load() {
		return nil
	}
	return reason
}

// minCheckTime is the least time that nodes have for a check.
const minCheckTime = 10 * time.Second

// readOneToken reads one row of a token from a node. It returns nil for a node that does not
// answer.
func (r *run) readOneToken(ctx context.Context, host string, within token.Range) error {
	page, err := r.reader.Page(ctx, host, within, nil, 1)
	if err == nil || errors.As(err, new(*fault.LargeError)) {
		if page != nil {
			page.Close()
		}
		r.readCheck.succeeded.Store(true)
		r.answered(host)
		return nil
	}
	if ctx.Err() != nil || !fault.Answered(err) && r.options.Ping(ctx, host) != nil {
		return nil
	}
	return err
}

// firstToken returns the range of the first token of a range. It returns false for a table without
// token ranges.
func firstToken(r token.Range) (token.Range, bool) {
	if r == (token.Range{}) {
		return r, false
	}
	for {
		first, _, ok := token.Halve(r)
		if !ok {
			return r, true
		}
		r = first
	}
}
