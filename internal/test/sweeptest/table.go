// Package sweeptest is a table in memory for tests of code that reads tables. It answers page
// requests as a cluster does, fails when a script says so, and counts requests and pages.
//
// Start with [Table]: its Page method makes it a sweep.Reader. Any number of goroutines may call
// Page; the fields must not be changed meanwhile. The bytes of a row's cells are overwritten as
// soon as the page moves on or is closed, to expose a reader that keeps them.
package sweeptest

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Row is a row and its place on the ring.
type Row struct {
	Token token.Token
	Cells [][]byte
}

// Request is one call of Page.
type Request struct {
	Host   string
	Within token.Range
	Page   int // of its range, from 0
	Rows   int // asked for
	Number int // of the request among all, from 0
}

// Table is a table whose pages can be asked for.
type Table struct {
	// Rows in the order of their tokens. A page of the zero Range has all.
	Rows []Row
	// Fail gives the error to answer a request with, nil for none. May be nil.
	Fail func(ctx context.Context, r Request) error
	// Short gives how many rows to answer with, of those asked for; 0 makes a page
	// without rows that is not the last one. May be nil. An answer that ends the
	// range has no paging state, unless Trailing is set.
	Short func(r Request) int
	// Trailing ends each range with an empty page instead of an empty state
	// with the last rows.
	Trailing bool
	// Room gives how many bytes of cells a page may have; a larger one is a *fault.LargeError. May
	// be nil.
	Room func() int64

	mu       sync.Mutex
	requests []Request
	underway int
	most     int
	opened   int
	closed   int
	misuse   error
}

// Open returns the range: all can be read.
func (t *Table) Open(
	_ context.Context,
	within token.Range,
) (token.Range, error) {
	return within, nil
}

// Page answers one request.
func (t *Table) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	req := Request{Host: host, Within: within, Rows: rows}
	at := 0
	if len(state) > 0 {
		req.Page, at = int(binary.BigEndian.Uint32(state)), int(binary.BigEndian.Uint32(state[4:]))
	} else if within != (token.Range{}) {
		at, _ = slices.BinarySearchFunc(t.Rows, within.Start, func(r Row, start token.Token) int {
			if start.Less(r.Token) {
				return 1
			}
			return -1
		})
	}
	req.Number = t.enter(req)
	defer t.leave()
	runtime.Gosched()
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	if t.Fail != nil {
		if err := t.Fail(ctx, req); err != nil {
			return nil, err
		}
	}
	page, next := t.cut(req, at)
	if t.Room != nil {
		if bytes := bytesOf(page); bytes > t.Room() {
			return nil, &fault.Error{
				Class:    fault.Unknown,
				Err:      &fault.LargeError{Bytes: bytes},
				Answered: true,
			}
		}
	}
	return t.open(page, next, req.Page), nil
}

// bytesOf returns how many bytes rows take in a frame.
func bytesOf(rows []Row) int64 {
	var n int64
	for _, r := range rows {
		for _, c := range r.Cells {
			n += int64(len(c)) + 4
		}
	}
	return n
}

// cut gives the rows of a page, and the index after the last one or -1 at the end.
func (t *Table) cut(req Request, at int) ([]Row, int) {
	end := len(t.Rows)
	if req.Within != (token.Range{}) {
		for end = at; end < len(t.Rows) && req.Within.Contains(t.Rows[end].Token); end++ {
		}
	}
	n := min(req.Rows, end-at)
	if t.Short != nil {
		n = min(n, t.Short(req))
	}
	to := at + n
	if to == end && (!t.Trailing || n == 0) {
		return t.Rows[at:to], -1
	}
	return t.Rows[at:to], to
}

func (t *Table) open(rows []Row, next, number int) row.Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opened++
	p := &page{table: t, rows: rows}
	if next >= 0 {
		p.state = binary.BigEndian.AppendUint32(p.state, uint32(number+1))
		p.state = binary.BigEndian.AppendUint32(p.state, uint32(next))
	}
	return p
}

func (t *Table) enter(r Request) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Number = len(t.requests)
	t.requests = append(t.requests, r)
	t.underway++
	t.most = max(t.most, t.underway)
	return r.Number
}

func (t *Table) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.underway--
}

// Requests lists the calls of Page in their order.
func (t *Table) Requests() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.requests)
}

// MostUnderway is the largest number of calls of Page at one time.
func (t *Table) MostUnderway() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.most
}

// Check gives an error when a page was not closed, was closed twice or was used
// after it was closed. It is for when all readers have ended.
func (t *Table) Check() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.misuse != nil:
		return t.misuse
	case t.underway > 0:
		return fmt.Errorf("%d requests are still under way", t.underway)
	case t.opened != t.closed:
		return fmt.Errorf("%d pages were opened, but %d closed", t.opened, t.closed)
	default:
		return nil
	}
}

func (t *Table) blame(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.misuse == nil {
		t.misuse = fmt.Errorf(format, args...)
	}
}
