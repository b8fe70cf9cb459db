package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

const murmur3 = "org.apache.cassandra.dht.Murmur3Partitioner"

// three is the replication of most tests.
var three = map[string]string{
	"class": "org.apache.cassandra.locator.NetworkTopologyStrategy",
	"dc1":   "3",
}

// cluster makes nodes n0, n1 and so on of dc1 with the given cores. Each is up, has 16 tokens, and
// is in a rack of its own.
func cluster(cores ...int) *topology.Cluster {
	r := rand.New(rand.NewPCG(1, 2))
	c := &topology.Cluster{Name: "test", Partitioner: murmur3, LocalDC: "dc1"}
	for i, n := range cores {
		node := topology.Node{
			ID: fmt.Sprintf(
				"n%d",
				i,
			),
			Address: fmt.Sprintf("10.0.0.%d:9042", i),
			DC:      "dc1",
			Rack:    fmt.Sprintf("r%d", i),
			Cores:   n,
			Up:      true,
		}
		for range 16 {
			node.Tokens = append(node.Tokens, token.Token{Lo: r.Uint64()})
		}
		c.Nodes = append(c.Nodes, node)
	}
	return c
}

func TestCores(t *testing.T) {
	for _, c := range []struct {
		name string
		told []int
		o    Options
		want []int
	}{
		{"told", []int{2, 4, 8}, Options{}, []int{2, 4, 8}},
		{"the smallest for those that do not report it", []int{0, 4, 8}, Options{}, []int{4, 4, 8}},
		{"none tells", []int{0, 0}, Options{}, []int{DefaultCores, DefaultCores}},
		{"nonsense counts as no report", []int{-1, 6}, Options{}, []int{6, 6}},
		{"what the user says wins", []int{2, 0, 8}, Options{Cores: 5}, []int{5, 5, 5}},
		{"no node", nil, Options{Cores: 5}, []int{}},
	} {
		t.Run(
			c.name,
			func(t *testing.T) { require.Equal(t, c.want, Cores(cluster(c.told...), c.o)) },
		)
	}
}

// The nodes of another data center say nothing about the local ones.
func TestCoresOfAnotherDataCenter(t *testing.T) {
	c := cluster(0, 16, 2, 0)
	c.Nodes[2].DC, c.Nodes[3].DC = "dc2", "dc2"
	require.Equal(t, []int{16, 16, 2, 2}, Cores(c, Options{}))
	c.Nodes[1].Cores = 0
	require.Equal(t, []int{DefaultCores, DefaultCores, 2, 2}, Cores(c, Options{}))
}

func TestParallelAndSplits(t *testing.T) {
	for _, c := range []struct {
		name  string
		cores []int
		o     Options
		want  int
	}{
		{"one core", []int{1}, Options{}, 3},
		{"sum over the nodes", []int{2, 4, 8}, Options{}, 42},
		{"smudge", []int{2, 4, 8}, Options{Smudge: 1}, 14},
		{"cores", []int{2, 4, 8}, Options{Cores: 10, Smudge: 2}, 60},
		{"nothing told", []int{0, 0}, Options{}, 48},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := Make(cluster(c.cores...), three, c.o)
			require.NoError(t, err)
			require.Equal(t, c.want, p.Parallel)
			require.Len(t, p.Splits, 100*c.want)
			require.Empty(t, p.Serial)
			require.Equal(t, token.Murmur3, p.Partitioner())
			require.Equal(t, 16*len(c.cores)+1, p.Ranges())
			require.NoError(t, p.Check(ranges(p.Splits)))
			require.Error(t, p.Check(ranges(p.Splits[1:])))
			require.Error(t, p.Check(append(ranges(p.Splits), p.Splits[0].Range)))
			for _, s := range p.Splits {
				vnode := p.Placement().Range(s.Set)
				require.False(
					t,
					s.Range.Start.Less(vnode.Start) || vnode.End.Less(s.Range.End),
					"a split lies in one vnode range",
				)
			}
		})
	}
}

