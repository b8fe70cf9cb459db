package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gocql/gocql"
)

// ignoreNodeStatus makes the driver consider no node down. Its belief comes from several sources at
// once, events of the cluster and its own connections, and the last one wins. So a node that was
// away for a moment could stay unused for the rest of a run. Without that belief, a request to a
// node without connections fails at once, and makes the driver connect again. The pipelines decide
// how soon the next request comes.
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

// connected reports whether there is a connection to a node. Nodes of other data centers, to which
// there are none, count as connected.
func (s *Session) connected(h *gocql.HostInfo) bool {
	if s.cfg.DC != "" && h.DataCenter() != s.cfg.DC {
		return true
	}
	return s.connections(h.HostID()) > 0
}

// Connected reports whether there is a connection to a node. Nodes of data centers to which there
// are no connections count as connected.
func (s *Session) Connected(id string) bool {
	h := s.policy.host(id)
	return h != nil && s.connected(h)
}

// connections returns the number of connections to a node.
func (s *Session) connections(id string) int { return s.allConnections()[id] }

// nameDown adds the node to the error of a request that found no connection to it.
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
