package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/report"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// scanOptions are the flags of scan.
type scanOptions struct {
	tableOptions
	showOptions
	spec *spec.Scan
}

// AddFlags adds the flags of scan.
func (o *scanOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings()}
	o.tableOptions.AddFlags(f)
	o.addOutputFlags(b.In(flagset.GroupOutput))
	addTextFlags(b)
	o.addRowFlags(b)
	addReadFlags(b)
	addPlanFlags(b)
	addPaceFlags(b)
	b = b.In(flagset.GroupErrors)
	b.Add(
		"run-dir",
		"folder for the journal, which resumes a scan that was stopped. It is removed when the output is complete (default: named after the table and the time, beside the output)",
		flagset.Folder,
	)
	b.Add("no-journal", "keep no journal: a scan that was stopped starts from the beginning")
	addConnectionFlags(b, readLevelHelp)
	o.showOptions.AddFlags(f)
	o.addPageFlag(f)
	o.addCheckFlag(f)
}

// addOutputFlags adds the flags of where the rows go, and in which form.
func (o *scanOptions) addOutputFlags(b flagset.Binder) {
	b.Add(
		"output",
		"file to write (default, and \"-\": the standard output)",
		flagset.Letter("o"),
		flagset.Path,
		flagset.Everyday,
	)
	b.Add(
		"dir",
		"folder to write part files to, a series for each worker",
		flagset.Letter("d"),
		flagset.Folder,
		flagset.Everyday,
	)
	b.In(flagset.GroupFormat).
		Add("format", "csv, tsv or json; json is one object on each line (default: by the file's name, else csv)", flagset.Everyday)
	b.Add(
		"compression",
		strings.Join(
			b.ValuesOf("compression"),
			", ",
		)+" (default: as the file's name ends, else none)",
		flagset.Everyday,
	)
	b.Add(
		"file-checksum",
		strings.Join(
			b.ValuesOf("file-checksum"),
			" or ",
		)+": what the manifest and --json have of each file (default: the quicker xxh64)",
	)
	b.Add("compression-level", "how hard to compress, 1 to 9 (default: the compressor's own)")
	b.Add(
		"maxoutputsize",
		"rows of one part file, at most; with --output, rows of each of FILE, FILE.1, FILE.2; only FILE has the header (default: no limit)",
	)
	b.Add("max-file-bytes", "bytes of text of one part file, at most (default: no limit)")
	b.Add("force", "write over an output that exists", flagset.Everyday)
	b.Add("no-manifest", "write no manifest beside the output")
	b.Add(
		"mode",
		"mode of the output's files and of its manifest, as 640. If cqlbulk makes a folder, all who can read the files can enter it. Run directories stay private (default: 600)",
	)
}

// addRowFlags adds the flags that select columns and rows, and format values.
func (o *scanOptions) addRowFlags(b flagset.Binder) {
	b = b.In(flagset.GroupColumns)
	b.Add(
		"columns",
		"columns to read, in this order; ttl(c) and writetime(c) among them (default: all, key columns first)",
		flagset.Everyday,
	)
	b.Add(
		"column-order",
		"order of the columns, where --columns does not name them: "+orderHelp+" (default: table)",
	)
	b = b.In(flagset.GroupValues)
	b.Add(
		"dialect",
		"cqlbulk, whose text is lossless, or cqlsh: the text of COPY TO, which COPY FROM reads. Also dsbulk, pandas or cassandra-loader: the settings that write text for them",
	)
	b.Add(
		"escape",
		`character before a quote in a field, and before itself (default: none, a quote is doubled; cqlsh: \)`,
	)
	b.Add(
		"escape-in-quotes",
		`with --escape: it is written only inside quotes, as DSBulk has it`,
	)
	b.Add(
		"newline-escapes",
		`with --escape: line ends in values are written as n and r behind it, so that each row is one line`,
	)
	b.Add(
		"null-string",
		"text for null values in csv and tsv (default: nothing between the delimiters)",
	)
	b.Add(
		"datetimeformat",
		"pattern that timestamps are written by (strptime or Java), such as '%Y-%m-%d %H:%M:%S' (default: 2006-01-02T15:04:05Z)",
	)
	b.Add("dateformat", "pattern that dates are written by, such as %d.%m.%Y (default: 2006-01-02)")
	b.Add(
		"timeformat",
		"pattern that times of day are written by, such as HH:mm (default: 15:04:05.000000000)",
	)
	b.Add(
		"column",
		"pattern of one column, as NAME=TYPE:PATTERN; the type is timestamp, date or time; may be repeated",
	)
	b.Add(
		"timezone",
		"zone that timestamps are written in, such as Europe/Berlin (default: UTC)",
	)
	b.Add(
		"timestamp-unit",
		"write timestamps as numbers since 1970 of s, ms, us or ns (default: as times)",
	)
	b.Add("boolstyle", "the words for true and false, such as yes,no (default: true,false)")
	b.Add("decimalsep", "the character before decimals (default: .)")
	b.Add("thousandssep", "the character between groups of three digits (default: none)")
	b.Add("binary", "text of blobs: hex, as 0x00ff, or base64")
	b.Add(
		"collections",
		"text of collections, tuples and user types in csv and tsv: cql, as ['a'], or json, as [\"a\"]",
	)
	b.Add("omit-nulls", "json: write no members for null values")
	b.Add(
		"floatprecision",
		"with --dialect cqlsh: digits of a float, and of floats and doubles in collections (default: 5)",
	)
	b.Add("doubleprecision", "with --dialect cqlsh: digits of a double (default: 12)")
	b.Add(
		"escape-formulas",
		"put a single quote before text that a spreadsheet would run as a formula; the output is then not what the table holds",
	)
	b = b.In(flagset.GroupRows)
	b.Add(
		"query",
		"SELECT to read the table by, with functions, elements and aliases, and without its token range; it names the table (default: the columns of --columns)",
	)
	b.Add("where", "CQL condition that rows must meet besides, such as \"day = 3\"", flagset.Everyday)
	b.Add("allow-filtering", "let the servers read rows that the condition then leaves out")
	b.Add(
		"keys",
		"file of the keys of partitions or rows to read; - is the standard input. Keys without a row are listed (default: the whole table)",
	)
	b.Add("missing", "file for the keys without a row (default: OUTPUT.missing.csv beside the output)")
	b.Add(
		"preserve-times",
		"write the write time and the time to live of each column behind it, as writetime(c) and ttl(c): a load writes the column with them",
	)
	b.Add(
		"written-since",
		"read only rows with a value that was written at this time or later: microseconds since 1970, or 2006-01-02T15:04:05Z",
	)
	b.Add("written-until", "read only rows with a value that was written before this time")
	b.Add("limit", "rows to read, at most, whichever come first (-1: all)", flagset.Everyday)
}

