package files

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// PlaceFiles finds out whose the SSTables are, where the nodes are known; else all are taken for
// those of one node.
func (t *Source) PlaceFiles(env spec.Environment, ring, keyspace, consistency string) error {
	if ring == "" {
		t.Cluster = table.OneNode(t.Files.Partitioner)
		t.Replication = map[string]string{"class": "SimpleStrategy", "replication_factor": "1"}
		return nil
	}
	err := t.ReadRing(env, ring, keyspace)
	if err == nil {
		err = t.placeByRing(consistency)
	}
	if err != nil {
		return fmt.Errorf("--ring %s: %w", ring, err)
	}
	return nil
}

// placeByRing gives each range the files of its replicas.
func (t *Source) placeByRing(consistency string) (err error) {
	if t.Cluster.Partitioner != t.Files.Partitioner {
		return fmt.Errorf(
			"the nodes are of %s, and the SSTables of %s",
			t.Cluster.Partitioner,
			t.Files.Partitioner,
		)
	}
	placed := &PlacedFiles{T: t, OfNode: make(map[int][]sstables.File)}
	if placed.Choose, err = ReplicaChoice(consistency); err != nil {
		return err
	}
	if placed.Placement, err = t.Cluster.PlaceAll(t.Replication); err != nil {
		return err
	}
	nodes := make(map[string]int)
	for _, folder := range t.Files.Found.Nodes {
		n, err := NodeOf(t.Cluster, folder)
		if err != nil {
			return err
		}
		nodes[folder] = n
		placed.OfNode[n] = nil
	}
	for i, file := range t.Files.opened {
		n := nodes[t.Files.Found.SSTables[i].Node]
		placed.OfNode[n] = append(placed.OfNode[n], file)
	}
	t.Files.All = placed
	return nil
}

// NodeOf finds the node whose address or host id is a part of a folder's path, the last such part.
// An address without a port stands for a node only if no other node has it.
func NodeOf(c *topology.Cluster, folder string) (int, error) {
	for _, part := range slices.Backward(strings.Split(folder, "/")) {
		of, sharing := -1, []string(nil)
		for i, n := range c.Nodes {
			if part == n.Address || strings.EqualFold(part, n.ID) {
				return i, nil
			}
			if host, _, err := net.SplitHostPort(n.Address); err == nil && part == host {
				of, sharing = i, append(sharing, n.Address)
			}
		}
		switch {
		case len(sharing) > 1:
			return 0, fmt.Errorf(
				"folder %s is of one of several nodes with the address %s: %s; name it after the node's host id, or its address and port",
				folder,
				part,
				strings.Join(sharing, ", "),
			)
		case of >= 0:
			return of, nil
		}
	}
	return 0, fmt.Errorf(
		"folder %s is of no node: no part of its path is a node's address or host id",
		folder,
	)
}

// PlacedFiles are SSTables whose nodes are known. It is an sstables.Files.
type PlacedFiles struct {
	T         *Source
	Choose    Choice
	Placement *token.Placement
	OfNode    map[int][]sstables.File // of nodes with a folder
}

// Of is a method of sstables.Files. All replicas with a folder are merged.
func (p *PlacedFiles) Of(
	_ context.Context,
	within token.Range,
) (files []sstables.File, done func(), err error) {
	replicas := p.Placement.Replicas(p.Placement.Find(within.End))
	number, candidates := p.Choose.Of(p.T.Cluster.LocalDC, p.T.Cluster.Nodes, replicas)
	var missing []string
	for _, n := range replicas {
		of, there := p.OfNode[n]
		switch {
		case there:
			files = append(files, of...)
			if slices.Contains(candidates, n) {
				number--
			}
		case slices.Contains(candidates, n):
			missing = append(missing, p.T.Cluster.Nodes[n].Address)
		}
	}
	if number > 0 {
		return nil, nil, fault.New(
			fault.GivenUp,
			fmt.Errorf(
				"too few of its replicas have a folder: not %s",
				strings.Join(missing, ", "),
			),
		)
	}
	return files, func() {}, nil
}
