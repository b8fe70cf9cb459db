package streamed

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/cqlparse/where"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// newReader returns a reader of a table with factor replicas in each data center, and one node per
// element of dcs. The first data center is the local one. Each node has 8 tokens, and the plan 200
// ranges or more.
func newReader(t *testing.T, level string, factor int, dcs ...string) *reader {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	c := &topology.Cluster{
		Name:        "test",
		Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner",
		LocalDC:     dcs[0],
	}
	replication := map[string]string{
		"class": "org.apache.cassandra.locator.NetworkTopologyStrategy",
	}
	for i, dc := range dcs {
		replication[dc] = fmt.Sprint(factor)
		node := topology.Node{
			ID:      fmt.Sprint("n", i),
			Address: fmt.Sprintf("10.0.0.%d", i),
			DC:      dc,
			Rack:    fmt.Sprint("r", i),
			Up:      true,
		}
		for range 8 {
			node.Tokens = append(node.Tokens, token.Token{Lo: r.Uint64()})
		}
		c.Nodes = append(c.Nodes, node)
	}
	planned, err := plan.Make(c, replication, plan.Options{Parallel: 4, Splits: 200, Seed: 1})
	require.NoError(t, err)
	choose, err := files.ReplicaChoice(level)
	require.NoError(t, err)
	placement, err := c.PlaceAll(replication)
	require.NoError(t, err)
	return &reader{
		t: &files.Source{
			Table: &table.Table{
				Cluster:     c,
				Plan:        planned,
				Replication: replication,
				Consistency: level,
			},
			Files: &files.Files{},
		},
		choose:  choose,
		ring:    ring{cluster: c, replication: replication, placement: placement},
		failing: make(map[string]bool),
	}
}

func TestReplicaChoice(t *testing.T) {
	for _, c := range []struct {
		level      string
		factor     int
		dcs        []string
		number     int
		candidates int
	}{
		{"ONE", 3, []string{"a", "a", "a"}, 1, 3},
		{"local_one", 2, []string{"a", "b", "a", "b"}, 1, 2},
		{"TWO", 2, []string{"a", "b", "a", "b"}, 2, 4},
		{"THREE", 3, []string{"a", "a", "a", "a"}, 3, 3},
		{"QUORUM", 2, []string{"a", "b", "a", "b"}, 3, 4},
		{"QUORUM", 3, []string{"a", "a", "a"}, 2, 3},
		{"Local_Quorum", 2, []string{"a", "b", "a", "b"}, 2, 2},
		{"LOCAL_QUORUM", 3, []string{"a", "a", "a", "b", "b", "b"}, 2, 3},
		{"ALL", 2, []string{"a", "b", "a", "b"}, 4, 4},
		{"ALL", 1, []string{"a", "a"}, 1, 1},
	} {
		s := newReader(t, c.level, c.factor, c.dcs...)
		require.NoError(t, s.enough(s.ring), "%+v", c)
		for i := range s.ring.placement.Len() {
			replicas := s.ring.placement.Replicas(i)
			number, candidates := s.choose.Of("a", s.ring.cluster.Nodes, replicas)
			require.Equal(t, c.number, number, "%+v", c)
			require.Len(t, candidates, c.candidates, "%+v", c)
			require.Subset(t, replicas, candidates)
			away := false
			for _, n := range s.nodesOf(s.ring.placement.Range(i), nil, nil) {
				require.Contains(t, candidates, n)
				require.False(
					t,
					away && s.ring.cluster.Nodes[n].DC == "a",
					"those of the local data center come first",
				)
				away = s.ring.cluster.Nodes[n].DC != "a"
			}
		}
	}
	for _, none := range []string{"EACH_QUORUM", "ANY", "SERIAL", "", "most"} {
		_, err := files.ReplicaChoice(none)
		require.ErrorContains(t, err, "--consistency "+none+": means nothing here")
	}
	s := newReader(t, "THREE", 2, "a", "a", "a")
	require.ErrorContains(
		t,
		s.enough(s.ring),
		"--consistency THREE: some rows have no more than 2 replicas",
	)
	// Where the local data center has none, those of others are read.
	_, candidates := files.Choices["LOCAL_QUORUM"].Of("c", s.ring.cluster.Nodes, []int{1, 2})
	require.Equal(t, []int{1, 2}, candidates)
}

// Nodes that are down, or failed before, are asked last, those of other data centers behind the
// local ones.
func TestNodesThatAreAskedLast(t *testing.T) {
	s := newReader(t, "ALL", 2, "a", "a", "b", "b")
	s.ring.cluster.Nodes[0].Up = false
	s.failing["n3"] = true
	for i := range s.ring.placement.Len() {
		require.Equal(t, []int{1, 2, 0, 3}, s.nodesOf(s.ring.placement.Range(i), nil, nil))
	}
}

