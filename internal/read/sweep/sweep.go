// Package sweep reads a set of token ranges, all of them, with a pool of
// workers: it is what scan and count have in common.
//
// Each worker takes a split off one queue, reads it page by page from a
// replica, and asks for the next page while its consumer works on the one at
// hand; so a pool of N workers keeps N requests under way at the most, and a
// gate and a budget of bytes may allow fewer. Where nodes are far away there are as many
// workers as the gate lets requests pass ([Options.MaxRequests]).
//
// A page that fails is asked for again from its own paging state, from the next replica, after a
// wait once all have failed, and with fewer rows when time ran out. When that does not help, the
// range is cut at the last token whose rows the consumer has seen whole, and what is behind it is
// read as a range of its own; a range that cannot even give its first page in time is cut in two.
// Splits may be coarse ([Options.Borders]): those that turn out to be large are cut too, and shared
// by the workers. A range is done, or it is in [Result.Failed]; it is never dropped. Ranges of
// nodes that give no sign of life come last: they are read once a node answers, and given up if it
// is silent for longer than the patience.
package sweep

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Reader reads token ranges page by page. It must be safe for concurrent use, and its errors have a
// class (package fault). A wrapper that embeds a Reader passes on both methods: a Reader has no
// optional ones that a wrapper could hide.
type Reader interface {
	// Open waits for what a range needs before its first page: files that are still to come, or
	// memory that ranges hold until their end. The sweep calls it before each request for a first
	// page. It holds nothing of the budget then, which the other ranges may need to reach their
	// end. Open returns within, or its beginning if only that can be read: the sweep then reads the
	// beginning and the rest one after the other, and opens each.
	Open(ctx context.Context, within token.Range) (token.Range, error)
	// Page reads one page of a range from a node, or from any node if host is empty. An empty state
	// asks for the first page.
	Page(
		ctx context.Context,
		host string,
		within token.Range,
		state []byte,
		rows int,
	) (row.Page, error)
}

// Consumer takes the pages of one worker. Its methods are called by one
// goroutine at a time. An error ends the whole run.
type Consumer interface {
	// Page takes the next page of a range. The pages of a range come in order,
	// each once. The page is closed by the caller.
	Page(within token.Range, p row.Page) error
	// Done says that the range's last page was taken.
	Done(within token.Range) error
	// Progress gives the last token of the range all of whose rows have been
	// taken for sure, the start of the range when there is none.
	Progress(within token.Range) token.Token
	// Cut ends the range at the token that Progress gives: rows behind it are
	// forgotten, those up to it are kept for good.
	Cut(within token.Range) error
	// Weight returns how many rows of the table the rows of the last page stand for, and true, if a
	// row is a number of rows. The pace counts those. False: each row stands for itself.
	Weight() (rows int64, weighs bool)
}

// DefaultPageBytes is large enough that the fixed cost of a request hardly shows,
// and small enough that a node is not kept from others for long: with pages four
// times as large scans are no faster, and point reads beside them twice as slow.
const DefaultPageBytes = 256 << 10

// Options say how to sweep.
type Options struct {
	Workers int // requests under way at the most; default 1
	// MaxRequests is how many requests may be under way at most where the gate lets more pass than
	// Workers, since nodes are far away (Trips); default Workers.
	MaxRequests int
	// Trips are the round-trip times to the nodes; nil: they are not known.
	Trips *pace.Trips
	// attempts for one page before its range is given up; default pace.DefaultAttempts
	MaxAttempts int
	// MaxTimeouts is the number of failed attempts after which a range is given up whose servers
	// answer that time ran out; 0: MaxAttempts.
	MaxTimeouts int
	Backoff     pace.Backoff
	// Hosts gives the nodes to ask for a vnode range (Split.Set); nil or an empty
	// list leaves the choice to the driver. The nodes of a list take turns as the
	// first to be asked, but one that failed stands back for a while.
	Hosts func(vnode int) []string
	// Borders has splits cut that are large, at the borders of these vnode ranges or within one;
	// nil: splits are only cut when they fail. Hosts of token.Several are then all nodes that any
	// range may be asked from.
	Borders *token.Placement
	// MaxPieces is how many parts of the ring a large table is cut into by Borders, at most, and
	// besides at the borders.
	MaxPieces int
	// Blind tells that the rows of pages do not show how much the servers read for them, as with a
	// count: with Borders a range is as wide as the time of those before it allows.
	Blind bool
	// Patience is how long the sweep waits while no node answers any request, or all that
	// were ever sent fail, default pace.DefaultPatience. Then it ends with an error of class
	// Fatal. It waits as long for nodes that alone have what is left to read, and gives up
	// their ranges.
	Patience time.Duration
	// Ping asks a node for something small, all nodes of the cluster when host is empty,
	// and gives nil once the node, or one of all, has answered. All are asked when a request
	// got no answer and no other did meanwhile: whether it is the whole cluster that keeps
	// silent, or the nodes of one range, nothing else tells when only ranges of dead nodes
	// are left. One is asked when it did not answer a range in time: it may hang, or the
	// range be too large. Nil: the answers to reads alone count, and no node is taken for
	// dead.
	Ping func(ctx context.Context, host string) error
	// PageBytes is the size of page to aim at, default DefaultPageBytes. Servers count a
	// page in rows, so the rows asked for follow the rows seen.
	PageBytes int
	// PageRows, when above zero, is the fixed number of rows to ask for.
	PageRows int
	// MaxPageRows, when above zero, is the largest number of rows to ask for, and goes before
	// PageRows.
	MaxPageRows int
	// ReaderEndsPages tells that the reader ends pages at PageBytes, whatever rows are asked for: so the
	// first ones need not be small.
	ReaderEndsPages bool
	// Gate may hold requests back; nil: none.
	Gate Gate
	// Budget bounds the bytes of pages under way and at hand, of which there may
	// be BudgetSize; nil: none.
	Budget     Budget
	BudgetSize int64
	// Reserve is called before each request, with the bytes that its page may have, and the
	// function that it returns after it. A page with more is not taken: the reader fails with a
	// *fault.LargeError, and the page is asked for again when the budget has room for it, or with
	// fewer rows. Only used with a Budget; nil: a page of any size is taken.
	Reserve func(bytes int64) (free func())
	// Pace waits until a page may be asked for, of about as many rows and bytes as the functions
	// say, which are quick. May be nil.
	Pace func(ctx context.Context, rows, bytes func() int64) (Admission, error)
	// OnSilent is called for each node that gives no sign of life, once until it answers. May be
	// nil.
	OnSilent func(host string)
	// NodeName returns what errors call a node; default its id.
	NodeName func(host string) string
	// OnRetry is called for each page that is asked for again, with the node that failed and
	// why. May be nil.
	OnRetry func(host string, err error)
	// Requests take down what passes the gate. May be nil.
	Requests *progress.Requests
	// OnRead is called with each part of the splits that has been dealt with, also where
	// that is as a range given up: each token once, as soon as its rows have come. May be
	// nil.
	OnRead func(token.Range)
	// OnFailure is called for each range that is given up. May be nil.
	OnFailure func(token.Range)
}

