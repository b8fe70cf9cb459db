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

// readCheck distinguishes a sweep whose every request fails from one whose first ranges are broken, too
// large, or on nodes that are down. If no page has come for longer than the patience, it asks
// each node for one row of one token. A statement that a node can execute at all is answered
// then. It is safe for concurrent use.
type readCheck struct {
	patience  time.Duration
	succeeded atomic.Bool // a page has come: there is nothing to find out

	mu      sync.Mutex
	since   time.Time // when the first request began that a living cluster failed
	running bool
}

// maxCheckedNodes is the most nodes that a trial asks.
const maxCheckedNodes = 16

// checkReads takes in a request that began then and failed, while some node answered. It returns an
// error of class Fatal if no request can succeed.
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

// due reports whether it is time for a trial, which one caller at a time makes.
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

// checkNodes asks the nodes for one token each, and returns why all that live have failed. It returns
// nil if one succeeded, or nothing is known.
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

// minCheckTime is the time that nodes have for a trial, at least.
const minCheckTime = 10 * time.Second

// readOneToken asks a node for one row of a token. It returns the error of a node that lives.
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

// firstToken returns the range of the first token of a range. It returns false for a table
// without token ranges, which is read as a whole.
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
