package ingest_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/format"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

func TestJSONMembersTradePlaces(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names, `{"k":"a","v":"old","w":"new"}`+"\n")
	job.Format = format.JSON{}
	job.Fields = ingest.Fields{Renamed: map[string]string{"w": "v"}, Skipped: []string{"v"}}
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	require.Equal(t, "new", c.Cells["k=61 "]["v"].Value)

	for range 20 { // the order of a map differs from run to run
		job, c, _ = loadtest.NewJob(tabletest.Names, `{"v":"a","k":"b"}`+"\n")
		job.Format = format.JSON{}
		job.Fields = ingest.Fields{Renamed: map[string]string{"v": "k", "k": "v"}}
		require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
		require.Equal(t, "b", c.Cells["k=61 "]["v"].Value)
	}
}

// A limit that is passed ends the run although the input keeps silent.
func TestLimitDoesNotWaitForTheInput(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	job, _, _ := loadtest.NewJob(tabletest.Names)
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
	job, c, _ := loadtest.NewJob(tabletest.Names, "k,v,n\n"+strings.Repeat("a\n", skipped)+"z,z,1\n")
	job.SkipRows = skipped
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Written)
	require.LessOrEqual(t, c.Stamps[0], time.Now().UnixMicro())
}

func TestBadLinesAreSkippedAndCounted(t *testing.T) {
	const input = "k,v,n\na,\"open,1\nb,b,2\nc,c,3\n"
	job, c, rejects := loadtest.NewJob(tabletest.Names, input)
	job.SkipRows = 1
	require.EqualValues(t, 2, loadtest.MustRun(t, job, c).Written)
	require.Empty(t, rejects.Rejects)
	job, c, rejects = loadtest.NewJob(tabletest.Names, input)
	job.MaxRows = 1
	require.EqualValues(t, 1, loadtest.MustRun(t, job, c).Read)
	require.Len(t, rejects.Rejects, 1)
}

func TestLimitKeepsTheWholeBatch(t *testing.T) {
	job, c, rejects := loadtest.NewJob(tabletest.Events, "k,c,id,v\n1,1,1,a\n1,2,2,a\n1,3,3,a\n1,4,4,a\n")
	job.MaxInsertErrors, job.CQL.Attempts = 0, 1
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		return false, loadtest.Failure(fault.Transient, "unavailable")
	}
	_, err := job.Run(t.Context())
	var limit *ingest.LimitError
	require.ErrorAs(t, err, &limit)
	require.Len(t, rejects.Rejects, 4)
}
