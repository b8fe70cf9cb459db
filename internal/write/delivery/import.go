package delivery

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// importName is the file with the commands that import the SSTables of a load into files.
const importName = "import.txt"

// uploadFolder is the folder in that of a table where ScyllaDB looks for SSTables.
const uploadFolder = "upload"

// Where servers keep their tables by default.
const (
	cassandraData = "/var/lib/cassandra/data"
	scyllaData    = "/var/lib/scylla/data"
)

// importText returns the text of import.txt: the commands that bring the SSTables into the nodes.
// Sources:
// org.apache.cassandra.tools.nodetool.Import and Refresh, org.apache.cassandra.db.SSTableImporter,
// ColumnFamilyStore.loadNewSSTables of 3.11; ScyllaDB's manual, nodetool refresh.
func (d *Delivery) importText(nodes []stream.KeptNode) []byte {
	var b bytes.Buffer
	of := ""
	if d.Table.Cluster.Name != "" {
		of = ", of cluster " + safetext.Line(d.Table.Cluster.Name)
	}
	fmt.Fprintf(
		&b,
		"# SSTables of %s%s.\n#\n%s",
		safetext.Line(d.Table.Schema.String()),
		of,
		map[ImportMethod]string{
			byImport:  importNote + ringNote,
			byRefresh: refreshNote + ringNote,
			byUpload:  uploadNote,
			byLoader:  loaderNote,
		}[d.Setup.Method],
	)
	for _, n := range nodes {
		if d.Setup.Method == byLoader {
			fmt.Fprintf(&b, "\n# all nodes, SSTables: %d\n%s\n", len(n.Tables), d.loaderCommands(n))
			continue
		}
		fmt.Fprintf(
			&b,
			"\n# node %s, SSTables: %d\n%s\n",
			safetext.Line(d.Table.NodeName(n.ID)),
			len(n.Tables),
			d.importCommand(n),
		)
	}
	return b.Bytes()
}

// The first lines of import.txt, by import method.
const (
	importNote = `# Copy the folder of each node to that node, and run its command there. If the folder is elsewhere
# on the node, change the command. The last two parts of the folder must keep their names. The
# server's user must be able to read and write the folder and its files: the server moves them.
#
# A node has imported all SSTables if its command ends with status 0. nodetool alone does so even if
# the server skips files. Each command prints the files that are left in the folder, and fails then.
# The server's log has the reason.
`
	refreshNote = `# Copy the folder of each node to that node, and run its command there, as the server's user. It
# copies the SSTables to the table's folder on the server, and the server loads them under other
# names. If that folder is elsewhere, change the command. No SSTable of the server has their names.
#
# A node has loaded all SSTables if its command ends with status 0. It prints the files that have
# kept their names, and fails then. The server checks next to nothing: it loads SSTables of another
# node's rows, too, and these rows are not found.
`
	uploadNote = `# Copy the folder of each node to that node, and run its command there, as the server's user. It
# copies the SSTables to the table's upload folder on the server, and the server sends each row to
# its replicas. If that folder is elsewhere, change the command. Each row is in the folder of one
# node. That node need not be a replica: all folders can be copied to one node, one after another.
#
# A node has loaded all SSTables if its command ends with status 0. It prints the files that are
# left in the folder, and fails then.
`
	loaderNote = `# It was not known which node has which rows (--ring has it), so all rows are in one folder.
# sstableloader sends each row to its replicas, from any host that reaches them: put the address
# of a node in place of ADDRESS. The last two parts of the folder must keep their names.
`
	ringNote = `#
# A node takes its own rows and no others. If nodes have joined, left or moved since these
# SSTables were made, make them again.
`
)

// importCommand returns the command for a node.
func (d *Delivery) importCommand(n stream.KeptNode) string {
	name, folder := d.quotedTable(), safetext.ScriptWord(d.Folder.folder(n))
	switch d.Setup.Method {
	case byUpload:
		to := safetext.ScriptWord(filepath.Join(scyllaData, d.tableFolder(), uploadFolder))
		none := noneLeft(to, "*-Data.db")
		return fmt.Sprintf(
			"%s && cp %s/* %s && nodetool refresh %s --load-and-stream && %[1]s",
			none,
			folder,
			to,
			name,
		)
	case byRefresh:
		to := safetext.ScriptWord(filepath.Join(cassandraData, d.tableFolder()))
		none := noneLeft(
			to,
			fmt.Sprintf("%s-%s-big-Data.db", d.Setup.Options.Version, namesByRefresh),
		)
		return fmt.Sprintf(
			"%s && cp %s/* %s && nodetool refresh %s && %[1]s",
			none,
			folder,
			to,
			name,
		)
	default:
		return fmt.Sprintf(
			"nodetool import %s %s && %s",
			name,
			folder,
			noneLeft(folder, "*-Data.db"),
		)
	}
}

// loaderCommands returns the commands for a cluster whose nodes are not known.
func (d *Delivery) loaderCommands(n stream.KeptNode) string {
	folder := safetext.ScriptWord(d.Folder.folder(n))
	commands := "sstableloader -d ADDRESS " + folder
	if d.Setup.Options.Version == component.MD {
		commands += "\n# or, of ScyllaDB, on any one node, where * stands for the table's id:\n# " + fmt.Sprintf(
			"cp %s/* %s/%s-*/%s/ && nodetool refresh %s --load-and-stream",
			safetext.ShellWord(
				d.Folder.folder(n),
			),
			safetext.ScriptWord(filepath.Join(scyllaData, d.Table.Schema.Keyspace)),
			safetext.ScriptWord(d.Table.Schema.Name),
			uploadFolder,
			d.quotedTable(),
		)
	}
	return commands
}

// quotedTable returns the keyspace and the table, two words of a command.
func (d *Delivery) quotedTable() string {
	return safetext.ScriptWord(d.Table.Schema.Keyspace) + " " + safetext.ScriptWord(d.Table.Schema.Name)
}

// noneLeft returns a command that fails and prints the names if a folder has such files.
func noneLeft(folder, names string) string {
	return fmt.Sprintf("! find %s -maxdepth 1 -name '%s' | grep .", folder, names)
}
