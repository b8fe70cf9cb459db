package ingest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/test/loadtest"
	"github.com/cqlbulk/cqlbulk/internal/test/tabletest"
)

// Timestamps go up with the place in the input, and are of the present.
func TestTimestampsFollowTheInput(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	const n = 5000
	for i := range n {
		fmt.Fprintf(&b, "%d,0,%d\n", i%10, i)
	}
	job, c, _ := loadtest.NewJob(tabletest.Events, b.String(), b.String())
	job.ChunkSize = 700
	begin := time.Now().UnixMicro()
	loadtest.MustRun(t, job, c)
	end := time.Now().UnixMicro()
	seen := map[int64]bool{}
	for _, s := range c.Stamps {
		require.False(t, seen[s], "timestamp %d comes twice", s)
		seen[s] = true
		require.GreaterOrEqual(t, s, begin)
		require.LessOrEqual(t, s, end+2*n)
	}
}
