package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/load/fromspec"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/read/sweep"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/scan"
	"github.com/cqlbulk/cqlbulk/internal/scan/bykey"
	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/write"
	"github.com/cqlbulk/cqlbulk/pkg/cqltype"
)

// scannedKeys are the keys of a scan that reads no whole table.
type scannedKeys struct {
	list    *bykey.List
	missing *bykey.Missing
	reader  *bykey.Reader
	rejects Rejects // lines that are no keys, of this run
}

// KeysReport is what became of the keys of a scan.
type KeysReport struct {
	records.KeyList
	Missing     int64   // keys without a row
	NotRead     int64   // keys in ranges that could not be read
	MissingFile string  // that lists them; empty: there is none
	Rejects     Rejects // lines that are no keys, if this run read them
}

// keysShare is the part of the memory that keys may take while they are sorted. The text that they
// are read from may take as much.
const keysShare = 4

// sortKeys reads the keys and sorts them. Lines that are no keys are rejected.
func (s *Scan) sortKeys(ctx context.Context) (err error) {
	if s.spec.Keys == "" {
		return nil
	}
	if err := s.makeWayForKeys(); err != nil {
		return err
	}
	s.ownRejects = true
	dir := "" // the system's, for the standard output
	if s.spec.Place() != "" {
		dir = filepath.Dir(s.spec.Place())
	}
	memory := int64(s.spec.Memory) / keysShare
	sorter, err := bykey.NewSorter(s.t.Schema, s.t.Plan.Partitioner(), memory, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	tally, rejects, err := s.readKeys(ctx, sorter)
	if err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	list, redundant, err := sorter.Sorted(ctx)
	if err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	s.keys = &scannedKeys{list: list, missing: bykey.NewMissing(list.Len())}
	s.keys.rejects.Causes = rejects.Causes()
	if rejects.Used() {
		s.keys.rejects.Files, s.keys.rejects.Reasons = rejects.Files(), rejects.Reasons()
	}
	s.begunWith.Keys = &records.KeyList{
		Keys:      list.Len(),
		Redundant: redundant,
		Rejected:  tally.Rejected(),
		Sum:       list.Sum(),
	}
	return nil
}

// makeWayForKeys refuses files of an earlier scan by keys that this one would write. With --force
// it removes the rejects of that scan.
func (s *Scan) makeWayForKeys() error {
	if err := s.checkMissingFile(); err != nil {
		return err
	}
	path := s.spec.KeyRejects()
	if path == "" {
		return nil
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) == 0 {
		return nil
	}
	ours := func(e os.DirEntry) bool {
		name := e.Name()
		return e.Type().IsRegular() &&
			(strings.HasPrefix(name, "rejects") || name == journal.ErrorsFile)
	}
	if s.spec.Force && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !ours(e) }) {
		return s.removeKeyRejects()
	}
	return fmt.Errorf(
		"folder %s has the rejected keys of an earlier scan: name another output, "+
			"or write over it with --force",
		path,
	)
}

// removeKeyRejects removes the folder of rejects.
func (s *Scan) removeKeyRejects() error {
	path := s.spec.KeyRejects()
	if path == "" {
		return nil
	}
	return os.RemoveAll(path)
}

// checkMissingFile refuses a file that is in the place of the list of keys without a row.
func (s *Scan) checkMissingFile() error {
	path := s.spec.MissingPath()
	if path == "" || s.spec.Force {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return sink.ExistsError(path)
	}
	return nil
}

// readKeys puts the keys of the inputs into a sorter. The rejects are closed.
func (s *Scan) readKeys(
	ctx context.Context,
	sorter *bykey.Sorter,
) (tally ingest.Tally, rejects *reject.Dir, err error) {
	settings, err := s.spec.KeyText()
	if err != nil {
		return tally, nil, err
	}
	inputs, _, err := finder(s.env).Find(source.WordsOf(settings.Inputs))
	if err == nil && len(inputs) == 0 {
		err = errNoFile
	}
	if err != nil {
		return tally, nil, err
	}
	text, err := settings.ChooseFormat(inputs[0].Name)
	if err != nil {
		return tally, nil, err
	}
	if settings.Format == format.JSONName {
		// they were given for the output
		settings.Dialect.EscapeInQuotes, settings.Dialect.NewlineEscapes = false, false
	}
	reading, err := dialect.Reading(settings, &text)
	if err != nil {
		return tally, nil, err
	}
	reading.Fields.Unread = s.t.Schema
	if !settings.Header && settings.Format != format.JSONName {
		reading.Fields.Missing = true // the last clustering columns
		for _, c := range s.t.Schema.Key() {
			reading.Columns = append(reading.Columns, c.Name)
		}
	}
	rejects = reject.NewUnkept()
	if path := s.spec.KeyRejects(); path != "" {
		rejects = reject.New(path, "."+settings.Format)
	}
	server := s.t.Limits(ctx)
	job := ingest.Job{
		Table:     sorter.Fields(),
		Format:    format.Of(settings.Format, text),
		SkipLines: settings.Dialect.SkipLines,
		Header:    settings.Header,
		Reading:   reading,
		Router:    write.NewRouter(nil, nil, nil),
		Target:    sorter,
		Limits: ingest.Limits{
			MaxMutationBytes: server.MaxMutationBytes,
			MaxFrameBytes:    server.MaxFrameBytes,
		},
		Memory:          int64(settings.Memory) / keysShare,
		MaxRecord:       settings.MaxRecord(),
		Rejects:         rejects,
		MaxParseErrors:  -1,
		MaxInsertErrors: -1,
		Counters:        &progress.Counters{},
		Warn:            s.env.Warn,
		OpenFile: func(name string) (io.ReadCloser, error) {
			return finder(s.env).Open(name)
		},
	}
	for _, in := range inputs {
		job.Inputs = append(job.Inputs, fromspec.InputOf(in))
	}
	tally, err = job.Run(ctx)
	if err == nil && tally.Written == 0 {
		err = errNoKey(rejects.Causes())
	}
	return tally, rejects, errors.Join(err, rejects.Close())
}

