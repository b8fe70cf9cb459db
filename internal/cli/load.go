package cli

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/load"
	"github.com/cqlbulk/cqlbulk/internal/pace"
	"github.com/cqlbulk/cqlbulk/internal/plan"
	"github.com/cqlbulk/cqlbulk/internal/reject"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// LoadOptions are the settings of load.
type LoadOptions struct {
	connectOptions
	tableOptions
	planOptions
	formatOptions
	textOptions
	Files        []string
	Nulls        []string
	IngestRate   float64
	MinBatchSize int
	MaxBatchSize int
	InFlight     int
	MaxAttempts  int
	Patience     time.Duration
	RunDir       string
	NoJournal    bool

	RepeatInDoubt bool
	RejectsOf     string                 // the run directory whose rejects the inputs are
	outer         *resume.Load           // of that run
	resumed       *resume.Load           // of the run that this one goes on with
	kept          map[string]reject.Kept // of the inputs that are rejects, by path; their stamps where they are known

	MaxParseErrors  int64
	MaxInsertErrors int64
	KeepGoing       bool

	MaxBytesPerSec size
	Memory         size
	NullState      string
	TTL            int
	Timestamp      string
	IfNotExists    bool
	DryRun         bool

	Format   string
	Map      map[string]string
	SkipCols []string
	SkipRows int64
	MaxRows  int64
}

// keepGoingHelp is the help of the flag, which resume and retry have, too.
const keepGoingHelp = "go on although nearly every row is rejected; without it, or a --max...errors, a load stops when 10,000 rows failed and hardly one was good"

// AddFlags adds the flags of load.
func (o *LoadOptions) AddFlags(f *pflag.FlagSet) {
	o.tableOptions.AddFlags(f)
	f.StringSliceVar(&o.Files, "files", nil, "files to load, where none is given as an argument")
	f.StringVar(&o.Format, "format", "", "csv, tsv or json, which is an object a line (default: as the first file's name ends, else csv)")
	o.formatOptions.AddFlags(f)
	o.textOptions.AddFlags(f)
	f.StringSliceVar(&o.Columns, "columns", nil, "columns of the fields, in order, whatever the header says (default: the header, or without one all columns, key columns first)")
	f.StringVar(&o.ColumnOrder, "column-order", "", "take the fields for all columns of the table, whatever the header says, where --columns does not name them: "+orderHelp)
	f.StringToStringVar(&o.Map, "map", nil, "field=column,...: columns of fields that have other names")
	f.StringSliceVar(&o.SkipCols, "skipcols", nil, "fields that are not loaded")
	f.Int64Var(&o.SkipRows, "skiprows", 0, "rows to pass over at the beginning, of all inputs together, headers not counted")
	f.Int64Var(&o.MaxRows, "maxrows", -1, "rows to load after those (-1: all)")
	f.StringSliceVar(&o.Nulls, "null-string", nil, "texts that stand for null, besides nothing between the delimiters")
	f.StringVar(&o.NullState, "nulls", "unset", "what a null field does: unset leaves the column as it is, tombstone deletes what is there")
	f.IntVar(&o.TTL, "ttl", 0, "seconds after which the rows expire (default: as the table says)")
	f.StringVar(&o.Timestamp, "timestamp", "", "write time of all rows, in microseconds since 1970 or as 2006-01-02T15:04:05Z; of rows with one key the greater value then wins, column by column (default: now and a microsecond later for each row, so that the last row of a key wins)")
	f.BoolVar(&o.IfNotExists, "if-not-exists", false, "write a row only where there is none of its key: a lightweight transaction a row, much slower; of rows with one key any may win")
	f.BoolVar(&o.DryRun, "dry-run", false, "parse, type and group everything, and write nothing")
	f.Float64Var(&o.IngestRate, "ingestrate", 0, "rows a second at the most (default: no limit)")
	f.Var(&o.MaxBytesPerSec, "max-bytes-per-sec", "bytes of values a second at the most (default: no limit)")
	f.IntVar(&o.MinBatchSize, "minbatchsize", 10, "rows from which a batch does not wait for rows of the same replicas a little later in the input")
	f.IntVar(&o.MaxBatchSize, "maxbatchsize", 100, "rows of a batch at the most; a batch over several partitions also stays below the servers' warning thresholds")
	f.IntVar(&o.InFlight, "inflight", 0, "requests under way at the most (default: 16 for each core of the cluster)")
	o.Memory = defaultMemory
	f.Var(&o.Memory, "memory", "memory to use at the most")
	f.IntVar(&o.MaxAttempts, "maxattempts", pace.DefaultAttempts, "attempts for a request before its rows are rejected")
	addPatience(f, &o.Patience)
	f.Int64Var(&o.MaxParseErrors, "maxparseerrors", -1, "rows that may fail to parse before the load stops (-1: no limit)")
	f.Int64Var(&o.MaxInsertErrors, "maxinserterrors", -1, "rows that the cluster may refuse before the load stops (-1: no limit)")
	f.BoolVar(&o.KeepGoing, "keep-going", false, keepGoingHelp)
	f.StringVar(&o.RunDir, "run-dir", "", "folder for the journal, from which a load that was stopped goes on, and for rejected rows; it stays when there is something to tell (default: named after the table and the time, in the working directory)")
	f.BoolVar(&o.NoJournal, "no-journal", false, "keep no journal: a load that was stopped begins anew")
	// These have a meaning for resume and retry alone.
	f.BoolVar(&o.RepeatInDoubt, "repeat-in-doubt", false, "")
	f.StringVar(&o.RejectsOf, "rejects-of", "", "")
	_ = f.MarkHidden("repeat-in-doubt")
	_ = f.MarkHidden("rejects-of")
	f.IntVar(&o.Cores, "cores", 0, fmt.Sprintf("cores of each node (default: what it tells, else the least that another tells, else %d)", plan.DefaultCores))
	o.Smudge = plan.DefaultSmudge
	o.connectOptions.AddFlags(f, writeConsistency, writeLevelHelp)
}

