package count

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// grouped returns the answers of count(*) GROUP BY, in the order of the ring. Each partition has a
// row with its key of two cells and its number of rows.
func grouped(sizes ...int64) (*sweeptest.Table, []Partition) {
	answers := &sweeptest.Table{Rows: sweeptest.Numbered(len(sizes))}
	all := make([]Partition, len(sizes))
	for i, n := range sizes {
		key := [][]byte{fmt.Appendf(nil, "key %d", (i*7919)%100003), {byte(i)}}
		answers.Rows[i].Cells = append(slices.Clone(key), bigint(n))
		all[i] = Partition{key, n}
	}
	slices.SortFunc(all, func(a, b Partition) int {
		if a.Rows != b.Rows {
			return int(b.Rows - a.Rows)
		}
		return slices.CompareFunc(a.Key, b.Key, bytes.Compare)
	})
	return answers, all
}

// sizes makes n random sizes of partitions. Many are equal.
func sizes(r *rand.Rand, n int) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = 1 + r.Int64N(12)
	}
	return s
}

func sum(sizes []int64) int64 {
	var n int64
	for _, s := range sizes {
		n += s
	}
	return n
}

// newGrouped makes a job that keeps the largest partitions of a table.
func newGrouped(reader *sweeptest.Table, splits, top int) *Job {
	job := newJob(nil, splits)
	job.Reader, job.Top, job.Sweep.PageRows = reader, top, 7
	return job
}

// The largest partitions do not depend on the workers and the order in which they counted. Those of
// equal size are sorted by key.
func TestTop(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		counted := sizes(r, r.IntN(400))
		answers, all := grouped(counted...)
		job := newGrouped(answers, 1+r.IntN(30), 1+r.IntN(50))
		job.Sweep.Workers = 1 + r.IntN(8)
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, answers.Check())
		require.Equal(t, sum(counted), result.Rows)
		require.Equal(t, sum(counted), job.Counters.Rows.Load())
		want := all[:min(job.Top, len(all))]
		require.Len(t, result.Partitions, len(want))
		for i := range want {
			require.Equal(t, want[i], result.Partitions[i])
		}
	}
}

// If a range is cut or retried, its partitions count once.
func TestTopUnderFaults(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		counted := sizes(r, 300)
		answers, all := grouped(counted...)
		var requests atomic.Uint64
		answers.Fail = func(context.Context, sweeptest.Request) error {
			if x := rand.New(rand.NewPCG(seed, requests.Add(1))).IntN(10); x < 5 {
				return &fault.Error{
					Class: []fault.Class{
						fault.Transient, fault.Overloaded, fault.Unknown, fault.Unknown,
						fault.Unknown,
					}[x],
					Err:      errors.New("no answer"),
					Answered: true,
				}
			}
			return nil
		}
		job := newGrouped(answers, 8, 20)
		job.Sweep.MaxAttempts = 1000
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), result.Done))
		require.Equal(t, sum(counted), result.Rows)
		require.Equal(t, all[:20], result.Partitions)
	}
}

// If a range was given up after some of its pages, its partitions are neither among the largest nor
// in the numbers.
func TestTopWithFailedRanges(t *testing.T) {
	counted := sizes(rand.New(rand.NewPCG(1, 3)), 300)
	answers, _ := grouped(counted...)
	for i := range answers.Rows {
		if i < 150 { // the first half of the ring has the large ones
			counted[i] += 1000
			answers.Rows[i].Cells[2] = bigint(counted[i])
		}
	}
	job := newGrouped(answers, 1, 10)
	job.Splits = []token.Split{
		{Range: sweeptest.Between(0, 499)},
		{Range: sweeptest.Between(499, 1000)},
	}
	job.Sweep.Workers = 1 // the same worker continues with the next range
	for _, class := range []fault.Class{fault.Transient, fault.Unknown} {
		answers.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Within.Start == job.Splits[0].Range.Start && r.Page == 3 {
				return &fault.Error{Class: class, Err: errors.New("no answer"), Answered: true}
			}
			return nil
		}
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Len(t, result.Failed, 1)
		require.Equal(t, job.Splits[0].Range, result.Failed[0].Range)
		require.Equal(t, []token.Range{job.Splits[1].Range}, result.Done)
		var want int64
		for i, r := range answers.Rows {
			if job.Splits[1].Range.Contains(r.Token) {
				want += counted[i]
			}
		}
		require.Equal(t, want, result.Rows)
		require.Len(t, result.Partitions, 10)
		for _, p := range result.Partitions {
			require.Less(t, p.Rows, int64(1000))
		}
	}
}