func newScanCommand(s streams) *cobra.Command {
	opts := &scanOptions{spec: spec.NewScan()}
	c := &cobra.Command{
		Use:   "scan [keyspace.table] [-o FILE | -d FOLDER] [SSTABLES...]",
		Short: "Read a whole table and write it as CSV, TSV or JSON lines",
		Long: `Read a whole table, every row once, and write it as CSV (RFC 4180, UTF-8), TSV
or JSON lines, compressed or not.

The ring of tokens is cut into many small ranges, in random order. A small table begins
with few ranges, over many vnodes each. Requests go to a replica of their range. Their
number follows the latency, up to cores x smudge for each node, and falls if a node
reports that it is overloaded. A page that fails is retried, on another replica if there
is one. A range that is too large to answer in time is cut. A range that cannot be read is
listed at the end, the output has none of its rows, and the exit status is 2. Then files
keep names ending in .part until cqlbulk retry has read it; with --no-journal they get
their names without it.

CSV is lossless: loading it again gives the same bytes for every CQL type. Null is
nothing between the delimiters; the empty text is "". Collections, tuples and
user-defined types are CQL literals.

One replica of each range is asked (LOCAL_ONE): what it has missed is not in the output.
At LOCAL_QUORUM all rows are that were written at LOCAL_QUORUM, as load does.

With --via stream the nodes send their SSTables here, where they are merged. That is a
small part of the servers' work, but without permissions and audit, and the nodes must
reach this host (--listen). With --via sstables the SSTables are in the folders that are
named: those of snapshots, backups or nodes that are down. No cluster is needed.
In both cases --where is evaluated here, and takes what CQL takes with ALLOW FILTERING.

With --keys only the partitions and rows are read whose keys a file lists.

Files of an output have names ending in .part, until it is complete.
To resume a scan into files that was stopped: cqlbulk resume RUN_DIR.
A manifest beside it says how it was made. It has the number of rows and the files with
a checksum of each. A checksum of all rows there does not depend on their order.
` + help.ExitStatus,
		Example: `  cqlbulk scan demo.flights -o flights.csv --hosts 10.0.0.1
  cqlbulk scan demo.flights -d flights --format json --compression zstd
  cqlbulk scan demo.flights --columns carrier,flight --header=false | sort -u

  # to a folder of files of a million rows each
  cqlbulk scan demo.flights -d flights --maxoutputsize 1M

  # only the rows whose keys a file lists
  cqlbulk scan demo.flights --keys keys.csv -o some.csv

  # three hosts share one scan: each takes a third of the plan
  cqlbulk scan demo.flights -d part1 --shard 1/3

  # beside an application whose reads must stay below 10 ms
  cqlbulk scan demo.flights -o flights.csv --target-p99 10ms --rate 20k

  # by streaming: the nodes send their SSTables; a majority of each range's replicas is merged
  cqlbulk scan demo.flights -o flights.csv --via stream --consistency LOCAL_QUORUM

  # a snapshot of three nodes, without a cluster
  cqlbulk scan demo.flights -o flights.csv --via sstables --snapshot nightly \
      node1/data node2/data node3/data

  # everything from cqlbulk.yaml, but for one setting
  cqlbulk scan --smudge 3`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opts.fill(c, args); err != nil {
				return err
			}
			if opts.Check {
				return checkScan(c.Context(), s, opts.showOptions, opts.spec)
			}
			return runScan(c.Context(), s, opts.showOptions, opts.spec)
		},
	}
	c.Flags().SortFlags = false
	c.ValidArgsFunction = completeTable(&opts.spec.Connection, true)
	opts.AddFlags(c.Flags())
	return c
}

