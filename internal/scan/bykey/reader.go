package bykey

import (
	"context"
	"encoding/binary"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows reads the rows of a key, page by page. It must be safe for concurrent use. The arguments are
// those of driver.KeyReader.
type Rows interface {
	Page(
		ctx context.Context,
		host string,
		at token.Token,
		key [][]byte,
		state []byte,
		rows int,
	) (row.Page, error)
}

// Reader reads the rows of a list of keys by token ranges, for package sweep. Each page has rows of
// one key. It is safe for concurrent use.
type Reader struct {
	list    *List
	rows    Rows
	missing *Missing
}

// NewReader returns a reader. It notes the keys that have no row.
func NewReader(l *List, r Rows, m *Missing) *Reader { return &Reader{l, r, m} }

// Open is a method of sweep.Reader: there is nothing to wait for.
func (r *Reader) Open(_ context.Context, within token.Range) (token.Range, error) {
	return within, nil
}

// Vacant reports whether the list has no key within a range. If the list cannot be read, the answer
// is no: the error comes with the page.
func (r *Reader) Vacant(within token.Range) bool {
	_, ok, err := r.list.First(within)
	return err == nil && !ok
}

// Page is a method of sweep.Reader.
func (r *Reader) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	key, found, of, err := r.find(within, state)
	if err != nil {
		return nil, fault.New(fault.Fatal, err)
	}
	if !found {
		return noRows{}, nil
	}
	page, err := r.rows.Page(ctx, host, key.Token, key.Values, of.state, rows)
	if err != nil {
		return nil, err
	}
	p := &keyPage{Page: page}
	seen := of.seen || page.Rows() > 0
	if left := page.State(); len(left) > 0 {
		p.state = pagingState{key.place, seen, left}.append(nil)
		return p, nil
	}
	p.end = func() { r.missing.note(key.place.number, !seen) }
	next, err := r.follows(key, within)
	if err != nil {
		page.Close()
		return nil, fault.New(fault.Fatal, err)
	}
	if next {
		p.state = pagingState{at: key.next}.append(nil)
	}
	return p, nil
}

// find returns the key that a paging state is at.
func (r *Reader) find(within token.Range, state []byte) (Key, bool, pagingState, error) {
	if len(state) == 0 {
		key, found, err := r.list.First(within)
		return key, found, pagingState{}, err
	}
	of, err := readState(state)
	if err != nil {
		return Key{}, false, of, err
	}
	key, err := r.list.at(of.at)
	return key, true, of, err
}

// follows reports whether the key behind one is within the range, too.
func (r *Reader) follows(key Key, within token.Range) (bool, error) {
	if key.next.number == r.list.keys {
		return false, nil
	}
	next, err := r.list.at(key.next)
	if err != nil {
		return false, err
	}
	return next.in(within), nil
}

// pagingState is where in a range the next page begins.
type pagingState struct {
	at    place
	seen  bool   // the key has rows in pages before
	state []byte // the servers' paging state within the key; empty: its first page
}

// stateHead is the number of bytes of an encoded paging state before that of the servers.
const stateHead = 17

func (s pagingState) append(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.at.offset))
	dst = binary.BigEndian.AppendUint64(dst, uint64(s.at.number))
	seen := byte(0)
	if s.seen {
		seen = 1
	}
	return append(append(dst, seen), s.state...)
}

func readState(b []byte) (pagingState, error) {
	if len(b) < stateHead {
		return pagingState{}, errRecord
	}
	return pagingState{
		at: place{
			int64(binary.BigEndian.Uint64(b)),
			int64(binary.BigEndian.Uint64(b[8:])),
		},
		seen:  b[16] == 1,
		state: b[stateHead:],
	}, nil
}

// keyPage is a page of the rows of a key. Its state leads to the next key.
type keyPage struct {
	row.Page
	state []byte
	end   func() // notes the key once its last row was taken; nil: more pages of it come
}

// Next is a method of [row.Page]. A page that is not read to its end notes nothing. It was
// requested to see whether a node answers, or will be requested again.
func (p *keyPage) Next() bool {
	if p.Page.Next() {
		return true
	}
	if p.end != nil && p.Err() == nil {
		p.end()
	}
	return false
}

func (p *keyPage) State() []byte { return p.state }

// noRows is the page of a range without keys.
type noRows struct{}

func (noRows) Next() bool      { return false }
func (noRows) Cells() [][]byte { return nil }
func (noRows) Rows() int       { return 0 }
func (noRows) State() []byte   { return nil }
func (noRows) Err() error      { return nil }
func (noRows) Close()          {}
