package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/printer"
	"github.com/cqlbulk/cqlbulk/internal/resume"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
	"github.com/cqlbulk/cqlbulk/pkg/dsv"
)

// ScanOptions are the settings of scan.
type ScanOptions struct {
	connectOptions
	tableOptions
	planOptions
	formatOptions
	outputOptions
	paceOptions
	Null           string
	Where          string
	AllowFiltering bool
	EscapeFormulas bool
	Limit          int64
	RunDir         string
	NoJournal      bool

	resumed *resume.Scan // of the run that this one goes on with
}

// AddFlags adds the flags of scan.
func (o *ScanOptions) AddFlags(f *pflag.FlagSet) {
	o.tableOptions.AddFlags(f)
	o.outputOptions.AddFlags(f)
	o.formatOptions.AddFlags(f)
	f.StringSliceVar(&o.Columns, "columns", nil, "columns to read, in this order, ttl(c) and writetime(c) among them (default: all, key columns first)")
	f.StringVar(&o.ColumnOrder, "column-order", "", "order of the columns, where --columns does not name them: "+orderHelp+" (default: table)")
	f.StringVar(&o.Null, "null-string", "", "text for null values in csv and tsv (default: nothing between the delimiters)")
	f.BoolVar(&o.EscapeFormulas, "escape-formulas", false, "put a single quote before text that a spreadsheet would run as a formula; the output is then not what the table holds")
	f.StringVar(&o.Where, "where", "", "CQL condition that rows must meet besides, such as \"day = 3\"")
	f.BoolVar(&o.AllowFiltering, "allow-filtering", false, "let the servers read rows that the condition then leaves out")
	f.Int64Var(&o.Limit, "limit", -1, "rows to read at the most, whichever come first (-1: all)")
	f.StringVar(&o.RunDir, "run-dir", "", "folder for the journal, from which a scan that was stopped goes on; it goes when the output is whole (default: named after the table and the time, beside the output)")
	f.BoolVar(&o.NoJournal, "no-journal", false, "keep no journal: a scan that was stopped begins anew")
	o.planOptions.AddFlags(f)
	o.paceOptions.AddFlags(f)
	o.connectOptions.AddFlags(f, readConsistency, readLevelHelp)
}

func newScanCommand(s streams) *cobra.Command { return scanCommand(s, &ScanOptions{}) }

// scanCommand makes the command with its options in a place of the caller's.
func scanCommand(s streams, opts *ScanOptions) *cobra.Command {
	c := &cobra.Command{
		Use:   "scan [keyspace.table] [-o FILE | -d FOLDER]",
		Short: "Read a whole table and write it as CSV, TSV or JSON lines",
		Long: `Read a whole table, every row once, and write it as CSV (RFC 4180, UTF-8), TSV
or JSON lines, compressed or not.

The ring of tokens is cut into many small ranges, none across the border of a
vnode, in random order. As many requests as the cluster takes are under way at
once, cores x smudge for each node at the most, each sent to a replica of its
range: fewer when latency rises or a node says that it is overloaded. A page that
fails is asked for again, from another replica where there is one; a range that is
too large to answer in time is cut. A range that cannot be read is listed at the
end, none of its rows are in the output, and the exit status is 2; files keep names ending in .part
until cqlbulk retry has read it, or get their names without it with --no-journal.

CSV is lossless: loading it again gives the same bytes for every CQL type. Null is
nothing between the delimiters; the empty text is "". Collections, tuples and
user-defined types are CQL literals.

One replica of each range is asked (LOCAL_ONE): what it has missed is not in the output.
At LOCAL_QUORUM all rows are that were written at LOCAL_QUORUM, as load does.

An output is written under names ending in .part, which it loses when it is whole.
A scan into files that was stopped goes on with: cqlbulk resume RUN_DIR.
A manifest beside it says how it was made and holds the number of rows, the files
with their SHA-256, and a checksum of the rows that does not depend on their order.
` + exitHelp,
		Example: `  # a table to a file
  cqlbulk scan demo.flights -o flights.csv --hosts 10.0.0.1

  # to a folder of compressed files of a million rows
  cqlbulk scan demo.flights -d flights --format json --compression zstd --maxoutputsize 1000000

  # some columns to a pipe, without a header
  cqlbulk scan demo.flights --columns carrier,flight,tailnum --header=false | sort | uniq -c

  # three hosts share one scan: each takes a third of the plan
  cqlbulk scan demo.flights -d part1 --shard 1/3

  # beside an application whose reads must stay below 10 ms
  cqlbulk scan demo.flights -o flights.csv --target-p99 10ms --rate 20000

  # everything from cqlbulk.yaml, but for one setting
  cqlbulk scan --smudge 3`,
		RunE: func(c *cobra.Command, args []string) error { return runScan(c, s, opts, args) },
	}
	c.Flags().SortFlags = false
	opts.AddFlags(c.Flags())
	return c
}

