package table

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

// Placement is where the nodes of the cluster were when they were asked.
type Placement struct {
	Places map[string]driver.Place // on the ring, by node
	Told   map[string]string       // addresses of their storage ports, as they told them
}

// Cluster is the cluster with its nodes where they are: known has what the driver knows of them
// besides.
func (s Placement) Cluster(known *topology.Cluster) (*topology.Cluster, error) {
	p, err := token.ByClass(known.Partitioner)
	if err != nil {
		return nil, err
	}
	c := &topology.Cluster{Name: known.Name, Partitioner: known.Partitioner, LocalDC: known.LocalDC}
	for _, id := range slices.Sorted(maps.Keys(s.Places)) {
		place := s.Places[id]
		node := topology.Node{ID: id, Address: s.Told[id], Up: true} // one that has just come
		if i := slices.IndexFunc(
			known.Nodes,
			func(n topology.Node) bool { return n.ID == id },
		); i >= 0 {
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

// FindPlacement asks where the nodes are.
func (t *Table) FindPlacement(ctx context.Context) (Placement, error) {
	var s Placement
	err := AskAll(ctx, t.whereNodesAre(ctx, &s)...)
	return s, err
}

// whereNodesAre are the questions where the nodes are.
func (t *Table) whereNodesAre(ctx context.Context, s *Placement) []func() error {
	return []func() error{
		func() (err error) {
			s.Told, err = t.Session.StorageAddresses(ctx)
			return err
		}, func() (err error) {
			s.Places, err = t.Session.Places(ctx)
			return err
		},
	}
}

// Change is what happened to a table and its nodes since they were asked before.
type Change uint8

// The changes.
const (
	unchanged Change = iota
	Altered          // the table has other columns, or is another one of its name
	Moved            // rows may belong to other nodes
)

// Changed asks again what the table is, where its nodes are, and how it is replicated.
func (t *Table) Changed(
	ctx context.Context,
	since Placement,
	replicated map[string]string,
) (Change, error) {
	now, replication, err := t.Ring(ctx)
	switch {
	case errors.Is(err, ErrAltered):
		return Altered, nil
	case err != nil:
		return unchanged, err
	case !maps.Equal(now.Told, since.Told) || !maps.Equal(now.Places, since.Places) || !maps.Equal(replication, replicated):
		return Moved, nil
	}
	return unchanged, nil
}

// ErrAltered says that the table is not what it was.
var ErrAltered = errors.New("the table was altered, or created again, meanwhile")

// Ring asks where the nodes are, and how the table is replicated. The error is ErrAltered when the
// table is not what it was.
func (t *Table) Ring(
	ctx context.Context,
) (now Placement, replication map[string]string, err error) {
	var table *schema.Table
	err = AskAll(ctx, append(t.whereNodesAre(ctx, &now), func() (err error) {
		replication, err = t.Session.Replication(ctx, t.Schema.Keyspace)
		return err
	}, func() (err error) {
		table, err = t.Session.Table(ctx, t.Schema.Keyspace, t.Schema.Name)
		return err
	})...)
	if err == nil && (table.ID != t.Schema.ID || table.Fingerprint() != t.Schema.Fingerprint()) {
		err = ErrAltered
	}
	return now, replication, err
}

// StoragePorts are the addresses of the storage ports of nodes, on the port that was named where
// one was.
func (s Placement) StoragePorts(nodes []topology.Node, port int) (map[string]string, error) {
	addresses := maps.Clone(s.Told)
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

// TryPorts does something with the storage ports of those nodes that are wanted, of several at the
// same time. An error ends it. What they do not tell the flag of that name does.
func TryPorts(
	nodes []topology.Node,
	addresses map[string]string,
	wanted map[string]bool,
	flag string,
	try func(n topology.Node, address string) error,
) error {
	nodes = slices.DeleteFunc(
		slices.Clone(nodes),
		func(n topology.Node) bool { return !wanted[n.ID] },
	)
	if err := RefuseUntold(nodes, addresses, wanted, flag); err != nil {
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

// OpenPort says what to do about a node whose storage port is not reached. flag names another port.
func OpenPort(flag string) string {
	return fmt.Sprintf(
		"start the node and open that port to this host (--%s, if it is another port)",
		flag,
	)
}
