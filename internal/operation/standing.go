package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// standing is where the nodes of the cluster were when they were asked.
type standing struct {
	places map[string]driver.Place // on the ring, by node
	told   map[string]string       // addresses of their storage ports, as they told them
}

// cluster is the cluster with its nodes where they are: known has what the driver knows of them besides.
func (s standing) cluster(known *topology.Cluster) (*topology.Cluster, error) {
	p, err := token.ByClass(known.Partitioner)
	if err != nil {
		return nil, err
	}
	c := &topology.Cluster{Name: known.Name, Partitioner: known.Partitioner, LocalDC: known.LocalDC}
	for _, id := range slices.Sorted(maps.Keys(s.places)) {
		place := s.places[id]
		node := topology.Node{ID: id, Address: s.told[id], Up: true} // one that has just come
		if i := slices.IndexFunc(known.Nodes, func(n topology.Node) bool { return n.ID == id }); i >= 0 {
			node = known.Nodes[i]
		}
		node.DC, node.Rack, node.Tokens = place.DC, place.Rack, nil
		for _, text := range strings.Fields(place.Tokens) {
			t, err := p.Parse(text)
			if err != nil {
				return nil, fmt.Errorf("node %s: %w", node.Address, err)
			}
			node.Tokens = append(node.Tokens, t)
		}
		c.Nodes = append(c.Nodes, node)
	}
	return c, nil
}

// standing asks where the nodes are.
func (t *tableSession) standing(ctx context.Context) (standing, error) {
	var s standing
	err := insist(ctx, t.whereNodesAre(ctx, &s)...)
	return s, err
}

// whereNodesAre are the questions where the nodes are.
func (t *tableSession) whereNodesAre(ctx context.Context, s *standing) []func() error {
	return []func() error{
		func() (err error) {
			s.told, err = t.session.StorageAddresses(ctx)
			return err
		}, func() (err error) {
			s.places, err = t.session.Places(ctx)
			return err
		},
	}
}

// change is what happened to a table and its nodes since they were looked at.
type change uint8

const (
	unchanged change = iota
	altered          // the table has other columns, or is another one of its name
	moved            // rows may belong to other nodes
)

// changed asks again what the table is, where its nodes are, and how it is replicated.
func (t *tableSession) changed(ctx context.Context, since standing, replicated map[string]string) (change, error) {
	now, replication, err := t.ring(ctx)
	switch {
	case errors.Is(err, errAltered):
		return altered, nil
	case err != nil:
		return unchanged, err
	case !maps.Equal(now.told, since.told) || !maps.Equal(now.places, since.places) || !maps.Equal(replication, replicated):
		return moved, nil
	}
	return unchanged, nil
}

// errAltered says that the table is not what it was.
var errAltered = errors.New("the table was changed, or made anew, meanwhile")

// ring asks where the nodes are, and how the table is replicated. The error is errAltered when the table is not what it was.
func (t *tableSession) ring(ctx context.Context) (now standing, replication map[string]string, err error) {
	var table *schema.Table
	err = insist(ctx, append(t.whereNodesAre(ctx, &now), func() (err error) {
		replication, err = t.session.Replication(ctx, t.table.Keyspace)
		return err
	}, func() (err error) {
		table, err = t.session.Table(ctx, t.table.Keyspace, t.table.Name)
		return err
	})...)
	if err == nil && (table.ID != t.table.ID || table.Fingerprint() != t.table.Fingerprint()) {
		err = errAltered
	}
	return now, replication, err
}

// storagePorts are the addresses of the storage ports of nodes, on the port that was named where one was.
func (s standing) storagePorts(nodes []topology.Node, port int) (map[string]string, error) {
	addresses := maps.Clone(s.told)
	if port == 0 {
		return addresses, nil
	}
	for _, n := range nodes {
		host, _, err := net.SplitHostPort(cmp.Or(addresses[n.ID], n.Address))
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Address, err)
		}
		addresses[n.ID] = net.JoinHostPort(host, strconv.Itoa(port))
	}
	return addresses, nil
}

// probesAtOnce is how many storage ports are tried at the same time.
const probesAtOnce = 64

// tryPorts does something with the storage ports of those nodes that are wanted, of several at the same time. An error ends it. What
// they do not tell the flag of that name does.
func tryPorts(nodes []topology.Node, addresses map[string]string, wanted map[string]bool, flag string, try func(n topology.Node, address string) error) error {
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(n topology.Node) bool { return !wanted[n.ID] })
	if err := refuseUntold(nodes, addresses, wanted, flag); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(probesAtOnce)
	for _, n := range nodes {
		group.Go(func() error { return try(n, addresses[n.ID]) })
	}
	if err := group.Wait(); err != nil {
		return fault.New(fault.Fatal, err)
	}
	return nil
}

// openPort says what to do about a node whose storage port is not reached. flag names another port.
func openPort(flag string) string {
	return fmt.Sprintf("start the node and open that port to this host (--%s, if it is another port)", flag)
}
