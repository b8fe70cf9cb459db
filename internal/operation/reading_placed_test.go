package operation

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/sstables"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/token"
)

// threeNodes is a ring of three nodes, each with one token.
func threeNodes() *topology.Cluster {
	c := &topology.Cluster{Partitioner: component.Murmur3Partitioner, LocalDC: "dc1"}
	for i, at := range []string{"-6000000000000000000", "0", "6000000000000000000"} {
		id := string(rune('a' + i))
		c.Nodes = append(c.Nodes, topology.Node{
			ID:      "0000000" + id,
			Address: "10.0.0.1" + string(rune('0'+i)) + ":9042",
			DC:      "dc1",
			Rack:    "r1",
			Tokens:  []token.Token{tokenOf(at)},
		})
	}
	return c
}

// tokenOf is a token in decimal.
func tokenOf(text string) token.Token {
	at, err := token.Murmur3.Parse(text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestFoldersAreNamedAfterNodes(t *testing.T) {
	c := threeNodes()
	for folder, want := range map[string]int{
		"/backup/10.0.0.11/data": 1, "/backup/0000000C": 2, "/10.0.0.10/copied/10.0.0.12": 2, "/mnt/10.0.0.10:9042/data": 0,
	} {
		n, err := files.NodeOf(c, folder)
		require.NoError(t, err)
		require.Equal(t, want, n, folder)
	}
	_, err := files.NodeOf(c, "/backup/10.0.0.1/data")
	require.EqualError(
		t,
		err,
		"folder /backup/10.0.0.1/data is of no node: no part of its path is a node's address or host id",
	)
}

// Nodes may share an address, and differ in their ports.
func TestFoldersOfNodesWithOneAddress(t *testing.T) {
	c := threeNodes()
	c.Nodes[1].Address, c.Nodes[2].Address = "10.0.0.11:9042", "10.0.0.11:9043"
	for folder, want := range map[string]int{
		"/backup/10.0.0.10/data": 0, "/backup/10.0.0.11:9043/data": 2, "/backup/10.0.0.11:9042": 1, "/10.0.0.11/0000000c": 2,
	} {
		n, err := files.NodeOf(c, folder)
		require.NoError(t, err)
		require.Equal(t, want, n, folder)
	}
	_, err := files.NodeOf(c, "/backup/10.0.0.11/data")
	require.EqualError(
		t,
		err,
		"folder /backup/10.0.0.11/data is of one of several nodes with the address 10.0.0.11: 10.0.0.11:9042, 10.0.0.11:9043; "+
			"name it after the node's host id, or its address and port",
	)
}

// A range has the files of its replicas. The consistency level sets how many of them must be there.
func TestRangesHaveTheFilesOfTheirReplicas(t *testing.T) {
	cluster := threeNodes()
	placement, err := cluster.PlaceAll(
		map[string]string{"class": "SimpleStrategy", "replication_factor": "2"},
	)
	require.NoError(t, err)
	a, b, c := &sstables.Table{}, &sstables.Table{}, &sstables.Table{}
	whole := map[int][]sstables.File{0: {a}, 1: {b}, 2: {c}}
	// The range that ends at the second node's token is that node's, and the third one's.
	within := token.Range{Start: tokenOf("-1000000000000000000"), End: tokenOf("0")}
	for _, round := range []struct {
		consistency string
		ofNode      map[int][]sstables.File
		want        []sstables.File
		err         string
	}{
		{"LOCAL_ONE", whole, []sstables.File{b, c}, ""},
		{"ALL", whole, []sstables.File{b, c}, ""},
		{"LOCAL_ONE", map[int][]sstables.File{0: {a}, 1: {b}}, []sstables.File{b}, ""},
		{"LOCAL_ONE", map[int][]sstables.File{0: {a}, 1: nil}, nil, ""},
		{"QUORUM", map[int][]sstables.File{0: {a}, 1: {b}}, nil, "too few of its replicas have a folder: not 10.0.0.12:9042"},
		{"LOCAL_ONE", map[int][]sstables.File{0: {a}}, nil, "too few of its replicas have a folder: not 10.0.0.11:9042, 10.0.0.12:9042"},
	} {
		s := &files.Source{Table: &table.Table{Cluster: cluster}}
		p := &files.PlacedFiles{T: s, OfNode: round.ofNode, Placement: placement}
		p.Choose, err = files.ReplicaChoice(round.consistency)
		require.NoError(t, err)
		list, done, err := p.Of(t.Context(), within)
		if round.err != "" {
			require.EqualError(t, err, round.err)
			require.Equal(t, fault.GivenUp, fault.ClassOf(err))
			continue
		}
		require.NoError(t, err)
		require.Len(t, list, len(round.want))
		for i := range list {
			require.Same(t, round.want[i], list[i])
		}
		done()
	}
}
