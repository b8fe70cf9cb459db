package delivery

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// ImportMethod is how nodes import SSTables from a folder.
type ImportMethod uint8

const (
	byImport  ImportMethod = iota // nodetool import, of Cassandra since 4.0
	byRefresh                     // nodetool refresh of the table's own folder, of Cassandra 3.11
	// nodetool refresh of the table's folder upload, of ScyllaDB, which sends rows to their
	// replicas
	byUpload
	byLoader // sstableloader, or upload: the cluster is not known
)

// firstByRefresh is the number of the first SSTable for byRefresh. The files go into the table's
// own folder, where the node's are numbered from 1, and no number may be there twice. It has 10
// digits, like the greatest one (org.apache.cassandra.io.sstable.Descriptor).
const firstByRefresh = 1_000_000_001

// namesByRefresh is a shell pattern for these numbers.
const namesByRefresh = "1000??????"

// fileForm is the form of SSTables in a folder.
type fileForm struct {
	version component.Version
	method  ImportMethod
}

// chooseFiles decides the form of SSTables in a folder: one that all nodes read, or that of
// --sstable-version.
func (d *Delivery) chooseFiles(ctx context.Context) (fileForm, error) {
	f := fileForm{component.NB, byLoader}
	nodes := d.Table.Cluster.Nodes
	var err error
	if d.Table.Connected() || d.Table.Ringed {
		f, err = formFor(nodes, d.Table.IsScylla())
	} else {
		nodes = nil
	}
	if err != nil || d.Spec.SSTableVersion == "" {
		return f, err
	}
	version, err := component.ParseVersion(d.Spec.SSTableVersion)
	if err != nil {
		return f, err
	}
	if err := refuseVersion(nodes, d.Table.IsScylla(), version); err != nil {
		return f, fmt.Errorf("--sstable-version: %w", err)
	}
	if version == component.OA && d.Table.Connected() {
		if err := d.refuseModes(ctx); err != nil {
			return f, fmt.Errorf("--sstable-version: %w", err)
		}
	}
	f.version = version
	return f, nil
}

// servedFor returns an error if no SSTables can be made for a node of Cassandra.
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

// formFor returns the newest form that all nodes read. Its import method depends on their versions.
func formFor(nodes []topology.Node, scylla bool) (fileForm, error) {
	if scylla {
		return fileForm{component.MD, byUpload}, nil
	}
	f := fileForm{component.NB, byImport}
	for _, n := range nodes {
		if err := servedFor(n); err != nil {
			return f, err
		}
		if table.ReleaseOf(n.Version).Before(table.Release{4}) {
			f = fileForm{component.MD, byRefresh}
		}
	}
	return f, nil
}

// refuseVersion returns an error that names a node which cannot read SSTables of a version.
// Sources: org.apache.cassandra.io.sstable.format.big.BigFormat of 3.11 to 5.0, isCompatible;
// ScyllaDB's sstables::version.
func refuseVersion(nodes []topology.Node, scylla bool, v component.Version) error {
	if err := spec.CheckSSTableVersion(v); err != nil {
		return err
	}
	least := table.Release{3, 11, 4}
	switch v {
	case component.MD:
	case component.NB:
		least = table.Release{4}
	case component.OA:
		least = table.Release{5}
	}
	if scylla && v != component.MD {
		return fmt.Errorf("ScyllaDB reads no SSTables of version %s; it reads %s", v, component.MD)
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

// modeSetting is the setting of Cassandra 5.0 that keeps it to the versions that older nodes read.
const modeSetting = "storage_compatibility_mode"

// refuseModes returns an error that names a node which skips SSTables of version oa.
func (d *Delivery) refuseModes(ctx context.Context) error {
	modes, err := d.Table.Session.Setting(ctx, modeSetting)
	if err != nil {
		return err
	}
	for _, n := range d.Table.Cluster.Nodes {
		if mode := cmp.Or(modes[n.ID], "not known"); mode != "UPGRADING" && mode != "NONE" {
			return fmt.Errorf(
				"node %s has %s %s, and passes over SSTables of version %s",
				n.Address,
				modeSetting,
				mode,
				component.OA,
			)
		}
	}
	return nil
}