// onRing is grouped with each partition at the token of its key.
func onRing(sizes ...int64) (*sweeptest.Table, []Partition) {
	answers, all := grouped(sizes...)
	for i := range answers.Rows {
		answers.Rows[i].Token = token.Murmur3.Hash(
			token.AppendKey(nil, answers.Rows[i].Cells[:2]...),
		)
	}
	slices.SortFunc(answers.Rows, func(a, b sweeptest.Row) int { return a.Token.Compare(b.Token) })
	return answers, all
}

// If the later pages of a range cannot be answered in time, it is cut behind the partitions that
// have come. These are not counted again.
func TestRangeIsCutBetweenPartitions(t *testing.T) {
	for seed := range uint64(20) {
		counted := sizes(rand.New(rand.NewPCG(seed, 5)), 300)
		answers, all := onRing(counted...)
		var pages atomic.Int64
		answers.Fail = func(_ context.Context, r sweeptest.Request) error {
			if r.Page >= 3 {
				return &fault.Error{
					Class:    fault.Unknown,
					Err:      errors.New("no answer"),
					Answered: true,
				}
			}
			pages.Add(1)
			return nil
		}
		job := newGrouped(answers, 3, 10)
		job.Partitioner = token.Murmur3
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, answers.Check())
		require.Empty(t, result.Failed)
		require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), result.Done))
		require.Greater(t, len(result.Done), 5)
		require.Less(t, pages.Load(), int64(300), "pages of a few partitions each")
		require.Equal(t, sum(counted), result.Rows)
		require.Equal(t, sum(counted), job.Counters.Rows.Load())
		require.Equal(t, []int64{result.Rows}, result.ByVnode)
		require.Equal(t, all[:10], result.Partitions)
	}
}

// If two partitions have the same token, the range is not cut between them.
func TestPartitionsOfOneTokenStayTogether(t *testing.T) {
	answers, _ := onRing(sizes(rand.New(rand.NewPCG(1, 6)), 40)...)
	for i := 0; i+1 < len(answers.Rows); i += 2 {
		answers.Rows[i+1].Token = answers.Rows[i].Token
	}
	var want int64
	at := make(map[string]token.Token)
	for _, r := range answers.Rows {
		at[string(token.AppendKey(nil, r.Cells[:2]...))] = r.Token
		want += int64(binary.BigEndian.Uint64(r.Cells[2]))
	}
	answers.Fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Page >= 2 {
			return &fault.Error{Class: fault.Unknown, Err: errors.New("no answer"), Answered: true}
		}
		return nil
	}
	job := newGrouped(answers, 1, 10)
	job.Partitioner, job.Sweep.PageRows = listed{token.Murmur3, at}, 3
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Empty(t, result.Failed)
	require.Equal(t, want, result.Rows)
	for _, r := range result.Done {
		require.True(
			t,
			r.End == token.Murmur3.Max() ||
				slices.ContainsFunc(
					answers.Rows,
					func(row sweeptest.Row) bool { return row.Token == r.End },
				),
		)
	}
}

// listed is a partitioner that takes tokens from a list.
type listed struct {
	token.Partitioner
	at map[string]token.Token
}

func (l listed) Hash(key []byte) token.Token { return l.at[string(key)] }