func runScan(c *cobra.Command, s streams, o *ScanOptions, args []string) error {
	args, err := o.take(c, args)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: the output file is named with --output", args[0])
	}
	format, err := o.check(c)
	if err != nil {
		return err
	}
	planning, err := o.planOptions.options(o.tableOptions)
	if err != nil {
		return err
	}
	cfg, err := o.config(s)
	if err != nil {
		return err
	}
	if o.resumed != nil {
		planning.Left = o.resumed.Scanned().Left()
	}
	ctx := c.Context()
	t, err := openTarget(ctx, cfg, o.tableOptions, planning, true)
	if err != nil && o.resumed != nil {
		return fatal(err) // the table was there
	}
	if err != nil {
		return err
	}
	defer t.close()
	if t.plan.Serial != "" {
		s.warn("reading the table as one range: %s", t.plan.Serial)
	}
	job, header, err := o.job(t, format)
	if err != nil {
		return err
	}
	run, out, err := o.openRun(c.Flags(), s, t, header)
	if err != nil {
		return err
	}
	job.NewWriter = func() scan.Writer { return out.Writer() }
	run.use(job, out)
	var stopWatch func()
	job.Sweep, stopWatch = o.sweepOptions(ctx, t)
	defer stopWatch()
	return o.run(ctx, s, t, job, out, run)
}

// check validates what is not validated elsewhere and gives the delimiters.
func (o *ScanOptions) check(c *cobra.Command) (dsv.Format, error) {
	if o.resumed == nil { // else the output is there
		if err := o.checkName(); err != nil {
			return dsv.Format{}, err
		}
	}
	if err := o.settle(); err != nil {
		return dsv.Format{}, err
	}
	if err := errors.Join(o.paceOptions.check(), o.checkOrder()); err != nil {
		return dsv.Format{}, err
	}
	if o.EscapeFormulas && o.Format == "json" {
		return dsv.Format{}, errors.New("--escape-formulas: spreadsheets read csv and tsv, not json")
	}
	if o.Limit < -1 || o.Limit == 0 {
		return dsv.Format{}, fmt.Errorf("--limit %d: must be -1 or at least 1", o.Limit)
	}
	format, err := o.format(c, o.Format)
	if err == nil && format.NeedsQuotes([]byte(o.Null)) {
		err = fmt.Errorf("--null-string %q: must not hold the delimiter, the quote or a line break", o.Null)
	}
	return format, err
}

// job puts the scan together, but for its output, which begins with the header.
func (o *ScanOptions) job(t *target, format dsv.Format) (job *scan.Job, header []byte, err error) {
	o.orderColumns(t.table)
	selection, err := t.table.Selectors(o.Columns)
	if err != nil {
		return nil, nil, err
	}
	newEncoder := func() (scan.Encoder, error) { return scan.NewJSON(selection) }
	if o.Format != "json" {
		newEncoder = func() (scan.Encoder, error) {
			e, err := scan.NewDelimited(selection, format, o.Null)
			if err == nil && o.EscapeFormulas {
				e.EscapeFormulas()
			}
			return e, err
		}
		e, err := scan.NewDelimited(selection, format, o.Null)
		if err != nil {
			return nil, nil, err
		}
		if o.Header {
			header = e.AppendHeader(nil)
		}
	}
	read, key := withKey(t.table, selection)
	query := driver.Columns(read)
	query.Where, query.AllowFiltering = o.Where, o.AllowFiltering
	return &scan.Job{
		Reader:      t.session.Reader(t.table, query, t.plan.Partitioner()),
		Splits:      t.plan.Splits,
		NewEncoder:  newEncoder,
		Checksum:    checksumOf(t.table, selection),
		Partitioner: t.plan.Partitioner(),
		Key:         key,
		Slots:       o.slots(),
		Hold:        int64(o.Memory) / holdShare,
		SpoolDir:    o.Dir,
		WriteRows:   o.MaxOutputSize,
		Limit:       max(o.Limit, 0),
		Counters:    &progress.Counters{},
	}, header, nil
}

