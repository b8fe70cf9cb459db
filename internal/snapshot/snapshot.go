// Package snapshot finds the SSTables of one table in the folders that an operator names. These are
// data directories of nodes, snapshots in them, copies of either, what Medusa stores, or a folder
// with nothing but SSTables. It looks at names, and reads the files that say which others count:
// manifests, schema.cql, and the logs of compactions under way. It opens no SSTable.
//
// Start with Find. It takes either live data or one snapshot. If folders hold several and the
// request chooses none, that is an error. So is a file that a manifest names and that is not there.
// The result reports what looks like the table's and is passed over.
//
// Sources: Cassandra's classes Directories and TableSnapshot (folders and manifest.json),
// LogTransaction, LogFile and LogRecord (compactions), ScyllaDB's folders, and Medusa's NodeBackup.
package snapshot

import (
	"fmt"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Request says what to find.
type Request struct {
	Keyspace, Table string // as they are stored, without quotes
	// ID is the table's id, a UUID. Empty: that of the schema beside the files, or the only one
	// there is.
	ID string
	// Tag is the name of a snapshot, or of one of Medusa's backups. Empty: live data where there
	// are any, else the only snapshot. A path that leads into a snapshot chooses that one, whatever
	// Tag says.
	Tag string
	// Paths are folders.
	Paths []string
}

// Found is what belongs together.
type Found struct {
	// SSTables are ordered by folder and name. Each is there once, however many paths and links
	// lead to it.
	SSTables []SSTable
	// Nodes are the folders below which nodes have their data, ordered: see SSTable.Node. One may
	// have no SSTable.
	Nodes []string
	// Live are those whose live data were read, ordered, also where the table has no SSTable.
	Live []string
	// Tags are the snapshots that were read, ordered; empty of live data. There is one unless the
	// paths chose several, of different nodes.
	Tags []string
	// ID is the table's id, 32 hexadecimal digits; empty if neither a folder nor a schema has it.
	ID string
	// Schema is the text of the schema beside the files, and SchemaPath its file; empty where there
	// is none.
	Schema, SchemaPath string
	// ViewPath is a schema beside the files that creates a materialized view of this name, without
	// the types of its columns. It is empty if there is none.
	ViewPath string
	// Skipped is what looked like the table's and was passed over, ordered by path.
	Skipped []Skipped
}

// SSTable is an SSTable that was found.
type SSTable struct {
	component.Descriptor
	Folder string
	// Node is the folder of a node: that of its data, with folders of keyspaces, or Medusa's folder
	// of the node. If the node is not known, it is the folder of the SSTables themselves. A node
	// with several data directories has several.
	Node string
	// Tag is the snapshot that it is of; empty: live data.
	Tag string
}

// Path is the path of one of its files.
func (s *SSTable) Path(c component.Kind) string { return join(s.Folder, s.Name(c)) }

// Skipped is a file or a folder that was passed over.
type Skipped struct {
	Path, Reason string
}

// String says what was passed over, and why.
func (s Skipped) String() string { return s.Path + ": " + s.Reason }

// ChoiceError says that there are several of something, where one must be chosen.
type ChoiceError struct {
	What string   // snapshots, or table ids
	Of   string   // keyspace.table
	Have []string // to choose from, ordered
	Hint string   // how
}

// Error names what there is to choose from.
func (e *ChoiceError) Error() string {
	return fmt.Sprintf(
		"%s has several %s: %s; %s",
		e.Of,
		e.What,
		strings.Join(e.Have, ", "),
		e.Hint,
	)
}

// MissingError says that a file is not there that something names.
type MissingError struct {
	Path, NamedBy string
}

// Error names both.
func (e *MissingError) Error() string {
	return fmt.Sprintf("%s is not there, but %s names it", e.Path, e.NamedBy)
}
