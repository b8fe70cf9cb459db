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

// Placement has the places of the cluster's nodes at the time of the question.
type Placement struct {
	Places map[string]driver.Place // on the ring, by node
	Told   map[string]string       // addresses of the storage ports, as reported by the nodes
}

// Cluster returns the cluster with its nodes at their places in s. All else about the nodes comes
// from known, which is the driver's knowledge.
func (s Placement) Cluster(known *topology.Cluster) (*topology.Cluster, error) {
	p, err := token.ByClass(known.Partitioner)
	if err != nil {
		return nil, err
	}
	c := &topology.Cluster{Name: known.Name, Partitioner: known.Partitioner, LocalDC: known.LocalDC}
	for _, id := range slices.Sorted(maps.Keys(s.Places)) {
		place := s.Places[id]
		node := topology.Node{ID: id, Address: s.Told[id], Up: true} // a new node
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

// whereNodesAre returns the questions about the places of the nodes.
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

// Change is the change of a table and its nodes since an earlier question.
type Change uint8

// The changes.
const (
	unchanged Change = iota
	Altered          // the table has other columns, or a new table has its name
	Moved            // rows may belong to other nodes
)

// Changed asks again about the table, the places of its nodes and its replication.
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
	case !maps.Equal(now.Told, since.Told) || !maps.Equal(now.Places, since.Places) ||
		!maps.Equal(replication, replicated):
		return Moved, nil
	}
	return unchanged, nil
}

// ErrAltered reports that the table is no longer the same.
var ErrAltered = errors.New("the table was altered, or created again, meanwhile")

// Ring asks for the places of the nodes and the table's replication. The error is ErrAltered if the
// table is no longer the same.
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

// StoragePorts returns the addresses of the nodes' storage ports. A port other than 0 replaces the
// reported ones.
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

// probesAtOnce is the number of storage ports that are tried at the same time.
const probesAtOnce = 64

// TryPorts calls try with the storage port of each wanted node, of several nodes at the same time.
// It returns the first error. If the address of a wanted node is not known, the error names flag.
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

// OpenPort returns advice for a node whose storage port is not reachable. flag sets another port.
func OpenPort(flag string) string {
	return fmt.Sprintf(
		"start the node and open that port to this host (--%s, if it is another port)",
		flag,
	)
}
