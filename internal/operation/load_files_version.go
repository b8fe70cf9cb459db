package operation

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// taking is how SSTables get from a folder into the nodes.
type taking uint8

const (
	byImport  taking = iota // nodetool import, of Cassandra since 4.0
	byRefresh               // nodetool refresh of the table's own folder, of Cassandra 3.11
	// nodetool refresh of its folder upload, of ScyllaDB, which brings rows to where they belong
	byUpload
	byLoader // sstableloader, or upload: the cluster is not known
)

// firstByRefresh is the number of the first SSTable of a node that takes files from the table's own
// folder, where its own are numbered from 1: they must not meet. It has 10 digits, as has the
// greatest one (org.apache.cassandra.io.sstable.Descriptor).
const firstByRefresh = 1_000_000_001

// namesByRefresh matches their numbers, as a shell does.
const namesByRefresh = "1000??????"

// fileForm is what SSTables are made like.
type fileForm struct {
	version sstable.Version
	taking  taking
}

// chooseFiles decides what SSTables are made like that are kept in a folder: as those can take them
// that the cluster has, or as was asked for.
func (l *landing) chooseFiles(ctx context.Context) (fileForm, error) {
	f := fileForm{sstable.NB, byLoader}
	nodes := l.t.Cluster.Nodes
	var err error
	if l.t.Connected() || l.t.Ringed {
		f, err = formFor(nodes, l.t.IsScylla())
	} else {
		nodes = nil
	}
	if err != nil || l.spec.SSTableVersion == "" {
		return f, err
	}
	version, err := sstable.ParseVersion(l.spec.SSTableVersion)
	if err != nil {
		return f, err
	}
	if err := refuseVersion(nodes, l.t.IsScylla(), version); err != nil {
		return f, fmt.Errorf("--sstable-version: %w", err)
	}
	if version == sstable.OA && l.t.Connected() {
		if err := l.refuseModes(ctx); err != nil {
			return f, fmt.Errorf("--sstable-version: %w", err)
		}
	}
	f.version = version
	return f, nil
}

// servedFor says why SSTables for a node of Cassandra's cannot be made, if they cannot.
func servedFor(n topology.Node) error {
	if r := table.ReleaseOf(
		n.Version,
	); r.Before(table.Release{3, 11, 4}) ||
		!r.Before(table.Release{6}) {
		return fmt.Errorf(
			"node %s is of version %s; SSTables are made for ScyllaDB and for Cassandra 3.11.4 to 5.0",
			n.Address,
			n.Version,
		)
	}
	return nil
}

// formFor is what all nodes read, and the newest of them: what they are numbered and taken by
// depends on it.
func formFor(nodes []topology.Node, scylla bool) (fileForm, error) {
	if scylla {
		return fileForm{sstable.MD, byUpload}, nil
	}
	f := fileForm{sstable.NB, byImport}
	for _, n := range nodes {
		if err := servedFor(n); err != nil {
			return f, err
		}
		if table.ReleaseOf(n.Version).Before(table.Release{4}) {
			f = fileForm{sstable.MD, byRefresh}
		}
	}
	return f, nil
}

// refuseVersion says which node cannot read SSTables of a version, if one cannot. Sources:
// org.apache.cassandra.io.sstable.format.big.BigFormat of 3.11 to 5.0, isCompatible; ScyllaDB's
// sstables::version.
func refuseVersion(nodes []topology.Node, scylla bool, v sstable.Version) error {
	if err := spec.CheckSSTableVersion(v); err != nil {
		return err
	}
	least := table.Release{3, 11, 4}
	switch v {
	case sstable.MD:
	case sstable.NB:
		least = table.Release{4}
	case sstable.OA:
		least = table.Release{5}
	}
	if scylla && v != sstable.MD {
		return fmt.Errorf("ScyllaDB reads no SSTables of version %s; it reads %s", v, sstable.MD)
	}
	for _, n := range nodes {
		if !scylla && table.ReleaseOf(n.Version).Before(least) {
			return fmt.Errorf(
				"node %s is of version %s, which reads no SSTables of version %s",
				n.Address,
				n.Version,
				v,
			)
		}
	}
	return nil
}

// modeSetting is the setting of Cassandra 5.0 by which it reads no version that an older one does
// not.
const modeSetting = "storage_compatibility_mode"

// refuseModes says which node passes over SSTables of version oa, if one does.
func (l *landing) refuseModes(ctx context.Context) error {
	modes, err := l.t.Session.Setting(ctx, modeSetting)
	if err != nil {
		return err
	}
	for _, n := range l.t.Cluster.Nodes {
		if mode := cmp.Or(modes[n.ID], "not told"); mode != "UPGRADING" && mode != "NONE" {
			return fmt.Errorf(
				"node %s has %s %s, and passes over SSTables of version %s",
				n.Address,
				modeSetting,
				mode,
				sstable.OA,
			)
		}
	}
	return nil
}
