package reject

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/ingest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// State is the size and hash of each file of a folder. A later run resumes from it.
type State struct {
	Files []FileState `json:"files,omitempty"`

	places map[string]int // in Files, by name; made by Update
}

// Update replaces the state of each file that is in later. A later state may have all files or only
// those that changed.
func (s *State) Update(later State) {
	if s.places == nil {
		s.places = make(map[string]int)
		for i, f := range s.Files {
			s.places[f.Name] = i
		}
	}
	for _, f := range later.Files {
		i, known := s.places[f.Name]
		if !known {
			i = len(s.Files)
			s.places[f.Name], s.Files = i, append(s.Files, f)
		}
		s.Files[i] = f
	}
}

// Clone returns a copy that can be updated without changing s.
func (s State) Clone() State { return State{Files: slices.Clone(s.Files)} }

// FileState is the size and the hash of one file.
type FileState struct {
	Name   string `json:"name"`
	Header []byte `json:"header,omitempty"` // its first line, in the encoding of its input
	Size   int64  `json:"size"`
	Hash   uint64 `json:"hash,string"` // XXH3 of the first Size bytes
}

// InDoubt reports whether the file has rows that may have been applied.
func (f FileState) InDoubt() bool { return InDoubt(f.Name) }

// InDoubt reports whether the file of that name has rows that may have been applied.
func InDoubt(name string) bool { return strings.HasPrefix(name, doubtBase) }

// NotApplied reports whether the file of that name has rows whose condition did not hold.
func NotApplied(name string) bool { return strings.HasPrefix(name, unmetBase) }

// Apart divides the paths of files of rows. Those of rows that were not applied come second.
func Apart(paths []string) (rejected, notApplied []string) {
	for _, path := range paths {
		if NotApplied(filepath.Base(path)) {
			notApplied = append(notApplied, path)
		} else {
			rejected = append(rejected, path)
		}
	}
	return rejected, notApplied
}

// Changed flushes the files and returns the state of those written to since the last call, by name.
// It leaves out a long row that is not complete.
func (d *Dir) Changed() (State, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var s State
	for _, name := range slices.Sorted(maps.Keys(d.changed)) {
		if name == d.torn {
			continue
		}
		o := d.files[name]
		if o.file != nil {
			if err := o.w.Flush(); err != nil {
				return State{}, fmt.Errorf("rejects: %w", err)
			}
		}
		s.Files = append(s.Files, FileState{name, o.header, o.size, o.hash.Sum64()})
		delete(d.changed, name)
	}
	return s, nil
}

// ownFiles returns a pattern for the names of the files of rows.
func ownFiles(ext string) *regexp.Regexp {
	return regexp.MustCompile(
		`^(` + rejectsBase + `|` + brokenBase + `|` + doubtBase + `|` + unmetBase + `)(-[0-9]+)?` + regexp.QuoteMeta(
			ext,
		) + `$|^` +
			longBase + `([0-9]+)` + regexp.QuoteMeta(
			ext,
		) + `$`,
	)
}

// Check returns an error if a file of the state is not in the folder as the state says. It syncs
// the files to the disk.
func Check(path, ext string, s State) error {
	_, err := check(path, ext, s)
	return err
}

// check returns the hash of each file of a state, up to the size in the state.
func check(path, ext string, s State) (map[string]*xxh3.Hasher, error) {
	own := ownFiles(ext)
	for _, f := range s.Files {
		name := filepath.Join(path, f.Name)
		if f.Name != journal.ErrorsFile && !own.MatchString(f.Name) {
			return nil, fmt.Errorf("rejects: %q is no file of rejects", f.Name)
		}
		info, err := os.Lstat(name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("rejects: %w", err)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("rejects: %s is no plain file", name)
		case info.Size() < f.Size:
			return nil, fmt.Errorf(
				"rejects: %s has %d bytes instead of the %d that the run had written: it was changed",
				name,
				info.Size(),
				f.Size,
			)
		}
	}
	hashes := make(map[string]*xxh3.Hasher)
	for _, f := range s.Files {
		name := filepath.Join(path, f.Name)
		hash, err := hashOf(name, f.Size)
		switch {
		case err != nil:
			return nil, fmt.Errorf("rejects: %w", err)
		case hash.Sum64() != f.Hash:
			return nil, fmt.Errorf(
				"rejects: %s: its first %d bytes are not those that the run had written: it was changed; cqlbulk retry loads mended rows",
				name,
				f.Size,
			)
		}
		hashes[f.Name] = hash
	}
	if len(s.Files) > 0 {
		if err := fsync.Folder(path); err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
	}
	return hashes, nil
}

// hashOf returns the hash of the first size bytes of a file, and syncs the file.
func hashOf(name string, size int64) (*xxh3.Hasher, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	hash := xxh3.New()
	if _, err := io.CopyN(hash, f, size); err != nil {
		return nil, err
	}
	return hash, f.Sync()
}

