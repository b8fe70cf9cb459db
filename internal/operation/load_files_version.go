package operation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/topology"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
)

// taking is how SSTables get from a folder into the nodes.
type taking uint8

const (
	byImport  taking = iota // nodetool import, of Cassandra since 4.0
	byRefresh               // nodetool refresh of the table's own folder, of Cassandra 3.11
	byUpload                // nodetool refresh of its folder upload, of ScyllaDB, which brings rows to where they belong
	byLoader                // sstableloader, or upload: the cluster is not known
)

// firstByRefresh is the number of the first SSTable of a node that takes files from the table's own folder, where its own
// are numbered from 1: they must not meet. It has 10 digits, as has the greatest one (org.apache.cassandra.io.sstable.Descriptor).
const firstByRefresh = 1_000_000_001

// namesByRefresh matches their numbers, as a shell does.
const namesByRefresh = "1000??????"

// fileForm is what SSTables are made like.
type fileForm struct {
	version sstable.Version
	taking  taking
}

// chooseFiles decides what SSTables are made like that are kept in a folder: as those can take them that the cluster
// has, or as was asked for.
func (l *landing) chooseFiles(ctx context.Context) (fileForm, error) {
	f := fileForm{sstable.NB, byLoader}
	nodes := l.t.cluster.Nodes
	var err error
	if l.t.connected() || l.t.ringed {
		f, err = formFor(nodes, l.t.isScylla())
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
	if err := refuseVersion(nodes, l.t.isScylla(), version); err != nil {
		return f, fmt.Errorf("--sstable-version: %w", err)
	}
	if version == sstable.OA && l.t.connected() {
		if err := l.refuseModes(ctx); err != nil {
			return f, fmt.Errorf("--sstable-version: %w", err)
		}
	}
	f.version = version
	return f, nil
}

// release is the version of a server, such as 5.0.6.
type release [3]int

func releaseOf(version string) (r release) {
	for i, part := range strings.SplitN(version, ".", len(r)) {
		digits := strings.IndexFunc(part, func(c rune) bool { return c < '0' || c > '9' })
		if digits < 0 {
			digits = len(part)
		}
		r[i], _ = strconv.Atoi(part[:digits])
	}
	return r
}

func (r release) before(o release) bool { return slices.Compare(r[:], o[:]) < 0 }

// servedFor says why SSTables for a node of Cassandra's cannot be made, if they cannot.
func servedFor(n topology.Node) error {
	if r := releaseOf(n.Version); r.before(release{3, 11, 4}) || !r.before(release{6}) {
		return fmt.Errorf("node %s is of version %s; SSTables are made for ScyllaDB and for Cassandra 3.11.4 to 5.0", n.Address, n.Version)
	}
	return nil
}

// formFor is what all nodes read, and the newest of them: what they are numbered and taken by depends on it.
func formFor(nodes []topology.Node, scylla bool) (fileForm, error) {
	if scylla {
		return fileForm{sstable.MD, byUpload}, nil
	}
	f := fileForm{sstable.NB, byImport}
	for _, n := range nodes {
		if err := servedFor(n); err != nil {
			return f, err
		}
		if releaseOf(n.Version).before(release{4}) {
			f = fileForm{sstable.MD, byRefresh}
		}
	}
	return f, nil
}

// refuseVersion says which node cannot read SSTables of a version, if one cannot. Sources: org.apache.cassandra.io.sstable.format.big.BigFormat
// of 3.11 to 5.0, isCompatible; ScyllaDB's sstables::version.
func refuseVersion(nodes []topology.Node, scylla bool, v sstable.Version) error {
	if err := spec.CheckSSTableVersion(v); err != nil {
		return err
	}
	least := release{3, 11, 4}
	switch v {
	case sstable.MD:
	case sstable.NB:
		least = release{4}
	case sstable.OA:
		least = release{5}
	}
	if scylla && v != sstable.MD {
		return fmt.Errorf("ScyllaDB reads no SSTables of version %s; it reads %s", v, sstable.MD)
	}
	for _, n := range nodes {
		if !scylla && releaseOf(n.Version).before(least) {
			return fmt.Errorf("node %s is of version %s, which reads no SSTables of version %s", n.Address, n.Version, v)
		}
	}
	return nil
}

// modeSetting is the setting of Cassandra 5.0 by which it reads no version that an older one does not.
const modeSetting = "storage_compatibility_mode"

// refuseModes says which node passes over SSTables of version oa, if one does.
func (l *landing) refuseModes(ctx context.Context) error {
	modes, err := l.t.session.Setting(ctx, modeSetting)
	if err != nil {
		return err
	}
	for _, n := range l.t.cluster.Nodes {
		if mode := cmp.Or(modes[n.ID], "not told"); mode != "UPGRADING" && mode != "NONE" {
			return fmt.Errorf("node %s has %s %s, and passes over SSTables of version %s", n.Address, modeSetting, mode, sstable.OA)
		}
	}
	return nil
}