// fill fills in what the command line says besides settings.
func (o *scanOptions) fill(c *cobra.Command, args []string) (err error) {
	o.spec.UseKeyspace(o.Keyspace)
	statement, err := o.spec.Selected()
	if err != nil {
		return err
	}
	var named spec.TableName
	if statement != nil {
		named = spec.TableName{Keyspace: statement.Keyspace, Table: statement.Table}
	}
	if o.spec.TableName, args, err = o.findOr(c, args, named); err != nil {
		return err
	}
	if o.spec.Inputs = args; len(args) > 0 && !o.spec.FromFiles() {
		return fmt.Errorf("unexpected argument %q: the output file is named with --output", args[0])
	}
	o.spec.Given = flagset.Typed(c.Flags())
	return nil
}

// checkScan looks whether a scan would do well.
func checkScan(ctx context.Context, s streams, show showOptions, settings *spec.Scan) error {
	s.end.aside = false
	d, err := operation.PrepareScanCheck(show.environment(s), *settings)
	if err != nil {
		return err
	}
	return runDoctor(ctx, s, show, d)
}

// runScan prepares a scan and runs it.
func runScan(ctx context.Context, s streams, show showOptions, settings *spec.Scan) error {
	s, scan, err := prepareScan(ctx, s, show, settings)
	if err != nil {
		return err
	}
	return finishScan(ctx, s, show, scan)
}

// prepareScan prepares a scan, and serves the page that shows it.
func prepareScan(
	ctx context.Context, s streams, show showOptions, settings *spec.Scan,
) (streams, *operation.Scan, error) {
	s.end.aside = settings.ToStdout()
	s, err := s.withPage(show, "scan")
	if err != nil {
		return s, nil, err
	}
	scan, err := operation.PrepareScan(ctx, show.environment(s), *settings)
	return s, scan, err
}

// finishScan runs a scan that is prepared, and prints its result.
func finishScan(ctx context.Context, s streams, show showOptions, scan *operation.Scan) error {
	defer scan.Close()
	// Rows and a progress line would get in each other's way on one terminal.
	mixed := scan.ToStdout() && printer.IsTerminal(s.out)
	stop := show.run(ctx, s, "scan "+scan.Table(), scan.Counters(), mixed)
	s.page.show(scan)
	result, err := scan.Run(ctx)
	stop()
	s.end.document = report.OfScan(result)
	s.printFailed(result.Failed)
	s.printUnfinished(result)
	s.printReplaced(result, show.Quiet)
	s.printKeys(result.Keys, show.Quiet)
	return runError(err, result.Outcome)
}

// printKeys says where the keys are that have no row, or are no keys.
func (s streams) printKeys(k *operation.KeysReport, quiet bool) {
	if k == nil {
		return
	}
	s.printRejects(k.Rejects, false)
	switch {
	case quiet || k.Missing == 0:
	case k.MissingFile != "":
		s.note("the keys without a row are in %s", k.MissingFile)
	default:
		s.note("--missing FILE lists the keys without a row")
	}
}

// printReplaced says what became of the files that were in the output folder before.
func (s streams) printReplaced(r operation.ScanReport, quiet bool) {
	if r.Replaced > 0 && !quiet {
		s.note(
			"--force: %s of the earlier scan %s gone",
			human.Of(r.Replaced, "file"),
			human.Verb(r.Replaced, "is", "are"),
		)
	}
	if n := len(r.Beside); n > 0 {
		s.warn(
			"%s beside the new output: the manifest of the earlier scan does not name %s, so --force left %[2]s alone: %s",
			human.Of(n, "other part file"),
			human.Verb(n, "it", "them"),
			someOf(r.Beside),
		)
	}
	if n := len(r.WroteOver); n > 0 {
		s.warn(
			"--force wrote over %s that the manifest of the earlier scan does not name: %s",
			human.Of(n, "file"),
			someOf(r.WroteOver),
		)
	}
}

// partsShown is how many files of an output that is not whole are listed.
const partsShown = 10

// printUnfinished says what is kept of an output that is not whole.
func (s streams) printUnfinished(r operation.ScanReport) {
	for i, part := range r.Unfinished {
		if i == partsShown {
			s.wrong("and %d more", len(r.Unfinished)-i)
			break
		}
		s.wrong("the output is not whole: the unfinished output was kept as %s", part)
	}
	for _, trouble := range r.Troubles {
		s.wrong("%v", trouble)
	}
}
