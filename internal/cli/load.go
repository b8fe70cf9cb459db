package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/cli/flagset"
	"github.com/cqlbulk/cqlbulk/internal/cli/help"
	"github.com/cqlbulk/cqlbulk/internal/operation"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// loadOptions are the flags of load.
type loadOptions struct {
	tableOptions
	showOptions
	Files []string
	spec  *spec.Load
}

// AddFlags adds the flags of load.
func (o *loadOptions) AddFlags(f *pflag.FlagSet) {
	b := flagset.Binder{Flags: f, Settings: o.spec.Settings()}
	o.tableOptions.AddFlags(f)
	o.addInputFlags(b)
	o.addWriteFlags(b.In(flagset.GroupWrites))
	o.addPastFlags(b.In(flagset.GroupPast))
	o.addPaceFlags(b.In(flagset.GroupPace))
	o.addErrorFlags(b.In(flagset.GroupErrors))
	addConnectionFlags(b, writeLevelHelp)
	o.showOptions.AddFlags(f)
	o.addPageFlag(f)
	o.addCheckFlag(f)
}

// addInputFlags adds the flags of the inputs, and how they are read.
func (o *loadOptions) addInputFlags(b flagset.Binder) {
	flagset.AddOwn(
		b.Flags,
		&o.Files,
		"files",
		"files to load, where none is given as an argument",
		flagset.Of(flagset.GroupInput),
		flagset.Path,
	)
	b.In(flagset.GroupInput).
		Add("skiprows", "rows to pass over at the beginning, of all inputs together, headers not counted")
	b.In(flagset.GroupInput).Add("maxrows", "rows to load after those (-1: all)")
	b.In(flagset.GroupFormat).
		Add("format", "csv, tsv or json; json is one object on each line, or an array of objects (default: by the first file's name, else csv)", flagset.Everyday)
	addTextFlags(b)
	addValueFlags(b, "")
	b.In(flagset.GroupValues).
		Add("escape", `what stands before a character that is to be taken as it is (default: nothing, a quote among quotes is doubled; cqlsh: \)`)
	b.In(flagset.GroupValues).
		Add("escape-in-quotes", `with --escape: it has its meaning only inside quotes, as DSBulk has it`)
	b.In(flagset.GroupValues).
		Add("newline-escapes", `with --escape: n, r and t behind it are a line feed, a carriage return and a tab`)
	b.In(flagset.GroupFormat).
		Add("comment", "character that begins a comment: such lines are passed over, before the header too (default: there are none)")
	b.In(flagset.GroupFormat).
		Add("trailing-delimiter", "each line ends in a delimiter, behind which there is no field")
	b.In(flagset.GroupFormat).
		Add("trim", "blanks and tabs around fields, and around their quotes, are no part of the values; inside quotes they are")
	b.In(flagset.GroupFormat).
		Add("line-end", "lf, alone or behind a cr, or cr: lines end in a cr alone, and each cr in a value is read as lf")
	b.In(flagset.GroupFormat).
		Add("skiplines", "lines of each file that are passed over before its header, or before its first row without one")
	addColumnFlags(b.In(flagset.GroupColumns), "")
	b.In(flagset.GroupColumns).
		Add("column-order", "take the fields for all columns of the table, whatever the header says, where --columns does not name them: "+orderHelp)
}

// addColumnFlags adds the flags that map fields to columns.
func addColumnFlags(b flagset.Binder, when string) {
	b.Add(
		"columns",
		when+"columns of the fields, in order; whatever the header says (default: the header, or without one all columns, key columns first)",
		flagset.Everyday,
	)
	b.Add("map", when+"field=column,...: columns of fields that have other names", flagset.Everyday)
	b.Add("skipcols", when+"fields that are not loaded", flagset.Everyday)
	b.Add(
		"extra-fields",
		when+"reject, or ignore: fields of a row behind the last one of the header, or of --columns, are not loaded",
	)
	b.Add(
		"missing-fields",
		when+"reject, or null: fields that are missing at the end of a row are null",
	)
}

