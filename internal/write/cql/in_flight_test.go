package cql_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

func TestInFlightHoldsForAllNodesTogether(t *testing.T) {
	job, c, _ := loadtest.NewJob(tabletest.Names)
	job.Router = loadtest.Ring(t, 6, 8)
	c.Router = job.Router
	var b strings.Builder
	b.WriteString("k,v,n\n")
	for i := range 2000 {
		b.WriteString("key" + time.Duration(i).String() + ",v,1\n")
	}
	job.Inputs = []ingest.Input{loadtest.Input("f", b.String())}
	job.CQL.InFlight = 2
	var now, most atomic.Int64
	c.Answer = func(context.Context, loadtest.Request) (bool, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return true, nil
	}
	loadtest.MustRun(t, job, c)
	require.LessOrEqual(t, most.Load(), int64(2))
}
