package sweep

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// worker reads splits one after the other.
type worker struct {
	run     *run
	consume Consumer
	turn    int // spreads the first choice of replica over the workers
}

// piece is a part of a split still to be read. failures are the attempts that
// were spent on the larger range it was cut from: they count for it too, so that
// a node that never answers does not have its ranges cut without end.
type piece struct {
	within   token.Range
	failures int
	limit    int // rows to ask for at the most; 0 when time never ran out
}

// cutError says that a range is to be cut in two, after so many failures.
type cutError struct{ failures, limit int }

func (*cutError) Error() string { return "range too large to answer in time" }

// split reads a split and whatever it has to be cut into.
func (w *worker) split(ctx context.Context, s token.Split) error {
	hosts := w.rotate(w.run.options.Hosts(s.Set))
	todo := []piece{{within: s.Range}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		pages, err := w.readRange(ctx, p, w.run.health.order(hosts))
		var cut *cutError
		var stop *stopError
		switch {
		case err == nil:
			w.run.done(p.within)
		case errors.As(err, &cut):
			first, second, _ := token.Halve(p.within)
			todo = append(todo, piece{second, cut.failures, cut.limit}, piece{first, cut.failures, cut.limit})
		case errors.As(err, &stop):
			return stop.err
		case !fault.Retryable(err, true):
			return err
		default:
			w.run.failed(Failure{Range: p.within, Pages: pages, Err: err})
		}
	}
	return nil
}

// rotate starts the list of replicas at another one each time, so that the
// replicas of a range share its reads.
func (w *worker) rotate(hosts []string) []string {
	if len(hosts) < 2 {
		return hosts
	}
	w.turn++
	i := w.turn % len(hosts)
	return append(append(make([]string, 0, len(hosts)), hosts[i:]...), hosts[:i]...)
}

// stopError is a consumer's error: it ends the run whatever its class.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }

// readRange gives all pages of a range to the consumer and says how many.
func (w *worker) readRange(ctx context.Context, p piece, hosts []string) (int, error) {
	// When the consumer fails, the page asked for ahead is not waited for.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next := w.start(ctx, request{piece: p, hosts: hosts})
	for pages := 0; ; pages++ {
		got := <-next
		if got.err != nil {
			return pages, got.err
		}
		more := len(got.next.state) > 0
		if more {
			next = w.start(ctx, got.next)
		}
		if err := w.take(p.within, got.page); err != nil {
			if more {
				cancel()
				(<-next).discard()
			}
			return pages, &stopError{err}
		}
		if !more {
			return pages + 1, nil
		}
	}
}

func (w *worker) take(within token.Range, p row.Page) error {
	defer p.Close()
	counted := &sizedPage{Page: p}
	if err := w.consume(within, counted); err != nil {
		return err
	}
	w.run.size.saw(counted.rows, counted.bytes)
	return p.Err()
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
