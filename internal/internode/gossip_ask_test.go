package internode_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/internode"
	"github.com/cqlbulk/cqlbulk/internal/test/internodetest"
)

// heard returns what a node knows by gossip.
func heard() []internode.Endpoint {
	return []internode.Endpoint{
		{
			Address:    netip.MustParseAddrPort("127.0.0.4:7000"),
			Generation: 1,
			Heartbeat:  2,
			States: []internode.AppState{
				{State: internode.StateStatusWithPort, Value: "BOOT,7", Version: 3},
			},
		},
	}
}

// A node answers with what it knows over a connection of its own.
func TestGossip(t *testing.T) {
	syn := internode.Syn{Cluster: "c", Partitioner: "p"}
	n := internodetest.Node{Gossip: &internodetest.Gossip{
		Cluster:     "c",
		Partitioner: "p",
		Address:     netip.MustParseAddrPort(nodeAddress),
		Endpoints:   heard,
	}}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener) {
			for range 2 {
				got, err := c.Gossip(ctx, nodeAddress, l, syn)
				require.NoError(t, err)
				require.Equal(t, heard(), got)
			}
			_, err := c.Gossip(
				ctx,
				nodeAddress,
				l,
				internode.Syn{Cluster: "other", Partitioner: "p"},
			)
			require.Equal(t, internode.Unreached, internode.KindOf(err))
			require.ErrorContains(t, err, `"other"`)
		},
	)
}

// The answer of a node that was not asked is ignored.
func TestGossipOfOthers(t *testing.T) {
	n := internodetest.Node{
		Gossip: &internodetest.Gossip{
			Cluster:     "c",
			Partitioner: "p",
			Address:     netip.MustParseAddrPort("127.0.0.77:7000"),
			Endpoints:   heard,
		},
	}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener) {
			_, err := c.Gossip(
				ctx,
				"127.0.0.55:7000",
				l,
				internode.Syn{Cluster: "c", Partitioner: "p"},
			)
			require.Equal(t, internode.Unreached, internode.KindOf(err))
		},
	)
}

// If the listener is closed, the request ends.
func TestGossipAtAClosedListener(t *testing.T) {
	n := internodetest.Node{}
	playAsked(
		t,
		&n,
		func(ctx context.Context, t *testing.T, c *internode.Client, l *internode.Listener) {
			require.NoError(t, l.Close())
			_, err := c.Gossip(ctx, nodeAddress, l, internode.Syn{})
			require.Equal(t, internode.Canceled, internode.KindOf(err))
		},
	)
}