// Nodes of other data centers do not count.
func TestParallelIsLocal(t *testing.T) {
	c := cluster(2, 4, 8)
	c.Nodes[2].DC = "dc2"
	p, err := Make(
		c,
		map[string]string{"class": "NetworkTopologyStrategy", "dc1": "2", "dc2": "1"},
		Options{},
	)
	require.NoError(t, err)
	require.Equal(t, 18, p.Parallel)
	for vnode := range p.Ranges() {
		require.NotContains(t, p.Hosts(vnode), "n2")
	}
}

// The same seed gives the same order, another seed another one.
func TestSeed(t *testing.T) {
	planned := func(seed uint64) []token.Split {
		p, err := Make(cluster(2, 2), three, Options{Seed: seed})
		require.NoError(t, err)
		require.Equal(t, seed, p.Seed)
		return p.Splits
	}
	seven, eight := planned(7), planned(8)
	require.Equal(t, seven, planned(7))
	require.NotEqual(t, seven, eight)
	byStart := func(a, b token.Split) int { return a.Range.Start.Compare(b.Range.Start) }
	require.False(t, slices.IsSortedFunc(seven, byStart))
	slices.SortFunc(seven, byStart)
	slices.SortFunc(eight, byStart)
	require.Equal(t, seven, eight)
}

func TestHostsDownLast(t *testing.T) {
	c := cluster(2, 2, 2)
	all, err := Make(c, three, Options{})
	require.NoError(t, err)
	c.Nodes[1].Up = false
	p, err := Make(c, three, Options{})
	require.NoError(t, err)
	primaries := make(map[string]bool)
	for vnode := range p.Ranges() {
		hosts := p.Hosts(vnode)
		require.ElementsMatch(t, []string{"n0", "n1", "n2"}, hosts)
		require.Equal(t, "n1", hosts[2])
		var up []string
		for _, i := range all.Placement().Replicas(vnode) {
			if i != 1 {
				up = append(up, c.Nodes[i].ID)
			}
		}
		require.Equal(t, up, hosts[:2], "the others keep their order")
		primaries[hosts[0]] = true
	}
	require.Len(t, primaries, 2)
}

func TestShares(t *testing.T) {
	c := cluster(2, 2, 2)
	for factor, want := range map[string]float64{"1": 1, "2": 2, "3": 3} {
		p, err := Make(
			c,
			map[string]string{"class": "SimpleStrategy", "replication_factor": factor},
			Options{},
		)
		require.NoError(t, err)
		var holds, reads float64
		for _, s := range p.Shares() {
			holds += s.Holds
			reads += s.Reads
		}
		require.InDelta(t, want, holds, 1e-9)
		require.InDelta(t, 1, reads, 1e-9)
	}
}

// Each node has a keyspace of that name for itself. One that is up is read.
func TestLocalStrategy(t *testing.T) {
	local := map[string]string{"class": "org.apache.cassandra.locator.LocalStrategy"}
	c := cluster(2, 2, 2)
	c.Nodes[0].Up, c.Nodes[1].DC = false, "dc2"
	p, err := Make(c, local, Options{Seed: 9})
	require.NoError(t, err)
	requireSerial(t, p, "this is that of 10.0.0.2:9042")
	require.Equal(t, []string{"n2"}, p.Hosts(0))
	c.Nodes[2].Up = false
	p, err = Make(c, local, Options{})
	require.EqualError(t, err, "no node of the local data center is up")
	require.Nil(t, p)
}

func requireSerial(t *testing.T, p *Plan, why string) {
	t.Helper()
	require.Contains(t, p.Serial, why)
	require.Equal(t, 1, p.Parallel)
	require.Equal(t, []token.Split{{}}, p.Splits)
	require.Equal(t, 1, p.Ranges())
	require.Nil(t, p.Partitioner())
	require.Nil(t, p.Placement())
	require.NoError(t, p.Check(nil))
	for _, s := range p.Shares() {
		require.Zero(t, s)
	}
}