// addWriteFlags adds the flags of what a row means once it is written.
func (o *loadOptions) addWriteFlags(b flagset.Binder) {
	b.Add(
		"query",
		"INSERT, UPDATE or DELETE to run for each row, with markers such as :name that take the field of that name. It names the table (default: rows are inserted)",
		flagset.Everyday,
	)
	b.Add(
		"delete",
		"delete the rows whose primary keys the inputs have; other columns of the table are skipped. It must be typed",
	)
	b.Add(
		"delete-by",
		"column,...: delete all rows with the values that the inputs have for these columns, the first of the primary key; at least the partition key. It must be typed",
	)
	b.Add(
		"dry-run",
		"parse, type and group everything, and write nothing; print the column of each field, and all bad columns of a row",
		flagset.Everyday,
	)
	b.Add(
		"nulls",
		"what a null field does: unset leaves the column as it is, tombstone deletes what is there",
	)
	b.Add(
		"ttl",
		"after how long the rows expire, in seconds or as 12h or 30d (default: as the table says)",
	)
	b.Add(
		"timestamp",
		"write time of all rows, in microseconds since 1970 or as 2006-01-02T15:04:05Z. Of rows with one key the greater value then wins, column by column (default: now, and a microsecond later for each row. The last row of a key wins)",
	)
	b.Add(
		"preserve-times",
		"reject a row with a value that has no write time in a field writetime(c), as scan --preserve-times writes them",
	)
	b.Add(
		"if-not-exists",
		"write a row only if there is none of its key, by a lightweight transaction, which is much slower. Of rows with one key any may win",
	)
	b.Add(
		"append-collections",
		"stream, sstables: add to collections that are not frozen, rather than replace them: no tombstone is written, so it is for new rows",
	)
}

// addPastFlags adds the flags of the ways that are not CQL.
func (o *loadOptions) addPastFlags(b flagset.Binder) {
	b.Add(
		"via",
		"how rows get into the table: cql, stream or sstables. With stream they are sorted into SSTables and streamed to the replicas, for a small part of the servers' work. With sstables they are left in a folder, to be imported",
	)
	addKeptFlags(b)
	b.Add(
		"schema",
		"sstables: file of CQL, as DESCRIBE prints it, that has the table: no cluster is connected to",
	)
	b.Add(
		"ring",
		"sstables, with --schema: file that plan --save-ring wrote, so that each node gets its own rows (default: all rows are in one folder)",
	)
	b.Add(
		"stream",
		"stream: with rows the nodes write the SSTables. With whole cqlbulk does, for the least work of the servers. The default auto is whole if the table and the nodes allow it",
	)
	addStreamFlags(b, "")
	addInternodeFlags(b)
}

// addPaceFlags adds the flags of how much a load may ask of the cluster and of this machine.
func (o *loadOptions) addPaceFlags(b flagset.Binder) {
	b.Add("ingestrate", "rows per second, at most (default: no limit)", flagset.Everyday)
	b.Add("target-p99", targetP99Help)
	b.Add(
		"max-bytes-per-sec",
		"bytes per second, at most: of values, or with --via stream of all that is sent to all nodes (default: no limit)",
	)
	b.Add(
		"minbatchsize",
		"rows after which a batch is sent without waiting for more rows of the same replicas",
	)
	b.Add(
		"maxbatchsize",
		"rows of a batch, at most; a batch over several partitions also stays below the servers' warning thresholds",
	)
	b.Add("inflight", inFlightHelp)
	b.Add("cores", coresHelp)
	b.Add("memory", "memory to use, at most")
}

