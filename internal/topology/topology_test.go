package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// at is the Murmur3 token with that decimal text.
func at(t *testing.T, text string) token.Token {
	parsed, err := token.Murmur3.Parse(text)
	require.NoError(t, err)
	return parsed
}

// twoCenters has two nodes in each of two data centers.
func twoCenters(t *testing.T) *Cluster {
	return &Cluster{
		Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner",
		LocalDC:     "west",
		Nodes: []Node{
			{ID: "w1", DC: "west", Rack: "r1", Tokens: []token.Token{at(t, "-100")}},
			{ID: "e1", DC: "east", Rack: "r1", Tokens: []token.Token{at(t, "0")}},
			{ID: "w2", DC: "west", Rack: "r2", Tokens: []token.Token{at(t, "100")}},
			{ID: "e2", DC: "east", Rack: "r2", Tokens: []token.Token{at(t, "200")}},
		},
	}
}

func TestDataCenters(t *testing.T) {
	c := twoCenters(t)
	require.Equal(t, []string{"east", "west"}, c.DCs())
	var ids []string
	for _, n := range c.Local() {
		ids = append(ids, n.ID)
	}
	require.Equal(t, []string{"w1", "w2"}, ids)
	require.NoError(t, c.CheckDC())
	c.LocalDC = "West"
	require.EqualError(
		t,
		c.CheckDC(),
		`no node is in data center "West"; the cluster has east, west`,
	)
	require.EqualError(t, (&Cluster{LocalDC: "west"}).CheckDC(), "the cluster reports no node")
}

func TestPlaceIsLocal(t *testing.T) {
	c := twoCenters(t)
	placement, err := c.Place(
		map[string]string{"class": "NetworkTopologyStrategy", "west": "2", "east": "1"},
	)
	require.NoError(t, err)
	require.Equal(t, 5, placement.Len())
	for _, p := range []struct {
		token string
		want  []int
	}{{"-200", []int{0, 2}}, {"-100", []int{0, 2}}, {"-99", []int{2, 0}}, {"50", []int{2, 0}}, {"101", []int{0, 2}}, {"201", []int{0, 2}}} {
		require.Equal(t, p.want, placement.Replicas(placement.Find(at(t, p.token))), p.token)
	}
}

// A keyspace that has no replica in the local data center is read from another.
func TestPlaceElsewhere(t *testing.T) {
	placement, err := twoCenters(
		t,
	).Place(map[string]string{"class": "NetworkTopologyStrategy", "east": "1"})
	require.NoError(t, err)
	require.Equal(t, []int{1}, placement.Replicas(placement.Find(at(t, "-50"))))
	require.Equal(t, []int{3}, placement.Replicas(placement.Find(at(t, "50"))))
}

func TestPlaceErrors(t *testing.T) {
	simple := map[string]string{"class": "SimpleStrategy", "replication_factor": "1"}
	for _, c := range []struct {
		name        string
		change      func(*Cluster)
		replication map[string]string
		unsupported bool
		text        string
	}{
		{"partitioner", func(c *Cluster) { c.Partitioner = "org.apache.cassandra.dht.ByteOrderedPartitioner" }, simple, true, "ByteOrderedPartitioner"},
		{"strategy", func(*Cluster) {}, map[string]string{"class": "com.example.OurStrategy"}, true, "OurStrategy"},
		{"no class", func(*Cluster) {}, map[string]string{}, false, "without a class"},
		{"no tokens", func(c *Cluster) {
			for i := range c.Nodes {
				c.Nodes[i].Tokens = nil
			}
		}, simple, false, "without a token"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := twoCenters(t)
			c.change(cluster)
			_, err := cluster.Place(c.replication)
			require.ErrorContains(t, err, c.text)
			if c.unsupported {
				require.ErrorIs(t, err, token.ErrUnsupported)
			} else {
				require.NotErrorIs(t, err, token.ErrUnsupported)
			}
		})
	}
}
