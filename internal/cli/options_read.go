package cli

import (
	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// addReadFlags adds the flags of the way that rows are read.
func addReadFlags(b flagset.Binder) {
	const streamed, files = "stream: ", "sstables: "
	b = b.In(flagset.GroupPast)
	b.Add(
		"via",
		"how rows are read: cql, stream or sstables. With stream the nodes send their SSTables here to be merged, for a twentieth of the servers' work. With sstables those in the folders named behind the table are read, of snapshots, backups or nodes that are down, without a cluster",
	)
	b.Add(
		"listen",
		streamed+"address and port where the nodes bring their files, which they must reach (default: "+spec.DefaultListen+", at the address that reaches each)",
	)
	b.Add(
		"storage-port",
		streamed+"port that the nodes stream to each other by (default: the one that they report)",
	)
	b.Add(
		"slice",
		streamed+"bytes to request of a node at once, as it announces them (default: an eighth of its part of the table, 16MiB to 1GiB)",
	)
	b.Add(
		"temp-dir",
		streamed+"folder for what comes, some slices of each node (default: the system's)",
		flagset.Folder,
	)
	addInternodeFlags(b)
	b.Add(
		"snapshot",
		files+"name of the snapshot, or of Medusa's backup, that is read (default: live SSTables where there are any, else the only snapshot)",
	)
	b.Add(
		"schema",
		files+"file of CQL, as DESCRIBE prints it, that has the table (default: schema.cql beside the SSTables, else the cluster is asked)",
	)
	b.Add(
		"ignore-commitlog",
		files+"read data directories although the commit log beside them has rows that are in no SSTable: those are missing then (nodetool drain flushes them)",
	)
	b.Add(
		"ring",
		files+"file that plan --save-ring wrote. A range is read only from the folders of its replicas, whose paths hold their addresses or host ids. With --consistency, that number of them must be there (default: all folders are merged)",
	)
}

// addInternodeFlags adds the flags of TLS on the nodes' own port.
func addInternodeFlags(b flagset.Binder) { addInternodeFlagsOf(b, "", "stream: ") }

// addInternodeFlagsOf adds them with a prefix, of what when says.
func addInternodeFlagsOf(b flagset.Binder, prefix, when string) {
	b.Add(
		prefix+"internode-ssl",
		when+"the nodes speak TLS to each other; each one's certificate is verified, as with --ssl",
	)
	addCertificateFlags(b, prefix+"internode-", when)
}