// Equal replicas share the ranges, and a range always asks the same one first. When it fails,
// others are asked that did not send the range yet.
func TestNodesThatARangeIsAskedOf(t *testing.T) {
	s := newReader(t, "LOCAL_QUORUM", 3, "a", "a", "a", "a", "b", "b", "b")
	share := make(map[int]int)
	failure := errors.New("down")
	for i := range s.ring.placement.Len() {
		r := s.ring.placement.Range(i)
		nodes := s.nodesOf(r, nil, nil)
		require.Len(t, nodes, 2)
		require.Equal(t, nodes, s.nodesOf(r, nil, nil))
		for _, n := range nodes {
			require.Equal(t, "a", s.ring.cluster.Nodes[n].DC)
			share[n]++
		}
		gave := map[int]bool{nodes[0]: true}
		require.Empty(t, s.nodesOf(r, nil, map[int]bool{nodes[0]: true, nodes[1]: true}))
		require.Len(t, s.nodesOf(r, nil, gave), 1)
		failed := map[int]error{nodes[1]: failure}
		third := s.nodesOf(r, failed, gave)
		require.Len(t, third, 1)
		require.NotContains(t, nodes, third[0])
		require.Len(t, s.nodesOf(r, failed, nil), 2)
		require.Empty(t, s.nodesOf(r, failed, map[int]bool{nodes[0]: true, third[0]: true}))
		require.Empty(
			t,
			s.nodesOf(r, failed, map[int]bool{nodes[0]: true, nodes[1]: true}),
			"it had given what it has of the range before it failed",
		)
		failed[third[0]] = failure
		require.Empty(t, s.nodesOf(r, failed, gave), "there are no more")
	}
	require.Len(t, share, 4)
	for n := range 4 {
		require.Greater(t, share[n], s.ring.placement.Len()/5, "%v", share)
	}
}

// The plan has its ranges in the order of the pieces, each with its replicas. It has no range
// without a wanted row.
func TestPlanInTheOrderOfThePieces(t *testing.T) {
	s := newReader(t, "ONE", 2, "a", "a", "a")
	require.Len(t, s.asked(), 3)
	s.ring.cluster.Nodes[1].Up = false
	require.Equal(t, map[string]bool{"n0": true, "n2": true}, s.asked())
	before := slices.Clone(s.t.Plan.Splits)
	s.t.Estimates = []driver.Estimate{{Bytes: 1000}, {Bytes: 1000}, {Bytes: 1000}}
	pieces, _ := s.cut(100, 0)
	require.Greater(t, len(pieces), 5)
	reorder(s.t, pieces)
	require.ElementsMatch(t, before, s.t.Plan.Splits)
	var planned []token.Range
	for _, split := range before {
		planned = append(planned, split.Range)
	}
	require.NoError(t, s.t.Plan.Check(planned))
	at := 0
	for _, p := range pieces {
		require.NotEmpty(t, p.Ranges)
		for _, r := range p.Ranges {
			require.Equal(t, r, s.t.Plan.Splits[at].Range)
			at++
		}
	}

	where, err := where.Parse("k IN ('x', 'y')", where.Table{
		Partitioner: token.Murmur3,
		Columns: []cqlschema.Column{
			{Name: "k", Kind: cqlschema.PartitionKey, Type: &cqltype.Type{Kind: cqltype.Text}},
		},
	})
	require.NoError(t, err)
	s.t.Files.Where = where
	pieces, _ = s.cut(100, 0)
	reorder(s.t, pieces)
	require.Len(t, s.t.Plan.Splits, 2)
	for _, key := range []string{"x", "y"} {
		require.True(
			t,
			slices.ContainsFunc(
				s.t.Plan.Splits,
				func(split token.Split) bool {
					return split.Range.Contains(token.Murmur3.Hash([]byte(key)))
				},
			),
		)
	}
}

// No node sends more bytes for a piece than were asked for. Nodes estimate what they own: one
// replica of each range.
func TestPiecesAreOfTheSizeThatIsAskedFor(t *testing.T) {
	r := newReader(t, "ONE", 2, "a", "a", "a")
	r.t.Estimates = []driver.Estimate{{Bytes: 40 << 20}, {Bytes: 40 << 20}, {Bytes: 40 << 20}}
	for _, c := range []struct {
		choose files.Choice
		share  float64 // of the table, that the nodes are asked for together
	}{{files.Choice{Number: 1}, 1}, {files.Choice{All: true}, 2}} {
		r.choose = c.choose
		share := make([]float64, 3)
		for _, split := range r.t.Plan.Splits {
			for _, n := range r.nodesOf(split.Range, nil, nil) {
				share[n] += token.Fraction(split.Range, token.Murmur3)
			}
		}
		require.InDelta(t, c.share, share[0]+share[1]+share[2], 1e-6)
		pieces, _ := r.cut(10<<20, 0)
		require.InDelta(t, slices.Max(share)*12, float64(len(pieces)), 1)
		var all []token.Range
		for _, p := range pieces {
			all = append(all, p.Ranges...)
		}
		require.NoError(t, r.t.Plan.Check(all))
	}
}

// Without --slice, a small table is one piece, and a larger one has enough pieces for reading and
// fetching to overlap.
func TestPiecesFollowTheTable(t *testing.T) {
	r := newReader(t, "ONE", 2, "a", "a", "a")
	r.choose = files.Choice{Number: 1}
	for _, c := range []struct {
		bytes       int64 // of the table; each node is asked for a third or more
		least, most int
	}{
		{0, 1, 1},
		{20 << 20, 1, 1},
		{90 << 20, 2, 4},
		{400 << 20, 8, 9},
		{3 << 30, 8, 9},
		{8 << 30, 8, 9},
		{60 << 30, 20, 60},
	} {
		r.t.Estimates = []driver.Estimate{
			{Bytes: c.bytes / 3},
			{Bytes: c.bytes / 3},
			{Bytes: c.bytes / 3},
		}
		cut, _ := r.cut(0, 0)
		pieces := len(cut)
		require.GreaterOrEqual(t, pieces, c.least, "%d bytes", c.bytes)
		require.LessOrEqual(t, pieces, c.most, "%d bytes", c.bytes)
	}
}

func TestTransientReplicas(t *testing.T) {
	name, factor := transient(
		map[string]string{"class": "NetworkTopologyStrategy", "dc1": "3/1", "dc2": "3/0"},
	)
	require.Equal(t, []string{"dc1", "3/1"}, []string{name, factor})
	name, _ = transient(map[string]string{"class": "SimpleStrategy", "replication_factor": "3/0"})
	require.Empty(t, name)
}
