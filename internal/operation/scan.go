package operation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/driver"
	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/progress/board"
	"github.com/cqlbulk/cqlbulk/internal/read"
	"github.com/cqlbulk/cqlbulk/internal/read/files"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/scan/dialect"
	"github.com/cqlbulk/cqlbulk/internal/scan/times"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/version"
	"github.com/cqlbulk/cqlbulk/pkg/cqlshtext"
)

// Scan is a scan that is ready to run.
type Scan struct {
	env  spec.Environment
	spec spec.Scan
	t    *files.Source
	job  *scan.Job
	// what is selected, in the order of the output
	selection []schema.Selector
	header    []byte // that every file begins with, or the first of numbered ones
	// cuts rows off the text that the output is written
	firstRows func(text []byte, rows int) int
	query     driver.Query  // that reads the selection, and the key
	times     *times.Times  // that are read of columns
	keys      *scannedKeys  // that are read; nil: the whole table is
	form      format.Format // of the output
	// the folder of rejected keys is this run's
	ownRejects bool
	out        *sink.Output // nil: a resumed scan that does not run yet

	run       runDirectory
	journal   *records.Scan       // nil: none is kept
	begunWith records.ScanExtra   // the plan of the first run
	earlier   *records.Scanned    // what earlier runs did
	mark      sink.Mark           // up to which they have the output
	begun     bool                // this run has begun
	truncated records.Truncations // of the table, before this run read it
	board     *board.Board        // nil: the run is not shown
}

// PrepareScan checks, connects and plans, and opens the output.
func PrepareScan(ctx context.Context, env spec.Environment, settings spec.Scan) (*Scan, error) {
	return prepareScan(ctx, env, settings, nil)
}

