package table

import (
	"context"
	"fmt"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/topology"
)

// AwaitKnown waits until the driver knows exactly the nodes on the ring, and plans again with them.
// The driver learns from events that nodes came or went, a moment after the ring changed.
func (t *Table) AwaitKnown(ctx context.Context, flag string, patience time.Duration) error {
	return Settled(ctx, patience, func() error {
		var places map[string]driver.Place
		err := AskAll(ctx, func() (err error) {
			places, err = t.Session.Places(ctx)
			return err
		})
		if err == nil && t.RefuseUnknown(flag, places) != nil {
			if err = t.place(ctx); err == nil {
				err = t.RefuseUnknown(flag, places)
			}
		}
		return err
	})
}

// RefuseUnknown returns a transient error unless the nodes of the cluster are those on the ring.
func (t *Table) RefuseUnknown(flag string, places map[string]driver.Place) error {
	missing := make(map[string]bool)
	for id := range places {
		missing[id] = true
	}
	others := 0
	for _, n := range t.Cluster.Nodes {
		if !missing[n.ID] {
			others++
		}
		delete(missing, n.ID)
	}
	if len(missing) == 0 && others == 0 {
		return nil
	}
	return fault.New(fault.Transient, fmt.Errorf(
		"--%s: the cluster has %s, and %d %s known here, %d of them in no table of the cluster: some are no members, were left out, or have just come or gone",
		flag,
		human.Of(len(places), "node"),
		len(t.Cluster.Nodes),
		human.Verb(len(t.Cluster.Nodes), "is", "are"),
		others,
	))
}

// RefuseUntold returns an error if the storage port of a wanted node is not known. The error is
// transient if other nodes report theirs. Then the node has just joined, and some nodes do not know
// it yet.
func RefuseUntold(
	nodes []topology.Node,
	addresses map[string]string,
	wanted map[string]bool,
	flag string,
) error {
	told := false
	for _, address := range addresses {
		told = told || address != ""
	}
	for _, n := range nodes {
		if !wanted[n.ID] || addresses[n.ID] != "" {
			continue
		}
		err := fmt.Errorf(
			"node %s does not report its storage port: name it with --%s",
			n.Address,
			flag,
		)
		if told {
			err = fault.New(fault.Transient, err)
		}
		return err
	}
	return nil
}
