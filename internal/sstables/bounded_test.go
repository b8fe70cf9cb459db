package sstables

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/reconcile"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// inMemory is a file in memory.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

// numbered is the schema of a table (k bigint PRIMARY KEY, v text).
func numbered(t testing.TB) *sstable.Schema {
	t.Helper()
	s, err := sstable.Plan(&sstable.Table{
		Key:      []sstable.Column{{Name: "k", Type: &cqltype.Type{Kind: cqltype.Bigint}}},
		Regulars: []sstable.Column{{Name: "v", Type: &cqltype.Type{Kind: cqltype.Text}}},
	})
	require.NoError(t, err)
	return s
}

// sent returns what a node sent of an SSTable of a numbered table, with rows of these keys and
// texts of the given length.
func sent(t testing.TB, s *sstable.Schema, id, text int, keys ...int64) *Table {
	t.Helper()
	rows := make(map[int64]sstable.Row)
	for _, k := range keys {
		rows[k] = sstable.Row{
			Cells: []sstable.Cell{
				{
					Timestamp: sstable.EpochTimestamp + int64(id),
					Value:     []byte(strings.Repeat("x", text)),
				},
			},
		}
	}
	return sentRows(t, s, id, rows)
}

// sentRows is what a node sent of an SSTable with rows by their keys.
func sentRows(t testing.TB, s *sstable.Schema, id int, rows map[int64]sstable.Row) *Table {
	t.Helper()
	codec, err := sstable.NewCodec(
		s,
		component.NB,
		sstable.Minima{Timestamp: sstable.EpochTimestamp, Time: sstable.EpochTime},
	)
	require.NoError(t, err)
	var plain bytes.Buffer
	w, err := sstable.NewPartitionWriter(codec, &plain, nil)
	require.NoError(t, err)
	raw := func(k int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(k)) }
	keys := slices.SortedFunc(
		maps.Keys(rows),
		func(a, b int64) int {
			return token.Murmur3.Hash(raw(a)).Compare(token.Murmur3.Hash(raw(b)))
		},
	)
	for _, k := range keys {
		require.NoError(t, w.Begin(raw(k), sstable.Deletion{}))
		row := rows[k]
		encoded, err := codec.AppendRow(nil, &row)
		require.NoError(t, err)
		require.NoError(t, w.Row(encoded))
		require.NoError(t, w.End())
	}
	require.NoError(t, w.Flush())
	table, err := OpenStreamed(
		inMemory{bytes.NewReader(plain.Bytes())},
		"node",
		component.Descriptor{Version: component.NB, ID: strconv.Itoa(id)},
		codec.AppendHeader(
			nil,
		),
		tablefile.Sections{Sections: []tablefile.Section{{To: uint64(plain.Len())}}},
	)
	require.NoError(t, err)
	return table
}

// extremes are two keys whose tokens are near the ends of the ring.
func extremes() (least, greatest int64) {
	low, high := token.Murmur3.Max(), token.Murmur3.Min()
	for k := range int64(1000) {
		at := token.Murmur3.Hash(binary.BigEndian.AppendUint64(nil, uint64(k)))
		if at.Less(low) {
			least, low = k, at
		}
		if high.Less(at) {
			greatest, high = k, at
		}
	}
	return least, greatest
}

// share is a budget that takes note of what it gives.
type share struct {
	mu         sync.Mutex
	size       int64
	used, most int64
	back       chan struct{}
}

