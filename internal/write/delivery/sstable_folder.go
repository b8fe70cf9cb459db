package delivery

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

// KeptFiles are the SSTables that a load or a clone left in a folder.
type KeptFiles struct {
	Dir string
	// file with the commands to run on the nodes; empty: the SSTables are not complete
	Import string
	Nodes  int
	Tables int  // SSTables of all nodes
	Ringed bool // each node has its own; else all rows are in one folder
	// Imports has the result of importing, by node; nil: without --import.
	Imports []Imported
}

// keptManifest is the content of manifest.json in the folder: the SSTables of each node, with their
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

// keptFormat is the version of this manifest's form.
const keptFormat = 1

// CreateFolder sets Folder, and creates the folder of the SSTables if there is none.
func (d *Delivery) CreateFolder() error {
	dir, err := filepath.Abs(d.Spec.Dir)
	if err != nil {
		return err
	}
	if err := fsync.MkdirAll(dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	layout := stream.Layout{Dir: dir, Nodes: d.nodeFolders(), Table: d.tableFolder()}
	switch d.Setup.Method {
	case byUpload:
		layout.Table = filepath.Join(layout.Table, uploadFolder)
	case byRefresh:
		layout.First = firstByRefresh
	}
	d.Folder = &SSTableFolder{
		Dir:    dir,
		Sender: stream.NewFolderSender(layout),
		ringed: d.Setup.Method != byLoader,
	}
	return nil
}

// tableFolder returns the table's folder within a data directory, by the servers' naming. Servers
// skip SSTables in folders with other names.
func (d *Delivery) tableFolder() string {
	name := d.Table.Schema.Name
	if d.Table.Schema.ID != "" {
		name += "-" + strings.ReplaceAll(d.Table.Schema.ID, "-", "")
	}
	return filepath.Join(d.Table.Schema.Keyspace, name)
}

// nodeFolders names the folders of nodes: by their address, and by their id where that is not
// theirs alone.
func (d *Delivery) nodeFolders() map[string]string {
	if d.Setup.Method == byLoader {
		return map[string]string{table.Anywhere: ""}
	}
	names, ids := make(map[string]string), make(map[string]string)
	for _, n := range d.Table.Cluster.Nodes {
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

// SSTableFolder keeps the SSTables of a load or a clone in a folder.
type SSTableFolder struct {
	Dir    string // absolute
	Sender *stream.FolderSender
	ringed bool

	Imports []Imported // what became of them, where they are imported here
}

// KeptIn returns the folder; nil if rows are streamed, or the load goes by CQL and has no delivery.
func (d *Delivery) KeptIn() *SSTableFolder {
	if d == nil {
		return nil
	}
	return d.Folder
}

// folder returns the folder with the SSTables of a node.
func (k *SSTableFolder) folder(n stream.KeptNode) string { return filepath.Join(k.Dir, n.Folder) }

// ImportPath returns the path of the file with the commands that import the SSTables.
func (k *SSTableFolder) ImportPath() string { return filepath.Join(k.Dir, importName) }

// Report returns what the folder has.
func (k *SSTableFolder) Report() *KeptFiles {
	r := &KeptFiles{Dir: k.Dir, Import: k.ImportPath(), Ringed: k.ringed}
	for _, n := range k.Sender.Kept() {
		r.Nodes++
		r.Tables += len(n.Tables)
	}
	return r
}

// CompleteFolder writes the manifest and import.txt, and imports the SSTables with --import. Then
// their rows count as loaded. It returns an error if rows belong to other nodes by then.
func (d *Delivery) CompleteFolder(ctx context.Context) error {
	if err := d.describeFolder(); err != nil || !d.Spec.Import {
		return err
	}
	d.Counters.Stage.Wait()
	d.Folder.Imports = d.importKept(ctx)
	if ctx.Err() != nil {
		return fault.New(fault.Canceled, context.Cause(ctx))
	}
	return table.AwaitAgreement(ctx, d.Spec.Patience, func() error {
		_, err := d.Setup.Options.Ring(ctx)
		return err
	})
}

// describeFolder writes the manifest, and last the commands that import the SSTables.
func (d *Delivery) describeFolder() error {
	nodes := d.Folder.Sender.Kept()
	m := keptManifest{
		Format:      keptFormat,
		Tool:        version.Tool,
		ToolVersion: d.Env.Build.Version,
		Build:       d.Env.Build,
		Command:     "load",
		Cluster:     d.Table.Cluster.Name,
		Keyspace:    d.Table.Schema.Keyspace,
		Table:       d.Table.Schema.Name,
		TableID:     d.Table.Schema.ID,
		Version:     d.Setup.Options.Version.String(),
		Nodes:       []keptNode{},
	}
	for _, n := range nodes {
		node := keptNode{ID: n.ID, Address: d.Table.NodeName(n.ID), Folder: n.Folder}
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
	if err := fsync.Replace(manifest.Path(d.Folder.Dir, true), append(text, '\n')); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	if err := fsync.Replace(d.Folder.ImportPath(), d.importText(nodes)); err != nil {
		return fmt.Errorf("commands that import the SSTables: %w", err)
	}
	return nil
}
