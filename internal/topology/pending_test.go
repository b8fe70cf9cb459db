package topology

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// five are the nodes of the tests: two data centers, and racks. tokens gives the places of some of
// them.
func five(tokens map[string][]int64) *Cluster {
	c := &Cluster{Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner"}
	for i, id := range []string{"a", "b", "c", "d", "e"} {
		n := Node{ID: id, DC: fmt.Sprintf("dc%d", 1+i/4), Rack: fmt.Sprintf("r%d", i%2)}
		for _, t := range tokens[id] {
			n.Tokens = append(n.Tokens, tok(t))
		}
		c.Nodes = append(c.Nodes, n)
	}
	return c
}

func tok(t int64) token.Token {
	parsed, err := token.Murmur3.Parse(fmt.Sprint(t))
	if err != nil {
		panic(err)
	}
	return parsed
}

// replicas names those of a token.
func replicas(c *Cluster, p *token.Placement, t int64) string {
	var names []string
	for _, n := range p.Replicas(p.Find(tok(t))) {
		names = append(names, c.Nodes[n].ID)
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

// Rows go to the nodes that have them, and to those that will have them, as with Cassandra's
// pending ranges.
func TestPendingReplicas(t *testing.T) {
	members := map[string][]int64{"a": {0}, "b": {100}, "c": {200}}
	simple := func(factor int) map[string]string {
		return map[string]string{
			"class":              "SimpleStrategy",
			"replication_factor": fmt.Sprint(factor),
		}
	}
	for name, tc := range map[string]struct {
		members     map[string][]int64
		replication map[string]string
		changes     []Change
		want        map[int64]string // by token
	}{
		"nothing happens": {members, simple(1), nil, map[int64]string{50: "[b]", 150: "[c]", 250: "[a]"}},
		"a node joins": {
			members, simple(1), []Change{{Kind: Joining, Node: "d", Tokens: []token.Token{tok(50)}}},
			map[int64]string{40: "[b d]", 60: "[b]", 150: "[c]", -5: "[a]"},
		},
		"a node joins with two replicas": {
			members, simple(2), []Change{{Kind: Joining, Node: "d", Tokens: []token.Token{tok(50)}}},
			map[int64]string{40: "[b c d]", 60: "[b c]", -5: "[a b d]", 150: "[a c]"},
		},
		"a node leaves": {
			members, simple(1), []Change{{Kind: Leaving, Node: "b"}},
			map[int64]string{50: "[b c]", 150: "[c]", 250: "[a]"},
		},
		"two nodes leave": {
			members, simple(1), []Change{{Kind: Leaving, Node: "b"}, {Kind: Leaving, Node: "c"}},
			map[int64]string{50: "[a b]", 150: "[a c]", 250: "[a]"},
		},
		"all nodes leave": {
			map[string][]int64{"a": {0}}, simple(1), []Change{{Kind: Leaving, Node: "a"}}, map[int64]string{50: "[a]"},
		},
		"a node moves": {
			members, simple(1), []Change{{Kind: Moving, Node: "b", Tokens: []token.Token{tok(250)}}},
			map[int64]string{50: "[b c]", 150: "[c]", 220: "[a b]", 260: "[a]"},
		},
		"a node is replaced": {
			members, simple(1), []Change{{Kind: Replacing, Node: "d", Old: "b"}},
			map[int64]string{50: "[b d]", 150: "[c]"},
		},
		"one leaves and one joins": {
			members, simple(1), []Change{{Kind: Leaving, Node: "b"}, {Kind: Joining, Node: "d", Tokens: []token.Token{tok(50)}}},
			map[int64]string{40: "[b c d]", 60: "[b c]", 150: "[c]"},
		},
		"racks, and a node of another data center that joins": {
			map[string][]int64{"a": {0}, "b": {100}, "c": {200}},
			map[string]string{"class": "NetworkTopologyStrategy", "dc1": "2", "dc2": "1"},
			[]Change{{Kind: Joining, Node: "e", Tokens: []token.Token{tok(50)}}},
			map[int64]string{-5: "[a b e]", 50: "[b c e]", 150: "[b c e]"},
		},
		"a node of the other rack leaves": {
			map[string][]int64{"a": {0}, "b": {100}, "c": {200}, "d": {300}},
			map[string]string{"class": "NetworkTopologyStrategy", "dc1": "2"},
			[]Change{{Kind: Leaving, Node: "b"}},
			map[int64]string{50: "[b c d]", -5: "[a b d]", 150: "[c d]"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := five(tc.members)
			p, err := c.PlacePending(tc.replication, tc.changes)
			require.NoError(t, err)
			for place, want := range tc.want {
				require.Equal(t, want, replicas(c, p, place), "token %d", place)
			}
			require.Equal(t, five(tc.members), c, "the cluster is as it was")
		})
	}
}

// Of what several nodes have heard the latest counts.
func TestMergeEndpoints(t *testing.T) {
	old := Endpoint{
		ID:         "a",
		Address:    "10.0.0.1:7000",
		Status:     "NORMAL,1",
		Generation: 5,
		Version:    9,
	}
	leaving := Endpoint{
		ID:         "a",
		Address:    "10.0.0.1:7000",
		Status:     "LEAVING,1",
		Generation: 5,
		Version:    12,
	}
	repeated := Endpoint{
		ID:         "a",
		Address:    "10.0.0.1:7000",
		Status:     "BOOT,1",
		Generation: 6,
		Version:    2,
	}
	told := repeated
	told.Tokens = []token.Token{tok(1)}
	other := Endpoint{ID: "b", Address: "10.0.0.2:7000"}
	require.Equal(
		t,
		[]Endpoint{leaving, other},
		MergeEndpoints([]Endpoint{old, other}, []Endpoint{leaving}),
	)
	require.Equal(
		t,
		[]Endpoint{told},
		MergeEndpoints([]Endpoint{repeated}, []Endpoint{told}, []Endpoint{leaving}),
	)
	require.Equal(t, "BOOT", repeated.Word())
	require.Equal(t, "1", Endpoint{Status: "LEFT,1,99"}.Argument())
	require.Empty(t, other.Argument())
}
