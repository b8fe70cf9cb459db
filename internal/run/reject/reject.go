// Package reject keeps the rows that a load could not write.
//
// They go into the run directory: rejects.csv holds the rows byte for byte as
// they stood in the input, under the input's own header line, so that it loads
// again as it is; errors.jsonl has a line of JSON for each with its file, line,
// column and reason; rows that may or may not have been applied go to
// in-doubt.csv instead, and lines that no record can be made of, such as with a
// quote that is never closed, to rejects-broken.csv, lest they take in the row
// after them. Inputs with another header get files of their own, with a number in
// the name. A row too long to be held is kept in a file by itself.
//
// Nothing is made before there is something to keep. All files are readable by
// their owner alone.
package reject

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// Dir is a run directory that takes rejects. It is safe for concurrent use.
type Dir struct {
	path string
	ext  string // of the files of rows

	mu      sync.Mutex
	files   map[string]*output // by name
	open    []*output          // at most mostOpen of them
	used    int64              // counts the uses of files
	changed map[string]bool    // the names of those written to since Changed was called
	fresh   bool               // files were made whose names may not be on the disk
	names   map[string]string  // file name by stage and header
	numbers map[string]int     // the last number of a file, by stage
	long    int                // files made for single long rows
	torn    string             // the last of them until its row is added
	reason  ingest.Reject      // of that row
	told    *entry             // the last one, nil before there is one of this run
	causes  Causes
}

// The files besides journal.ErrorsFile, which has the reasons: their names begin so.
const (
	rejectsBase = "rejects"
	brokenBase  = "rejects-broken"
	doubtBase   = "in-doubt"
	longBase    = "rejects-long-"
)

// New makes rejects that will go to the folder at path, which need not exist, in
// files whose names end in ext (".csv").
func New(path, ext string) *Dir {
	return &Dir{
		path: path, ext: ext, files: make(map[string]*output), changed: make(map[string]bool),
		names: make(map[string]string), numbers: make(map[string]int),
	}
}

// NewUnkept makes rejects of which only the causes are kept, in memory.
func NewUnkept() *Dir { return &Dir{} }

// unkept says whether nothing goes to a folder.
func (d *Dir) unkept() bool { return d.files == nil }

// Reasons is the file of the reasons.
func (d *Dir) Reasons() string { return filepath.Join(d.path, journal.ErrorsFile) }

// Add keeps rows.
func (d *Dir) Add(rejects []ingest.Reject) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range rejects {
		if err := d.add(r); err != nil {
			return err
		}
	}
	return nil
}

func (d *Dir) add(r ingest.Reject) error {
	if d.unkept() {
		d.causes.Add(r)
		return nil
	}
	if r.Long {
		kept := d.torn
		d.torn = ""
		return d.tell(r, kept)
	}
	name := d.rows(r)
	o, err := d.use(name, r.Header)
	if err != nil {
		return err
	}
	if err := writeRow(o.w, r.Raw, true); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return d.tell(r, name)
}

// AddPiece keeps a piece of a long row, in a file of its own, which counts when the row
// is added.
func (d *Dir) AddPiece(r ingest.Reject, first, last bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.unkept() {
		return nil
	}
	if first {
		d.long++
		d.torn = fmt.Sprintf("%s%d%s", longBase, d.long, d.ext)
		d.reason = r
		d.reason.Raw = nil
	}
	o, err := d.use(d.torn, r.Header)
	if err != nil {
		return err
	}
	if err := writeRow(o.w, r.Raw, last); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return nil
}

// writeRow writes a row's bytes; a row that ended with its file instead of a line
// end gets one. The writer keeps its first error, so it is enough to look at the
// last.
func writeRow(w *bufio.Writer, raw []byte, last bool) error {
	_, err := w.Write(raw)
	if !last || len(raw) == 0 {
		return err
	}
	switch raw[len(raw)-1] {
	case '\n':
	case '\r': // belongs to the row's data, not to the line end it gets
		_, err = w.WriteString("\r\n")
	default:
		err = w.WriteByte('\n')
	}
	return err
}

// rows finds the file for a row.
func (d *Dir) rows(r ingest.Reject) string {
	base := rejectsBase
	switch {
	case r.Stage == ingest.InDoubt:
		base = doubtBase
	case r.Broken:
		base = brokenBase
	}
	key := base + "\x00" + string(r.Header)
	name, ok := d.names[key]
	if !ok {
		name = base + d.ext
		d.numbers[base]++
		if n := d.numbers[base]; n > 1 {
			name = fmt.Sprintf("%s-%d%s", base, n, d.ext)
		}
		d.names[key] = name
	}
	return name
}

// tell writes the reason of a row and remembers it for the summary.
func (d *Dir) tell(r ingest.Reject, kept string) error {
	d.causes.Add(r)
	o, err := d.use(journal.ErrorsFile, nil)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(o.w)
	lines.SetEscapeHTML(false)
	e := &entry{
		r.File,
		r.Line,
		r.Field,
		r.Offset,
		r.Column,
		r.Value,
		r.Reason,
		r.Stage,
		r.Stamp,
		kept,
		r.Repeats,
		r.More,
	}
	if err := lines.Encode(lineOf(e, d.told)); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	d.told = e
	return nil
}

// Used says whether anything was kept.
func (d *Dir) Used() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.files) > 0
}

// Causes are the reasons of the rejects, those of most rows first.
func (d *Dir) Causes() []Cause {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.causes.List()
}

// BadWords is [Causes.BadWords] of the rejects.
func (d *Dir) BadWords(of func(column string) bool) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.causes.BadWords(of)
}

// Files lists the paths of the files of rows, by name.
func (d *Dir) Files() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var paths []string
	for name := range d.files {
		if name != journal.ErrorsFile {
			paths = append(paths, filepath.Join(d.path, name))
		}
	}
	slices.Sort(paths)
	return paths
}

// Rejected lists the paths of the files whose rows are not in doubt, by name.
func (d *Dir) Rejected() []string {
	return slices.DeleteFunc(
		d.Files(),
		func(path string) bool { return InDoubt(filepath.Base(path)) },
	)
}

// IsLong reports whether a file has a row that is too long to be held.
func (d *Dir) IsLong(path string) bool { return strings.HasPrefix(filepath.Base(path), longBase) }

// Sync has all that was kept on the disk.
func (d *Dir) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.sync(); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return nil
}

func (d *Dir) sync() error {
	failures := []error{syncAll(d.open)}
	if d.fresh {
		failures = append(failures, fsync.Folder(d.path))
	}
	err := errors.Join(failures...)
	d.fresh = d.fresh && err != nil
	return err
}

// Close writes out and closes all files.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failures []error
	if d.torn != "" { // the input failed in the middle of the row
		failures = append(failures, d.tell(d.reason, d.torn))
	}
	failures = append(failures, d.sync())
	for _, o := range d.open {
		failures = append(failures, o.file.Close())
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return nil
}
