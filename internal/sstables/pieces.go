package sstables

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Piece is a part of the table that is fetched at once.
type Piece struct {
	Ranges []token.Range // that are read one by one; at least one
}

// Fetched is what there is of a piece.
type Fetched struct {
	Files []File
	Bytes int64 // of the files, of the node that sent most
	// Failed says of ranges why their files cannot be had.
	Failed map[token.Range]error
	// Release gives up the files; nil: there is nothing to give up.
	Release func()
}

// Fetch fetches a piece. If a node has more than most bytes of it (0: no limit), Fetch returns a
// *TooLargeError, and nothing is fetched.
type Fetch func(ctx context.Context, p Piece, most int64) (Fetched, error)

// TooLargeError is the error of a piece that is more, on a node, than it was to send.
type TooLargeError struct{ Bytes int64 }

// Error says so.
func (e *TooLargeError) Error() string { return fmt.Sprintf("the piece has %d bytes", e.Bytes) }

// PartError is the error of a range whose files are not there at once: they are those of several
// pieces. Part is the beginning of the range, which can be asked for; the rest is asked for later.
type PartError struct{ Part token.Range }

// Error says so.
func (e *PartError) Error() string {
	return fmt.Sprintf("no more than %v can be read at once", e.Part)
}

// ErrNoPiece is the error of a range that is not in any piece.
var ErrNoPiece = errors.New("the range is of no piece")

// Pieces are files that are fetched piece by piece, each while the one before it is read, and given
// up when they were read. It is a Files whose ranges are those of the pieces, or parts of them.
// They are opened in the order of the pieces.
//
// A piece that turns out to be too large is cut into smaller ones, also within its ranges. Their
// parts are opened one by one then, as PartError says.
type Pieces struct {
	fetch   Fetch
	planned []Piece
	ranges  []token.Range // of all planned pieces, ordered by where they begin
	cut     cutter        // the fetcher's alone

	start   func() // of the fetching, with the first range that is asked for
	cancel  context.CancelFunc
	fetcher sync.WaitGroup
	room    chan struct{} // holds one for each piece that is there or on its way

	mu     sync.Mutex
	pieces []*piece      // that were fetched, or cannot be, in this order
	places []*place      // of their ranges, ordered by where they begin
	grown  chan struct{} // closed when more are added
	ended  bool          // no more will be added
}

// piece is what was fetched at once.
type piece struct {
	ranges  []token.Range
	fetched Fetched
	err     error
	held    bool // it is one of those in room

	mu   sync.Mutex
	left int // ranges that were not read to their end
}

// place is a range of a piece.
type place struct {
	within token.Range
	piece  *piece
	left   []token.Range // of it, that were not read; piece.mu guards them
}

// atOnce is how many pieces are there at a time: one that is read, and one that is fetched.
const atOnce = 2

// FetchPieces fetches pieces, one after the other, from when the first range is asked for. Close
// ends it. No node sends more than a half more than most bytes of one (0: no limit), as long as the
// piece can be cut.
func FetchPieces(ctx context.Context, pieces []Piece, most int64, fetch Fetch) *Pieces {
	p := &Pieces{
		fetch:   fetch,
		planned: pieces,
		cut:     newCutter(most),
		room:    make(chan struct{}, atOnce),
		grown:   make(chan struct{}),
	}
	for _, one := range pieces {
		p.ranges = append(p.ranges, one.Ranges...)
	}
	slices.SortFunc(p.ranges, func(a, b token.Range) int { return a.Start.Compare(b.Start) })
	ctx, p.cancel = context.WithCancel(ctx)
	p.start = sync.OnceFunc(func() { p.fetcher.Go(func() { p.run(ctx) }) })
	return p
}

// run fetches the pieces.
func (p *Pieces) run(ctx context.Context) {
	for i, one := range p.planned {
		p.cut.begin(one.Ranges)
		for left := one.Ranges; len(left) > 0; {
			select {
			case p.room <- struct{}{}:
			case <-ctx.Done():
				for _, later := range p.planned[i+1:] {
					left = append(slices.Clip(left), later.Ranges...)
				}
				p.add(
					&piece{ranges: left, err: fault.New(fault.Canceled, context.Cause(ctx))},
					true,
				)
				return
			}
			left = p.next(ctx, left, i == len(p.planned)-1)
		}
	}
}

// next fetches the first of some ranges, as much of them as may be fetched at once, and returns the
// rest.
func (p *Pieces) next(ctx context.Context, left []token.Range, last bool) (rest []token.Range) {
	for {
		made := &piece{held: true}
		var most int64
		made.ranges, rest, most = p.cut.take(left)
		made.fetched, made.err = p.fetch(ctx, Piece{made.ranges}, most)
		if large := (*TooLargeError)(nil); errors.As(made.err, &large) && most > 0 {
			p.cut.refused(large.Bytes)
			continue
		}
		if made.err == nil {
			p.cut.fetched(made.fetched.Bytes)
		}
		p.add(made, last && len(rest) == 0)
		return rest
	}
}

