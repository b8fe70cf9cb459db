package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// A table that may be small begins with few splits. A large table has the usual splits, even if its
// estimate is a thousand times too high.
func TestCoarseSplits(t *testing.T) {
	many := large(100, 64, 4) // 1,200 requests, 6,401 vnode ranges
	for _, c := range []struct {
		name        string
		o           Options
		least, most int
		finest      int
	}{
		{"no estimate", Options{}, 200, 512, 120000},
		{"a small one", Options{Bytes: 1000}, 200, 512, 120000},
		{"1 GB", Options{Bytes: 1 << 30}, 200, 512, 120000},
		{"100 TB", Options{Bytes: 100 << 40}, 120000, 120000, 120000},
		{"10 TB", Options{Bytes: 10 << 40}, 35000, 60000, 120000},
		{"few requests", Options{Parallel: 4}, 3, 8, 6401},
		{"the number of splits is asked for", Options{Splits: 10000}, 10000, 10000, 0},
		{"a shard", Options{Shard: Shard{1, 2}, Cores: 4}, 60000, 60000, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Coarse, c.o.Seed = true, 7
			p, err := Make(many, three, c.o)
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(p.Splits), c.least)
			require.LessOrEqual(t, len(p.Splits), c.most)
			require.Equal(t, c.finest, p.MaxPieces)
			require.Equal(t, c.finest > 0, p.Borders() != nil)
			if c.o.Shard.Of == 0 {
				require.NoError(t, p.Check(ranges(p.Splits)))
				require.NoError(
					t,
					token.Cover(token.Murmur3, token.Whole(token.Murmur3), ranges(p.Splits)),
				)
			}
		})
	}
}

// A table of 1 TB has the same splits as without coarse ones.
func TestLargeTableIsCutAsItWas(t *testing.T) {
	then, err := Make(cluster(4, 4, 4), three, Options{Seed: 3, Bytes: 1 << 40})
	require.NoError(t, err)
	now, err := Make(cluster(4, 4, 4), three, Options{Seed: 3, Bytes: 1 << 40, Coarse: true})
	require.NoError(t, err)
	require.Len(t, now.Splits, 3600)
	require.Equal(t, then.Splits, now.Splits)
	require.Equal(t, 3600, now.MaxPieces, "those of a table that is smaller may be joined")
}

// Any node that has replicas serves a split over several vnode ranges. Nodes that are down are
// asked only if none is up.
func TestHostsOfSeveral(t *testing.T) {
	c := cluster(2, 2, 2, 2)
	c.Nodes[1].Up = false
	c.Nodes[2].DC = "dc2"
	p, err := Make(
		c,
		map[string]string{"class": "NetworkTopologyStrategy", "dc1": "1", "dc2": "1"},
		Options{Coarse: true, Parallel: 1},
	)
	require.NoError(t, err)
	require.Equal(t, token.Several, p.Splits[0].Set)
	require.Equal(t, []string{"n0", "n3"}, p.Hosts(token.Several))
	for i := range c.Nodes {
		c.Nodes[i].Up = false
	}
	p, err = Make(
		c,
		map[string]string{"class": "NetworkTopologyStrategy", "dc1": "1", "dc2": "1"},
		Options{Coarse: true, Parallel: 1},
	)
	require.NoError(t, err)
	require.Equal(t, []string{"n0", "n1", "n3"}, p.Hosts(token.Several))
}

// If a run with narrow splits left many ranges, they are read in few splits, and remain ranges of
// the plan.
func TestCoarseLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for seed := range uint64(50) {
		fine, err := Make(cluster(4, 4, 4), three, Options{Seed: seed})
		require.NoError(t, err)
		var left []token.Range
		share := r.Float64()
		for _, s := range fine.Splits {
			if r.Float64() < share {
				left = append(left, s.Range)
			}
		}
		p, err := Make(cluster(4, 4, 4), three, Options{Seed: seed, Coarse: true, Unread: left})
		require.NoError(t, err)
		require.Equal(t, token.Merge(left), token.Merge(ranges(p.Splits)))
		require.LessOrEqual(t, len(p.Splits), len(left)+72)
		for _, s := range p.Splits {
			require.Equal(t, p.Placement().SetOf(s.Range), s.Set)
		}
	}
	p, err := Make(
		cluster(4, 4, 4),
		three,
		Options{Coarse: true, Unread: ranges(mustFine(t).Splits)},
	)
	require.NoError(t, err)
	require.LessOrEqual(t, len(p.Splits), 72)
}

func mustFine(t *testing.T) *Plan {
	t.Helper()
	p, err := Make(cluster(4, 4, 4), three, Options{})
	require.NoError(t, err)
	return p
}
