package extsort

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pair is a record and its number.
type pair struct {
	number uint64
	record string
}

// hint is right for most records, equal for some, and wrong for those of one length.
func hint(record string) uint64 {
	h := binary.BigEndian.Uint64(append([]byte(record), make([]byte, 8)...))
	if len(record) == 7 {
		return ^h
	}
	return h >> 16
}

// sorted adds pairs from several goroutines, and returns them as they come back.
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
					if err := b.Add(p.number, hint(p.record), []byte(p.record)); err != nil {
						t.Error(err)
					}
				}
				s.Give(b)
			}
		})
	}
	adding.Wait()
	merges := s.Merges()
	require.Len(t, merges, max(o.Stretches, 1))
	parts := make([][]pair, len(merges))
	var merging sync.WaitGroup
	for i, m := range merges {
		merging.Go(func() {
			for m.Next() {
				record, err := m.AppendRecord(nil)
				if err != nil {
					t.Error(err)
					return
				}
				parts[i] = append(parts[i], pair{m.Number(), string(record)})
			}
		})
	}
	merging.Wait()
	for _, m := range merges {
		require.NoError(t, m.Err())
		require.False(t, m.Next())
	}
	return s, slices.Concat(parts...)
}

func inOrder(pairs []pair) []pair {
	return slices.SortedFunc(slices.Values(pairs), func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.record, b.record))
	})
}

// The output is the sorted input, whether it fits into memory, makes a few runs, or enough runs to
// be merged into larger ones.
func TestSort(t *testing.T) {
	for _, tc := range []struct {
		name      string
		n         int
		memory    int64
		buffers   int
		stretches int
		spills    bool
	}{
		{"nothing", 0, 1 << 20, 2, 0, false},
		{"one", 1, 1 << 20, 2, 2, false},
		{"in memory", 2000, 1 << 20, 3, 1, false},
		{"in memory, by stretches", 2000, 1 << 20, 3, 3, false},
		{"some runs", 5000, 64 << 10, 2, 4, true},
		{"some runs, compressed", 5001, 64 << 10, 2, 4, true},
		{"runs of runs", 60_000, 4 << 10, 2, 1, true},
		{"runs of runs, by stretches, compressed", 30_001, 4 << 10, 2, 5, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			var pairs []pair
			for range tc.n {
				number := random.Uint64()
				if random.IntN(3) == 0 {
					number %= 10 // so that records are compared
				}
				pairs = append(
					pairs,
					pair{
						number,
						string(make([]byte, random.IntN(20))) + fmt.Sprint(random.IntN(100)),
					},
				)
			}
			dir := t.TempDir()
			s, out := sorted(
				t,
				Options{
					Compress:  tc.n%2 == 1,
					Memory:    tc.memory,
					Buffers:   tc.buffers,
					Stretches: tc.stretches,
					Dir:       dir,
				},
				pairs,
			)
			require.Equal(t, inOrder(pairs), slices.Clone(out))
			require.Equal(t, tc.spills, s.Spilled() > 0)
			require.Less(t, len(s.runs), 3*fanIn)
			require.Equal(
				t,
				strings.HasPrefix(tc.name, "runs of runs"),
				slices.ContainsFunc(s.runs, func(r *run) bool { return r.level > 0 }),
			)
			left, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, left, "a run must leave nothing behind")
		})
	}
}

// The estimate of different numbers is exact for few, and within a few percent for many, in memory
// and on disk.
func TestNumbers(t *testing.T) {
	for _, tc := range []struct {
		memory      int64
		times, n    int
		spills      bool
		least, most int64
	}{
		{1 << 20, 3, 100, false, 100, 100},
		{1 << 10, 3, 100, true, 100, 100},
		{16 << 20, 1, 100_000, false, 95_000, 105_000},
		{64 << 10, 3, 100_000, true, 95_000, 105_000},
	} {
		s := New(
			Options{
				Memory:    tc.memory,
				Buffers:   2,
				Stretches: 2,
				Dir:       t.TempDir(),
				Compare:   bytes.Compare,
			},
		)
		for time := range tc.times {
			b, err := s.Take(t.Context())
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(3, 4))
			for range tc.n {
				require.NoError(t, b.Add(random.Uint64(), 0, fmt.Append(nil, time)))
			}
			s.Give(b)
		}
		for range 2 {
			merges := s.Merges()
			require.Equal(t, tc.spills, s.Spilled() > 0)
			all := int64(0)
			for _, m := range merges {
				require.InDelta(t, tc.n/2, m.Numbers(), float64(tc.n)/8)
				all += m.Numbers()
			}
			require.GreaterOrEqual(t, all, tc.least)
			require.LessOrEqual(t, all, tc.most)
		}
		require.NoError(t, s.Close())
	}
}

