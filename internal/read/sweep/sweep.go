// Package sweep reads a complete set of token ranges with a pool of workers. Scan and count share
// it.
//
// Each worker takes a split off one queue and reads it page by page from a replica. It requests the
// next page while its consumer handles the page at hand. So N workers keep at most N requests in
// flight, and a gate and a budget of bytes may allow fewer. If nodes are far away, there are as
// many workers as the gate lets requests pass ([Options.MaxRequests]).
//
// A page that fails is retried from its own paging state, on the next replica. Once all replicas
// have failed, there is a wait. After a timeout the retry asks for fewer rows. If that does not
// help, the range is cut at the last token whose rows have all reached the consumer. The rest is
// read as a range of its own. A range without a first page in time is cut in two.
//
// Splits may be coarse ([Options.Borders]). Those that turn out to be large are cut too, and all
// workers share the parts. Each range ends up in [Result.Done] or in [Result.Failed]; none is
// dropped. Ranges whose nodes are all dead come last. They are read once a node answers, and given
// up if all are silent for longer than the patience.
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
// class (package fault). It has no optional methods, so a wrapper that embeds a Reader hides none.
type Reader interface {
	// Open waits for what a range needs before its first page: files that are not there yet, or
	// memory that ranges hold until their end. The sweep calls it before each request for a first
	// page, and holds none of the budget meanwhile: other ranges may need it to reach their end.
	// Open returns within, or a beginning of it if only that can be read. In that case the sweep
	// reads the beginning and the rest one after the other, and opens each.
	Open(ctx context.Context, within token.Range) (token.Range, error)
	// Page reads one page of a range from a node, or from any node if host is empty. An empty state
	// requests the first page.
	Page(
		ctx context.Context,
		host string,
		within token.Range,
		state []byte,
		rows int,
	) (row.Page, error)
}

// Consumer takes the pages of one worker. Its methods are called by one goroutine at a time. An
// error ends the whole run.
type Consumer interface {
	// Page takes the next page of a range. The pages of a range come in order, each once. The
	// caller closes the page.
	Page(within token.Range, p row.Page) error
	// Done is called when the range's last page was taken.
	Done(within token.Range) error
	// Progress returns the last token of the range whose rows have all been taken, or the start of
	// the range if there is none.
	Progress(within token.Range) token.Token
	// Cut ends the range at the token that Progress returns. Rows behind it are dropped, those up
	// to it are kept for good.
	Cut(within token.Range) error
	// Weight returns how many rows of the table the last page stands for, and true, if each of its
	// rows is a count of rows. The pace counts those. False: each row stands for itself.
	Weight() (rows int64, weighs bool)
}

// DefaultPageBytes is large enough that the fixed cost of a request hardly matters, and small
// enough that other requests do not wait long for a node. With pages four times as large, scans are
// no faster, and point reads beside them take twice as long.
const DefaultPageBytes = 256 << 10

