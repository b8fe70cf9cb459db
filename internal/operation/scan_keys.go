package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/ingest/dialect"
	"github.com/cqlbulk/cqlbulk/internal/progress"
	"github.com/cqlbulk/cqlbulk/internal/run"
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
	MissingFile string  // that lists them; empty: there is none
	Rejects     Rejects // lines that are no keys, if this run read them
}

// sortShare is the part of the memory that keys may take while they are sorted.
const sortShare = 4

// sortKeys reads the keys and sorts them. Lines that are no keys are rejected.
func (s *Scan) sortKeys(ctx context.Context) (err error) {
	if s.spec.Keys == "" {
		return nil
	}
	if err := s.checkKeyFiles(); err != nil {
		return err
	}
	dir := "" // the system's, for the standard output
	if s.spec.Place() != "" {
		dir = filepath.Dir(s.spec.Place())
	}
	memory := int64(s.spec.Memory) / sortShare
	sorter, err := bykey.NewSorter(s.t.Schema, s.t.Plan.Partitioner(), memory, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	rejects := reject.NewUnkept()
	if path := s.spec.KeyRejects(); path != "" {
		rejects = reject.New(path, filepath.Ext(s.spec.Keys))
	}
	tally, err := s.readKeys(ctx, sorter, rejects)
	if err = errors.Join(err, rejects.Close()); err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	list, twice, err := sorter.Sorted(ctx)
	if err != nil {
		return fmt.Errorf("--keys: %w", err)
	}
	s.keys = &scannedKeys{list: list, missing: bykey.NewMissing(list.Len())}
	s.keys.rejects.Causes = rejects.Causes()
	if rejects.Used() {
		s.keys.rejects.Files, s.keys.rejects.Reasons = rejects.Files(), rejects.Reasons()
	}
	s.begunWith.Keys = &records.KeyList{
		Keys:     list.Len(),
		Twice:    twice,
		Rejected: tally.Rejected(),
		Sum:      list.Sum(),
	}
	return nil
}

// checkKeyFiles refuses files of an earlier scan by keys that this one would write.
func (s *Scan) checkKeyFiles() error {
	path := s.spec.MissingPath()
	if _, err := os.Lstat(path); path != "" && err == nil && !s.spec.Force {
		return sink.ExistsError(path)
	}
	path = s.spec.KeyRejects()
	if entries, err := os.ReadDir(path); path != "" && err == nil && len(entries) > 0 {
		return fmt.Errorf(
			"folder %s has the rejected keys of an earlier scan: move them away, or name another output",
			path,
		)
	}
	return nil
}

// readKeys puts the keys of the inputs into a sorter.
func (s *Scan) readKeys(
	ctx context.Context,
	sorter *bykey.Sorter,
	rejects ingest.Rejects,
) (tally ingest.Tally, err error) {
	settings, err := s.spec.KeyText()
	if err != nil {
		return tally, err
	}
	inputs, _, err := source.WordsOf(settings.Inputs).Find(s.env.Stdin)
	if err == nil && len(inputs) == 0 {
		err = errNoFile
	}
	if err != nil {
		return tally, err
	}
	text, err := settings.ChooseFormat(inputs[0].Name)
	if err != nil {
		return tally, err
	}
	reading, err := dialect.Reading(settings, &text)
	if err != nil {
		return tally, err
	}
	for _, c := range s.t.Schema.Columns {
		switch {
		case !c.IsKey():
			reading.Fields.Unread = append(reading.Fields.Unread, c.Name)
		case !settings.Header && settings.Format != format.JSONName:
			// the last clustering columns may be missing
			reading.Columns, reading.Fields.Missing = append(reading.Columns, c.Name), true
		}
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
		Memory:          int64(settings.Memory) / sortShare,
		MaxRecord:       settings.MaxRecord(),
		Rejects:         rejects,
		MaxParseErrors:  -1,
		MaxInsertErrors: -1,
		Counters:        &progress.Counters{},
		Warn:            s.env.Warn,
		OpenFile:        func(name string) (io.ReadCloser, error) { return source.OpenFile(name) },
	}
	for _, in := range inputs {
		made := ingest.Input{Name: in.Name, Size: in.Size, Plain: in.Plain()}
		if in.Stdin() {
			made.Open = func() (io.ReadCloser, error) { return in.Open() }
		}
		job.Inputs = append(job.Inputs, made)
	}
	tally, err = job.Run(ctx)
	if err == nil && tally.Written == 0 {
		err = errors.New("there is no key in the input")
	}
	return tally, err
}

// openKeys opens the keys that an earlier run has sorted.
func (s *Scan) openKeys() error {
	if s.begunWith.Keys == nil {
		return nil
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

// keyOutput returns how keys are written: as the rows are, but so that they can be read as keys.
func (s *Scan) keyOutput() (format.Output, error) {
	var key []string
	for _, c := range s.t.Schema.Columns {
		if c.IsKey() {
			key = append(key, cqltype.QuoteIdent(c.Name))
		}
	}
	selection, err := s.t.Schema.Selectors(key)
	if err != nil {
		return nil, err
	}
	options := s.text.options
	options.EscapeFormulas, options.OmitNulls = false, true
	return s.text.form.Output(selection, options)
}

// save keeps the keys in a run directory for a run that resumes this one.
func (k *scannedKeys) save(dir string) error {
	if k == nil {
		return nil
	}
	return k.list.Save(filepath.Join(dir, records.KeysFile))
}

// keep has the keys without a row kept in the run directory, and recorded before the ranges that
// they are of.
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

// Close closes the files.
func (k *scannedKeys) close() {
	if k != nil {
		_ = errors.Join(k.list.Close(), k.missing.Close()) // all that counts is on the disk
	}
}

// reportKeys lists the keys without a row in a file, if the output is whole.
func (s *Scan) reportKeys(r *ScanReport) error {
	if s.keys == nil {
		return nil
	}
	r.Keys = &KeysReport{
		KeyList: *s.begunWith.Keys,
		Missing: s.keys.missing.Count(),
		Rejects: s.keys.rejects,
	}
	path := s.spec.MissingPath()
	if path == "" || !r.Whole {
		return nil
	}
	if r.Keys.Missing == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	output, err := s.keyOutput()
	if err != nil {
		return err
	}
	columns := len(s.t.Schema.Columns)
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
