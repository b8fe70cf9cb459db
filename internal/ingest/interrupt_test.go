package ingest_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// blocking is an input whose opening waits, as that of a pipe without a writer does.
type blocking struct {
	opening chan struct{} // closed when it is being opened
	writer  chan struct{} // closed when it may continue
	closed  chan struct{}
	err     error
}

func newBlocking(err error) *blocking {
	return &blocking{
		opening: make(chan struct{}),
		writer:  make(chan struct{}),
		closed:  make(chan struct{}),
		err:     err,
	}
}

func (b *blocking) open() (io.ReadCloser, error) {
	close(b.opening)
	<-b.writer
	if b.err != nil {
		close(b.closed)
		return nil, b.err
	}
	return b, nil
}

func (b *blocking) Read([]byte) (int, error) { return 0, io.EOF }

func (b *blocking) Close() error { close(b.closed); return nil }

// A pipe that no program has opened for writing does not keep a load from ending. If the pipe is
// opened after all, the load closes it.
func TestInterruptedWhileOpening(t *testing.T) {
	for name, failure := range map[string]error{"opened later": nil, "failed later": errors.New("gone")} {
		t.Run(name, func(t *testing.T) {
			pipe := newBlocking(failure)
			job, c, _ := loadtest.NewJob(tabletest.Names, "k,v\na,1\n")
			job.Inputs = append(job.Inputs, ingest.Input{Name: "pipe", Open: pipe.open})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-pipe.opening; cancel() }()
			result, err := job.Run(ctx)
			require.ErrorIs(t, err, context.Canceled)
			require.LessOrEqual(t, result.Written, int64(1))
			require.Empty(t, c.Broken)
			close(pipe.writer)
			<-pipe.closed
		})
	}
}

// One that is opened in time is read.
func TestOpenedInTime(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names)
	entered, writer := make(chan struct{}), make(chan struct{})
	job.Inputs = []ingest.Input{{Name: "pipe", Open: func() (io.ReadCloser, error) {
		close(entered)
		<-writer
		return io.NopCloser(strings.NewReader("k,v\na,1\n")), nil
	}}}
	go func() { <-entered; close(writer) }()
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
}