// addErrorFlags adds the flags of what fails, and of the run directory.
func (o *loadOptions) addErrorFlags(b flagset.Binder) {
	b.Add("maxattempts", "attempts for a request before its rows are rejected")
	b.Add("patience", patienceHelp)
	b.Add("maxparseerrors", maxParseErrorsHelp+unlimited)
	b.Add("maxinserterrors", maxInsertErrorsHelp+unlimited)
	b.Add("keep-going", keepGoingHelp)
	b.Add(
		"run-dir",
		"folder for the journal, which resumes a load that was stopped, and for rejected rows. It stays if there are any, or if the load was stopped (default: named after the table and the time, in the working directory)",
		flagset.Folder,
	)
	b.Add("no-journal", "keep no journal: a load that was stopped starts from the beginning")
}

// What is said of flags that several commands have.
const (
	inFlightHelp        = "requests under way, at most (default: 16 for each core of the cluster, and more on a long line to it)"
	parallelHelp        = "requests under way, at most, in all (default: nodes x cores x smudge, and more on a long line to them)"
	maxParseErrorsHelp  = "rows that may fail to parse before the load stops, or a share of those read, such as 1%"
	maxInsertErrorsHelp = "rows that the cluster may refuse before the load stops, or a share of those read"
	unlimited           = " (-1: no limit)"
	keepGoingHelp       = "continue although nearly every row is rejected; without it, or a --max...errors, a load stops when 10,000 rows failed and hardly one was good"
)

const (
	listenHelp       = "address and port at which nodes report which of them join, leave or move. Needed for Cassandra 4.0, and for later ones while a node joins. They must reach it (default: :7099, or the next free one of seven ports below)"
	assumeStableHelp = "load even if it cannot be known whether nodes join, leave or move; rows are lost if one does"
)

// addKeptFlags adds the flags of SSTables that are kept in a folder.
func addKeptFlags(b flagset.Binder) {
	b.Add(
		"dir",
		"sstables: folder for the SSTables of each node, new or empty, and for import.txt with the commands to run on the nodes",
		flagset.Letter("d"),
		flagset.Folder,
	)
	b.Add(
		"sstable-version",
		"sstables: md, for ScyllaDB and Cassandra 3.11, nb, for 4.0 to 5.0, or oa, for 5.0 alone (default: what all nodes read)",
	)
	b.Add(
		"import",
		"sstables: have the nodes on this host import their SSTables, and check that they took all. Nodes elsewhere are listed with their commands, and the exit status is 2",
	)
	b.Add(
		"nodetool",
		"sstables, with --import: program and its first words, such as \"nodetool -p 7199\"; {host} stands for the address of a node",
	)
}

// addStreamFlags adds the flags of a load by streaming that may differ when it is resumed.
func addStreamFlags(b flagset.Binder, when string) {
	const both, streamed = "stream, sstables: ", "stream: "
	b.Add(
		"temp-dir",
		when+both+"folder for sorting: up to three times the size of a slice of the rows, or of all rows with sstables (default: the run directory; with sstables --dir)",
		flagset.Folder,
	)
	b.Add(
		"slice",
		when+streamed+"bytes of sorted rows that are sent, and then count as loaded, before the next are sorted. Less takes less disk and leaves more SSTables (default: 4GiB, or 512MiB for each node or set of replicas if that is more)",
	)
	b.Add(
		"storage-port",
		when+streamed+"port that the nodes stream to each other by (default: the one that they report)",
	)
	b.Add("listen", when+"stream, sstables with --import: "+listenHelp)
	b.Add("assume-stable", when+both+assumeStableHelp)
	b.Add(
		"ignore-hosts",
		when+both+"nodes to leave out, by address or id. They need a repair then (default: none. A load waits for nodes that go down, and does not begin if one is down)",
	)
}

