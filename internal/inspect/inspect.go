package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/internal/spec"
	"github.com/cqlbulk/cqlbulk/internal/sstabledump"
	"github.com/cqlbulk/cqlbulk/pkg/sstable"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/tablefile"
)

// Inspection is a look at SSTables, ready to run. It knows no cluster.
type Inspection struct {
	env   spec.Environment
	spec  spec.Inspect
	files []sstableFile
}

// sstableFile is an SSTable to inspect.
type sstableFile struct {
	folder     string
	descriptor component.Descriptor
	err        error // its name says that it cannot be read; path is its Data.db then
	path       string
}

// Prepare finds the SSTables.
func Prepare(env spec.Environment, settings spec.Inspect) (*Inspection, error) {
	switch {
	case len(settings.Paths) == 0:
		return nil, errors.New("no SSTable given: name files of SSTables, or folders")
	case settings.Largest < 0:
		return nil, fmt.Errorf("--largest %d: must not be negative", settings.Largest)
	case settings.Rows && settings.Largest > 0:
		return nil, errors.New("--largest: means nothing with --rows")
	}
	i := &Inspection{env: env, spec: settings}
	for _, path := range settings.Paths {
		if err := i.add(path); err != nil {
			return nil, err
		}
	}
	if settings.Rows && len(i.files) > 1 {
		return nil, fmt.Errorf("--rows: one SSTable is wanted, and there are %d", len(i.files))
	}
	return i, nil
}

// add adds what a path leads to.
func (i *Inspection) add(path string) error {
	stat, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !stat.IsDir() {
		d, _, err := component.ParseName(filepath.Base(path))
		if err != nil {
			return err
		}
		i.take(
			sstableFile{
				folder:     filepath.Dir(path),
				descriptor: d,
				path:       filepath.Join(filepath.Dir(path), d.Name(component.DataDB)),
			},
		)
		return nil
	}
	found, err := i.addFolder(path)
	if found || err != nil {
		return err
	}
	err = filepath.WalkDir(path, func(folder string, e fs.DirEntry, err error) error {
		switch {
		case err != nil || !e.IsDir() || folder == path:
			return err
		case strings.HasPrefix(e.Name(), "."):
			return filepath.SkipDir
		}
		some, err := i.addFolder(folder)
		found = found || some
		if errors.Is(err, fs.ErrPermission) {
			i.passUnreadable(folder, err)
			return filepath.SkipDir
		}
		return err
	})
	if err == nil && !found {
		err = fmt.Errorf("%s: no SSTables are in it, nor in a folder below", path)
	}
	return err
}

// passUnreadable adds a folder that cannot be read to the report. It may have SSTables, unless it
// is that in which a file system has what a repair found, for root alone.
func (i *Inspection) passUnreadable(folder string, err error) {
	if filepath.Base(folder) == snapshot.LostAndFound {
		i.env.Warn("passed over: %s", err)
		return
	}
	i.take(sstableFile{folder: folder, path: folder, err: err})
}

// addFolder adds the SSTables in a folder; found says whether there are any.
func (i *Inspection) addFolder(folder string) (found bool, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), "-"+string(component.DataDB)) {
			continue
		}
		f := sstableFile{folder: folder, path: filepath.Join(folder, e.Name())}
		f.descriptor, _, f.err = component.ParseName(e.Name())
		i.take(f)
		found = true
	}
	return found, nil
}

// take adds an SSTable, unless it is there.
func (i *Inspection) take(f sstableFile) {
	if !slices.ContainsFunc(i.files, func(have sstableFile) bool { return have.path == f.path }) {
		i.files = append(i.files, f)
	}
}

// Report is what SSTables hold.
type Report struct {
	Outcome  run.Outcome
	Tables   []Table
	Failures []Failure // SSTables that could not be read, in whole or in part
	Started  time.Time
	Duration time.Duration
}

// Failure is an SSTable that could not be read. Its error names it.
type Failure struct {
	Path string // of its Data.db
	Err  error
}

// Table is what an SSTable reports about itself. Its statistics are not counted again.
type Table struct {
	Path        string // of its Data.db
	Descriptor  component.Descriptor
	Columns     *sstable.Table // those of the partition key have no names
	Partitions  int64
	Bytes       int64 // of Data.db, not compressed
	DataBytes   int64 // of Data.db as it is
	FileBytes   int64 // of all components
	Compression component.Compression
	Statistics  *component.Statistics
	Minima      sstable.Minima
	First, Last Key // empty if only Data.db has them
	Largest     []Partition
	// Tombstones is the number of deletions and expiries. Ready is the number of those whose time
	// has passed: compaction may drop them gc_grace_seconds later.
	Tombstones, Ready int64
}

// Key is the key of a partition.
type Key struct {
	Text  string // the values of its columns, with colons between
	Token string // empty where its partitioner has none that is known
}

// Partition is a partition.
type Partition struct {
	Key
	Bytes, Rows, Cells int64 // bytes of Data.db, not compressed
}

// Run inspects the SSTables. If one cannot be read, the report has its error, and Run inspects the
// others.
func (i *Inspection) Run(ctx context.Context) (Report, error) {
	r := Report{Started: time.Now()}
	var err error
	if i.spec.Rows {
		err = i.dump(ctx, &r)
	} else {
		err = i.look(ctx, &r)
	}
	r.Duration = time.Since(r.Started)
	r.Outcome = run.OutcomeOf(ctx, err, len(r.Failures) > 0)
	return r, err
}

// look looks at all SSTables.
func (i *Inspection) look(ctx context.Context, r *Report) error {
	for _, f := range i.files {
		t, err := Table{}, f.err
		if err == nil {
			t, err = i.inspect(ctx, f, r.Started)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			r.Failures = append(r.Failures, Failure{f.path, naming(f.path, err)})
		default:
			r.Tables = append(r.Tables, t)
		}
	}
	return nil
}

