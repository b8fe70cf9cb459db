package sweep

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Gate lets requests through. [pace.Gate] is one.
type Gate interface {
	Acquire(ctx context.Context) error
	ReleaseFar(latency, trip time.Duration, units float64, outcome pace.Outcome)
	Limit() int
}

// Budget bounds the bytes of the pages in flight and in use. [pace.Budget] is one.
type Budget interface {
	AcquireBy(ctx context.Context, want func() int64) (int64, error)
	Release(n int64)
}

// send sends one request as soon as the pace, the budget and the gate allow it. The caller must
// call admission with what the page held.
func (w *worker) send(
	ctx context.Context,
	q *request,
	host string,
	rows int,
) (p row.Page, admission Admission, err error) {
	if len(q.state) == 0 {
		switch opened, err := w.run.reader.Open(ctx, q.within); {
		case err != nil:
			return nil, nil, err
		case opened != q.within:
			return nil, nil, &openedPartError{opened}
		}
	}
	if admission, err = w.waitPace(ctx, q.within, rows); err != nil {
		return nil, nil, fault.New(fault.Canceled, err)
	}
	if p, err = w.sendInBudget(ctx, q, host, rows); err != nil {
		admission.cancel(ctx)
	}
	return p, admission, err
}

// waitPace waits until the pace admits a page. Meanwhile no request counts as in flight, so the
// wait does not count as silence of the cluster.
func (w *worker) waitPace(ctx context.Context, within token.Range, rows int) (Admission, error) {
	o := &w.run.options
	if o.Pace == nil {
		return func(context.Context, int64, int64) error { return nil }, nil
	}
	w.run.cluster.liveness.End()
	defer w.run.cluster.liveness.Begin()
	many := func() int64 { return int64(rows) }
	if w.numbers {
		many = func() int64 { return w.run.pageSize.expectedWeight(within) }
	}
	return o.Pace(
		ctx,
		many,
		func() int64 { return w.run.pageSize.expectedBytes(rows, o.BudgetSize) },
	)
}

// sendInBudget sends one request within the budget. The page keeps its part of the budget until it
// is closed.
func (w *worker) sendInBudget(
	ctx context.Context,
	q *request,
	host string,
	rows int,
) (row.Page, error) {
	budget := w.run.options.Budget
	if budget == nil {
		return w.sendThroughGate(ctx, q, host, rows)
	}
	o, size := &w.run.options, w.run.pageSize
	held, err := budget.AcquireBy(
		ctx,
		func() int64 { return size.neededBytes(rows, q.bytes, o.BudgetSize) },
	)
	if err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	free := o.Reserve(size.maxBytes(rows, q.bytes, o.BudgetSize, max(w.run.pool.size(), o.Workers)))
	page, err := w.sendThroughGate(ctx, q, host, rows)
	free()
	if err != nil {
		budget.Release(held)
		return nil, err
	}
	return &budgetPage{page, func() {
		if held > max(o.BudgetSize/2, largePage) {
			runtime.GC() // the garbage of the page may be as large as the budget
		}
		budget.Release(held)
	}}, nil
}

// largePage is the size in bytes from which a page is worth a garbage collection.
const largePage = 1 << 20

// budgetPage is a page that releases its part of the budget when it is closed.
type budgetPage struct {
	row.Page
	release func()
}

func (p *budgetPage) Close() {
	p.Page.Close()
	p.release()
}

// sendThroughGate sends one request through the gate.
func (w *worker) sendThroughGate(
	ctx context.Context,
	q *request,
	host string,
	rows int,
) (row.Page, error) {
	gate := w.run.options.Gate
	if gate == nil {
		return w.readPage(ctx, q, host, rows)
	}
	if err := gate.Acquire(ctx); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	requests := w.run.options.Requests
	begun := requests.Begin(host)
	page, err := w.readPage(ctx, q, host, rows)
	latency := requests.End(host, begun, progress.EndOf(ctx, err == nil))
	units := pageUnits(0)
	if err == nil {
		units = pageUnits(page.Rows())
	}
	outcome := pace.OutcomeOf(err)
	if errors.Is(err, errDead) { // a node that hangs says nothing about the load on the others
		outcome = pace.Bad
	}
	var trip time.Duration
	if err == nil {
		trip = w.run.options.Trips.Saw(host, latency)
	}
	gate.ReleaseFar(latency, trip, units, outcome)
	w.run.pool.grow(gate.Limit())
	return page, err
}

// readPage sends one request, which ends at once if its node is found dead.
func (w *worker) readPage(
	ctx context.Context,
	q *request,
	host string,
	rows int,
) (row.Page, error) {
	if host == "" {
		return w.run.reader.Page(ctx, host, q.within, q.state, rows)
	}
	// the node was found dead while this request waited at the gate
	if w.run.dead.allDead([]string{host}) {
		return nil, fault.New(fault.Unknown, errDead)
	}
	watched, stop := w.run.dead.watch(ctx, host)
	defer stop()
	page, err := w.run.reader.Page(watched, host, q.within, q.state, rows)
	if err != nil && watched.Err() != nil && ctx.Err() == nil {
		err = fault.New(fault.Unknown, errDead)
	}
	return page, err
}

// pageUnits is the size of a page as the gate counts it: its rows, and 100 rows for the fixed cost
// of a request.
func pageUnits(rows int) float64 { return float64(rows + 100) }