// prepareScan prepares a scan. If earlier is not nil, the scan resumes it and then owns its
// journal.
func prepareScan(
	ctx context.Context,
	env spec.Environment,
	settings spec.Scan,
	earlier *records.Scan,
) (*Scan, error) {
	s := &Scan{env: env, spec: settings, earlier: &records.Scanned{}}
	if earlier != nil {
		s.run, s.journal, s.earlier = continuedIn(
			settings.RunDir,
			earlier,
		), earlier, earlier.Scanned()
	}
	if err := s.prepare(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Scan) prepare(ctx context.Context) error {
	err := s.plan(ctx)
	if err == nil && !s.run.continued {
		var options sink.Options
		if options, err = s.sinkOptions(); err == nil {
			s.out, err = sink.Open(options)
		}
		if err == nil {
			err = s.sortKeys(ctx)
		}
	}
	if err == nil {
		s.readByKeys()
		s.readTimes()
	}
	return err
}

// sinkOptions say how the output is made.
func (s *Scan) sinkOptions() (sink.Options, error) {
	options := s.spec.SinkOptions(s.env.Stdout, s.header)
	options.FirstRows = s.firstRows
	if !stores.Writable(options.Path) {
		return options, nil
	}
	spool, err := s.env.Stores.Spool(s.spoolFolder(options.Path))
	if err != nil {
		return options, fmt.Errorf("output %s: %w", options.Path, err)
	}
	spool.Over = options.Force
	options.Spool = spool
	if options.Dir && options.MaxBytes == 0 {
		options.MaxBytes = usualObject
	}
	return options, nil
}

// usualObject is the size of an object of a folder in object storage, in bytes before compression,
// if none is given.
const usualObject = 256 << 20

// spoolFolder returns the folder for what is not sent yet to object storage. It has the same name
// when the run is resumed: it is beside the run directory.
func (s *Scan) spoolFolder(output string) string {
	beside := "."
	if s.spec.RunDir != "" {
		dir := s.spec.RunDir
		if absolute, err := filepath.Abs(dir); err == nil {
			dir = absolute // also without a slash at its end
		}
		beside = filepath.Dir(dir)
	}
	sum := sha256.Sum256([]byte(output))
	return filepath.Join(beside, fmt.Sprintf("%s-unsent-%x", version.Tool, sum[:6]))
}

// plan prepares all but the output.
func (s *Scan) plan(ctx context.Context) error {
	text, err := s.spec.Check(s.run.continued)
	if err != nil {
		return err
	}
	planning, err := s.spec.Planning.Options(s.spec.TableName)
	if err != nil {
		return err
	}
	planning.Coarse = s.spec.Via == spec.ViaCQL && s.spec.Keys == ""
	if s.run.continued {
		planning.Unread = s.earlier.Left()
	}
	if s.t, err = read.Open(ctx, files.Request{
		Env:        s.env,
		Reading:    &s.spec.Reading,
		Connection: &s.spec.Connection,
		Table:      s.spec.TableName,
		Planning:   planning,
		Where:      s.spec.Where,
		Patience:   s.spec.Patience,
	}); err != nil {
		return s.run.refuseIfBegun(err) // the table was there
	}
	s.t.WarnOfLearned(s.env)
	if s.t.Plan.Serial != "" {
		s.env.Warn("reading the table as one range: %s", s.t.Plan.Serial)
	}
	if s.run.continued {
		if err := s.refuse(ctx); err != nil {
			return err
		}
		if err := s.openKeys(); err != nil {
			return err
		}
		return s.makeJob(ctx, text)
	}
	s.begunWith = records.ScanExtra{
		Files:       s.t.Files.Sum(),
		Folders:     s.t.Files.Account(),
		Now:         time.Now().Truncate(time.Second),
		Cluster:     s.t.Cluster.Name,
		Partitioner: s.t.Cluster.Partitioner,
		Seed:        s.t.Plan.Seed,
		PlanHash:    s.t.Plan.Hash(),
		Splits:      len(s.t.Plan.Splits),
	}
	s.truncated = s.t.Truncations(ctx)
	if s.journaled() {
		s.begunWith.Truncated = s.truncated
		if s.begunWith.Dropped, err = s.t.Drops(ctx); err != nil {
			return err
		}
	}
	if err := s.makeJob(ctx, text); err != nil {
		return err
	}
	return s.beside().CheckFree()
}

// Table is the table's name, as CQL has it.
func (s *Scan) Table() string { return s.t.Schema.String() }

// Counters are what the scan has done so far.
func (s *Scan) Counters() *progress.Counters { return s.job.Counters }

// ToStdout says whether the rows go to the standard output.
func (s *Scan) ToStdout() bool { return s.spec.ToStdout() }

// Close ends the connection and lets go of the run directory. The output of a scan that
// was never run is taken back.
func (s *Scan) Close() {
	if s.t != nil {
		s.t.Close()
	}
	s.keys.close()
	if s.out != nil && !s.begun {
		if s.ownRejects {
			_ = s.removeKeyRejects()
		}
		_ = s.removeOutput() // what is left of it has names ending in .part
	}
	s.run.abandon()
}

// warnOfRounding names the columns whose values lose digits in the text of cqlsh. A float has 9
// digits and a double 17. COPY TO takes up to three zeros behind the point for digits, too, and the
// precision of floats is that of doubles inside other types.
func (s *Scan) warnOfRounding(selection []schema.Selector) {
	var rounded []string
	for _, column := range selection {
		if dialect.Rounds(&s.spec.ScanText, column.Type) {
			rounded = append(rounded, column.Name)
		}
	}
	if len(rounded) > 0 {
		s.env.Warn(
			"%s: written with %d digits of a float and %d of a double, as COPY TO does; "+
				"--floatprecision 20 --doubleprecision 20 write all",
			strings.Join(rounded, ", "),
			cqlshtext.DefaultFloatPrecision,
			cqlshtext.DefaultDoublePrecision,
		)
	}
}

// makeJob puts the scan together, but for its output, which begins with the header.
func (s *Scan) makeJob(ctx context.Context, text format.TextFormat) error {
	if s.spec.Query == "" {
		s.spec.OrderColumns(s.t.Schema)
	}
	selection, query, err := s.selectColumns(ctx)
	if err != nil {
		return err
	}
	if s.spec.PreserveTimes {
		if selection, err = s.preserveTimes(selection); err != nil {
			return err
		}
	}
	s.selection = selection
	written := s.t.Schema
	if s.spec.Query != "" {
		written = schema.New(written.Keyspace, written.Name, columnsOf(selection))
	}
	if err := s.spec.CheckColumns(written); err != nil {
		return err
	}
	texts, err := dialect.Texts(&s.spec.ScanText)
	if err != nil {
		return err
	}
	s.form = format.Of(s.spec.Format, text)
	output, err := s.form.Output(selection, format.OutputOptions{
		Header:         s.spec.Header,
		Null:           s.spec.Null,
		EscapeFormulas: s.spec.EscapeFormulas,
		CSVWriter:      s.spec.CQLSH(),
		OmitNulls:      s.spec.OmitNulls,
		Texts:          texts,
	})
	if err != nil {
		return err
	}
	s.warnOfRounding(selection)
	s.header, s.firstRows = output.AppendBegin(nil), format.FirstRows(s.form)
	selected, key := s.t.Schema.WithKey(selection)
	if selected, err = s.selectWritten(selected); err != nil {
		return err
	}
	s.times.Find(selected, len(selection))
	query.Select = driver.Columns(selected).Select
	s.query = query
	s.job = &scan.Job{
		Reader: s.t.Reader(
			files.Wanted{Read: selected, Query: query, Memory: s.spec.Memory, Now: s.begunWith.Now},
		),
		Splits:      s.t.Plan.Splits,
		Output:      output,
		NewWriter:   func() scan.Writer { return s.out.Writer() },
		Checksum:    scan.ChecksumOf(s.t.Schema, selection),
		Partitioner: s.t.Plan.Partitioner(),
		Key:         key,
		SpoolDir:    s.spec.Dir,
		Limit:       max(s.spec.Limit, 0),
		Counters:    s.t.NewCounters(),
	}
	if s.spec.Dir != "" {
		s.job.WriteRows = s.spec.MaxOutputSize // numbered files take any number
	}
	s.job.ShareMemory(int64(s.spec.Memory))
	s.job.Counters.Limit.Store(s.job.Limit)
	if receipt := s.job.Counters.Receipt.Load(); receipt != nil {
		receipt.Aside.Store(s.spec.Rate > 0 || s.spec.MaxBytesPerSec > 0)
	}
	if s.run.continued { // before anything of the run is shown
		s.countEarlier()
	}
	sweep.CountTotal(s.job.Counters, s.job.Splits, s.job.Partitioner)
	return nil
}
