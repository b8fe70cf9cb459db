package load

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/internal/write/cql"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// Rows of one partition that are near each other travel together, and are as
// many as the limits let them be.
func TestRowsOfAPartitionTravelTogether(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d,%d\n", i%4, i, i)
	}
	job, c, _ := newJob(t, events, b.String())
	c.router = ring(t, 3, 8)
	job.Router = c.router
	result := mustRun(t, job, c)
	require.Equal(
		t,
		Result{Tally: ingest.Tally{Read: 400, Written: 400}, Stats: cql.Stats{Batches: 4}},
		counts(result),
	)
	require.Equal(t, 100, c.biggest)
}

func TestCollectionsCountForTheBatch(t *testing.T) {
	var b strings.Builder
	b.WriteString("k,c,id,l\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,0,%d,\"[%s1]\"\n", i, i, strings.Repeat("1, ", i%50))
	}
	job, c, _ := newJob(t, events, b.String())
	job.CQL.Limits.Partitions = 100
	c.limits = job.CQL.Limits
	mustRun(t, job, c)
}

func TestRouter(t *testing.T) {
	r := ring(t, 4, 16)
	hosts := map[string]*write.Replicas{}
	indexes := map[int]*write.Replicas{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		key := fmt.Append(nil, rng.Uint64())
		at, set := r.Route(key)
		require.Equal(t, token.Murmur3.Hash(key), at)
		require.Len(t, set.Hosts, 2)
		name := strings.Join(set.Hosts, " ")
		if hosts[name] == nil {
			hosts[name] = set
		}
		require.Same(t, hosts[name], set, "one set for %s", name)
		if indexes[set.Index] == nil {
			indexes[set.Index] = set
		}
		require.Same(t, indexes[set.Index], set)
	}
	require.Greater(t, len(hosts), 4)

	none := write.NewRouter(nil, nil, nil)
	one, set := none.Route([]byte("a"))
	other, same := none.Route([]byte("b"))
	require.NotEqual(t, one, other)
	require.Same(t, set, same)
	require.Empty(t, set.Hosts)
}
