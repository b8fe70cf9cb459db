package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// cloneOptions are the flags of clone.
type cloneOptions struct {
	tableOptions
	showOptions
	FromTable string
	spec      *spec.Clone
}

// AddFlags adds the flags of clone.
func (o *cloneOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings()}
	o.tableOptions.AddFlags(f)
	from := b.In(flagset.GroupOther)
	from.Add(
		"from-hosts",
		"contact points of the cluster that has the table; it is only read",
		flagset.Everyday,
	)
	flagset.AddOwn(
		f,
		&o.FromTable,
		"from-table",
		"the table that is cloned, where it has another name; keyspace.table, or table (default: that of the clone)",
		flagset.Of(flagset.GroupInput),
		flagset.Everyday,
	)
	from.Add("from-port", "native transport port of its nodes")
	from.Add("from-user", "user name, where it asks for one")
	from.Add("from-password", "password; rather use --from-password-file or CQLBULK_FROM_PASSWORD")
	from.Add("from-password-file", "file whose first line is the password")
	from.Add(
		"from-dc",
		"data center whose replicas are read first (default: that of the first contact point)",
	)
	from.Add("from-ssl", "secure connections to it by TLS, as --ssl does")
	addCertificateFlags(from, "from-", "")
	from.Add(
		"listen",
		"address and port where its nodes bring their files, and those of the clone answer whether any joins; all must reach it (default: "+spec.DefaultListen+", at the address that reaches each)",
	)
	from.Add(
		"from-storage-port",
		"port that its nodes stream to each other by (default: the one that they report)",
	)
	from.Add(
		"slice",
		"bytes that a node is asked for at once, by what it announces (default: 1GiB)",
	)
	addInternodeFlagsOf(from, "from-", "")
	from = b.In(flagset.GroupFolders)
	from.Add(
		"snapshot",
		"name of the snapshot, or of Medusa's backup, that is cloned (default: live SSTables where there are any, else the only snapshot)",
		flagset.Everyday,
	)
	from.Add(
		"schema",
		"file of CQL, as DESCRIBE prints it, that has the table (default: schema.cql beside the SSTables, else the table that is cloned to)",
	)
	from.Add(
		"ignore-commitlog",
		"clone data directories although the commit log beside them has rows that are in no SSTable: those are missing then (nodetool drain flushes them)",
	)
	from.Add(
		"ring",
		"file that plan --save-ring wrote of their cluster. Each range is then read only from its replicas' folders, at least as many of them as --consistency says (default: from all)",
	)
	rows := b.In(flagset.GroupRows)
	rows.Add("begintoken", "clone only what comes after this token")
	rows.Add("endtoken", "clone only up to this token, itself included")

	b.In(flagset.GroupWrites).Add("dry-run", "read and merge everything, and write nothing", flagset.Everyday)
	past := b.In(flagset.GroupPast)
	past.Add(
		"via",
		"how the partitions go into the table: stream, or sstables; which leaves them in a folder, as SSTables from which they are imported",
		flagset.Everyday,
	)
	addKeptFlags(past)
	past.Add(
		"stream",
		"stream: with rows the nodes write the SSTables. With whole cqlbulk does, for less of the servers' work. The default auto is whole if the table and the nodes allow it",
	)
	past.Add(
		"temp-dir",
		"folder for what comes, two slices of each node, and for what is made of one (default: the system's; of sstables --dir for the second)",
		flagset.Folder,
	)
	past.Add(
		"storage-port",
		"stream: port that the nodes stream to each other by (default: the one that they report)",
	)
	past.Add("assume-stable", assumeStableHelp)
	past.Add(
		"ignore-hosts",
		"nodes to leave out, by address or id. They need a repair then, within gc_grace_seconds (default: none. A clone waits for nodes that go down, and does not begin if one is down)",
	)
	addInternodeFlags(past)
	b = b.In(flagset.GroupPace)
	b.Add(
		"max-bytes-per-sec",
		"bytes per second sent to all nodes, at most (default: no limit)",
	)
	b.Add("memory", "memory to use, at most")
	b.In(flagset.GroupErrors).
		Add("patience", "how long to wait for a node that takes nothing before the run ends")
	addConnectionFlags(
		b,
		"how many replicas of each range are read of the other cluster: by default most of all of them",
	)
	o.showOptions.AddFlags(f)
	o.addPageFlag(f)
}

