package count

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/row"
	"github.com/cqlbulk/cqlbulk/internal/test/sweeptest"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server counts the rows of a table as a node does: it answers each request with the number of rows
// in the range. Tests may set another answer.
type server struct {
	rows   []sweeptest.Row
	fail   func(ctx context.Context, r sweeptest.Request) error
	answer func(n int64) *sweeptest.Table // nil: one row of one bigint
	number atomic.Int64
}

func bigint(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }

// table makes an answer with these rows.
func table(rows ...[][]byte) *sweeptest.Table {
	t := &sweeptest.Table{}
	for _, cells := range rows {
		t.Rows = append(t.Rows, sweeptest.Row{Cells: cells})
	}
	return t
}

func (s *server) Open(_ context.Context, within token.Range) (token.Range, error) {
	return within, nil
}

func (s *server) Page(
	ctx context.Context,
	host string,
	within token.Range,
	state []byte,
	rows int,
) (row.Page, error) {
	if err := ctx.Err(); err != nil {
		return nil, fault.New(fault.Canceled, err)
	}
	r := sweeptest.Request{
		Host:   host,
		Within: within,
		Rows:   rows,
		Number: int(s.number.Add(1)) - 1,
		Page:   len(state),
	}
	if s.fail != nil {
		if err := s.fail(ctx, r); err != nil {
			return nil, err
		}
	}
	var n int64
	for _, r := range s.rows {
		if within == (token.Range{}) || within.Contains(r.Token) {
			n++
		}
	}
	answer := table([][]byte{bigint(n)})
	if s.answer != nil {
		answer = s.answer(n)
	}
	return answer.Page(ctx, host, token.Range{}, state, rows)
}

func newJob(s *server, splits int) *Job {
	return &Job{
		Reader: s,
		Splits: sweeptest.Splits(splits, rand.New(rand.NewPCG(1, 2))),
		Sweep: sweep.Options{
			Workers:  4,
			PageRows: 5000,
			Backoff:  pace.Backoff{Base: time.Microsecond, Max: 20 * time.Microsecond},
		},
		Counters: &progress.Counters{},
	}
}

func TestCount(t *testing.T) {
	for _, rows := range []int{0, 1, 1000} {
		job := newJob(&server{rows: sweeptest.Numbered(rows)}, 30)
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.EqualValues(t, rows, result.Rows)
		require.Equal(t, []int64{result.Rows}, result.ByVnode)
		require.Empty(t, result.Partitions)
		require.Len(t, result.Done, 30)
		require.Empty(t, result.Failed)
		c := job.Counters
		require.EqualValues(t, rows, c.Rows.Load())
		share, known := c.Share()
		require.True(t, known)
		require.Equal(t, 1.0, share)
		require.Zero(t, c.Retries.Load()+c.Failed.Load())
	}
}

// Counted is called with each range that counts and its rows.
func TestCountedRanges(t *testing.T) {
	job := newJob(&server{rows: sweeptest.Numbered(1000)}, 30)
	var rows, ranges atomic.Int64
	job.Counted = func(within token.Range, n int64) {
		require.NotEmpty(t, within)
		rows.Add(n)
		ranges.Add(1)
	}
	_, err := job.Run(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1000, rows.Load())
	require.EqualValues(t, 30, ranges.Load())
}

func TestCountOfOneRange(t *testing.T) {
	job := newJob(&server{rows: sweeptest.Numbered(77)}, 1)
	job.Splits = []token.Split{{}}
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 77, result.Rows)
}

// If several serial ranges are the zero Range, each has an answer of its own.
func TestCountOfTheSameRangeTwice(t *testing.T) {
	job := newJob(&server{rows: sweeptest.Numbered(10)}, 1)
	job.Splits = make([]token.Split, 3)
	job.Sweep.Workers = 1
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 30, result.Rows)
}