// A ring that cannot be cut is read as one range, from any node.
func TestUnsupportedPartitioner(t *testing.T) {
	c := cluster(2, 2)
	c.Partitioner = "org.apache.cassandra.dht.ByteOrderedPartitioner"
	c.Nodes[0].Tokens, c.Nodes[1].Tokens = nil, nil
	p, err := Make(c, three, Options{})
	require.NoError(t, err)
	requireSerial(t, p, "ByteOrderedPartitioner, whose ring cannot be cut")
	require.Empty(t, p.Hosts(0))
}

// A keyspace with an unknown replication strategy is read as one range, too, and the reason says
// so.
func TestUnsupportedStrategy(t *testing.T) {
	p, err := Make(cluster(2, 2), map[string]string{"class": "com.example.OurStrategy"}, Options{})
	require.NoError(t, err)
	requireSerial(t, p, "com.example.OurStrategy, whose replicas are unknown")
	require.NotContains(t, p.Serial, "partitioner")
	require.Empty(t, p.Hosts(0))
}

func TestMakeErrors(t *testing.T) {
	for _, c := range []struct {
		name        string
		change      func(*topology.Cluster)
		replication map[string]string
		want        string
	}{
		{"no such data center", func(c *topology.Cluster) { c.LocalDC = "dc9" }, three, `no node is in data center "dc9"; the cluster has dc1`},
		{"no node", func(c *topology.Cluster) { c.Nodes = nil }, three, "the cluster reports no node"},
		{"a token of two nodes", func(c *topology.Cluster) { c.Nodes[1].Tokens[3] = c.Nodes[0].Tokens[5] }, three, "belongs to two nodes"},
		{"no tokens", func(c *topology.Cluster) { c.Nodes[0].Tokens, c.Nodes[1].Tokens = nil, nil }, three, "without a token"},
		{"broken replication", func(*topology.Cluster) {}, map[string]string{"class": "SimpleStrategy", "replication_factor": "x"}, "replication_factor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cl := cluster(2, 2)
			c.change(cl)
			p, err := Make(cl, c.replication, Options{})
			require.ErrorContains(t, err, c.want)
			require.Nil(t, p)
		})
	}
}

// BenchmarkMake makes plans for large clusters: 50 nodes with 16 tokens each, and 1,000 with 256.
func BenchmarkMake(b *testing.B) {
	for _, c := range []struct {
		name          string
		cluster       *topology.Cluster
		replicasKnown bool
	}{
		{"50x16", large(50, 16, 16), false},
		{"1000x256", large(1000, 256, 2), false},
		{"1000x256, place known", large(1000, 256, 2), true},
		{"1000x256, 8 cores", large(1000, 256, 8), false},
	} {
		b.Run(c.name, func(b *testing.B) {
			var o Options
			if c.replicasKnown {
				placement, err := c.cluster.Place(three)
				require.NoError(b, err)
				o.Placement = placement
			}
			splits := 0
			b.ReportAllocs()
			for b.Loop() {
				p, err := Make(c.cluster, three, o)
				if err != nil {
					b.Fatal(err)
				}
				splits = len(p.Splits)
			}
			b.ReportMetric(float64(splits), "splits")
		})
	}
}

// large makes a cluster of one data center with three racks.
func large(nodes, tokens, cores int) *topology.Cluster {
	r := rand.New(rand.NewPCG(1, 2))
	c := cluster(make([]int, nodes)...)
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Rack, n.Cores, n.Tokens = fmt.Sprintf("r%d", i%3), cores, nil
		for range tokens {
			n.Tokens = append(n.Tokens, token.Token{Lo: r.Uint64()})
		}
	}
	return c
}