// errNoKey is the error of inputs that have no key, with the most frequent reason.
func errNoKey(causes []reject.Cause) error {
	if len(causes) == 0 {
		return errors.New("there is no key in the input")
	}
	return fmt.Errorf("there is no key in the input: %s", causes[0])
}

// openKeys opens the keys that an earlier run has sorted.
func (s *Scan) openKeys() error {
	if s.begunWith.Keys == nil {
		return nil
	}
	if err := s.checkMissingFile(); err != nil {
		return run.Refused(err)
	}
	partition := len(s.t.Schema.OfKind(schema.PartitionKey))
	list, err := bykey.OpenList(filepath.Join(s.run.path, records.KeysFile), partition)
	if err != nil {
		return run.Refused(err)
	}
	s.keys = &scannedKeys{list: list, missing: bykey.NewMissing(list.Len())}
	if list.Sum() != s.begunWith.Keys.Sum {
		return run.Refused(fmt.Errorf(
			"the keys in %s are not those that the scan began with: run it again with --keys",
			filepath.Join(s.run.path, records.KeysFile),
		))
	}
	return nil
}

// readByKeys has the job read the rows of the keys, if there are any.
func (s *Scan) readByKeys() {
	if s.keys == nil {
		return
	}
	rows := s.t.Session.KeyReader(s.t.Schema, s.query)
	s.keys.reader = bykey.NewReader(s.keys.list, rows, s.keys.missing)
	s.job.Reader = s.keys.reader
}

// keyOutput returns how keys are written. It is cqlbulk's own text, whatever that of the rows is: a
// key that lost digits would be another one.
func (s *Scan) keyOutput() (format.Output, error) {
	var key []string
	for _, c := range s.t.Schema.Key() {
		key = append(key, cqltype.QuoteIdent(c.Name))
	}
	selection, err := s.t.Schema.Selectors(key)
	if err != nil {
		return nil, err
	}
	return s.form.Output(selection, format.OutputOptions{
		Header:    s.spec.Header,
		Null:      s.spec.Null,
		OmitNulls: true,
	})
}

// save writes the keys into a run directory, for a run that resumes this one.
func (k *scannedKeys) save(dir string) error {
	if k == nil {
		return nil
	}
	if err := k.list.Save(filepath.Join(dir, records.KeysFile)); err != nil {
		return err
	}
	file, err := os.OpenFile(
		filepath.Join(dir, records.MissingFile),
		os.O_WRONLY|os.O_CREATE|os.O_EXCL,
		0o600,
	)
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), fsync.Folder(dir))
}

// keep returns a checkpoint that notes the keys without a row in the run directory. Then it records
// the ranges that they are of.
func (k *scannedKeys) keep(
	dir string,
	checkpoint func() (func(scan.Point) error, error),
) (func() (func(scan.Point) error, error), error) {
	if k == nil {
		return checkpoint, nil
	}
	if err := k.missing.KeepIn(filepath.Join(dir, records.MissingFile)); err != nil {
		return nil, err
	}
	return func() (func(scan.Point) error, error) {
		record, err := checkpoint()
		if err != nil {
			return nil, err
		}
		return func(p scan.Point) error {
			if err := k.missing.Sync(); err != nil {
				return err
			}
			return record(p)
		}, nil
	}, nil
}

// sync brings the keys without a row to the disk.
func (k *scannedKeys) sync() error {
	if k == nil {
		return nil
	}
	return k.missing.Sync()
}

// close closes the files.
func (k *scannedKeys) close() {
	if k != nil {
		_ = errors.Join(k.list.Close(), k.missing.Close()) // all that counts is on the disk
	}
}

// reportKeys reports what became of the keys, and lists those without a row in a file.
func (s *Scan) reportKeys(r *ScanReport, failed []sweep.Failure) error {
	if s.keys == nil {
		return nil
	}
	r.Keys = &KeysReport{
		KeyList: *s.begunWith.Keys,
		Missing: s.keys.missing.Count(),
		Rejects: s.keys.rejects,
	}
	for _, f := range failed {
		n, err := s.keys.list.Count(f.Range)
		if err != nil {
			return err
		}
		r.Keys.NotRead += n
	}
	path := s.spec.MissingPath()
	if path == "" {
		return nil
	}
	if r.Keys.Missing == 0 {
		if !s.spec.Force {
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	output, err := s.keyOutput()
	if err != nil {
		return err
	}
	columns := len(s.t.Schema.Key())
	err = fsync.ReplaceBy(path, s.spec.Mode.File(), func(w io.Writer) error {
		encoder, text := output.NewEncoder(), output.AppendBegin(nil)
		cells := make([][]byte, columns)
		err := s.keys.missing.Each(s.keys.list, func(key bykey.Key) (err error) {
			clear(cells)
			copy(cells, key.Values)
			if text, err = encoder.AppendRow(text, cells); err != nil || len(text) < flushed {
				return err
			}
			_, err = w.Write(text)
			text = text[:0]
			return err
		})
		if err != nil {
			return err
		}
		_, err = w.Write(output.AppendEnd(text))
		return err
	})
	if err != nil {
		return fmt.Errorf("list of the keys without a row: %w", err)
	}
	r.Keys.MissingFile = path
	return nil
}

// flushed is how many bytes of text are written at once.
const flushed = 64 << 10