// The estimate also holds for inputs that were divided by the lowest bits of the numbers.
func TestNumbersThatHaveBitsInCommon(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, shift := range []int{1, 5, 20} {
		d := &distinct{}
		for range 50_000 {
			d.add(random.Uint64()<<shift | 1)
		}
		require.InDelta(t, 50_000, d.count(), 5_000, "%d bits", shift)
	}
}

// Numbers with many, all or no bits in common are sorted alike, whether there are few or many.
func TestEntriesAreSortedByTheirBits(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	compare := func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.at, b.at))
	}
	for _, n := range []int{0, 1, fewBy - 1, fewBy, 5000} {
		for _, mask := range []uint64{
			0, 1, 3, 0xff, 0xff << 56, 0x8000_0000_0000_0001, 0xf0f0_f0f0_f0f0_f0f0, math.MaxUint64,
		} {
			entries := make([]entry, n)
			for i := range entries {
				entries[i] = entry{number: random.Uint64()&mask | 1<<40, at: random.IntN(n)}
			}
			want := slices.Clone(entries)
			slices.SortFunc(want, compare)
			sortEntries(entries, 64-radixBits, compare)
			require.Equal(t, want, entries, "%d entries, %x", n, mask)
		}
	}
}

// A record that is longer than a buffer is sorted like others, and its memory is released.
func TestLongRecords(t *testing.T) {
	var pairs []pair
	for i := range 20 {
		pairs = append(
			pairs,
			pair{uint64(i % 3), string(bytes.Repeat([]byte{byte(i)}, 10_000))},
			pair{uint64(i), "short"},
		)
	}
	s, out := sorted(t, Options{Memory: 8 << 10, Buffers: 2, Dir: t.TempDir()}, pairs)
	require.Equal(t, inOrder(pairs), out)
	require.Positive(t, s.Spilled())
}

// A buffer does not exceed its memory, whatever the lengths of its records are.
func TestMemoryOfABuffer(t *testing.T) {
	s := New(Options{Memory: 1 << 20, Buffers: 1, Dir: t.TempDir(), Compare: bytes.Compare})
	b, err := s.Take(t.Context())
	require.NoError(t, err)
	for i := range 3000 {
		require.NoError(t, b.Add(uint64(i), 0, make([]byte, 1000+i)))
		require.LessOrEqual(t, cap(b.records), 1<<20)
	}
	s.Give(b)
	require.NoError(t, s.Close())
}

// A merge has only the heads of large records in memory.
// A buffer that is larger than it may be by now writes its records to disk, and loses none.
func TestMemoryIsTakenBack(t *testing.T) {
	s := New(Options{Memory: 1 << 20, Buffers: 1, Dir: t.TempDir(), Compare: bytes.Compare})
	b, err := s.Take(t.Context())
	require.NoError(t, err)
	const n = 600
	for i := range n {
		if i == n/2 {
			require.Greater(t, cap(b.records), 1<<19)
			s.SetMemory(1 << 18)
		}
		require.NoError(t, b.Add(uint64(i), 0, make([]byte, 1000)))
	}
	require.LessOrEqual(t, cap(b.records), 1<<18)
	s.Give(b)
	var numbers int
	for _, m := range s.Merges() {
		for m.Next() {
			require.EqualValues(t, numbers, m.Number())
			numbers++
		}
		require.NoError(t, m.Err())
	}
	require.Equal(t, n, numbers)
	require.NoError(t, s.Close())
}

func TestHeadsOfLargeRecords(t *testing.T) {
	const head, large = 9, 3 * largeRecord
	s := New(Options{
		Memory:    8 << 10,
		Buffers:   1,
		Stretches: 2,
		Dir:       t.TempDir(),
		Compare:   func(a, b []byte) int { return bytes.Compare(a[:head], b[:head]) },
		Head:      func([]byte) int { return head },
	})
	b, err := s.Take(t.Context())
	require.NoError(t, err)
	const n = 2*fanIn + 10
	record := func(i int) []byte { return append(fmt.Appendf(nil, "%0*d", head, i), make([]byte, large+i)...) }
	for i := range n {
		require.NoError(t, b.Add(7, 0, record(i*7%n)))
	}
	s.Give(b)
	m := s.Merges()[0]
	for i := range n {
		require.True(t, m.Next())
		held := 0
		for _, h := range m.heap {
			held += cap(h.record)
		}
		require.Less(t, held, large/2)
		if i%3 == 0 {
			continue // is not read
		}
		got, err := m.AppendRecord(nil)
		require.NoError(t, err)
		require.True(t, bytes.Equal(record(i), got))
	}
	require.False(t, m.Next())
	require.NoError(t, m.Err())
	require.NoError(t, s.Close())
}

