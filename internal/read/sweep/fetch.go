package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// request is a request for one page.
type request struct {
	piece
	state       []byte
	hosts       []string
	firstHost   int   // index of the host to ask first
	indivisible bool  // the range cannot be cut, only its pages can be smaller
	bytes       int64 // size of the page; 0: not known
}

// host returns the host for attempt number asked, counted from 0; empty: any host.
func (q *request) host(asked int) string {
	if len(q.hosts) == 0 {
		return ""
	}
	return q.hosts[(q.firstHost+asked)%len(q.hosts)]
}

// fetched is the result of a request.
type fetched struct {
	page      row.Page
	admission Admission // to be called with what the page held
	err       error
	next      request // for the page after this one, if there is one
}

// cutError says that the pages of a range do not come in time, and that the range should be cut.
type cutError struct {
	request request // unanswered, with its number of failures
	err     error
}

func (e *cutError) Error() string { return fmt.Sprintf("range too large to answer in time: %v", e.err) }
func (e *cutError) Unwrap() error { return e.err }

// openedPartError says that only the beginning of a range can be read before the rest.
type openedPartError struct{ opened token.Range }

func (e *openedPartError) Error() string { return fmt.Sprintf("only %v can be read at once", e.opened) }

// slowAttempts is the number of timeouts of a page before its range is cut.
const slowAttempts = 2

// spanAttempts is the number of attempts on a piece over several vnode ranges before it is cut. One
// of them may be unreadable.
const spanAttempts = 3

// following returns the request for the next page. It goes first to the host that answered this
// one, and asks for no more rows than came in time. That limit doubles with each page that comes at
// the first attempt.
func (q request) following(page row.Page, asked int) request {
	q.state, q.failures, q.indivisible, q.bytes = page.State(), 0, false, 0
	if asked > 0 && len(q.hosts) > 0 {
		q.firstHost = (q.firstHost + asked) % len(q.hosts)
	}
	if asked == 0 {
		q.maxRows *= 2
	}
	if q.maxRows >= mostRows {
		q.maxRows = 0
	}
	return q
}

func (f fetched) discard(ctx context.Context) {
	if f.page != nil {
		f.page.Close()
		f.admission.cancel(ctx)
	}
}

// startFetch requests a page in a goroutine. The caller must receive from the channel once, since
// the answer holds a buffer.
func (w *worker) startFetch(ctx context.Context, q request) <-chan fetched {
	c := make(chan fetched, 1)
	go func() { c <- w.fetch(ctx, q) }()
	return c
}

// fetch requests a page until it comes or the attempts are used up. Attempts do not count while no
// node of the cluster answers, because they say nothing about the range.
func (w *worker) fetch(ctx context.Context, q request) fetched {
	o := &w.run.options
	rows := w.run.pageSize.rows(w.numbers)
	if q.maxRows > 0 {
		rows = min(rows, q.maxRows)
	}
	slow, attempts, answered := 0, q.failures, false
	w.run.cluster.liveness.Begin()
	defer w.run.cluster.liveness.End()
	for asked := 0; ; asked++ {
		if err := ctx.Err(); err != nil {
			return fetched{err: fault.New(fault.Canceled, err)}
		}
		answers := w.run.cluster.liveness.Answers()
		host := q.host(asked)
		begun := time.Now()
		page, admission, err := w.send(ctx, &q, host, rows)
		if err == nil {
			w.run.readCheck.succeeded.Store(true)
			w.run.answered(host)
			w.run.health.Answered(host)
			return fetched{page: page, admission: admission, next: q.following(page, asked)}
		}
		if large := (*fault.LargeError)(nil); errors.As(err, &large) {
			w.run.readCheck.succeeded.Store(true)
			w.run.answered(host)
			q.bytes = large.Bytes
			rows = w.run.pageSize.tooLarge(rows, large.Bytes, o.BudgetSize)
			asked-- // the node did what it was asked to do
			continue
		}
		if part := (*openedPartError)(nil); errors.As(err, &part) || !fault.Retryable(err, true) {
			return fetched{err: err}
		}
		w.run.health.Failed(host)
		if fault.Answered(err) {
			w.run.answered(host)
			answered = true
		}
		if w.run.cluster.answeredSince(ctx, answers) {
			if err := w.checkReads(ctx, begun); err != nil {
				return fetched{err: err}
			}
			attempts++
			allAsked := (asked+1)%max(len(q.hosts), 1) == 0
			if allAsked && !answered && w.allDead(ctx, q.hosts, err) {
				o.OnRetry(host, err)
				return fetched{err: &silentError{err}}
			}
			if attempts >= o.MaxAttempts ||
				q.spansVnodes && attempts >= spanAttempts &&
					fault.ClassOf(err) != fault.Overloaded {
				return fetched{err: err}
			}
			if fault.ClassOf(err) == fault.Unknown {
				if o.MaxTimeouts > 0 && attempts >= o.MaxTimeouts && answered {
					return fetched{err: err}
				}
				rows = max(rows/2, 1)
				q.maxRows = rows
				slow++
			}
		} else if err := w.run.cluster.noAnswer(err); err != nil {
			return fetched{err: err}
		}
		o.OnRetry(host, err)
		if slow >= slowAttempts && !q.indivisible && w.divisible(q.within) &&
			(answered || w.anyAnswers(ctx, host)) {
			q.failures = attempts
			return fetched{err: &cutError{q, err}}
		}
		// The other replicas are asked at once, unless the server wants a wait. Then there is one.
		wait := fault.After(err)
		due := wait > 0
		if n := max(len(q.hosts), 1); (asked+1)%n == 0 {
			due, wait = true, max(wait, o.Backoff.Delay((q.failures+asked+n)/n))
		}
		if due {
			if err := pace.Sleep(ctx, wait); err != nil {
				return fetched{err: fault.New(fault.Canceled, err)}
			}
		}
	}
}

// anyAnswers reports whether one of the nodes answers a ping, although it did not answer a read in
// time. Without nodes, or without a Ping, it returns true.
func (w *worker) anyAnswers(ctx context.Context, hosts ...string) bool {
	ping := w.run.options.Ping
	if ping == nil || len(hosts) == 0 {
		return true
	}
	for _, host := range hosts {
		if host == "" {
			return true
		}
		if ping(ctx, host) == nil {
			w.run.answered(host)
			return true
		}
	}
	return false
}

// divisible reports whether a range of the ring has more than one token.
func (w *worker) divisible(within token.Range) bool {
	_, _, ok := token.Halve(within)
	return ok
}
