package ingest_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// halfway is a journal of a run that completed the first half of its input, and may have completed
// another input before it.
type halfway struct {
	*loadtest.PieceJournal
	from ingest.Piece // where the second half begins
	skip bool         // the input is taken up there, and not read from its beginning
}

func (j halfway) ResumePoint(input int) (ingest.Piece, bool) {
	if input == 1 {
		return ingest.Piece{}, true
	}
	if j.skip {
		return j.from, false
	}
	return ingest.Piece{}, false
}

// seekable is an input that can be taken up anywhere.
type seekable struct{ *strings.Reader }

func (seekable) Close() error { return nil }

func (s seekable) SkipTo(offset int64) (bool, error) {
	_, err := s.Seek(offset, io.SeekStart)
	return true, err
}

// A resumed load has the share of the whole, and knows the part of the earlier run. That holds if
// the part is read again, if it is passed over, and if entire inputs are.
func TestShareOfAResumedLoad(t *testing.T) {
	for name, c := range map[string]struct{ skip, other bool }{"read again": {}, "passed over": {skip: true}, "after another input": {true, true}} {
		t.Run(name, func(t *testing.T) {
			s := loadtest.Numbered("id,n", 200)
			job, cluster, rejects := loadtest.NewJob(tabletest.Hits, s)
			j := loadtest.NewPieceJournal(rejects)

			job.Journal, job.ChunkSize = j, 64
			loadtest.MustRun(t, job, cluster)
			h := halfway{PieceJournal: j, skip: c.skip}
			for offset, p := range j.Pieces {
				if offset < int64(len(s)/2) {
					continue
				}
				if h.from.Line == 0 || offset < h.from.Offset {
					h.from = p
				}
				delete(j.Pieces, offset)
				delete(j.Standing, offset)
			}
			job.Journal, job.Counters = h, &progress.Counters{}
			job.Inputs[0].Open = func() (io.ReadCloser, error) {
				return seekable{strings.NewReader(s)}, nil
			}
			total, before := int64(len(s)), h.from.Offset
			if c.other {
				job.Inputs = append(job.Inputs, ingest.Input{Name: "g", Size: 1000})
				total, before = total+1000, before+1000
			}
			job.Counters.Total.Store(total)
			cluster.Answer = func(context.Context, loadtest.Request) (bool, error) {
				share, known := job.Counters.Share()
				require.True(t, known)
				require.Less(t, share, 1.0)
				return true, nil
			}
			loadtest.MustRun(t, job, cluster)
			require.Equal(t, total, job.Counters.Total.Load())
			require.Equal(t, total, job.Counters.Done.Load())
			require.Equal(t, before, job.Counters.Before.Load())
		})
	}
}