// Resume resumes the folder of an earlier run. It cuts the files off at the given state, and
// removes those that are not in it. If a file differs from the state, it returns an error and
// changes nothing.
func Resume(path, ext string, s State) (*Dir, error) {
	d := New(path, ext)
	hashes, err := check(path, ext, s)
	if err != nil {
		return nil, err
	}
	own := ownFiles(ext)
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("run directory: %w", err)
	}
	for _, e := range entries {
		if name := e.Name(); hashes[name] == nil &&
			(name == journal.ErrorsFile || own.MatchString(name)) {
			if err := os.Remove(filepath.Join(path, name)); err != nil {
				return nil, fmt.Errorf("rejects: %w", err)
			}
		}
	}
	for _, f := range s.Files {
		if err := d.cutOff(f, hashes[f.Name]); err != nil {
			return nil, fmt.Errorf("rejects: %w", err)
		}
		if number, ok := strings.CutPrefix(f.Name, longBase); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(number, ext))
			d.long = max(d.long, n)
		} else if f.Name != journal.ErrorsFile {
			base := rejectsBase
			for _, other := range []string{doubtBase, brokenBase, unmetBase} {
				if strings.HasPrefix(f.Name, other) {
					base = other
				}
			}
			d.names[base+"\x00"+string(f.Header)] = f.Name
			n, _ := strconv.Atoi(
				strings.TrimPrefix(strings.TrimSuffix(f.Name, ext)[len(base):], "-"),
			)
			d.numbers[base] = max(d.numbers[base], n, 1)
		}
	}
	if err := d.recount(); err != nil {
		return nil, err
	}
	return d, nil
}

// cutOff truncates a file to its size in the state, and adds it to the Dir.
func (d *Dir) cutOff(f FileState, hash *xxh3.Hasher) error {
	path := filepath.Join(d.path, f.Name)
	d.files[f.Name] = &output{path: path, header: f.Header, hash: hash, size: f.Size}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Size() > f.Size {
		err = errors.Join(file.Truncate(f.Size), file.Sync())
	}
	return errors.Join(err, file.Close())
}

// recount reads the reasons in errors.jsonl, for the summary.
func (d *Dir) recount() error {
	f, err := os.Open(filepath.Join(d.path, journal.ErrorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	defer func() { _ = f.Close() }()
	return entries(f, f.Name(), func(e entry) {
		if e.Stage == ingest.NotApplied {
			return
		}
		d.causes.Add(ingest.Reject{
			File:   e.File,
			Line:   e.Line,
			Field:  e.Field,
			Offset: e.Offset,
			Column: e.Column,
			Value:  e.Value,
			Reason: e.Reason,
			Stage:  e.Stage,
			More:   e.More,
		})
	})
}

// Kept is a file of rows that a run rejected.
type Kept struct {
	Path   string
	Stamps []int64 // timestamps of its rows, in order; 0: none
	Sent   []bool  // for each row, whether the load sent it, so that it may be in the table
	Doubt  bool    // whether its rows may have been applied
	// Repeats is the largest number of times that one of its rows was written again.
	Repeats uint8
}

// Unchanged reports whether a file of rejects is still as the run left it.
func (f FileState) Unchanged(folder string) bool {
	path := filepath.Join(folder, f.Name)
	info, err := os.Stat(path)
	if err != nil || info.Size() != f.Size {
		return false
	}
	hash, err := hashOf(path, f.Size)
	return err == nil && hash.Sum64() == f.Hash
}

// Unsent counts, by timestamp, the rows of an input that a load could not read and so did not send.
// The folder of the load is at path.
func Unsent(path, input string) (map[int64]int, error) {
	f, err := os.Open(filepath.Join(path, journal.ErrorsFile))
	if err != nil {
		return nil, fmt.Errorf("rejects: %w", err)
	}
	defer func() { _ = f.Close() }()
	unsent := make(map[int64]int)
	err = entries(f, f.Name(), func(e entry) {
		if e.Stage == ingest.Parse && filepath.Base(e.File) == input {
			unsent[e.Stamp]++
		}
	})
	return unsent, err
}

// unexplained returns an error if a folder without reasons has files of rows.
func unexplained(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("rejects: %w", err)
	}
	for _, e := range entries {
		if ownFiles(filepath.Ext(e.Name())).MatchString(e.Name()) {
			return fmt.Errorf(
				"rejects: %s is gone, which has the reasons of the rows in %s: load these rows separately",
				filepath.Join(path, journal.ErrorsFile),
				filepath.Join(path, e.Name()),
			)
		}
	}
	return nil
}

// Find returns the files of rows that a run left in its folder, by name, except for rows that were
// not applied.
func Find(path string) ([]Kept, error) {
	f, err := os.Open(filepath.Join(path, journal.ErrorsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unexplained(path)
	}
	if err != nil {
		return nil, fmt.Errorf("rejects: %w", err)
	}
	defer func() { _ = f.Close() }()
	stamps := make(map[string][]int64)
	sent := make(map[string][]bool)
	repeats := make(map[string]uint8)
	if err := entries(f, f.Name(), func(e entry) {
		stamps[e.Kept] = append(stamps[e.Kept], e.Stamp)
		sent[e.Kept] = append(sent[e.Kept], e.Stage != ingest.Parse)
		repeats[e.Kept] = max(repeats[e.Kept], e.Repeats)
	}); err != nil {
		return nil, err
	}
	var found []Kept
	for _, name := range slices.Sorted(maps.Keys(stamps)) {
		if NotApplied(name) {
			continue // nothing of it failed
		}
		if !ownFiles(filepath.Ext(name)).MatchString(name) {
			return nil, fmt.Errorf("rejects: %s: %q is no file of rejects", f.Name(), name)
		}
		if info, err := os.Lstat(
			filepath.Join(path, name),
		); err == nil &&
			!info.Mode().IsRegular() {
			return nil, fmt.Errorf("rejects: %s is no plain file", filepath.Join(path, name))
		}
		found = append(
			found,
			Kept{filepath.Join(path, name), stamps[name], sent[name], InDoubt(name), repeats[name]},
		)
	}
	return found, nil
}
