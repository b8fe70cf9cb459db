package sweep

import (
	"context"
	"errors"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
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
}

// halveError says that a range is to be cut in two, after so many failures.
type halveError struct{ failures int }

func (*halveError) Error() string { return "range too large to answer in time" }

// split reads a split and whatever it has to be cut into.
func (w *worker) split(ctx context.Context, s token.Split) error {
	hosts := w.rotate(w.run.options.Hosts(s.Set))
	todo := []piece{{within: s.Range}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		pages, err := w.readRange(ctx, p, hosts)
		var cut *halveError
		switch {
		case err == nil:
			w.run.done(p.within)
		case errors.As(err, &cut):
			first, second, _ := token.Halve(p.within)
			todo = append(todo, piece{second, cut.failures}, piece{first, cut.failures})
		case ends(err):
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

// ends says whether an error ends the run rather than the range.
func ends(err error) bool {
	var stop *stopError
	if errors.As(err, &stop) {
		return true
	}
	switch fault.ClassOf(err) {
	case fault.Transient, fault.Overloaded, fault.Unknown:
		return false
	default:
		return true
	}
}

// stopError is a consumer's error: it ends the run whatever its class.
type stopError struct{ err error }

func (e *stopError) Error() string { return e.err.Error() }
func (e *stopError) Unwrap() error { return e.err }

// readRange gives all pages of a range to the consumer and says how many.
func (w *worker) readRange(ctx context.Context, p piece, hosts []string) (int, error) {
	pages, within := 0, p.within
	next := w.start(ctx, p, hosts, nil)
	for {
		got := <-next
		if got.err != nil {
			return pages, got.err
		}
		state := got.page.State()
		if len(state) > 0 {
			next = w.start(ctx, piece{within: within}, hosts, state)
		}
		if err := w.take(within, got.page); err != nil {
			if len(state) > 0 {
				discard(<-next)
			}
			return pages, &stopError{err}
		}
		pages++
		if len(state) == 0 {
			return pages, nil
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

type fetched struct {
	page row.Page
	err  error
}

func discard(f fetched) {
	if f.page != nil {
		f.page.Close()
	}
}

// start asks for a page in a goroutine of its own; the answer can be taken from
// the channel once, and must be, since it holds a buffer.
func (w *worker) start(ctx context.Context, p piece, hosts []string, state []byte) chan fetched {
	c := make(chan fetched, 1)
	go func() {
		page, err := w.fetch(ctx, p, hosts, state)
		c <- fetched{page, err}
	}()
	return c
}

// fetch asks for a page until it comes or the attempts are used up.
func (w *worker) fetch(ctx context.Context, p piece, hosts []string, state []byte) (row.Page, error) {
	o := &w.run.options
	rows := w.run.size.rows()
	for attempt := p.failures + 1; ; attempt++ {
		host := ""
		if len(hosts) > 0 {
			host = hosts[(attempt-1)%len(hosts)]
		}
		page, err := w.run.reader.Page(ctx, host, p.within, state, rows)
		if err == nil {
			return page, nil
		}
		if !fault.Retryable(err, true) || attempt >= o.MaxAttempts {
			return nil, err
		}
		o.OnRetry()
		if fault.ClassOf(err) == fault.Unknown {
			rows = max(rows/2, 1)
			if _, _, ok := token.Halve(p.within); ok && len(state) == 0 && attempt%2 == 0 {
				return nil, &halveError{failures: attempt}
			}
		}
		// The other replicas are asked at once, then there is a wait.
		if rounds := attempt / max(len(hosts), 1); attempt%max(len(hosts), 1) == 0 {
			if err := pace.Sleep(ctx, o.Backoff.Delay(rounds)); err != nil {
				return nil, fault.New(fault.Canceled, err)
			}
		}
	}
}
