package cql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
)

// Rows of one partition that are near each other travel together, up to the limits of a batch.
func TestRowsOfAPartitionTravelTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%4, i, i)
	}
	job, c, _ := loadtest.NewJob(tabletest.Events, b.String())
	c.Router = loadtest.Ring(t, 3, 8)
	job.Router = c.Router
	result := loadtest.MustRun(t, job, c)
	require.Equal(
		t,
		load.Result{Tally: ingest.Tally{Read: 400, Written: 400}, Stats: cql.Stats{Batches: 4}},
		loadtest.Counts(result),
	)
	require.Equal(t, 100, c.Largest)
}

func TestCollectionsCountForTheBatch(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id,l\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,0,%d,\"[%s1]\"\n", i, i, strings.Repeat("1, ", i%50))
	}
	job, c, _ := loadtest.NewJob(tabletest.Events, b.String())
	job.CQL.Limits.Partitions = 100
	c.Limits = job.CQL.Limits
	loadtest.MustRun(t, job, c)
}
