package sstables

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// named is a file that is not read.
type named struct {
	File
	name string
}

func (n named) Path() string { return n.name }

// between is a range of small tokens.
func between(start, end uint64) token.Range {
	return token.Range{Start: token.Token{Lo: start}, End: token.Token{Lo: end}}
}

// fetching has pieces of two ranges each, (0, 10] and (10, 20], (20, 30] and (30, 40], and so on.
// It records what was done with them.
type fetching struct {
	t        *testing.T
	pieces   *Pieces
	begun    []int // pieces, in the order in which they were asked for
	released []atomic.Int32
}

// fetch makes pieces. change is called for each that is fetched, and says what becomes of it; nil:
// it is there.
func fetch(
	ctx context.Context,
	t *testing.T,
	pieces int,
	change func(ctx context.Context, piece int, f *Fetched) error,
) *fetching {
	f := &fetching{t: t, released: make([]atomic.Int32, pieces)}
	var all []Piece
	for i := range uint64(pieces) {
		all = append(
			all,
			Piece{Ranges: []token.Range{between(20*i, 20*i+10), between(20*i+10, 20*i+20)}},
		)
	}
	f.pieces = FetchPieces(
		ctx,
		all,
		0,
		func(ctx context.Context, p Piece, _ int64) (Fetched, error) {
			i := int(p.Ranges[0].Start.Lo / 20)
			f.begun = append(f.begun, i)
			fetched := Fetched{
				Files:   []File{named{name: fmt.Sprint(i)}},
				Release: func() { f.released[i].Add(1) },
			}
			if change != nil {
				if err := change(ctx, i, &fetched); err != nil {
					return Fetched{}, err
				}
			}
			return fetched, nil
		},
	)
	return f
}

// open asks for the files of a range, which must be those of a piece.
func (f *fetching) open(piece int, within token.Range) (done func()) {
	f.t.Helper()
	files, done, err := f.pieces.Of(f.t.Context(), within)
	require.NoError(f.t, err)
	require.Equal(f.t, []File{named{name: fmt.Sprint(piece)}}, files)
	return done
}

// requireState checks which pieces were begun, and how often each was released, once nothing more
// happens.
func (f *fetching) requireState(begun int, released ...int32) {
	f.t.Helper()
	synctest.Wait()
	require.Len(f.t, f.begun, begun)
	for i, piece := range f.begun {
		require.Equal(f.t, i, piece, "pieces are fetched in their order")
	}
	for i := range f.released {
		want := int32(0)
		if i < len(released) {
			want = released[i]
		}
		require.Equal(f.t, want, f.released[i].Load(), "piece %d", i)
	}
}

// Pieces are fetched from when the first range is asked for, one behind the other, and no more than
// two are there. Each is given up when both of its ranges were read.
func TestPiecesInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fetch(t.Context(), t, 4, nil)
		f.requireState(0)
		first := f.open(0, between(0, 10))
		f.requireState(2)
		second := f.open(0, between(10, 20))
		other := f.open(1, between(20, 30))
		first()
		f.requireState(2)
		second()
		f.requireState(3, 1)
		other()
		f.open(1, between(30, 40))()
		f.requireState(4, 1, 1)
		for i := range uint64(2) {
			f.open(int(i)+2, between(40+20*i, 50+20*i))()
			f.open(int(i)+2, between(50+20*i, 60+20*i))()
		}
		f.requireState(4, 1, 1, 1, 1)
		require.NoError(t, f.pieces.Close())
		f.requireState(4, 1, 1, 1, 1)
	})
}

// A piece is kept while a part of its ranges is not read. Parts count together, and a part that is
// reported twice counts once.
func TestPartsOfThePiecesRanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fetch(t.Context(), t, 3, nil)
		reopened := f.open(0, between(0, 4))
		reopened()
		reopened()
		f.open(0, between(0, 4))()
		f.open(0, between(10, 20))()
		f.requireState(2)
		f.open(0, between(8, 10))()
		f.requireState(2)
		f.open(0, between(4, 8))()
		f.requireState(3, 1)

		_, _, err := f.pieces.Of(t.Context(), between(4, 8))
		require.Equal(t, fault.Permanent, fault.ClassOf(err))
		require.ErrorContains(t, err, "was read before")
		for _, none := range []token.Range{between(5, 15), between(50, 70), between(60, 70)} {
			_, _, err = f.pieces.Of(t.Context(), none)
			require.Equal(t, fault.Permanent, fault.ClassOf(err))
			require.ErrorContains(t, err, "is of no piece")
		}
		f.requireState(3, 1)
		require.NoError(t, f.pieces.Close())
		f.requireState(3, 1, 1, 1)
	})
}