// naming has an error name its SSTable.
func naming(path string, err error) error {
	if strings.Contains(err.Error(), strings.TrimSuffix(path, "-"+string(component.DataDB))) {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// inspect looks at an SSTable.
func (i *Inspection) inspect(
	ctx context.Context,
	f sstableFile,
	now time.Time,
) (t Table, err error) {
	in, err := tablefile.Open(tablefile.Folder(f.folder, f.descriptor))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	t = Table{
		Path:       f.path,
		Descriptor: f.descriptor,
		Columns:    in.Codec().Schema().Table(),
		Bytes:      in.Length(),
		Statistics: in.Statistics(),
		Minima:     in.Codec().Minima(),
	}
	stats := t.Statistics.Stats
	t.Partitions = stats.PartitionSizes.Total()
	for n, second := range stats.Tombstones.Seconds {
		t.Tombstones += stats.Tombstones.Counts[n]
		if second <= now.Unix() {
			t.Ready += stats.Tombstones.Counts[n]
		}
	}
	if err := t.sizes(f); err != nil {
		return t, err
	}
	d, err := sstabledump.New(t.Columns, indexFolder(f.folder), now)
	if err != nil {
		return t, err
	}
	if err := t.keys(f, d); err != nil {
		return t, err
	}
	if i.spec.Largest > 0 {
		t.Largest, err = largest(ctx, in, d, t.Statistics.Partitioner, i.spec.Largest)
	}
	return t, err
}

// indexFolder says whether a folder is that of an index
// (Directories.SECONDARY_INDEX_NAME_SEPARATOR).
func indexFolder(folder string) bool {
	absolute, err := filepath.Abs(folder)
	return err == nil && strings.HasPrefix(filepath.Base(absolute), ".")
}

// sizes measures the files, and reads how they are compressed.
func (t *Table) sizes(f sstableFile) error {
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), f.descriptor.Name("")) {
			continue
		}
		stat, err := e.Info()
		if err != nil {
			return err
		}
		if t.FileBytes += stat.Size(); e.Name() == f.descriptor.Name(component.DataDB) {
			t.DataBytes = stat.Size()
		}
	}
	b, err := component.ReadFile(
		filepath.Join(f.folder, f.descriptor.Name(component.CompressionInfoDB)),
	)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	info, err := component.ParseCompressionInfo(b, f.descriptor.Version)
	if err != nil {
		return fmt.Errorf("%s: %w", component.CompressionInfoDB, err)
	}
	t.Compression = info.Compression
	return nil
}

// keys reads the first and the last key.
func (t *Table) keys(f sstableFile, d *sstabledump.Dumper) error {
	first, last := t.Statistics.Stats.FirstKey, t.Statistics.Stats.LastKey
	b, err := component.ReadFile(filepath.Join(f.folder, f.descriptor.Name(component.SummaryDB)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		summary, err := component.ParseSummary(b)
		if err != nil {
			return err
		}
		first, last = summary.First, summary.Last
	}
	if len(first) == 0 || len(last) == 0 {
		return nil
	}
	if t.First, err = keyOf(d, t.Statistics.Partitioner, first); err != nil {
		return err
	}
	t.Last, err = keyOf(d, t.Statistics.Partitioner, last)
	return err
}

// keyOf is a key for people.
func keyOf(d *sstabledump.Dumper, partitioner string, key []byte) (Key, error) {
	text, err := d.AppendKey(nil, key)
	return Key{Text: string(text), Token: sstabledump.Token(partitioner, key)}, err
}

// largest finds the largest partitions, the largest first.
func largest(
	ctx context.Context,
	in *tablefile.Reader,
	d *sstabledump.Dumper,
	partitioner string,
	n int,
) (all []Partition, err error) {
	decoder := in.Decoder()
	var p Partition
	var start int64
	for {
		item, err := decoder.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				return all, nil
			}
			return all, err
		}
		switch item {
		case sstable.PartitionStart:
			if err := ctx.Err(); err != nil {
				return all, err
			}
			p, start = Partition{}, decoder.Offset()
		case sstable.StaticRow, sstable.RegularRow:
			if r := decoder.Row(); !r.Empty() {
				p.Rows++
				p.Cells += int64(len(r.Cells))
			}
		case sstable.PartitionEnd:
			p.Bytes = decoder.End() - start
			if len(all) == n && all[n-1].Bytes >= p.Bytes {
				continue
			}
			if p.Key, err = keyOf(d, partitioner, decoder.Key()); err != nil {
				return all, err
			}
			at, _ := slices.BinarySearchFunc(all, p.Bytes, func(have Partition, bytes int64) int {
				if have.Bytes >= bytes {
					return -1
				}
				return 1
			})
			all = slices.Insert(all, at, p)
			all = all[:min(len(all), n)]
		}
	}
}

// dump writes the partitions of the one SSTable, and then inspects it. If the inspection fails,
// what was written is still complete.
func (i *Inspection) dump(ctx context.Context, r *Report) (err error) {
	f := i.files[0]
	if f.err != nil {
		return naming(f.path, f.err)
	}
	in, err := tablefile.Open(tablefile.Folder(f.folder, f.descriptor))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	d, err := sstabledump.New(in.Codec().Schema().Table(), indexFolder(f.folder), r.Started)
	if err != nil {
		return naming(f.path, err)
	}
	if err := d.Write(ctx, i.env.Stdout, in.Decoder()); err != nil {
		return naming(f.path, err)
	}
	if t, err := i.inspect(ctx, f, r.Started); err == nil {
		r.Tables = append(r.Tables, t)
	}
	return nil
}