func newLoadCommand(s streams) *cobra.Command { return loadCommand(s, &LoadOptions{}) }

// loadCommand makes the command with its options in a place of the caller's.
func loadCommand(s streams, opts *LoadOptions) *cobra.Command {
	c := &cobra.Command{
		Use:   "load [keyspace.table] FILE... | -",
		Short: "Load CSV, TSV or JSON files into a table",
		Long: `Load CSV (RFC 4180, UTF-8), TSV or JSON lines from files, folders, patterns, or the standard input
("-"), compressed with gzip, zstd, lz4, snappy, bzip2 or xz, or not.

The header's names, or those of an object's members, say which column each field
goes to. Nothing between the
delimiters leaves the column unset; "" is the empty text. Rows of one partition
travel together, others are grouped by replica, in unlogged batches that stay
below the servers' warning thresholds. Each row has a timestamp by its place in
the input, so the last row of a key wins. Rows of a table of counters are
increments.

A row counts as loaded when most of its replicas in the data center have it
(LOCAL_QUORUM).

A row that cannot be read, or that the cluster refuses, is rejected and the rest
goes on: it is kept byte for byte in rejects.csv in the run directory, which loads
again once it is mended, and errors.jsonl beside it names file, line, column and
reason. The exit status is then 2.
` + exitHelp,
		Example: `  cqlbulk load demo.flights flights.csv --hosts 10.0.0.1
  cqlbulk load demo.flights 'part-*.csv' --null-string NA --ingestrate 50000

  # from a pipe, without a header
  curl -s https://example.com/visits.csv.gz | cqlbulk load demo.visits - --header=false --columns day,page,visitors

  # everything from cqlbulk.yaml, but for one setting
  cqlbulk load --ingestrate 50000`,
		RunE: func(c *cobra.Command, args []string) error { return runLoad(c, s, opts, args) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runLoad(c *cobra.Command, s streams, o *LoadOptions, args []string) error {
	args, err := o.take(c, args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = o.Files
	}
	if len(args) == 0 {
		return errors.New(`no input given: name files after the table, or "-" for the standard input`)
	}
	if err := o.check(); err != nil {
		return err
	}
	inputs, notes, err := source.Find(args, s.in)
	switch {
	case err != nil && o.resumed != nil:
		return fatal(err) // they were there
	case err != nil:
		return err
	}
	if len(inputs) == 0 {
		return errors.New("no input given: there is no file to load in what was named")
	}
	format, err := o.settleFormat(c, inputs[0].Name)
	if err != nil {
		return err
	}
	fields := load.Fields{Renamed: o.Map, Skipped: o.SkipCols, Untimed: o.IfNotExists}
	if fields.Codec, err = o.textOptions.settle(o.Format, o.Nulls, &format); err != nil {
		return err
	}
	if err := o.findKept(c, s, inputs); err != nil {
		return err
	}
	for _, note := range notes {
		s.warn("%s", note)
	}
	cfg, err := o.config(s)
	if err != nil {
		return err
	}
	// Writes that leave within a fraction of a millisecond share a packet.
	cfg.Coalesce = 200 * time.Microsecond
	planning, err := o.planOptions.options(o.tableOptions)
	if err != nil {
		return err
	}
	planning.Splits = 1 // the ring is wanted, and not its parts
	t, err := openTarget(c.Context(), cfg, o.tableOptions, planning, false)
	if err != nil && (o.resumed != nil || o.outer != nil) {
		return fatal(err) // the table was there
	}
	if err != nil {
		return err
	}
	defer t.close()
	// A fifth is left for what the collector does not count.
	debug.SetMemoryLimit(int64(o.Memory) / 5 * 4)
	job, err := o.job(c.Context(), s, t, format, fields, inputs)
	if err != nil {
		return err
	}
	careful := !t.session.Writer(t.table, t.table.Columns).Idempotent()
	done, err := o.openOuter(t, careful)
	if err != nil {
		return err
	}
	defer done()
	run, err := o.openRun(c.Flags(), t, inputs)
	if err != nil {
		return err
	}
	run.use(job, careful)
	o.noteRetry(job, run)
	if careful {
		takeCare(job)
	}
	return o.run(c.Context(), s, t, job, run)
}

// settleFormat finds the form of the inputs, by the first one's name where it is
// not given, and its delimiters.
func (o *LoadOptions) settleFormat(c *cobra.Command, first string) (dsv.Format, error) {
	if err := settleFormat(&o.Format, first); err != nil {
		return dsv.Format{}, err
	}
	if o.ColumnOrder != "" && o.Format == "json" {
		return dsv.Format{}, errors.New("--column-order: the members of an object have names, and no order")
	}
	return o.format(c, o.Format)
}
