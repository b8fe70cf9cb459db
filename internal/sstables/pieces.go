package sstables

import (
	"context"
	"fmt"
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
	// Failed says of ranges why their files cannot be had.
	Failed map[token.Range]error
	// Release gives up the files; nil: there is nothing to give up.
	Release func()
}

// Pieces are files that are fetched piece by piece, each while the one before it is read, and given up when they were read. It
// is a Files whose ranges are those of the pieces, or parts of them, and which are asked for in the order of the pieces.
type Pieces struct {
	fetch  func(ctx context.Context, piece int) (Fetched, error)
	pieces []*piece
	places []*place // of the ranges, ordered by where they begin

	start   func() // of the fetching, with the first range that is asked for
	cancel  context.CancelFunc
	fetcher sync.WaitGroup
	room    chan struct{} // holds one for each piece that is there or on its way
}

// piece is a piece, and what became of it.
type piece struct {
	ready   chan struct{} // closed when the next three are set
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

// FetchPieces fetches pieces, one after the other, from when the first range is asked for. Close ends it.
func FetchPieces(ctx context.Context, pieces []Piece, fetch func(ctx context.Context, piece int) (Fetched, error)) *Pieces {
	p := &Pieces{fetch: fetch, room: make(chan struct{}, atOnce)}
	for _, one := range pieces {
		made := &piece{ready: make(chan struct{}), left: len(one.Ranges)}
		p.pieces = append(p.pieces, made)
		for _, r := range one.Ranges {
			p.places = append(p.places, &place{r, made, []token.Range{r}})
		}
	}
	slices.SortFunc(p.places, func(a, b *place) int { return a.within.Start.Compare(b.within.Start) })
	ctx, p.cancel = context.WithCancel(ctx)
	p.start = sync.OnceFunc(func() { p.fetcher.Go(func() { p.run(ctx) }) })
	return p
}

// run fetches the pieces.
func (p *Pieces) run(ctx context.Context) {
	for i, one := range p.pieces {
		select {
		case p.room <- struct{}{}:
			one.held = true
			one.fetched, one.err = p.fetch(ctx, i)
		case <-ctx.Done():
			one.err = fault.New(fault.Canceled, context.Cause(ctx))
		}
		close(one.ready)
	}
}

// Of is a method of Files. Nothing is fetched again: what failed for good or for now is given up.
func (p *Pieces) Of(ctx context.Context, within token.Range) ([]File, func(), error) {
	i, found := slices.BinarySearchFunc(p.places, within.Start, func(a *place, start token.Token) int { return a.within.Start.Compare(start) })
	if !found {
		i--
	}
	if i < 0 || p.places[i].within.End.Less(within.End) {
		return nil, nil, fault.New(fault.Permanent, fmt.Errorf("range %v is of no piece", within))
	}
	at := p.places[i]
	one := at.piece
	p.start()
	select {
	case <-one.ready:
	case <-ctx.Done():
		return nil, nil, fault.New(fault.Canceled, context.Cause(ctx))
	}
	err := one.err
	if err == nil {
		err = fault.New(fault.GivenUp, one.fetched.Failed[at.within])
	}
	switch {
	case err == nil && one.over():
		return nil, nil, fault.New(fault.Permanent, fmt.Errorf("range %v was read before, and its files were given up", within))
	case err == nil:
		return one.fetched.Files, func() { p.done(at, within) }, nil
	case fault.Retryable(err, true):
		err = fault.New(fault.GivenUp, err)
	}
	p.done(at, within)
	return nil, nil, err
}

// done tells that a range, or a part of it, was read, or cannot be. To tell it again changes nothing.
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