func newCloneCommand(s streams) *cobra.Command {
	opts := &cloneOptions{spec: spec.NewClone()}
	c := &cobra.Command{
		Use:   "clone [keyspace.table] SSTABLES... | --from-hosts HOSTS",
		Short: "Bring a table from another cluster, or out of snapshots, as it is",
		Long: `Copy a table as it is into an existing table. It comes from another cluster, or from
folders with SSTables. --hosts and its options are the cluster that is written to.

Every cell keeps its timestamp and its expiry. Deletions of cells, elements, rows,
ranges and partitions are copied too. So no older cell replaces what was written since,
and what was deleted stays deleted.

All rows are streamed. The nodes of the other cluster send their SSTables here, as in a
scan --via stream. Or cqlbulk reads those in the folders, of snapshots, backups or nodes
that are down, as in a scan --via sstables. It merges them, and streams them to all
replicas, in all data centers, or leaves them in a folder to be imported.

--consistency sets the number of replicas that are read of each range. By default it is
most of them (QUORUM), which have all rows written at QUORUM. With fewer, rows that those
replicas missed are lost, and rows whose deletion they missed come back. After a repair,
ONE has all rows as well, for less work; ALL has what any replica has. All SSTables in
folders are read: name those of all nodes, or after a repair of enough of them.

Nothing is purged here. Tombstones come whatever gc_grace_seconds says, and so does what
has expired; the servers drop both by the rules of the new table. What nodes of the
other cluster have dropped already cannot come, and need not, unless the clone has older
rows of its own.

The table must be there, with the columns that it had: the same names, types, kinds and
order of clustering; it may have more. User types may be of another keyspace. Counters
are refused, and so are views and tables of COMPACT STORAGE. Default times to live of
the table change nothing.

If something fails, run the same command again: cells that are there already are the
same, and writing them twice changes nothing. If token ranges could not be read, the
clone lists them, copies nothing of them, and ends with exit status 2. The flags
--begintoken and --endtoken clone only one of them.
` + help.ExitStatus,
		Example: `  cqlbulk clone demo.flights --from-hosts 10.0.0.1 --hosts 10.1.0.1
  cqlbulk clone new.flights --from-table demo.flights --from-hosts 10.0.0.1
  cqlbulk clone demo.flights backups/* --snapshot friday --hosts 10.1.0.1

  # SSTables for nodes whose port for streaming cannot be reached
  cqlbulk clone demo.flights backups/* --hosts 10.1.0.1 --via sstables -d import/`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opts.fill(c, args); err != nil {
				return err
			}
			return runClone(c.Context(), s, opts)
		},
	}
	c.Flags().SortFlags = false
	c.ValidArgsFunction = completeTable(&opts.spec.Connection, true)
	opts.AddFlags(c.Flags())
	return c
}

// fill fills in what the command line says besides settings.
func (o *cloneOptions) fill(c *cobra.Command, args []string) (err error) {
	if o.spec.TableName, o.spec.From.Inputs, err = o.find(c, args); err != nil {
		return err
	}
	o.spec.Given = flagset.Typed(c.Flags())
	if o.FromTable == "" {
		return nil
	}
	parts, err := schema.SplitName(o.FromTable)
	switch {
	case err != nil:
		return fmt.Errorf("--from-table %s: %w", o.FromTable, err)
	case len(parts) == 2:
		o.spec.From.Keyspace = parts[0]
	}
	o.spec.From.Table = parts[len(parts)-1]
	return nil
}

func runClone(ctx context.Context, s streams, o *cloneOptions) error {
	s, err := s.withPage(o.showOptions, "clone")
	if err != nil {
		return err
	}
	clone, err := operation.PrepareClone(ctx, o.environment(s), *o.spec)
	if err != nil {
		return err
	}
	defer clone.Close()
	stop := o.run(ctx, s, "clone "+clone.Table(), clone.Counters(), false)
	s.page.show(clone)
	result, err := clone.Run(ctx)
	stop()
	s.end.document = report.OfClone(result)
	s.printFailed(result.Failed)
	if !o.Quiet && result.Files == nil && !result.DryRun {
		s.printStreamed(result.Stream, result.Compaction)
	}
	s.printImports(result.Files, o.Quiet)
	if err != nil || result.Outcome == run.Partly {
		s.wrong("the same command once more does no harm to what is there")
	}
	return runError(err, result.Outcome)
}
