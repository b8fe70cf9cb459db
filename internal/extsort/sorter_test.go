package extsort

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// pair is a record with its number.
type pair struct {
	number uint64
	record string
}

// sorted adds pairs from several goroutines and gives them as they come back.
func sorted(t *testing.T, o Options, pairs []pair) (*Sorter, []pair) {
	t.Helper()
	o.Compare = bytes.Compare
	s := New(o)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	var adding sync.WaitGroup
	for part := range slices.Chunk(pairs, len(pairs)/7+1) {
		adding.Go(func() {
			for some := range slices.Chunk(part, 50) {
				b, err := s.Take(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				for _, p := range some {
					if err := b.Add(p.number, []byte(p.record)); err != nil {
						t.Error(err)
					}
				}
				s.Give(b)
			}
		})
	}
	adding.Wait()
	m, err := s.Merge()
	require.NoError(t, err)
	var out []pair
	for m.Next() {
		out = append(out, pair{m.Number(), string(m.Record())})
	}
	require.NoError(t, m.Err())
	require.False(t, m.Next())
	return s, out
}

func inOrder(pairs []pair) []pair {
	return slices.SortedFunc(slices.Values(pairs), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.record, b.record))
	})
}

// What comes out is what went in, in order, whether it fits into memory, makes a few runs, or
// so many that runs are merged into larger ones.
func TestSort(t *testing.T) {
	for _, tc := range []struct {
		name    string
		n       int
		memory  int64
		buffers int
		spills  bool
	}{
		{"nothing", 0, 1 << 20, 2, false},
		{"one", 1, 1 << 20, 2, false},
		{"in memory", 2000, 1 << 20, 3, false},
		{"some runs", 5000, 64 << 10, 2, true},
		{"runs of runs", 30_000, 4 << 10, 2, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			var pairs []pair
			for range tc.n {
				number := random.Uint64()
				if random.IntN(3) == 0 {
					number %= 10 // so that records are compared
				}
				pairs = append(pairs, pair{number, string(make([]byte, random.IntN(20))) + fmt.Sprint(random.IntN(100))})
			}
			dir := t.TempDir()
			s, out := sorted(t, Options{Memory: tc.memory, Buffers: tc.buffers, Dir: dir}, pairs)
			require.Equal(t, inOrder(pairs), slices.Clone(out))
			require.Equal(t, tc.spills, s.Spilled() > 0)
			require.Less(t, len(s.runs), 3*fanIn)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left, "a run must leave nothing behind")
		})
	}
}

// A record that is longer than a buffer is sorted like others, and its memory given back.
func TestLongRecords(t *testing.T) {
	var pairs []pair
	for i := range 20 {
		pairs = append(pairs, pair{uint64(i % 3), string(bytes.Repeat([]byte{byte(i)}, 10_000))}, pair{uint64(i), "short"})
	}
	s, out := sorted(t, Options{Memory: 8 << 10, Buffers: 2, Dir: t.TempDir()}, pairs)
	require.Equal(t, inOrder(pairs), out)
	require.Positive(t, s.Spilled())
}

func TestFolderThatIsNotThere(t *testing.T) {
	s := New(Options{Memory: 100, Buffers: 1, Dir: filepath.Join(t.TempDir(), "none"), Compare: bytes.Compare})
	b, err := s.Take(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Add(1, make([]byte, 90)))
	require.ErrorContains(t, b.Add(1, make([]byte, 90)), "sorted run: open ")
}

// Who waits for a buffer can be called off.
func TestTakeIsCalledOff(t *testing.T) {
	s := New(Options{Memory: 100, Buffers: 1, Compare: bytes.Compare})
	_, err := s.Take(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Take(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// A run that was damaged is an error, and not an end.
func TestDamagedRun(t *testing.T) {
	s := New(Options{Memory: 4 << 10, Buffers: 1, Dir: t.TempDir(), Compare: bytes.Compare})
	b, err := s.Take(t.Context())
	require.NoError(t, err)
	for i := range 200 {
		require.NoError(t, b.Add(uint64(i), make([]byte, 60)))
	}
	s.Give(b)
	require.NoError(t, s.runs[0].file.Truncate(s.runs[0].size/2))
	m, err := s.Merge()
	for err == nil && m.Next() {
	}
	if err == nil {
		err = m.Err()
	}
	require.ErrorContains(t, err, "sorted run: ")
}

func BenchmarkSort(b *testing.B) {
	const n = 1_000_000
	record := make([]byte, 38)
	for b.Loop() {
		s := New(Options{Memory: 256 << 20, Buffers: 1, Compare: bytes.Compare})
		buffer, err := s.Take(b.Context())
		require.NoError(b, err)
		random := rand.New(rand.NewPCG(1, 2))
		for range n {
			require.NoError(b, buffer.Add(random.Uint64(), record))
		}
		s.Give(buffer)
		m, err := s.Merge()
		require.NoError(b, err)
		for m.Next() {
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
