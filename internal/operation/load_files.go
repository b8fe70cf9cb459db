package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/fault"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/table"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
)

// KeptFiles are the SSTables that a load left in a folder.
type KeptFiles struct {
	Dir string
	// file with the commands to be run on the nodes; empty: the SSTables are not whole
	Import string
	Nodes  int
	Tables int  // SSTables of all nodes
	Ringed bool // each node has its own; else all rows are in one folder
	// Imports is what became of those of each node; nil: they were not to be imported.
	Imports []Imported
}

// keptManifest is what manifest.json in the folder says: of each node, its SSTables and their
// files.
type keptManifest struct {
	Format      int          `json:"format"`
	Tool        string       `json:"tool"`
	ToolVersion string       `json:"tool_version"`
	Build       version.Info `json:"build"`
	Command     string       `json:"command"`
	Cluster     string       `json:"cluster"`
	Keyspace    string       `json:"keyspace"`
	Table       string       `json:"table"`
	TableID     string       `json:"table_id"`
	Version     string       `json:"sstable_version"`
	Nodes       []keptNode   `json:"nodes"` // in the order of their folders
}

type keptNode struct {
	ID      string      `json:"id"` // host id
	Address string      `json:"address"`
	Folder  string      `json:"folder"` // of the SSTables, from that of the manifest
	Tables  []keptTable `json:"sstables"`
}

type keptTable struct {
	Partitions int64      `json:"partitions"`
	Rows       int64      `json:"rows"`
	Files      []keptFile `json:"files"` // in order of name
}

type keptFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// keptFormat is the version of the form of such a manifest.
const keptFormat = 1

// startFiles makes what keeps the SSTables, in a folder where none is.
func (l *landing) startFiles() error {
	dir, err := filepath.Abs(l.spec.Dir)
	if err != nil {
		return err
	}
	if err := fsync.MkdirAll(dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	layout := stream.Layout{Dir: dir, Nodes: l.nodeFolders(), Table: l.tableFolder()}
	switch l.streaming.taking {
	case byUpload:
		layout.Table = filepath.Join(layout.Table, uploadFolder)
	case byRefresh:
		layout.First = firstByRefresh
	}
	l.files = &fileKeeper{
		dir:    dir,
		keeper: stream.NewKeeper(layout),
		ringed: l.streaming.taking != byLoader,
	}
	return nil
}

// tableFolder is the folder of the table among those of keyspaces, as servers have it. They pass
// over SSTables in folders that are called otherwise.
func (l *landing) tableFolder() string {
	name := l.t.Schema.Name
	if l.t.Schema.ID != "" {
		name += "-" + strings.ReplaceAll(l.t.Schema.ID, "-", "")
	}
	return filepath.Join(l.t.Schema.Keyspace, name)
}

// nodeFolders names the folders of nodes: by their address, and by their id where that is not
// theirs alone.
func (l *landing) nodeFolders() map[string]string {
	if l.streaming.taking == byLoader {
		return map[string]string{table.Anywhere: ""}
	}
	names, ids := make(map[string]string), make(map[string]string)
	for _, n := range l.t.Cluster.Nodes {
		host, _, err := net.SplitHostPort(n.Address)
		if other, taken := ids[host]; err != nil || taken {
			names[n.ID] = n.ID
			names[other] = other
			continue
		}
		names[n.ID], ids[host] = host, n.ID
	}
	return names
}

// fileKeeper is what keeps the SSTables of a load.
type fileKeeper struct {
	dir    string // absolute
	keeper *stream.Keeper
	ringed bool

	imports []Imported // what became of them, where they are imported here
}

// kept returns the SSTables of a load that keeps them; nil of any other, and of a load by CQL.
func (l *landing) kept() *fileKeeper {
	if l == nil {
		return nil
	}
	return l.files
}

// folder is where the SSTables of a node are.
func (k *fileKeeper) folder(n stream.KeptNode) string { return filepath.Join(k.dir, n.Folder) }

func (k *fileKeeper) importPath() string { return filepath.Join(k.dir, importName) }

// report tells what is there.
func (k *fileKeeper) report() *KeptFiles {
	r := &KeptFiles{Dir: k.dir, Import: k.importPath(), Ringed: k.ringed}
	for _, n := range k.keeper.Kept() {
		r.Nodes++
		r.Tables += len(n.Tables)
	}
	return r
}

// completeFiles writes down which SSTables are there, and has them imported where that is wanted,
// before their rows count as loaded. It gives an error when rows belong to other nodes by then.
func (l *landing) completeFiles(ctx context.Context) error {
	if err := l.describeFiles(); err != nil || !l.spec.Import {
		return err
	}
	l.counters.Stage.Wait()
	l.files.imports = l.importKept(ctx)
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, context.Cause(ctx))
	}
	return table.Settled(ctx, l.spec.Patience, func() error {
		_, err := l.streaming.options.Ring(ctx)
		return err
	})
}

// describeFiles writes down which SSTables are there, and last how they are imported.
func (l *landing) describeFiles() error {
	nodes := l.files.keeper.Kept()
	m := keptManifest{
		Format:      keptFormat,
		Tool:        version.Tool,
		ToolVersion: l.env.Build.Version,
		Build:       l.env.Build,
		Command:     "load",
		Cluster:     l.t.Cluster.Name,
		Keyspace:    l.t.Schema.Keyspace,
		Table:       l.t.Schema.Name,
		TableID:     l.t.Schema.ID,
		Version:     l.streaming.options.Version.String(),
		Nodes:       []keptNode{},
	}
	for _, n := range nodes {
		node := keptNode{ID: n.ID, Address: l.t.NodeName(n.ID), Folder: n.Folder}
		for _, t := range n.Tables {
			kept := keptTable{Partitions: t.Partitions, Rows: t.Rows}
			for c, size := range t.Sizes {
				kept.Files = append(kept.Files, keptFile{t.Name(c), size})
			}
			slices.SortFunc(
				kept.Files,
				func(a, b keptFile) int { return strings.Compare(a.Name, b.Name) },
			)
			node.Tables = append(node.Tables, kept)
		}
		m.Nodes = append(m.Nodes, node)
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := fsync.Replace(manifest.Path(l.files.dir, true), append(text, '\n')); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	if err := fsync.Replace(l.files.importPath(), l.importText(nodes)); err != nil {
		return fmt.Errorf("commands that import the SSTables: %w", err)
	}
	return nil
}
