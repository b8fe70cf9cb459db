package sweep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// worker reads one split after the other.
type worker struct {
	run      *run
	consumer Consumer
	turn     int         // spreads the first choice of replica over the workers
	reached  token.Token // the rows of the current range have come up to this token
	numbers  bool        // each row is a count of rows (Consumer.Weight)
	size     pieceSize   // of the current range
}

// piece is a part of a split that is still to be read. failures are the attempts spent on the
// larger range that it was cut from. They count for the piece too. So if a node never answers, its
// ranges are not cut without end.
type piece struct {
	within   token.Range
	failures int
	maxRows  int // to request; 0: no timeout so far

	// Of a sweep with Options.Borders.
	cuttable    bool    // it is cut if it is large
	spansVnodes bool    // it lies in several vnode ranges
	maxWidth    float64 // tokens to read at once; 0: by what is known of the table
	oneVnode    bool    // cut it to one vnode range
}

// work reads the pieces of the queue, and then the deferred ones.
func (w *worker) work(ctx context.Context) error {
	for {
		var err error
		if p, others, ok := w.run.queue.take(ctx); ok {
			if others {
				w.run.pool.startOne()
			}
			err = w.readQueued(ctx, p)
		} else if p, ok := w.run.dead.next(); ok {
			err = w.readDeferred(ctx, p)
		} else {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readQueued reads a piece of the queue. If all of its nodes are dead, it defers the piece.
func (w *worker) readQueued(ctx context.Context, p placedPiece) error {
	defer w.run.queue.endPiece()
	if w.run.options.Vacant(p.within) {
		return w.pass(p.within)
	}
	if w.run.dead.allDead(w.run.options.Hosts(p.set)) {
		w.run.dead.deferPieces(p.set, p.deferrals+1, p.piece)
		return nil
	}
	return w.readSplit(ctx, p)
}

// pass completes a range that has no rows, without a request.
func (w *worker) pass(within token.Range) error {
	if err := w.consumer.Done(within); err != nil {
		return err
	}
	w.reached = within.Start
	w.run.addDone(within)
	w.finish(within)
	return nil
}

// readDeferred reads a deferred piece, once one of its nodes answers. If none does, or they become
// silent again, it gives up the range.
func (w *worker) readDeferred(ctx context.Context, p placedPiece) error {
	err := w.awaitNode(ctx, w.run.options.Hosts(p.set))
	switch {
	case ctx.Err() != nil:
		return fault.New(fault.Canceled, ctx.Err())
	case fault.ClassOf(err) == fault.Fatal:
		return err
	case err == nil && p.deferrals > w.run.options.MaxAttempts:
		err = fault.New(
			fault.Unknown,
			fmt.Errorf("%s fell silent again and again", w.run.names(w.run.options.Hosts(p.set))),
		)
	case err == nil:
		return w.readSplit(ctx, p)
	}
	w.reached = p.within.Start
	w.run.addFailed(Failure{Range: p.within, Err: err})
	w.finish(p.within)
	return nil
}

// readSplit reads a split, or a piece of one, and the parts that it has to be cut into.
func (w *worker) readSplit(ctx context.Context, s placedPiece) error {
	hosts := w.nodesFor(s.set)
	todo := []piece{s.piece}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		err := w.readRange(ctx, p, w.run.health.Order(hosts))
		var stop *stopError
		var part *openedPartError
		switch {
		case err == nil:
			w.run.addDone(p.within)
			w.finish(p.within)
			w.run.queue.addDuration(token.Width(p.within), time.Since(w.size.begun))
			continue
		case errors.As(err, &stop):
			return stop.err
		case errors.As(err, &part): // no page of it was requested
			rest := token.Range{Start: part.opened.End, End: p.within.End}
			todo = append(
				todo,
				piece{within: rest, failures: p.failures, maxRows: p.maxRows},
				piece{within: part.opened, failures: p.failures, maxRows: p.maxRows},
			)
			continue
		case errors.Is(err, errLarge):
		case !fault.Retryable(err, true) && fault.ClassOf(err) != fault.GivenUp:
			return err
		}
		rest, cutErr := w.cut(p.within)
		if cutErr != nil {
			return cutErr
		}
		left := p
		left.within = rest
		silent := errors.As(err, new(*silentError))
		switch {
		case w.giveBack(s, left, err):
		case silent:
			w.run.dead.deferPieces(s.set, s.deferrals+1, append(todo, left)...)
			return nil
		default:
			todo = append(todo, w.remainder(p, rest, err)...)
		}
	}
	return nil
}

// remainder returns what is still to be read after a range failed with err. rest is what is left of
// the range. It returns nothing if the range is given up.
func (w *worker) remainder(p piece, rest token.Range, err error) []piece {
	var cut *cutError
	if !errors.As(err, &cut) {
		w.run.addFailed(Failure{Range: rest, Err: err})
		w.finish(rest)
		return nil
	}
	if rest != p.within {
		return []piece{{within: rest, maxRows: cut.request.maxRows}}
	}
	first, second, _ := token.Halve(rest) // a range of one token gets no cutError
	return []piece{
		{within: second, failures: cut.request.failures, maxRows: cut.request.maxRows},
		{within: first, failures: cut.request.failures, maxRows: cut.request.maxRows},
	}
}

// cut keeps the part of a range whose rows have all come, and returns the rest of the range.
func (w *worker) cut(within token.Range) (rest token.Range, err error) {
	last := w.consumer.Progress(within)
	if err := w.consumer.Cut(within); err != nil {
		return within, err
	}
	if last == within.Start {
		return within, nil
	}
	w.run.addDone(token.Range{Start: within.Start, End: last})
	return token.Range{Start: last, End: within.End}, nil
}

// rotate returns the list of replicas, beginning with another one each time, so that all replicas
// share the reads.
func (w *worker) rotate(hosts []string) []string {
	if len(hosts) < 2 {
		return hosts
	}
	w.turn++
	i := w.turn % len(hosts)
	return append(append(make([]string, 0, len(hosts)), hosts[i:]...), hosts[:i]...)
}

// stopError is a consumer's error. It ends the run whatever its class.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// advance reports that the rows up to a token have come.
func (w *worker) advance(to token.Token) {
	if w.reached.Less(to) {
		come := token.Range{Start: w.reached, End: to}
		w.run.options.OnRead(come)
		w.run.queue.addRead(0, token.Width(come))
		w.reached = to
	}
}

// finish reports that the rest of a range was read or given up, or all of the zero Range.
func (w *worker) finish(within token.Range) {
	if within == (token.Range{}) {
		w.run.options.OnRead(within)
		return
	}
	w.advance(within.End)
}

// readRange passes all pages of a range to the consumer.
func (w *worker) readRange(ctx context.Context, p piece, hosts []string) error {
	w.reached = p.within.Start
	w.size = newPieceSize(&w.run.options)
	_, w.numbers = w.consumer.Weight() // no page is in use
	// If the consumer fails, the page requested ahead is not waited for.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := w.startFetch(ctx, request{piece: p, hosts: hosts})
	for {
		got := <-next
		var cut *cutError
		if errors.As(got.err, &cut) && len(cut.request.state) > 0 &&
			w.consumer.Progress(p.within) == p.within.Start {
			// One partition fills the range so far. There is no token to cut at, and the rows read
			// of it are worth keeping.
			cut.request.indivisible = true
			next = w.startFetch(ctx, cut.request)
			continue
		}
		if got.err != nil {
			return got.err
		}
		more := len(got.next.state) > 0
		look := more && p.cuttable && w.size.due(int64(got.page.Rows())*w.run.pageSize.mean.Load())
		if more && !look {
			next = w.startFetch(ctx, got.next)
		}
		err := w.consume(ctx, p.within, got)
		if err == nil && !more {
			err = w.consumer.Done(p.within)
		}
		if err != nil {
			if more && !look {
				cancel()
				(<-next).discard(ctx)
			}
			return &stopError{err}
		}
		switch {
		case !more:
			return nil
		case look && w.isLarge(p.within):
			return errLarge
		case look:
			next = w.startFetch(ctx, got.next)
		}
	}
}

// consume passes a page to the consumer.
func (w *worker) consume(ctx context.Context, within token.Range, got fetched) error {
	rows, bytes, err := w.consumeRows(within, got.page)
	if err != nil {
		got.admission.cancel(ctx)
		return err
	}
	if weight, weighs := w.consumer.Weight(); weighs {
		rows = weight
		w.run.pageSize.addWeight(rows, within)
	}
	return got.admission(ctx, rows, bytes)
}

func (w *worker) consumeRows(within token.Range, p row.Page) (rows, bytes int64, err error) {
	defer p.Close()
	counted := &sizedPage{Page: p}
	err = w.consumer.Page(within, counted)
	if err == nil {
		// before Close wakes those that wait for the budget
		w.run.pageSize.addPage(counted.rows, counted.bytes)
		w.size.bytes += counted.bytes
		if !w.numbers {
			w.run.queue.addRead(counted.bytes, 0)
		}
		w.advance(w.consumer.Progress(within))
	}
	return int64(counted.rows), counted.bytes, errors.Join(err, p.Err())
}

// sizedPage measures the rows that pass through it.
type sizedPage struct {
	row.Page
	rows  int
	bytes int64
}

func (p *sizedPage) Next() bool {
	if !p.Page.Next() {
		return false
	}
	p.rows++
	for _, c := range p.Cells() {
		p.bytes += int64(len(c)) + 4
	}
	return true
}