// Options are the settings of a sweep.
type Options struct {
	Workers int // requests in flight at most; default 1
	// MaxRequests is the largest number of requests in flight if nodes are far away (Trips) and the
	// gate lets more than Workers pass; default Workers.
	MaxRequests int
	// Trips are the round-trip times to the nodes; nil: not known.
	Trips *pace.Trips
	// MaxAttempts is the number of attempts for one page before its range is given up; default
	// pace.DefaultAttempts.
	MaxAttempts int
	// MaxTimeouts is the number of failed attempts before a range is given up whose servers report
	// timeouts; 0: MaxAttempts.
	MaxTimeouts int
	Backoff     pace.Backoff
	// Hosts returns the nodes to ask for a vnode range (Split.Set). If it is nil or returns none,
	// the driver chooses. The nodes of a list take turns as the first to be asked. One that failed
	// comes last for a while.
	Hosts func(vnode int) []string
	// Borders are the vnode ranges at whose borders, and within which, large splits are cut; nil:
	// splits are only cut when they fail. In that case Hosts of token.Several returns all nodes
	// that have a range.
	Borders *token.Placement
	// MaxPieces is the largest number of parts of the ring that a large table is cut into, besides
	// the cuts at the borders.
	MaxPieces int
	// Vacant reports whether a range is known to have no rows. Such a range is done without a
	// request. Nil: no range is.
	Vacant func(token.Range) bool
	// Blind says that pages do not show how much the servers read for them, as in a count. With
	// Borders, the width of a range then follows the time that earlier ranges took.
	Blind bool
	// Patience is how long the sweep waits while no node answers any request, or every request so
	// far failed; default pace.DefaultPatience. Then it ends with an error of class Fatal. It waits
	// as long for dead nodes that are the only replicas of a range, and then gives up their ranges.
	Patience time.Duration
	// Ping sends a small request to a node, or to all nodes if host is empty. It returns nil once
	// the node, or one of all, has answered. Nil: only the answers to reads count, and no node
	// counts as dead.
	//
	// All nodes are pinged when a request got no answer and no other did meanwhile. If only ranges
	// of dead nodes are left, nothing else shows whether the whole cluster is silent. One node is
	// pinged when it did not answer a range in time: it may hang, or the range may be too large.
	Ping func(ctx context.Context, host string) error
	// PageBytes is the size of page to aim at, in bytes; default DefaultPageBytes. Servers count a
	// page in rows, so the rows requested follow the rows seen.
	PageBytes int
	// PageRows is a fixed number of rows to request; 0: none.
	PageRows int
	// MaxPageRows is the largest number of rows to request, also with PageRows; 0: no limit.
	MaxPageRows int
	// ReaderEndsPages says that the reader ends pages at PageBytes, whatever number of rows is
	// requested. So the first pages need not be small.
	ReaderEndsPages bool
	// Gate may hold requests back; nil: none.
	Gate Gate
	// Budget bounds the bytes of pages in flight and in use; nil: no limit. BudgetSize is its size.
	Budget     Budget
	BudgetSize int64
	// Reserve is called before each request with the size in bytes that its page may have, and free
	// after it. If a page is larger, the reader fails with a *fault.LargeError, and the page is
	// retried when the budget has room for it, or with fewer rows. It requires a Budget; nil: pages
	// have any size.
	Reserve func(bytes int64) (free func())
	// Pace waits until a page may be requested. The functions return about how many rows and bytes
	// it has, and are quick. Nil: no wait.
	Pace func(ctx context.Context, rows, bytes func() int64) (Admission, error)
	// OnSilent is called when a node is found dead, once until it answers; nil: not called.
	OnSilent func(host string)
	// NodeName returns the name of a node in errors; default its id.
	NodeName func(host string) string
	// OnRetry is called for each page that is retried, with the node that failed and why; nil: not
	// called.
	OnRetry func(host string, err error)
	// Requests records what passes the gate; nil: nothing is recorded.
	Requests *progress.Requests
	// OnRead is called with each part of the splits that was read or given up: each token once, as
	// soon as its rows have come; nil: not called.
	OnRead func(token.Range)
	// OnFailure is called for each range that is given up; nil: not called.
	OnFailure func(token.Range)
}

// Admission ends what Pace let pass. It takes the rows and bytes of the page, and waits until the
// pace allows them. For no page it does not wait. It is called once.
type Admission func(ctx context.Context, rows, bytes int64) error

// cancel says that no page came.
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
	if o.Vacant == nil {
		o.Vacant = func(token.Range) bool { return false }
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

// Failure is a range that was given up. None of its rows were kept.
type Failure struct {
	Range token.Range
	Err   error
}

// Result lists the ranges that were read and those that were given up.
type Result struct {
	Done   []token.Range // in the order in which they were finished
	Failed []Failure
}

// Run sweeps the splits. It returns an error only if the run cannot continue: the context ended, a
// consumer failed, or a request failed in a way that every other would. Run calls newConsumer once
// for each worker, by one goroutine at a time.
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
	run.pool.onDemand = o.Borders != nil
	run.pool.allowed, run.pool.maxWorkers = o.Workers, max(o.Workers, o.MaxRequests)
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

// run is the state that the workers share.
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

// answered records that a node has answered a request.
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
