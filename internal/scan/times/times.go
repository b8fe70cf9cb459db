// Package times reads the write times and times to live of columns besides their values. It selects
// rows by when they were written, and makes one time of those of a column's elements.
package times

import (
	"context"
	"encoding/binary"
	"math"
	"sync/atomic"

	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/cqlwire"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Times says what a scan does with times. It is safe for concurrent use.
type Times struct {
	// Since and Until select rows. A value of the row was written from Since on, and before Until,
	// in microseconds since the epoch. Nil: no limit.
	Since, Until *int64

	written    []writtenCell // that select rows
	clustering int           // a cell that only rows of static values lack; 0: there is none
	pairs      []pair        // of times of elements that become one
	mixed      []mixedColumn
}

// writtenCell is a cell that has a write time, or a list of them.
type writtenCell struct {
	at            int
	lists, static bool
}

// pair is two cells with the write times and the times to live of a column's elements.
type pair struct{ written, ttl, column int }

// mixedColumn counts rows in which the elements of a column have different times.
type mixedColumn struct {
	name string
	rows atomic.Int64
}

// Preserved adds the times of all columns of a selection to it, each behind its column. Key
// columns, counters and lists that are not frozen have none. Nor have other columns whose elements
// have times of their own, unless elements is true. left are the names of the columns without
// times.
func Preserved(selection []schema.Selector, elements bool) (all []schema.Selector, left []string) {
	for _, s := range selection {
		if s.Time {
			continue // it comes behind its column
		}
		all = append(all, s)
		written, ttl, ok := s.Column.Times()
		switch {
		case s.Column.IsKey():
		case !ok, written.Elements && (!elements || written.Column.Type.Kind == cqltype.List):
			left = append(left, s.Name)
		default:
			all = append(all, written, ttl)
		}
	}
	return all, left
}

// Selecting adds the write times of all columns of a table to a selection, and a clustering column,
// for [Times.Find].
func Selecting(t *schema.Table, selection []schema.Selector) []schema.Selector {
	if clustering := t.OfKind(schema.Clustering); len(clustering) > 0 {
		selection = append(selection, clustering[0].Selector())
	}
	for _, c := range t.Columns {
		if written, _, ok := c.Times(); ok {
			selection = append(selection, written)
		}
	}
	return selection
}

// Find finds the times among what is selected: those of the first cells are written to the output,
// and those behind them select rows.
func (t *Times) Find(selected []schema.Selector, output int) {
	for i, s := range selected {
		switch {
		case i >= output && s.Plain && s.Column.Kind == schema.Clustering:
			t.clustering = i
		case !s.Time:
		case i >= output && !s.TTL:
			static := s.Column.Kind == schema.Static
			t.written = append(t.written, writtenCell{i, s.Elements, static})
		case s.Elements && !s.TTL: // Preserved has the time to live behind it
			t.pairs = append(t.pairs, pair{i, i + 1, len(t.mixed)})
			t.mixed = append(t.mixed, mixedColumn{name: s.Column.Name})
		}
	}
}

// Mixed calls f for each column whose elements have different times in some rows, with the number
// of rows. A row of a page that was read again counts again.
func (t *Times) Mixed(f func(column string, rows int64)) {
	for i := range t.mixed {
		if n := t.mixed[i].rows.Load(); n > 0 {
			f(t.mixed[i].name, n)
		}
	}
}

// Reader returns a reader whose rows are those of another one, with one time for each column. That
// is the other one if no column has more.
func (t *Times) Reader(r sweep.Reader) sweep.Reader {
	if len(t.pairs) == 0 {
		return r
	}
	return &reader{r, t}
}

type reader struct {
	sweep.Reader
	times *Times
}

// Page is a method of [sweep.Reader].
func (r *reader) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	p, err := r.Reader.Page(ctx, host, within, state, rows)
	if err != nil {
		return nil, err
	}
	return &page{Page: p, times: r.times}, nil
}

// page is a page of rows with one time for each column.
type page struct {
	row.Page
	times *Times
	own   [][]byte // the row's cells
	buf   []byte   // of those that were made
	there []bool   // room of span
}

func (p *page) Next() bool {
	if !p.Page.Next() {
		return false
	}
	p.unite()
	return true
}

func (p *page) Cells() [][]byte { return p.own }

// Selects reports whether a row was written in time. The times of its static values count as its
// own. A row whose other values have no time that can be read is selected, unless it has static
// values alone.
func (t *Times) Selects(cells [][]byte) bool {
	timed := false // the row has a write time that is not of a static value
	for _, w := range t.written {
		selected := false
		see := func(stamp []byte) {
			if len(stamp) == 8 {
				timed = timed || !w.static
				selected = selected || t.holds(int64(binary.BigEndian.Uint64(stamp)))
			}
		}
		if w.lists {
			eachElement(cells[w.at], see)
		} else {
			see(cells[w.at])
		}
		if selected {
			return true
		}
	}
	return !timed && (t.clustering == 0 || cells[t.clustering] != nil)
}

func (t *Times) holds(stamp int64) bool {
	return (t.Since == nil || stamp >= *t.Since) && (t.Until == nil || stamp < *t.Until)
}

// eachElement calls f with each element of a list, nil if it is null.
func eachElement(list []byte, f func(element []byte)) {
	n, ok := cqlwire.Count(list)
	for at := 4; ok && n > 0; n-- {
		var element []byte
		if element, _, at, ok = cqlwire.ElemAt(list, at); ok {
			f(element)
		}
	}
}

// unite makes one time of those of each column's elements: the last write time, and the longest
// time to live. An element that does not expire has the longest.
func (p *page) unite() {
	p.buf = p.buf[:0]
	p.own = append(p.own[:0], p.Page.Cells()...)
	for _, pair := range p.times.pairs {
		stamps, lives := p.span(p.own[pair.written], p.own[pair.ttl])
		p.own[pair.written], p.own[pair.ttl] = nil, nil
		if stamps.last < stamps.first {
			continue // it has no element
		}
		if stamps.first != stamps.last || lives.first != lives.last {
			p.times.mixed[pair.column].rows.Add(1)
		}
		p.own[pair.written] = p.number(uint64(stamps.last), 8)
		if lives.last != forever {
			p.own[pair.ttl] = p.number(uint64(lives.last), 4)
		}
	}
}

// forever is the time to live of an element that does not expire.
const forever = math.MaxInt64

// span is the least and the greatest of some numbers.
type span struct{ first, last int64 }

func (s *span) add(n int64) { s.first, s.last = min(s.first, n), max(s.last, n) }

// span returns the spans of two lists with the write times and the times to live of elements. A
// field of a user type that is null has neither.
func (p *page) span(written, ttl []byte) (stamps, lives span) {
	stamps, lives = span{math.MaxInt64, math.MinInt64}, span{math.MaxInt64, math.MinInt64}
	p.there = p.there[:0]
	eachElement(written, func(element []byte) {
		there := len(element) == 8
		p.there = append(p.there, there)
		if there {
			stamps.add(int64(binary.BigEndian.Uint64(element)))
		}
	})
	i := 0
	eachElement(ttl, func(element []byte) {
		switch {
		case i >= len(p.there) || !p.there[i]:
		case len(element) == 4:
			lives.add(int64(binary.BigEndian.Uint32(element)))
		default:
			lives.add(forever)
		}
		i++
	})
	return stamps, lives
}

// number appends a number of some bytes to the page's buffer.
func (p *page) number(n uint64, size int) []byte {
	from := len(p.buf)
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	p.buf = append(p.buf, b[8-size:]...)
	return p.buf[from:len(p.buf):len(p.buf)]
}