// Admission takes what a page held that Pace let pass, and waits until that may have come; nothing where
// no page came, for which it does not wait. It is called once for each.
type Admission func(ctx context.Context, rows, bytes int64) error

// cancel tells it that no page came.
func (c Admission) cancel(ctx context.Context) { _ = c(ctx, 0, 0) }

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = 1
	}
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = pace.DefaultAttempts
	}
	if o.PageBytes <= 0 {
		o.PageBytes = DefaultPageBytes
	}
	if o.Patience <= 0 {
		o.Patience = pace.DefaultPatience
	}
	if o.Hosts == nil {
		o.Hosts = func(int) []string { return nil }
	}
	if o.OnSilent == nil {
		o.OnSilent = func(string) {}
	}
	if o.NodeName == nil {
		o.NodeName = func(host string) string { return host }
	}
	if o.Reserve == nil {
		o.Reserve = func(int64) func() { return func() {} }
	}
	if o.OnRetry == nil {
		o.OnRetry = func(string, error) {}
	}
	if o.Requests == nil {
		o.Requests = new(progress.Requests)
	}
	if o.OnRead == nil {
		o.OnRead = func(token.Range) {}
	}
	if o.OnFailure == nil {
		o.OnFailure = func(token.Range) {}
	}
	return o
}

// Failure is a range that was given up. Nothing of it was kept.
type Failure struct {
	Range token.Range
	Err   error
}

// Result is what became of the ranges.
type Result struct {
	Done   []token.Range // finished ranges, in the order they finished
	Failed []Failure
}

// Run sweeps the splits. It returns an error only when the run could not go on:
// the context ended, a consumer failed, or a request failed for good in a way
// that every other would. newConsumer is called once for each worker, by one goroutine at a time.
func Run(
	ctx context.Context,
	splits []token.Split,
	r Reader,
	o Options,
	newConsumer func() (Consumer, error),
) (Result, error) {
	o = o.withDefaults()
	run := &run{
		reader:   r,
		splits:   splits,
		options:  o,
		pageSize: newPageSizer(o),
		queue:    newQueue(splits, o),
		dead: deadNodes{
			probing: make(chan struct{}, 1),
		},
		cluster:   clusterLiveness{patience: o.Patience},
		readCheck: readCheck{patience: o.Patience},
	}
	run.pool.onDemand, run.pool.allowed, run.pool.maxWorkers = o.Borders != nil, o.Workers, max(
		o.Workers,
		o.MaxRequests,
	)
	first := 1
	if !run.pool.onDemand {
		run.pool.maxWorkers = min(run.pool.maxWorkers, len(splits))
		first = min(o.Workers, len(splits))
	}
	run.pool.newWorker = func(turn int) (*worker, error) {
		consumer, err := newConsumer()
		return &worker{run: run, consumer: consumer, turn: turn}, err
	}
	workers, err := run.pool.create(first)
	if err != nil {
		return Result{}, err
	}
	group, ctx := errgroup.WithContext(ctx)
	defer context.AfterFunc(ctx, run.queue.wakeWorkers)()
	run.pool.start = func(w *worker, err error) {
		group.Go(func() error {
			if err != nil {
				return err
			}
			return w.work(ctx)
		})
	}
	if o.Ping != nil {
		run.cluster.ping = func(over func(error)) {
			group.Go(func() error {
				over(o.Ping(ctx, ""))
				return nil
			})
		}
	}
	for _, w := range workers {
		run.pool.start(w, nil)
	}
	err = group.Wait()
	return run.result, err
}

// run is what the workers share.
type run struct {
	reader    Reader
	splits    []token.Split
	options   Options
	pageSize  *pageSizer
	pool      workerPool
	queue     *queue
	asked     atomic.Int64 // pieces over several vnode ranges that were taken
	health    pace.Health
	dead      deadNodes
	cluster   clusterLiveness
	readCheck readCheck

	mu     sync.Mutex
	result Result
}

// answered notes that a node has answered something.
func (r *run) answered(host string) {
	r.cluster.liveness.Answered()
	r.dead.answered(host)
}

func (r *run) addDone(within token.Range) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Done = append(r.result.Done, within)
}

func (r *run) addFailed(f Failure) {
	r.options.OnFailure(f.Range)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Failed = append(r.result.Failed, f)
}
