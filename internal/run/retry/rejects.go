package retry

import (
	"path/filepath"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/human"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/run/reject"
	"github.com/cqlbulk/cqlbulk/internal/source"
	"github.com/cqlbulk/cqlbulk/internal/spec"
)

// Load is a load whose inputs are rejects.
type Load struct {
	Spec    *spec.Load // RejectsOf is the run directory of the first load
	Format  format.TextFormat
	Inputs  []source.Input
	Resumed *records.Load // its journal, if the load is resumed; nil: it is new
}

// Rejects are the files of rejected rows that a load reads. They hold the journal of the first load
// until Close. One goroutine uses them, but for the journal that Journal returns.
type Rejects struct {
	// Rows is the number of rows in the files.
	Rows int64
	// Removed is the number of rows that were rejected and are no longer in the files.
	Removed int64
	// Retimed are warnings about rows that get other timestamps than before. They are for when
	// nothing refuses the load.
	Retimed []string
	// Recorded reports whether the journal of the first load may have a record of this load.
	Recorded bool

	load      Load
	first     *records.Load
	reading   records.Changed // how the rows are read otherwise than the first load read them
	files     []*file         // by name
	byPath    map[string]*file
	corrected bool // some rows get later timestamps than earlier loads gave them
}

// file is a file of rejects.
type file struct {
	// Kept has the timestamps that the load gives to the rows. They are nil if rows were added or
	// removed: the rows are then written as of now.
	reject.Kept
	texts []uint64          // a hash of the text of each row; nil if Stamps is nil
	tried records.TriedRows // what the first load records of the rows; nil if Stamps is nil
}

// Open reads the rejects that are the inputs of a load, and finds the timestamps of their rows. It
// warns of files in which rows were added or removed. It opens the journal of the first load if
// first is nil. Close releases that journal; if Open returns an error, it has released it.
func Open(load Load, first *records.Load, warn func(string, ...any)) (*Rejects, error) {
	r := &Rejects{load: load, first: first, byPath: make(map[string]*file)}
	if first == nil {
		var err error
		if r.first, err = records.OpenLoad(load.Spec.RejectsOf); err != nil {
			return nil, run.Refused(err)
		}
	}
	err := r.readFiles(warn)
	if err == nil {
		err = r.setTimes()
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close releases the journal of the first load. A nil receiver has none.
func (r *Rejects) Close() {
	if r != nil {
		_ = r.first.Abandon()
	}
}

// First returns the manifest of the first load.
func (r *Rejects) First() journal.Manifest { return r.first.Manifest() }

// Loaded returns what the journal of the first load had when it was opened.
func (r *Rejects) Loaded() *records.Loaded { return r.first.Loaded() }

// readFiles reads the files of rejects that are among the inputs.
func (r *Rejects) readFiles(warn func(string, ...any)) error {
	kept, err := reject.Find(r.load.Spec.RejectsOf)
	if err != nil {
		return err
	}
	for _, k := range kept {
		if !slices.ContainsFunc(
			r.load.Inputs,
			func(in source.Input) bool { return in.Name == k.Path },
		) {
			continue
		}
		if err := refuseRepeats(k); err != nil {
			return err
		}
		texts, err := r.load.hashRows(k.Path)
		if err != nil {
			return err
		}
		rows := len(texts)
		r.Rows += int64(rows)
		r.Removed += int64(max(len(k.Stamps)-rows, 0))
		if rows != len(k.Stamps) {
			warn(
				"%s has %s instead of the %d that %s rejected: %s written as of now",
				k.Path,
				human.Of(rows, "row"),
				len(k.Stamps),
				human.Verb(len(k.Stamps), "was", "were"),
				human.Verb(rows, "it is", "they are"),
			)
			k.Stamps, texts = nil, nil
		}
		f := &file{Kept: k, texts: texts}
		r.files = append(r.files, f)
		r.byPath[k.Path] = f
	}
	return nil
}

// name returns the name of the file in the run directory.
func (f *file) name() string { return filepath.Base(f.Path) }

// Stamps returns the timestamps of the rows of an input; nil: the rows are written as of now. Rows
// in doubt get the next timestamps, except counters. Of a list that is not frozen, nothing is then
// left of the first time.
func (r *Rejects) Stamps(path string, counters bool) []int64 {
	f := r.file(path)
	if f == nil {
		return nil
	}
	if !f.Doubt || counters {
		return f.Kept.Stamps
	}
	later := slices.Clone(f.Kept.Stamps)
	for i := range later {
		if later[i] != 0 {
			later[i]++
		}
	}
	return later
}

// Repeats returns the number of times that the rows of an input were written again, with this time.
// It is 0 for rows that are not in doubt.
func (r *Rejects) Repeats(path string) uint8 {
	if f := r.file(path); f != nil && f.Doubt {
		return f.Kept.Repeats + 1
	}
	return 0
}

// file returns the file of an input; nil: it is no file of rejects.
func (r *Rejects) file(path string) *file {
	if r == nil {
		return nil
	}
	return r.byPath[path]
}