// addValueFlags adds the flags of how the text of values is read, besides what a scan shares.
func addValueFlags(b flagset.Binder, when string) {
	b = b.In(flagset.GroupValues)
	b.Add("null-string", when+"texts that mean null; an empty field always does", flagset.Everyday)
	b.Add(
		"dialect",
		when+"cqlbulk, whose text scan writes, or cqlsh, whose text COPY TO writes and COPY FROM reads; there a field is null by its text alone. Also dsbulk, pandas or cassandra-loader: the settings that read their text",
	)
	b.Add(
		"encoding",
		when+"utf-8, or latin1 (read as windows-1252, as browsers do), of delimited text; JSON is always UTF-8",
	)
	b.Add(
		"timestamp-unit",
		when+"what a timestamp counts that is given as a number: s, ms, us or ns, since 1970; seconds may have a fraction",
	)
	b.Add(
		"unescape",
		when+`cqlsh: undo the escapes that COPY TO makes in text (\\, \n, \x00) and COPY FROM leaves in it`,
	)
	b.Add(
		"datetimeformat",
		when+"pattern of timestamps (strptime or Java), such as '%m/%d/%Y %I:%M %p' or 'dd.MM.yyyy HH:mm'; may be repeated (default: 2006-01-02T15:04:05Z; of cqlsh %Y-%m-%d %H:%M:%S.%f%z)",
	)
	b.Add(
		"dateformat",
		when+"pattern of dates, such as %d.%m.%Y or d/M/yy; may be repeated; not with --dialect cqlsh (default: 2006-01-02)",
	)
	b.Add(
		"timeformat",
		when+"pattern of times of day, such as '%I:%M %p' or HH:mm; may be repeated; not with --dialect cqlsh (default: 15:04:05)",
	)
	b.Add(
		"timezone",
		when+"zone of timestamps without an offset, such as Europe/Berlin; a time that clocks there skip or show twice is rejected (default: UTC)",
	)
	b.Add(
		"column",
		when+"pattern of one column, as 'ordered_at=timestamp:%m/%d/%Y %H:%M'; the type is timestamp, date or time; may be repeated",
	)
	b.Add("boolstyle", when+"the words for true and false, such as yes,no (default: true,false)")
	b.Add("decimalsep", when+"the character before decimals (default: .)")
	b.Add("thousandssep", when+"the character between groups of three digits (default: none)")
	b.Add(
		"integers",
		when+"plain, or decimal: 12.0 and 1.2e1 are read as whole numbers, too, as pandas writes them",
	)
	b.Add(
		"currency",
		when+"signs before or after numbers, such as $ or EUR, that are passed over (default: none)",
	)
	b.Add("binary", when+"text of blobs: hex, as 0x00ff, or base64")
	b.Add(
		"collections",
		when+"text of collections, tuples and user types in csv and tsv: cql, as ['a'], or json, as [\"a\"]",
	)
}