// However many partitions there are, a worker keeps only the number in Job.Top.
func TestTopIsBounded(t *testing.T) {
	kept := largestPartitions{keep: 5}
	for i := range 10000 {
		kept.add([][]byte{{byte(i), byte(i >> 8)}}, int64(i%100))
		require.LessOrEqual(t, len(kept.heap), 5)
		require.LessOrEqual(t, cap(kept.heap), 8)
	}
	none := largestPartitions{}
	none.add([][]byte{{1}}, 7)
	require.Empty(t, none.sorted())
}

// A partition that is not kept costs only a comparison.
func TestOfferDoesNotAllocate(t *testing.T) {
	kept := largestPartitions{keep: 2}
	kept.add([][]byte{[]byte("a")}, 9)
	kept.add([][]byte{[]byte("b")}, 9)
	key := [][]byte{[]byte("c")}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		kept.add(key, 8)
		kept.add(key, 9)
	}))
}

// Numbers whose difference exceeds 2^63 are sorted correctly.
func TestTopOfExtremes(t *testing.T) {
	kept := largestPartitions{keep: 3}
	for i, n := range []int64{-1 << 63, 1<<63 - 1, 0, -5, 5} {
		kept.add([][]byte{{byte(i)}}, n)
	}
	var rows []int64
	for _, p := range kept.sorted() {
		rows = append(rows, p.Rows)
	}
	require.Equal(t, []int64{1<<63 - 1, 5, 0}, rows)
}

// The totals of the vnode ranges are those of the rows in them, even if ranges are cut or cannot be
// read.
func TestByVnode(t *testing.T) {
	const vnodes = 4
	find := func(at token.Token) int {
		for vnode := range vnodes {
			if sweeptest.Between(vnode*1000/vnodes, (vnode+1)*1000/vnodes).Contains(at) {
				return vnode
			}
		}
		return vnodes - 1
	}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := &server{rows: sweeptest.Numbered(400)}
		lost := r.IntN(2 * vnodes) // the vnode range that cannot be read, if it is one
		s.fail = func(_ context.Context, q sweeptest.Request) error {
			if find(q.Within.End) == lost {
				return &fault.Error{
					Class:    fault.Transient,
					Err:      errors.New("no replica"),
					Answered: true,
				}
			}
			if rand.New(rand.NewPCG(seed, uint64(q.Number))).IntN(3) == 0 {
				return &fault.Error{
					Class:    fault.Unknown,
					Err:      errors.New("no answer"),
					Answered: true,
				}
			}
			return nil
		}
		job := newJob(s, 1)
		job.Vnodes, job.Find, job.Splits = vnodes, find, nil
		job.Sweep.MaxAttempts = 50
		for vnode := range vnodes {
			for part := range 5 {
				from, to := vnode*1000/vnodes, (vnode+1)*1000/vnodes
				job.Splits = append(
					job.Splits,
					token.Split{
						Set:   vnode,
						Range: sweeptest.Between(from+part*(to-from)/5, from+(part+1)*(to-from)/5),
					},
				)
			}
		}
		want := make([]int64, vnodes)
		for _, r := range s.rows {
			if vnode := find(r.Token); vnode != lost {
				want[vnode]++
			}
		}
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, result.ByVnode)
		require.Equal(t, sum(want), result.Rows)
		require.Equal(t, lost < vnodes, len(result.Failed) > 0)
	}
}

// When counting by partition, an empty range has no answer, which is not an error.
func TestRangesWithoutPartitions(t *testing.T) {
	job := newGrouped(&sweeptest.Table{}, 12, 5)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Zero(t, result.Rows)
	require.Empty(t, result.Partitions)
	require.Len(t, result.Done, 12)
}

// BenchmarkTop measures the cost of a partition that is not among the largest.
func BenchmarkTop(b *testing.B) {
	kept := largestPartitions{keep: 20}
	key := [][]byte{make([]byte, 16)}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		kept.add(key, int64(i%1000))
	}
}
