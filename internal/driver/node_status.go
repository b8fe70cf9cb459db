package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gocql/gocql"
)

// ignoreNodeStatus has the driver take no node for down. What it believes of a node comes from
// several sides at once, the cluster's word and its own connections, and the last of them
// wins, so that one that was away for a moment may stay unused for as long as a run
// lasts. Without that belief each request to a node without connections has it
// tried again, and fails at once; how soon the next one comes is the pipelines' affair.
func ignoreNodeStatus(cluster *gocql.ClusterConfig) {
	cluster.Events.DisableNodeStatusEvents = true
	cluster.ConvictionPolicy = neverConvict{}
	cluster.ReconnectInterval = 0
	cluster.ReconnectionPolicy = &gocql.ConstantReconnectionPolicy{
		MaxRetries: 1,
		Interval:   50 * time.Millisecond,
	}
}

type neverConvict struct{}

func (neverConvict) AddFailure(error, *gocql.HostInfo) bool { return false }
func (neverConvict) Reset(*gocql.HostInfo)                  {}

// connected says whether there is a connection to a node. Those of other data centers,
// which are not connected to, count as if there was.
func (s *Session) connected(h *gocql.HostInfo) bool {
	if s.cfg.DC != "" && h.DataCenter() != s.cfg.DC {
		return true
	}
	return s.connections(h.HostID()) > 0
}

// Connected reports whether there is a connection to a node, as far as nodes of its data center are
// connected to.
func (s *Session) Connected(id string) bool {
	h := s.policy.host(id)
	return h != nil && s.connected(h)
}

// connections is the number of connections to a node.
func (s *Session) connections(id string) int { return s.allConnections()[id] }

// nameDown says which node a request was for that found no connection to it.
func nameDown(ctx context.Context, err error) error {
	chosen, ok := ctx.Value(chosenNodeKey{}).(*chosenNode)
	if ok && (errors.Is(err, gocql.ErrNoConnectionsInPool) || errors.Is(err, gocql.ErrNoPool)) {
		return fmt.Errorf(
			"node %s at %s is down: there is no connection to it",
			chosen.host.HostID(),
			chosen.host.ConnectAddress(),
		)
	}
	return err
}