// While runs are merged, others write runs of their own.
func TestRunsAreAddedWhileOthersAreJoined(t *testing.T) {
	joining, added := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s := New(Options{Memory: 200, Buffers: 2, Dir: t.TempDir(), Compare: func(a, b []byte) int {
		first.Do(func() {
			close(joining)
			<-added
		})
		return bytes.Compare(a, b)
	}})
	record := func(i int) []byte { return fmt.Appendf(nil, "%0200d", i) }
	joins, err := s.Take(t.Context())
	require.NoError(t, err)
	adds, err := s.Take(t.Context())
	require.NoError(t, err)
	var both sync.WaitGroup
	both.Go(func() {
		for i := range fanIn {
			assert.NoError(t, joins.Add(7, 0, record(i)))
		}
	})
	both.Go(func() {
		<-joining
		assert.NoError(t, adds.Add(7, 0, record(fanIn)))
		assert.EqualValues(t, (fanIn+1)*(8+2+200), s.Spilled())
		close(added)
	})
	both.Wait()
	require.Len(t, s.runs, 2)
	s.Give(joins)
	s.Give(adds)
	m := s.Merges()[0]
	for i := range fanIn + 1 {
		require.True(t, m.Next())
		require.Equal(t, record(i), m.Head())
	}
	require.False(t, m.Next())
	require.NoError(t, s.Close())
}

func TestFolderThatIsNotThere(t *testing.T) {
	s := New(
		Options{
			Memory:  100,
			Buffers: 1,
			Dir:     filepath.Join(t.TempDir(), "none"),
			Compare: bytes.Compare,
		},
	)
	b, err := s.Take(t.Context())
	require.NoError(t, err)
	require.NoError(t, b.Add(1, 0, make([]byte, 40)))
	require.ErrorContains(t, b.Add(1, 0, make([]byte, 40)), "sorted run: open ")
	require.ErrorContains(t, b.Add(1, 0, make([]byte, 90)), "sorted run: open ", "a run of its own")
}

// Take returns if the context ends.
func TestTakeIsCalledOff(t *testing.T) {
	s := New(Options{Memory: 100, Buffers: 1, Compare: bytes.Compare})
	_, err := s.Take(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Take(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// A run that was truncated is an error and not an end, even if a record ends there.
func TestDamagedRun(t *testing.T) {
	const record = 8 + 1 + 60 // with its number and its length
	for _, size := range []int64{0, record, 10*record + 5, 20 * record} {
		s := New(Options{Memory: 4 << 10, Buffers: 1, Dir: t.TempDir(), Compare: bytes.Compare})
		b, err := s.Take(t.Context())
		require.NoError(t, err)
		for i := range 200 {
			require.NoError(t, b.Add(uint64(i), 0, make([]byte, 60)))
		}
		s.Give(b)
		require.Greater(t, s.runs[0].size(), size)
		require.NoError(t, s.runs[0].file.Truncate(size))
		m := s.Merges()[0]
		for m.Next() {
		}
		require.ErrorContains(t, m.Err(), "sorted run: ")
		require.NoError(t, s.Close())
	}
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
			require.NoError(b, buffer.Add(random.Uint64(), 0, record))
		}
		s.Give(buffer)
		for m := s.Merges()[0]; m.Next(); {
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkSpill sorts 1,000,000 records with memory for some of them.
func BenchmarkSpill(b *testing.B) {
	const n = 1_000_000
	record := make([]byte, 120)
	for b.Loop() {
		s := New(Options{Memory: 16 << 20, Buffers: 1, Dir: b.TempDir(), Compare: bytes.Compare})
		buffer, err := s.Take(b.Context())
		require.NoError(b, err)
		random := rand.New(rand.NewPCG(1, 2))
		for range n {
			require.NoError(b, buffer.Add(random.Uint64(), 0, record))
		}
		s.Give(buffer)
		for m := s.Merges()[0]; m.Next(); {
		}
		require.NoError(b, s.Close())
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