// add has the ranges of a piece found.
func (p *Pieces) add(made *piece, last bool) {
	made.left = len(made.ranges)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pieces = append(p.pieces, made)
	for _, r := range made.ranges {
		at, _ := p.search(r.Start)
		p.places = slices.Insert(p.places, at, &place{r, made, []token.Range{r}})
	}
	p.ended = last
	close(p.grown)
	p.grown = make(chan struct{})
}

// search finds where a range of that start is, or would be.
func (p *Pieces) search(start token.Token) (int, bool) {
	return slices.BinarySearchFunc(
		p.places,
		start,
		func(a *place, start token.Token) int { return a.within.Start.Compare(start) },
	)
}

// place waits for the place that the beginning of a range is in.
func (p *Pieces) place(ctx context.Context, within token.Range) (*place, error) {
	i, found := slices.BinarySearchFunc(
		p.ranges,
		within.Start,
		func(r token.Range, start token.Token) int { return r.Start.Compare(start) },
	)
	if !found {
		i--
	}
	if i < 0 || p.ranges[i].End.Less(within.End) {
		return nil, fault.New(fault.Permanent, fmt.Errorf("range %v: %w", within, ErrNoPiece))
	}
	p.start()
	for {
		p.mu.Lock()
		at, found := p.search(within.Start)
		if !found {
			at--
		}
		if at >= 0 && within.Start.Less(p.places[at].within.End) {
			defer p.mu.Unlock()
			return p.places[at], nil
		}
		grown := p.grown
		p.mu.Unlock()
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, fault.New(fault.Canceled, context.Cause(ctx))
		}
	}
}

// Of is a method of Files. Nothing is fetched again: what failed for good or for now is given up.
func (p *Pieces) Of(ctx context.Context, within token.Range) ([]File, func(), error) {
	at, err := p.place(ctx, within)
	if err != nil {
		return nil, nil, err
	}
	if at.within.End.Less(within.End) {
		return nil, nil, &PartError{token.Range{Start: within.Start, End: at.within.End}}
	}
	one := at.piece
	err = one.err
	if err == nil {
		err = fault.New(fault.GivenUp, one.fetched.Failed[at.within])
	}
	switch {
	case err == nil && one.over():
		return nil, nil, fault.New(
			fault.Permanent,
			fmt.Errorf("range %v was read before, and its files were given up", within),
		)
	case err == nil:
		return one.fetched.Files, func() { p.done(at, within) }, nil
	case fault.Retryable(err, true):
		err = fault.New(fault.GivenUp, err)
	}
	p.done(at, within)
	return nil, nil, err
}

// Slices gives the ranges that are fetched at once, in their order, once they were fetched. It ends
// with an error when the context does.
func (p *Pieces) Slices(ctx context.Context) iter.Seq2[[]token.Range, error] {
	return func(yield func([]token.Range, error) bool) {
		p.start()
		for i := 0; len(p.ranges) > 0; {
			p.mu.Lock()
			some, ended, grown := p.pieces[i:], p.ended, p.grown
			p.mu.Unlock()
			for _, one := range some {
				i++
				if !yield(one.ranges, nil) {
					return
				}
			}
			switch {
			case ended:
				return
			case len(some) > 0:
				continue
			}
			select {
			case <-grown:
			case <-ctx.Done():
				yield(nil, fault.New(fault.Canceled, context.Cause(ctx)))
				return
			}
		}
	}
}

// done records that a range, or a part of it, was read, or cannot be. A second call with the same
// range changes nothing.
func (p *Pieces) done(at *place, within token.Range) {
	one := at.piece
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(at.left) == 0 {
		return
	}
	if at.left = token.Subtract(at.left, []token.Range{within}); len(at.left) > 0 {
		return
	}
	if one.left--; one.left > 0 {
		return
	}
	one.release()
	if one.held {
		<-p.room
	}
}

// over says whether all of a piece was read.
func (one *piece) over() bool {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.left == 0
}

// release gives up the files of a piece, once. Its mutex is held.
func (one *piece) release() {
	if one.fetched.Release != nil {
		one.fetched.Release()
		one.fetched.Release = nil
	}
}

// Close ends the fetching, and gives up what is there. No range may be read any more.
func (p *Pieces) Close() error {
	p.cancel()
	p.fetcher.Wait()
	for _, one := range p.pieces {
		one.mu.Lock()
		one.release()
		one.mu.Unlock()
	}
	return nil
}
