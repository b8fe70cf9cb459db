package load

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
)

// slowly is an input that gives one text after the other, and pauses in between.
type slowly struct {
	texts []string
	pause time.Duration
	stop  <-chan struct{} // ends a pause
	begun bool
}

func (s *slowly) Read(p []byte) (int, error) {
	if len(s.texts) == 0 {
		return 0, io.EOF
	}
	if s.begun {
		select {
		case <-time.After(s.pause):
		case <-s.stop:
		}
	}
	s.begun = true
	n := copy(p, s.texts[0])
	s.texts = s.texts[1:]
	return n, nil
}

func (s *slowly) Close() error { return nil }

// An input that has nothing to give for long is no cluster that does not answer.
func TestAnIdleInputIsNoSilenceOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		job, c, rejects := newJob(t, hits)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		in := &slowly{texts: []string{"id,n\n", "1,1\n", "2,1\n", "3,1\n", "4,1\n"}, pause: 10 * time.Minute, stop: ctx.Done()}
		job.Inputs = []Input{{Name: "pipe", Open: func() (io.ReadCloser, error) { return in, nil }}}
		job.ChunkSize, job.Patience = 4, time.Minute
		c.answer = func(_ context.Context, r request) (bool, error) {
			if r.ids[0] == 4 {
				return true, nil
			}
			return false, fault.New(fault.Unknown, errors.New("connection closed"))
		}
		result := mustRun(t, job, c)
		require.Equal(t, Result{Tally: Tally{Read: 4, Written: 1, InDoubt: 3}, Batches: 1}, counts(result))
		require.Len(t, rejects.rejects, 3)
	})
}
