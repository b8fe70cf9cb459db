package ingest

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write"
)

// finder is a target that has all rows found again before it completes them.
type finder struct {
	*basket
	found func(kept []write.Row) error
}

// Run is a method of write.Target.
func (f finder) Run(ctx context.Context) error {
	select {
	case <-f.finished:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := f.found(f.kept); err != nil {
		return err
	}
	return f.basket.Run(ctx)
}

// finding runs a job whose rows are found again by their timestamps.
func finding(t *testing.T, text string, set func(*Job), found func(kept []write.Row) error) error {
	t.Helper()
	b := newBasket(true)
	job, _ := newJob(tabletest.Names, b, text)
	job.Target, job.ChunkSize, job.Memory = finder{b, found}, 4<<10, 1<<20
	job.Inputs[0].Plain = true
	set(job)
	_, err := job.Run(t.Context())
	return err
}

// A row is found again by its timestamp, when its text is no longer in memory.
func TestRowsAreFoundByTimestamp(t *testing.T) {
	json := func() string {
		var s strings.Builder
		for i := range 500 {
			fmt.Fprintf(&s, "{\"k\": \"k%d\", \"v\": \"value\", \"n\": %d}\n", i, i)
		}
		return s.String()
	}()
	for name, c := range map[string]struct {
		text string
		set  func(*Job)
	}{
		"delimited": {lines(500), func(*Job) {}},
		"JSON":      {json, func(j *Job) { j.Format, j.Header = format.JSON{}, false }},
		"an array": {
			"[" + strings.ReplaceAll(strings.TrimSpace(json), "\n", ",\n") + "]",
			func(j *Job) { j.Format, j.Header = format.JSON{}, false },
		},
		"far apart": {lines(500), func(j *Job) { j.StampStep = 4 }},
		"skipped":   {lines(500), func(j *Job) { j.SkipRows, j.MaxRows = 33, 300 }},
		"a journal": {lines(500), func(j *Job) { j.Journal = struct{ *book }{j.Journal.(*book)} }},
	} {
		t.Run(name, func(t *testing.T) {
			all := 0
			require.NoError(t, finding(t, c.text, c.set, func(kept []write.Row) error {
				for _, want := range kept {
					r, err := want.Tracker.Find(t.Context(), want.Stamp)
					require.NoError(t, err)
					require.NotNil(t, r)
					require.Equal(t, want.Source, r.Source)
					require.Equal(t, want.Sum, r.Sum)
					require.Equal(t, want.Timestamp, r.Timestamp)
					require.Equal(t, want.Tracker, r.Tracker)
					all++
				}
				first := kept[0]
				for _, other := range []int64{first.Stamp - 1_000_000, first.Stamp + 1_000_000} {
					r, err := first.Tracker.Find(t.Context(), other)
					require.NoError(t, err)
					require.Nil(t, r)
				}
				return nil
			}))
			require.Greater(t, all, 200)
		})
	}
}

// A row is not found that has no timestamp of its own, or whose input can be read once only.
func TestRowsThatAreNotFoundByTimestamp(t *testing.T) {
	fixed := int64(1_700_000_000_000_000)
	for name, set := range map[string]func(*Job){
		"one timestamp":   func(j *Job) { j.Timestamp = &fixed },
		"given ones":      func(j *Job) { j.Inputs[0].Stamps = []int64{fixed} },
		"an input by now": func(j *Job) { j.Inputs[0].Plain = false },
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, finding(t, lines(50), set, func(kept []write.Row) error {
				r, err := kept[0].Tracker.Find(t.Context(), kept[0].Stamp)
				require.NoError(t, err)
				require.Nil(t, r)
				return nil
			}))
		})
	}
	t.Run("times of columns", func(t *testing.T) {
		require.NoError(
			t,
			finding(t, "k,v,writetime(v)\nk1,v1,5\n", func(*Job) {}, func(kept []write.Row) error {
				r, err := kept[0].Tracker.Find(t.Context(), kept[0].Stamp)
				require.NoError(t, err)
				require.Nil(t, r)
				return nil
			}),
		)
	})
}

// An input that was changed is not taken for the one that was read.
func TestRowsOfAChangedInput(t *testing.T) {
	for name, c := range map[string]struct{ now, want string }{
		"other bytes": {strings.ReplaceAll(lines(50), "value 3", "value 4"), "the input was changed"},
		"shorter":     {lines(5), "in.csv: unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			opened := 0
			err := finding(t, "", func(j *Job) {
				j.Journal = struct{ *book }{j.Journal.(*book)}
				j.Inputs[0].Open = func() (io.ReadCloser, error) {
					text := lines(50)
					if opened++; opened > 1 {
						text = c.now
					}
					return io.NopCloser(strings.NewReader(text)), nil
				}
			}, func(kept []write.Row) error {
				_, err := kept[0].Tracker.Find(t.Context(), kept[0].Stamp)
				return err
			})
			require.ErrorContains(t, err, c.want)
		})
	}
}

// A search ends when its context does, in the midst of an input that is read from its beginning.
func TestSearchForARowIsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opened := 0
	err := finding(t, "", func(j *Job) {
		j.Inputs[0].Open = func() (io.ReadCloser, error) {
			var in io.Reader = strings.NewReader(lines(500))
			if opened++; opened > 1 {
				in = io.MultiReader(canceling{cancel}, in)
			}
			return io.NopCloser(in), nil
		}
	}, func(kept []write.Row) error {
		last := kept[len(kept)-1]
		_, err := last.Tracker.Find(ctx, last.Stamp)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
}

// canceling is an empty input that calls off what reads it.
type canceling struct{ cancel context.CancelFunc }

// Read is a method of io.Reader.
func (c canceling) Read([]byte) (int, error) {
	c.cancel()
	return 0, io.EOF
}