func (s *share) Acquire(ctx context.Context, n int64) error {
	for {
		s.mu.Lock()
		if s.used == 0 || s.used+n <= s.size {
			s.used += n
			s.most = max(s.most, s.used)
			s.mu.Unlock()
			return nil
		}
		s.mu.Unlock()
		select {
		case <-s.back:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *share) Release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used -= n
	select {
	case s.back <- struct{}{}:
	default:
	}
}

// Of thousands of small files each takes little: no more than what is counted for it, and the rows
// of all are there.
func TestThousandsOfSmallFiles(t *testing.T) {
	const files = 1000
	s := numbered(t)
	least, greatest := extremes()
	var all Fixed
	counted := int64(0)
	for i := range files {
		f := sent(t, s, i+1, 100, least, greatest, int64(1000+i))
		all, counted = append(all, f), counted+f.ReadMemory()
	}
	require.Less(t, counted, int64(files*(16<<10)))
	o := options(all...)
	budget := &share{size: counted, back: make(chan struct{})}
	o.Files = Bounded(all, budget)
	r := New(o)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	p, err := readPage(t.Context(), t, r, whole, nil, 1)
	require.NoError(t, err)
	require.Less(t, heap()-before, counted, "all are open")
	require.Equal(t, counted, budget.used)
	rows := p.rows
	for len(p.state) > 0 {
		p, err = readPage(t.Context(), t, r, whole, p.state, 1000)
		require.NoError(t, err)
		rows = append(rows, p.rows...)
	}
	require.Len(t, rows, files+2)
	require.Zero(t, budget.used)
}

// Ranges are read at once while the budget has room, and a range that is larger than the budget is
// read by itself. A file without rows of a range adds nothing.
func TestRangesWithinTheBudget(t *testing.T) {
	for room, most := range map[float64]float64{0.5: 1, 1: 1, 2.5: 2, 100: 8} {
		t.Run(fmt.Sprint(room), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := numbered(t)
				least, greatest := extremes()
				var all Fixed
				for i := range 5 {
					all = append(all, sent(t, s, i+1, 100_000, least, greatest, int64(1000+i)))
				}
				ofOne := 5 * all[0].ReadMemory()
				budget := &share{size: int64(room * float64(ofOne)), back: make(chan struct{})}
				o := options(all...)
				o.Files = Bounded(all, budget)
				r := New(o)
				ranges := []token.Range{whole}
				for len(ranges) < 8 {
					a, b, _ := token.Halve(ranges[0])
					ranges = append(ranges[1:], a, b)
				}
				opened := make(chan token.Range)
				for _, within := range ranges {
					go func() {
						if _, err := r.Open(t.Context(), within); err != nil {
							t.Error(err)
						}
						opened <- within
					}()
				}
				for range ranges {
					synctest.Wait() // all others are open, or wait for memory
					readAll(t, r, <-opened)
				}
				require.Zero(t, budget.used)
				require.Equal(t, int64(most*float64(ofOne)), budget.most)
			})
		})
	}
	s := numbered(t)
	budget := &share{back: make(chan struct{})}
	files, done, err := Bounded(Fixed{sent(t, s, 1, 10, 1)}, budget).Of(t.Context(), alone("none"))
	require.NoError(t, err)
	require.Empty(t, files)
	require.Zero(t, budget.used)
	done()
}

// What was opened and not read is given back when the reader is closed, or when the range is opened
// again. A wait for memory can be canceled.
func TestOpenedRangesAreGivenBack(t *testing.T) {
	f := sent(t, numbered(t), 1, 10, 1)
	budget := &share{size: 2 * f.ReadMemory(), back: make(chan struct{})}
	h := &held{files: []File{f}}
	o := options(f)
	o.Files = Bounded(h, budget)
	o.Table = &reconcile.Table{Schema: f.Schema()}
	r := New(o)
	_, err := r.Open(t.Context(), whole)
	require.NoError(t, err)
	_, err = r.Open(t.Context(), whole)
	require.NoError(t, err)
	require.Equal(t, 1, h.reading)
	require.Equal(t, f.ReadMemory(), budget.used)
	budget.size = 0
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, _, _ := token.Halve(whole)
	_, err = r.Open(ctx, token.Range{Start: a.Start, End: whole.End})
	require.NoError(t, r.Close())
	require.Zero(t, budget.used)
	require.Zero(t, h.reading)
	require.Equal(t, fault.Canceled, fault.ClassOf(err), "%v", err)
}
