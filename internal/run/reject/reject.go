// Package reject stores the rows that a load could not write, in its run directory:
//
//   - rejects.csv has the rows byte for byte as in the input, under the input's own header line.
//     It can be loaded as it is. An element of an array of JSON takes one line there.
//   - errors.jsonl has a line of JSON for each row with its file, line, column and reason.
//   - in-doubt.csv has the rows that may or may not have been applied.
//   - not-applied.csv has the rows whose condition did not hold. errors.jsonl has the values that
//     were found.
//   - rejects-broken.csv has lines that are no record, such as lines with a quote that is never
//     closed. In rejects.csv they would swallow the row after them.
//
// Inputs with another header get files of their own, with a number in the name. A row too long for
// memory gets its own file, too.
//
// A file is made only when there is a row for it. All files are readable only by their owner.
package reject

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cqlbulk/cqlbulk/internal/format"
	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// Dir is a run directory to which rejects are written. It is safe for concurrent use.
type Dir struct {
	path string
	ext  string // of the files of rows

	mu      sync.Mutex
	files   map[string]*output // by name
	open    []*output          // at most mostOpen of them
	used    int64              // counts the uses of files
	changed map[string]bool    // the names of the files written to since the last Changed
	fresh   bool               // whether files were made whose names may not be on the disk
	names   map[string]string  // file name by stage and header
	numbers map[string]int     // the last number of a file, by stage
	long    int                // number of files made for single long rows
	torn    string             // name of the last of them until its row is added
	reason  ingest.Reject      // of that row
	last    *entry             // the last entry of this run; nil: none yet
	causes  Causes

	rejected, lines int64 // rows, and lines of these
}

// The beginnings of the names of the files with rows.
const (
	rejectsBase = "rejects"
	brokenBase  = "rejects-broken"
	doubtBase   = "in-doubt"
	unmetBase   = "not-applied"
	longBase    = "rejects-long-"
)

// New returns a Dir for the folder at path, which need not exist. The names of its files end in ext
// (".csv").
func New(path, ext string) *Dir {
	return &Dir{
		path: path, ext: ext, files: make(map[string]*output), changed: make(map[string]bool),
		names: make(map[string]string), numbers: make(map[string]int),
	}
}

// NewUnkept returns a Dir that stores only the causes, in memory.
func NewUnkept() *Dir { return &Dir{} }

// unkept reports whether the Dir has no folder.
func (d *Dir) unkept() bool { return d.files == nil }

// Reasons returns the path of the file with the reasons.
func (d *Dir) Reasons() string { return filepath.Join(d.path, journal.ErrorsFile) }

// Add writes rejected rows and their reasons.
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
	if r.Stage != ingest.NotApplied && r.Stage != ingest.InDoubt {
		d.rejected++
		d.lines += linesOf(r.Raw)
	}
	if d.unkept() {
		d.causes.Add(r)
		return nil
	}
	if r.Long {
		kept := d.torn
		d.torn = ""
		return d.explain(r, kept)
	}
	name := d.rows(r)
	o, err := d.use(name, r.Header)
	if err != nil {
		return err
	}
	if err := writeRow(o.w, d.inLine(r.Raw, true), true); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return d.explain(r, name)
}

// AddPiece writes a piece of a long row to a file of its own. The file counts once Add is called
// for the row.
func (d *Dir) AddPiece(r ingest.Reject, first, last bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines += linesOf(r.Raw)
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
	if err := writeRow(o.w, d.inLine(r.Raw, last), last); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	return nil
}

// inLine returns a row of JSON, or a piece of one, as part of one line. An element of an array may
// have several. Other rows stay as they are.
func (d *Dir) inLine(raw []byte, last bool) []byte {
	if d.ext != "."+format.JSONName {
		return raw
	}
	inner, isLine := bytes.CutSuffix(raw, []byte{'\n'})
	switch {
	case !last || !isLine:
		return format.InLine(raw)
	case bytes.IndexByte(inner, '\n') < 0:
		return raw // a line as it was, with its end
	default:
		return append(format.InLine(inner), '\n') // a copy
	}
}

// writeRow writes a row's bytes. A row that ended with its file instead of a line end gets a line
// end. The writer keeps its first error, so that only the last call has to be checked.
func writeRow(w *bufio.Writer, raw []byte, last bool) error {
	_, err := w.Write(raw)
	if !last || len(raw) == 0 {
		return err
	}
	switch raw[len(raw)-1] {
	case '\n':
	case '\r': // belongs to the row's data, not to its new line end
		_, err = w.WriteString("\r\n")
	default:
		err = w.WriteByte('\n')
	}
	return err
}

// rows returns the name of the file for a row.
func (d *Dir) rows(r ingest.Reject) string {
	base := rejectsBase
	switch {
	case r.Stage == ingest.InDoubt:
		base = doubtBase
	case r.Stage == ingest.NotApplied:
		base = unmetBase
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

// explain writes the reason of a row to errors.jsonl and adds it to the causes.
func (d *Dir) explain(r ingest.Reject, kept string) error {
	if r.Stage != ingest.NotApplied {
		d.causes.Add(r)
	}
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
		format.JSONOf(r.Found),
		r.More,
	}
	if err := lines.Encode(lineOf(e, d.last)); err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	d.last = e
	return nil
}

// Used reports whether any file was made.
func (d *Dir) Used() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.files) > 0
}

// linesOf returns the number of lines that a row, or a piece of one, ends or breaks.
func linesOf(raw []byte) int64 { return int64(bytes.Count(raw, []byte{'\n'})) }

// Lines returns the number of rows that were rejected, and of the lines that they have.
func (d *Dir) Lines() (rows, lines int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rejected, d.lines
}

// Causes returns the reasons of the rejects, those with the most rows first.
func (d *Dir) Causes() []Cause {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.causes.List()
}

// BadWords returns [Causes.BadWords] of the rejects.
func (d *Dir) BadWords(of func(column string) bool) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.causes.BadWords(of)
}

// Files returns the paths of the files of rows, by name.
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

// Rejected returns the paths of the files of rows that were rejected, by name. Rows in doubt, and
// those that were not applied, are not.
func (d *Dir) Rejected() []string {
	return slices.DeleteFunc(d.Files(), func(path string) bool {
		name := filepath.Base(path)
		return InDoubt(name) || NotApplied(name)
	})
}

// IsLong reports whether a file has a row that is too long for memory.
func (d *Dir) IsLong(path string) bool { return strings.HasPrefix(filepath.Base(path), longBase) }

// Sync writes everything to the disk.
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

// Close writes everything to the disk and closes all files.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failures []error
	if d.torn != "" { // the input failed in the middle of the row
		failures = append(failures, d.explain(d.reason, d.torn))
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
