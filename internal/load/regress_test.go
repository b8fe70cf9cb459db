package load

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
)

func TestJSONMembersTradePlaces(t *testing.T) {
	job, c, _ := newJob(t, names, `{"k":"a","v":"old","w":"new"}`+"\n")
	job.JSON = true
	job.Fields = ingest.Fields{Renamed: map[string]string{"w": "v"}, Skipped: []string{"v"}}
	require.EqualValues(t, 1, mustRun(t, job, c).Written)
	require.Equal(t, "new", c.cells["k=61 "]["v"].value)

	for range 20 { // the order of a map differs from run to run
		job, c, _ = newJob(t, names, `{"v":"a","k":"b"}`+"\n")
		job.JSON = true
		job.Fields = ingest.Fields{Renamed: map[string]string{"v": "k", "k": "v"}}
		require.EqualValues(t, 1, mustRun(t, job, c).Written)
		require.Equal(t, "b", c.cells["k=61 "]["v"].value)
	}
}

// A limit that is passed ends the run although the input keeps silent.
func TestLimitDoesNotWaitForTheInput(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	job, _, _ := newJob(t, names)
	job.MaxParseErrors, job.ChunkSize = 0, 16
	job.Inputs = []ingest.Input{
		{Name: "stdin", Open: func() (io.ReadCloser, error) { return in, nil }},
	}
	go func() { _, _ = out.Write([]byte("k,v,n\na,b,notanumber\nb,c,1\nc,c,1\nd,d,1\n")) }()
	_, err := job.Run(t.Context())
	var limit *ingest.LimitError
	require.ErrorAs(t, err, &limit)
}

func TestSkippedRowsTakeNoTimestamps(t *testing.T) {
	const skipped = 3_000_000
	job, c, _ := newJob(t, names, "k,v,n\n"+strings.Repeat("a\n", skipped)+"z,z,1\n")
	job.SkipRows = skipped
	require.EqualValues(t, 1, mustRun(t, job, c).Written)
	require.LessOrEqual(t, c.stamps[0], time.Now().UnixMicro())
}

func TestBadLinesAreSkippedAndCounted(t *testing.T) {
	const input = "k,v,n\na,\"open,1\nb,b,2\nc,c,3\n"
	job, c, rejects := newJob(t, names, input)
	job.SkipRows = 1
	require.EqualValues(t, 2, mustRun(t, job, c).Written)
	require.Empty(t, rejects.rejects)
	job, c, rejects = newJob(t, names, input)
	job.MaxRows = 1
	require.EqualValues(t, 1, mustRun(t, job, c).Read)
	require.Len(t, rejects.rejects, 1)
}

func TestInFlightHoldsForAllNodesTogether(t *testing.T) {
	job, c, _ := newJob(t, names)
	job.Router = ring(t, 6, 8)
	c.router = job.Router
	var b strings.Builder
	b.WriteString("k,v,n\n")
	for i := range 2000 {
		b.WriteString("key" + time.Duration(i).String() + ",v,1\n")
	}
	job.Inputs = []ingest.Input{text("f", b.String())}
	job.CQL.InFlight = 2
	var now, most atomic.Int64
	c.answer = func(context.Context, request) (bool, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return true, nil
	}
	mustRun(t, job, c)
	require.LessOrEqual(t, most.Load(), int64(2))
}

func TestLimitKeepsTheWholeBatch(t *testing.T) {
	job, c, rejects := newJob(t, events, "k,c,id,v\n1,1,1,a\n1,2,2,a\n1,3,3,a\n1,4,4,a\n")
	job.MaxInsertErrors, job.CQL.Attempts = 0, 1
	c.answer = func(context.Context, request) (bool, error) { return false, failure(fault.Transient, "unavailable") }
	_, err := job.Run(t.Context())
	var limit *ingest.LimitError
	require.ErrorAs(t, err, &limit)
	require.Len(t, rejects.rejects, 4)
}