// withKey adds to a selection the columns of the partition key that it lacks,
// which tell where a partition ends, and says where the key's cells are.
func withKey(t *schema.Table, selection []schema.Selector) (read []schema.Selector, key []int) {
	read = slices.Clone(selection)
	for _, c := range t.OfKind(schema.PartitionKey) {
		at := slices.IndexFunc(read, func(s schema.Selector) bool { return s.Plain && s.Column.Name == c.Name })
		if at < 0 {
			at = len(read)
			read = append(read, schema.Selector{Name: c.Name, CQL: cqltype.QuoteIdent(c.Name), Type: c.Type, Column: c, Plain: true})
		}
		key = append(key, at)
	}
	return read, key
}

// checksumOf sums the columns of a selection in the table's order, so that two
// scans of the same columns can be compared whatever their order; times to live
// and write times are left out.
func checksumOf(t *schema.Table, selection []schema.Selector) scan.Checksum {
	var sum scan.Checksum
	for _, c := range t.Columns {
		at := slices.IndexFunc(selection, func(s schema.Selector) bool { return s.Plain && s.Column.Name == c.Name })
		if at >= 0 {
			sum.Cells = append(sum.Cells, at)
			sum.Types = append(sum.Types, c.Type)
		}
	}
	return sum
}

// run scans and settles the output, the manifest, the run directory and the exit code.
func (o *ScanOptions) run(ctx context.Context, s streams, t *target, job *scan.Job, out *sink.Output, run *scanRun) error {
	begin := time.Now()
	// Rows and a progress line would get in each other's way on one terminal.
	mixed := o.path() == "" && printer.IsTerminal(s.out)
	stop := printer.Start(ctx, s.err, "scan "+t.table.String(), job.Counters, o.Quiet || mixed)
	result, err := job.Run(ctx)
	stop()
	result = run.account(result)
	if err != nil {
		err = sweepError(err, o.Where, !run.idle(result))
	} else if !result.Limited || len(result.Failed) > 0 {
		err = t.settle(s, result.Result)
	}
	// A run that is done but for some ranges leaves a whole output of the others,
	// unless they can be read later.
	if t.plan.Serial != "" && len(result.Failed) > 0 && err != nil {
		err = fatal(errors.New("the table's only range was not read to its end"))
	}
	if err != nil && (exitCode(ctx, err) != exitPartly || run.journal != nil) {
		if run.idle(result) {
			return errors.Join(err, o.takeBack(out), run.discard())
		}
		if abort := out.Abort(); abort != nil {
			s.warn("%v", abort)
		}
		for i, part := range out.Parts() {
			if i == partsShown {
				s.warn("and %d more", len(out.Parts())-i)
				break
			}
			s.warn("the output is not whole: what there is was kept as %s", part)
		}
		run.close(ctx, s, result.Failed, err)
		return err
	}
	if commit := run.commit(out, result, func() error { return o.removeManifest(run) }); commit != nil {
		run.close(ctx, s, nil, fatal(commit))
		return fatal(commit)
	}
	if o.path() != "" && !o.NoManifest {
		if werr := o.writeManifest(t, run, result, out.Files(), begin); werr != nil {
			run.close(ctx, s, nil, fatal(werr))
			return fatal(werr)
		}
	}
	run.close(ctx, s, nil, err)
	if !o.Quiet {
		s.summary("scan of "+t.table.String(), job.Counters, begin,
			fmt.Sprintf("%s token ranges, seed %d; checksum %s%s", printer.Count(int64(len(result.Done))), run.plan.Seed, result.Sum, t.levelNote()))
	}
	return err
}

// partsShown is how many files of an output that is not whole are listed.
const partsShown = 10
