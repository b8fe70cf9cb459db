package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// What nodes say of themselves by gossip makes changes of the ring.
func TestChangesOfGossip(t *testing.T) {
	at := func(text string) []token.Token {
		parsed, err := token.Murmur3.Parse(text)
		require.NoError(t, err)
		return []token.Token{parsed}
	}
	for name, tc := range map[string]struct {
		told topology.Endpoint
		want []topology.Change
		fail string // an error that passes
	}{
		"normal":                  {told: topology.Endpoint{ID: "a", Status: "NORMAL,1"}},
		"down":                    {told: topology.Endpoint{ID: "a", Status: "shutdown,true"}},
		"down since the start":    {told: topology.Endpoint{Status: ""}},
		"replaced by its address": {told: topology.Endpoint{ID: "a", Status: "hibernate,true"}},
		"gone":                    {told: topology.Endpoint{ID: "x", Status: "LEFT,5,99"}},
		"joined, as some know":    {told: topology.Endpoint{ID: "x", Status: "NORMAL,5"}, fail: "has joined, and not all nodes know its tokens yet"},
		"moved, as some know":     {told: topology.Endpoint{ID: "a", Status: "NORMAL,5"}, fail: "has moved to token 5, and not all nodes know that yet"},
		"joins": {
			told: topology.Endpoint{ID: "x", Status: "BOOT,5", Tokens: at("5")},
			want: []topology.Change{{Kind: topology.Joining, Node: "x", Tokens: at("5")}},
		},
		"replaces": {
			told: topology.Endpoint{ID: "x", Status: "BOOT_REPLACE,127.0.0.2:7000"},
			want: []topology.Change{{Kind: topology.Replacing, Node: "x", Old: "b"}},
		},
		"replaces, without a port": {
			told: topology.Endpoint{ID: "x", Status: "BOOT_REPLACE,127.0.0.2"},
			want: []topology.Change{{Kind: topology.Replacing, Node: "x", Old: "b"}},
		},
		"replaces one that is not known": {told: topology.Endpoint{ID: "x", Status: "BOOT_REPLACE,127.0.0.8:7000"}, fail: "which not all nodes know"},
		"leaves":                         {told: topology.Endpoint{ID: "b", Status: "LEAVING,2"}, want: []topology.Change{{Kind: topology.Leaving, Node: "b"}}},
		"is removed":                     {told: topology.Endpoint{ID: "b", Status: "removing,b"}, want: []topology.Change{{Kind: topology.Leaving, Node: "b", Gone: true}}},
		"has left, as some know":         {told: topology.Endpoint{ID: "b", Status: "LEFT,2,99"}, want: []topology.Change{{Kind: topology.Leaving, Node: "b", Gone: true}}},
		"moves":                          {told: topology.Endpoint{ID: "b", Status: "MOVING,7"}, want: []topology.Change{{Kind: topology.Moving, Node: "b", Tokens: at("7")}}},
	} {
		t.Run(name, func(t *testing.T) {
			c := changeFinder{
				cluster: &topology.Cluster{
					Partitioner: "org.apache.cassandra.dht.Murmur3Partitioner",
					Nodes:       []topology.Node{{ID: "a"}, {ID: "b"}},
				},
				standing: table.Placement{
					Places: map[string]driver.Place{"a": {Tokens: "1"}, "b": {Tokens: "2"}},
					Told:   map[string]string{"a": "127.0.0.1:7000", "b": "127.0.0.2:7000"},
				},
				at: map[string]string{"127.0.0.1:7000": "a", "127.0.0.2:7000": "b"},
			}
			tc.told.Address = "127.0.0.9:7000"
			err := c.add(tc.told)
			if tc.fail != "" {
				require.ErrorContains(t, err, tc.fail)
				require.True(t, fault.Retryable(err, true))
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, c.changes)
			for _, change := range tc.want {
				require.Contains(t, c.standing.Told, change.Node, "its storage port is known")
			}
		})
	}
}
