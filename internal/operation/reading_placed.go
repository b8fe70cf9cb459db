package operation

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

// placeFiles finds out whose the SSTables are, where the nodes are known; else all are taken for those of one node.
func (t *rowSource) placeFiles(env spec.Environment, ring, keyspace, consistency string) error {
	if ring == "" {
		t.Cluster = table.OneNode(t.files.partitioner)
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
func (t *rowSource) placeByRing(consistency string) (err error) {
	if t.Cluster.Partitioner != t.files.partitioner {
		return fmt.Errorf("the nodes are of %s, and the SSTables of %s", t.Cluster.Partitioner, t.files.partitioner)
	}
	placed := &placedFiles{t: t, ofNode: make(map[int][]sstables.File)}
	if placed.choose, err = replicaChoice(consistency); err != nil {
		return err
	}
	if placed.placement, err = t.Cluster.PlaceAll(t.Replication); err != nil {
		return err
	}
	nodes := make(map[string]int)
	for _, folder := range t.files.found.Nodes {
		n, err := nodeOf(t.Cluster, folder)
		if err != nil {
			return err
		}
		nodes[folder] = n
		placed.ofNode[n] = nil
	}
	for i, file := range t.files.opened {
		n := nodes[t.files.found.SSTables[i].Node]
		placed.ofNode[n] = append(placed.ofNode[n], file)
	}
	t.files.all = placed
	return nil
}

// nodeOf finds the node whose address or host id is a part of a folder's path, the last such part. An address without a
// port stands for a node only if no other node has it.
func nodeOf(c *topology.Cluster, folder string) (int, error) {
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
			return 0, fmt.Errorf("folder %s is of one of several nodes with the address %s: %s; name it after the node's host id, or its address and port",
				folder, part, strings.Join(sharing, ", "))
		case of >= 0:
			return of, nil
		}
	}
	return 0, fmt.Errorf("folder %s is of no node: no part of its path is a node's address or host id", folder)
}

// placedFiles are SSTables whose nodes are known. It is an sstables.Files.
type placedFiles struct {
	t         *rowSource
	choose    choice
	placement *token.Placement
	ofNode    map[int][]sstables.File // of nodes with a folder
}

// Of is a method of sstables.Files. All replicas with a folder are merged.
func (p *placedFiles) Of(_ context.Context, within token.Range) (files []sstables.File, done func(), err error) {
	replicas := p.placement.Replicas(p.placement.Find(within.End))
	number, candidates := p.choose.of(p.t.Cluster.LocalDC, p.t.Cluster.Nodes, replicas)
	var missing []string
	for _, n := range replicas {
		of, there := p.ofNode[n]
		switch {
		case there:
			files = append(files, of...)
			if slices.Contains(candidates, n) {
				number--
			}
		case slices.Contains(candidates, n):
			missing = append(missing, p.t.Cluster.Nodes[n].Address)
		}
	}
	if number > 0 {
		return nil, nil, fault.New(fault.GivenUp, fmt.Errorf("too few of its replicas have a folder: not %s", strings.Join(missing, ", ")))
	}
	return files, func() {}, nil
}