func newLoadCommand(s streams) *cobra.Command {
	opts := &loadOptions{spec: spec.NewLoad()}
	c := &cobra.Command{
		Use:   "load [keyspace.table] FILE... | -",
		Short: "Load CSV, TSV or JSON files into a table",
		Long: `Load CSV (RFC 4180, UTF-8), TSV or JSON from files, folders, patterns, or the
standard input ("-"). They may be compressed with gzip, zstd, lz4, snappy, bzip2 or xz. A
row that cannot be loaded is rejected with the reason, and the rest is loaded.

@LIST is a file that has such names, one on each line. "@-" is such a list on the standard
input. Blank lines and lines that begin with # are skipped. ./@LIST is an input itself.

The header's names, or those of an object's members, say which column each field goes
to. Nothing between the delimiters leaves the column unset; "" is the empty text. Rows
of one partition travel together, others are grouped by replica. They travel in unlogged
batches below the servers' warning thresholds. Each row has a timestamp by its place in
the input, so the last row of a key wins. Rows of a table of counters are increments.

A row counts as loaded when most of its replicas in the data center have it
(LOCAL_QUORUM).

A row that cannot be read, or that the cluster refuses, is rejected. The others are
loaded. The file rejects.csv in the run directory keeps the row byte for byte. It can be
corrected and loaded again. The file errors.jsonl beside it has the file, line, column
and reason. The exit status is then 2.
` + help.ExitStatus,
		Example: `  cqlbulk load demo.flights flights.csv --hosts 10.0.0.1
  cqlbulk load demo.flights 'part-*.csv' --null-string NA --ingestrate 50k
  curl -s https://example.com/visits | cqlbulk load demo.visits - --format json

  # files that a list names
  find in -name '*.csv' -mtime -1 | sort | cqlbulk load demo.flights @-

  # without a header
  cqlbulk load demo.visits visits.csv --header=false --columns day,page,visitors

  # fields that are called otherwise, or are not wanted
  cqlbulk load demo.flights other.csv --map from=origin,to=dest --skipcols note

  # by streaming: SSTables are made here and streamed to the replicas
  cqlbulk load demo.flights flights.csv --via stream

  # everything from cqlbulk.yaml, but for one setting
  cqlbulk load --ingestrate 50k`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := opts.fill(c, args); err != nil {
				return err
			}
			if opts.Check {
				return checkLoad(c.Context(), s, opts.showOptions, opts.spec)
			}
			return runLoad(c.Context(), s, opts.showOptions, opts.spec)
		},
	}
	c.Flags().SortFlags = false
	c.ValidArgsFunction = completeTable(&opts.spec.Connection, true)
	opts.AddFlags(c.Flags())
	return c
}

// fill fills in what the command line says besides settings.
func (o *loadOptions) fill(c *cobra.Command, args []string) (err error) {
	o.spec.UseKeyspace(o.Keyspace)
	statement, err := o.spec.Statement()
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
	if len(args) == 0 {
		args = o.Files
	}
	o.spec.Inputs, o.spec.Given = args, flagset.Typed(c.Flags())
	return nil
}

// checkLoad looks whether a load would do well.
func checkLoad(ctx context.Context, s streams, show showOptions, settings *spec.Load) error {
	s.printListTerminal(settings.Inputs)
	d, err := operation.PrepareLoadCheck(ctx, show.environment(s), *settings)
	if err != nil {
		return err
	}
	s.printTerminal(settings.Inputs)
	return runDoctor(ctx, s, show, d)
}

// printTerminal says that a command waits for what is typed, where an input is the standard input
// and that is a terminal.
func (s streams) printTerminal(inputs []string) { s.printTyping(inputs, source.Stdin) }

// printListTerminal says so where the standard input has a list of inputs. That is read first.
func (s streams) printListTerminal(inputs []string) { s.printTyping(inputs, source.StdinList) }

// printTyping says that a command waits for what is typed, where a word is among the inputs, and
// the standard input is a terminal.
func (s streams) printTyping(inputs []string, word string) {
	if in, isFile := s.in.(*os.File); isFile && slices.Contains(inputs, word) &&
		printer.IsTerminal(in) {
		s.note("reading from this terminal: Ctrl-D at the beginning of a line ends the input")
	}
}

// runLoad prepares a load and runs it.
func runLoad(ctx context.Context, s streams, show showOptions, settings *spec.Load) error {
	s, load, err := prepareLoad(ctx, s, show, settings)
	if err != nil {
		return err
	}
	return finishLoad(ctx, s, show, load)
}

// prepareLoad prepares a load, and serves the page that shows it.
func prepareLoad(
	ctx context.Context, s streams, show showOptions, settings *spec.Load,
) (streams, *operation.Load, error) {
	s.end.aside = false
	s, err := s.withPage(show, "load")
	if err != nil {
		return s, nil, err
	}
	s.printListTerminal(settings.Inputs)
	load, err := operation.PrepareLoad(ctx, show.environment(s), *settings)
	if err != nil {
		return s, nil, err
	}
	s.printTerminal(settings.Inputs)
	return s, load, nil
}
