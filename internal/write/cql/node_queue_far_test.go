package cql

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/rowsum"
)

// farWriter writes to a node far away, which takes any number of rows at once.
type farWriter struct {
	trip           time.Duration
	underWay, most atomic.Int64
	fail           func(n int64) error
	requests       atomic.Int64
}

func (w *farWriter) Write(ctx context.Context, _ string, _ []row.Row) error {
	n := w.underWay.Add(1)
	defer w.underWay.Add(-1)
	w.most.Store(max(w.most.Load(), n))
	if err := pace.Sleep(ctx, w.trip); err != nil {
		return fault.New(fault.Canceled, err)
	}
	if w.fail != nil {
		return w.fail(w.requests.Add(1))
	}
	return nil
}

func (*farWriter) Idempotent() bool { return true }

// counted is a tracker that counts what became of its rows.
type counted struct {
	freed
	written, rejected, gone atomic.Int64
}

func (c *counted) Written(rows int, _ rowsum.Sum) error { c.written.Add(int64(rows)); return nil }
func (c *counted) Release(rows int)                     { c.gone.Add(int64(rows)) }
func (c *counted) Reject(*write.Row, write.Outcome, error) error {
	c.rejected.Add(1)
	return nil
}

const farTrip = 50 * time.Millisecond

// runFar writes rows, a batch each, to a node far away. It waits until all have ended.
func runFar(ctx context.Context, w *farWriter, rows int, o Options) (*counted, error) {
	router := write.NewRouter(nil, nil, nil)
	o.NewWriter, o.InFlight, o.Trips = nil, 8, pace.NewTrips(map[string]time.Duration{"": w.trip})
	o.Backoff = pace.Backoff{Base: time.Millisecond, Max: time.Millisecond}
	t := New(router, o)
	piece := new(counted)
	_, set := router.Route(nil)
	for range rows {
		t.dispatch([]*batch{{writer: w, set: set, rows: []*write.Row{full(1, piece, set)}}})
	}
	t.Finish()
	return piece, t.Run(ctx)
}

// TestSpareWriters: a node far away gets as many requests as fill the line, within the bound.
func TestSpareWriters(t *testing.T) {
	for _, tt := range []struct{ far, least, most int }{
		{4096, 300, 64 * 8}, {100, 90, 100}, {0, 8, 8},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &farWriter{trip: farTrip}
			piece, err := runFar(t.Context(), w, 20_000, Options{Far: tt.far})
			require.NoError(t, err)
			require.EqualValues(t, 20_000, piece.written.Load())
			require.EqualValues(t, 20_000, piece.gone.Load(), "each row is freed once")
			require.GreaterOrEqual(t, int(w.most.Load()), tt.least)
			require.LessOrEqual(t, int(w.most.Load()), tt.most)
		})
	}
}

// TestSpareWritersEnd: writers that were started on demand end with the load, and when it is
// stopped.
func TestSpareWritersEnd(t *testing.T) {
	for rows := range 20 {
		synctest.Test(t, func(t *testing.T) {
			w := &farWriter{trip: farTrip}
			piece, err := runFar(t.Context(), w, 181*rows, Options{Far: 4096})
			require.NoError(t, err)
			require.EqualValues(t, 181*rows, piece.written.Load())
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		w := &farWriter{trip: farTrip}
		piece, err := runFar(ctx, w, 100_000, Options{Far: 4096})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Positive(t, piece.written.Load())
		require.Less(t, piece.written.Load(), int64(100_000))
	})
}

// TestSpareWritersOfFailures: if a node far away fails for a while, no row is lost. Copies of rows
// that wait take no more memory than those of a near node.
func TestSpareWritersOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &farWriter{trip: farTrip, fail: func(n int64) error {
			if n > 5000 && n < 8000 {
				return &fault.Error{
					Class:    fault.Overloaded,
					Err:      errors.New("overloaded"),
					Answered: true,
				}
			}
			return nil
		}}
		piece, err := runFar(t.Context(), w, 20_000, Options{Far: 4096, Attempts: 50})
		require.NoError(t, err)
		require.EqualValues(t, 20_000, piece.written.Load()+piece.rejected.Load())
		require.EqualValues(t, 20_000, piece.gone.Load())
	})
}

// TestCopiesAreBounded by what a node may have at once.
func TestCopiesAreBounded(t *testing.T) {
	set := &write.Replicas{}
	tg := New(write.NewRouter(nil, nil, nil), Options{InFlight: 2})
	w := &farWriter{}
	var batches []*batch
	for range 5 {
		r := full(0, &freed{}, set)
		r.Cells = append(r.Cells, row.Cell{Bytes: make([]byte, mostCopied/2), State: row.Set})
		b := &batch{writer: w, set: set, rows: []*write.Row{r}}
		tg.detach(b)
		batches = append(batches, b)
	}
	copied := 0
	for _, b := range batches {
		if b.own {
			copied++
		}
	}
	require.Equal(t, 3, copied)
	tg.copied.Add(-batches[0].copied)
	tg.detach(batches[4])
	require.True(t, batches[4].own)
}