// Ranges that take too long are cut, and the number is the same.
func TestCountUnderFaults(t *testing.T) {
	for seed := range uint64(50) {
		s := &server{rows: sweeptest.Numbered(500)}
		s.fail = func(_ context.Context, r sweeptest.Request) error {
			random := rand.New(rand.NewPCG(seed, uint64(r.Number)))
			if x := random.IntN(6); x < 3 {
				return &fault.Error{
					Class:    []fault.Class{fault.Transient, fault.Overloaded, fault.Unknown}[x],
					Err:      errors.New("no answer"),
					Answered: true,
				}
			}
			return nil
		}
		job := newJob(s, 10)
		job.Sweep.MaxAttempts = 1000
		result, err := job.Run(context.Background())
		require.NoError(t, err)
		require.Empty(t, result.Failed)
		require.EqualValues(t, 500, result.Rows)
		require.NoError(t, token.Cover(token.Murmur3, token.Whole(token.Murmur3), result.Done))
		require.Positive(t, job.Counters.Retries.Load())
	}
}

// The number is that of the ranges that are done.
func TestCountWithAFailedRange(t *testing.T) {
	s := &server{rows: sweeptest.Numbered(500)}
	job := newJob(s, 10)
	bad := job.Splits[3].Range
	s.fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Within == bad {
			return &fault.Error{
				Class:    fault.Transient,
				Err:      errors.New("no replica"),
				Answered: true,
			}
		}
		return nil
	}
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.Len(t, result.Failed, 1)
	require.Equal(t, bad, result.Failed[0].Range)
	require.EqualValues(t, 1, job.Counters.Failed.Load())
	want := int64(0)
	for _, r := range s.rows {
		if !bad.Contains(r.Token) {
			want++
		}
	}
	require.Less(t, want, int64(500))
	require.Equal(t, want, result.Rows)
	require.Equal(t, want, job.Counters.Rows.Load())
}

// An answer may come in several pages. A range whose last page never came is not counted.
func TestAnswerInSeveralPages(t *testing.T) {
	s := &server{rows: sweeptest.Numbered(500)}
	s.answer = func(n int64) *sweeptest.Table {
		answer := table([][]byte{bigint(n)})
		answer.Trailing = true
		return answer
	}
	job := newJob(s, 10)
	result, err := job.Run(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 500, result.Rows)
	require.Len(t, result.Done, 10)

	s.fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Page > 0 {
			return &fault.Error{
				Class:    fault.Overloaded,
				Err:      errors.New("too much"),
				Answered: true,
			}
		}
		return nil
	}
	result, err = job.Run(context.Background())
	require.NoError(t, err)
	require.Zero(t, result.Rows)
	require.Len(t, result.Failed, 10)
	require.Empty(t, result.Done)
}

// If the answer for a range is not one number, it is an error.
func TestOddAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer *sweeptest.Table
		want   string
	}{
		{"no row", table(), "with 0 numbers instead of one"},
		{"two rows", table([][]byte{bigint(1)}, [][]byte{bigint(2)}), "with 2 numbers instead of one"},
		{"null", table([][]byte{nil}), "instead of a bigint"},
		{"an int", table([][]byte{{0, 0, 0, 7}}), "with 0x00000007 instead of a bigint"},
		{"a number too long", table([][]byte{append(bigint(1), 0)}), "with 0x000000000000000100 instead of a bigint"},
		{"a key and no number", table([][]byte{bigint(1), {1}}), "with 0x01 instead of a bigint"},
		{"no column", table([][]byte{{}}), "instead of a bigint"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := newJob(&server{answer: func(int64) *sweeptest.Table { return c.answer }}, 5)
			result, err := job.Run(context.Background())
			require.ErrorContains(t, err, "the server answered count(*)")
			require.ErrorContains(t, err, c.want)
			require.Zero(t, result.Rows)
			require.NoError(t, c.answer.Check())
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{rows: sweeptest.Numbered(500)}
	s.fail = func(_ context.Context, r sweeptest.Request) error {
		if r.Number == 7 {
			cancel()
		}
		return nil
	}
	_, err := newJob(s, 100).Run(ctx)
	require.Equal(t, fault.Canceled, fault.ClassOf(err))
}