// A range whose files cannot be had is given up, and counts as read.
func TestRangesWithoutFiles(t *testing.T) {
	errFewer := errors.New("too few of its replicas")
	synctest.Test(t, func(t *testing.T) {
		f := fetch(t.Context(), t, 3, func(_ context.Context, i int, f *Fetched) error {
			if i == 0 {
				f.Failed = map[token.Range]error{between(10, 20): errFewer}
			}
			return nil
		})
		for range 2 {
			_, _, err := f.pieces.Of(t.Context(), between(10, 20))
			require.ErrorIs(t, err, errFewer)
			require.Equal(t, fault.GivenUp, fault.ClassOf(err))
		}
		f.requireState(2)
		f.open(0, between(0, 10))()
		f.requireState(3, 1)
		require.NoError(t, f.pieces.Close())
		f.requireState(3, 1, 1, 1)
	})
}

// A piece that failed is not fetched again, so that it is not waited for. The next piece is, once
// its ranges have been opened. Errors that end the run, and those that report a cancellation, are
// returned unchanged.
func TestPiecesThatCannotBeFetched(t *testing.T) {
	errOwn := errors.New("no disk")
	for _, c := range []struct {
		err  error
		want fault.Class
	}{
		{errOwn, fault.Permanent},
		{fault.New(fault.Unknown, errOwn), fault.GivenUp},
		{fault.New(fault.Transient, errOwn), fault.GivenUp},
		{fault.New(fault.Overloaded, errOwn), fault.GivenUp},
		{fault.New(fault.GivenUp, errOwn), fault.GivenUp},
		{fault.New(fault.Fatal, errOwn), fault.Fatal},
		{fault.New(fault.Canceled, errOwn), fault.Canceled},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := fetch(t.Context(), t, 4, func(_ context.Context, i int, f *Fetched) error {
				if i == 1 {
					return c.err
				}
				return nil
			})
			read := f.open(0, between(0, 10))
			for range 3 {
				_, _, err := f.pieces.Of(t.Context(), between(20, 30))
				require.ErrorIs(t, err, errOwn)
				require.Equal(t, c.want, fault.ClassOf(err))
			}
			f.requireState(2)
			_, _, err := f.pieces.Of(t.Context(), between(30, 40))
			require.ErrorIs(t, err, errOwn)
			f.requireState(3)
			read()
			f.open(0, between(10, 20))()
			f.requireState(4, 1)
			require.NoError(t, f.pieces.Close())
			f.requireState(4, 1, 0, 1, 1)
		})
	}
}

// Close ends a fetch that is under way, and gives up what is there, also where a range of it is
// still being read.
func TestPiecesAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fetch(t.Context(), t, 3, func(ctx context.Context, i int, f *Fetched) error {
			if i == 1 {
				<-ctx.Done() // and it came all the same
			}
			return nil
		})
		done := f.open(0, between(0, 10))
		f.requireState(2)
		require.NoError(t, f.pieces.Close())
		f.requireState(2, 1, 1)
		done()
		f.requireState(2, 1, 1)

		f = fetch(t.Context(), t, 3, nil)
		require.NoError(t, f.pieces.Close())
		f.requireState(0)
	})
}

// After a cancellation nothing waits, neither for files to come nor for files to be given up, and
// what is there is given up.
func TestPiecesThatAreCalledOff(t *testing.T) {
	errStop := errors.New("stopped")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		f := fetch(ctx, t, 5, nil)
		var opened []func()
		for i := range uint64(2) {
			opened = append(
				opened,
				f.open(int(i), between(20*i, 20*i+10)),
				f.open(int(i), between(20*i+10, 20*i+20)),
			)
		}
		waiting := make(chan error)
		patient, give := context.WithCancelCause(t.Context())
		go func() {
			_, _, err := f.pieces.Of(patient, between(40, 50))
			waiting <- err
		}()
		synctest.Wait()
		give(errStop)
		err := <-waiting
		require.ErrorIs(t, err, errStop)
		require.Equal(t, fault.Canceled, fault.ClassOf(err))

		cancel(errStop)
		f.requireState(2)
		for i := uint64(4); i < 10; i++ {
			_, _, err := f.pieces.Of(t.Context(), between(10*i, 10*i+10))
			require.ErrorIs(t, err, errStop)
			require.Equal(t, fault.Canceled, fault.ClassOf(err))
		}
		for _, done := range opened {
			done()
		}
		f.requireState(2, 1, 1)
		require.NoError(t, f.pieces.Close())
		f.requireState(2, 1, 1)
	})
}
