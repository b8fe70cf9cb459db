package operation

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/safetext"
	"github.com/cqlbulk/cqlbulk/internal/write/stream"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
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

// importText says how the SSTables get into the nodes. Sources:
// org.apache.cassandra.tools.nodetool.Import and Refresh, org.apache.cassandra.db.SSTableImporter,
// ColumnFamilyStore.loadNewSSTables of 3.11; ScyllaDB's manual, nodetool refresh.
func (l *landing) importText(nodes []stream.KeptNode) []byte {
	var b bytes.Buffer
	of := ""
	if l.t.Cluster.Name != "" {
		of = ", of cluster " + safetext.Line(l.t.Cluster.Name)
	}
	fmt.Fprintf(
		&b,
		"# SSTables of %s%s.\n#\n%s",
		safetext.Line(l.t.Schema.String()),
		of,
		map[taking]string{
			byImport: importNote + ringNote, byRefresh: refreshNote + ringNote, byUpload: uploadNote, byLoader: loaderNote,
		}[l.streaming.taking],
	)
	for _, n := range nodes {
		if l.streaming.taking == byLoader {
			fmt.Fprintf(&b, "\n# all nodes, SSTables: %d\n%s\n", len(n.Tables), l.loaderCommands(n))
			continue
		}
		fmt.Fprintf(
			&b,
			"\n# node %s, SSTables: %d\n%s\n",
			safetext.Line(l.t.NodeName(n.ID)),
			len(n.Tables),
			l.importCommand(n),
		)
	}
	return b.Bytes()
}

// What import.txt says first, by how SSTables are taken.
const (
	importNote = `# Copy the folder of each node to that node, and run its command there. A folder may stand elsewhere on the
# node (change the command), as long as its last two parts keep their names. The server's user must be able to
# read and write it and its files, which the server moves to its own.
#
# A node has taken all SSTables when nodetool ends with status 0 AND no *-Data.db is left in the folder: what the
# server passes over stays there, and is no error. Each command ends with status 0 in that case alone, and names
# the files that were left. Why a folder was refused stands in the server's log.
`
	refreshNote = `# Copy the folder of each node to that node, and run its command there, as the server's user: it copies the
# SSTables to where the server keeps the table (change the command where that is elsewhere), and has it look for
# new ones, which it gives other names. Their own are none that the server has come to yet.
#
# A node has taken all SSTables when nodetool ends with status 0 AND none of them has kept its name. Each command
# ends with status 0 in that case alone, and names the files that were left. The server checks next to nothing:
# SSTables of another node's rows are taken, and their rows are not found.
`
	uploadNote = `# Copy the folder of each node to that node, and run its command there, as the server's user: it copies the
# SSTables to where the server looks for them (change the command where it keeps its data elsewhere), and has it
# send each row to all nodes that the row belongs to. Each row is in the folder of one node alone; that node need
# not be one of the row's own, so that all folders may as well be copied to one node, one after the other.
#
# A node has taken all SSTables when nodetool ends with status 0 AND no *-Data.db is left in the folder. Each
# command ends with status 0 in that case alone, and names the files that were left.
`
	loaderNote = `# Which node has which rows was not known when these were made (--ring tells), so that all rows are in one folder.
# sstableloader sends each to the nodes that it belongs to, from any host that reaches them: name one for ADDRESS.
# The last two parts of the folder must keep their names.
`
	ringNote = `#
# A node takes the rows that are its own and no others: when nodes have joined, left or moved since these were
# made, make them anew.
`
)

// importCommand is what is run on a node.
func (l *landing) importCommand(n stream.KeptNode) string {
	name, folder := l.quotedTable(), safetext.ScriptWord(l.files.folder(n))
	switch l.streaming.taking {
	case byUpload:
		to := safetext.ScriptWord(filepath.Join(scyllaData, l.tableFolder(), uploadFolder))
		none := noneLeft(to, "*-Data.db")
		return fmt.Sprintf(
			"%s && cp %s/* %s && nodetool refresh %s --load-and-stream && %[1]s",
			none,
			folder,
			to,
			name,
		)
	case byRefresh:
		to := safetext.ScriptWord(filepath.Join(cassandraData, l.tableFolder()))
		none := noneLeft(
			to,
			fmt.Sprintf("%s-%s-big-Data.db", l.streaming.options.Version, namesByRefresh),
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

// loaderCommands is what is run where the cluster is not known.
func (l *landing) loaderCommands(n stream.KeptNode) string {
	folder := safetext.ScriptWord(l.files.folder(n))
	commands := "sstableloader -d ADDRESS " + folder
	if l.streaming.options.Version == sstable.MD {
		commands += "\n# or, of ScyllaDB, on any one node, where * stands for the table's id:\n# " + fmt.Sprintf(
			"cp %s/* %s/%s-*/%s/ && nodetool refresh %s --load-and-stream",
			safetext.ShellWord(
				l.files.folder(n),
			),
			safetext.ScriptWord(filepath.Join(scyllaData, l.t.Schema.Keyspace)),
			safetext.ScriptWord(l.t.Schema.Name),
			uploadFolder,
			l.quotedTable(),
		)
	}
	return commands
}

// quotedTable is the keyspace and the table, two words of a command.
func (l *landing) quotedTable() string {
	return safetext.ScriptWord(l.t.Schema.Keyspace) + " " + safetext.ScriptWord(l.t.Schema.Name)
}

// noneLeft is a command that fails, and names them, when files are in a folder.
func noneLeft(folder, names string) string {
	return fmt.Sprintf("! find %s -maxdepth 1 -name '%s' | grep .", folder, names)
}
