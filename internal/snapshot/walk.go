package snapshot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// candidate is a folder that may have SSTables of the table.
type candidate struct {
	place
	data bool // there are files of data in it
	// files of data that Medusa's manifest names, which are all that count; nil: there is none
	named   []string
	namedBy string // the manifest
	schema  string // path of schema.cql; empty: none
}

// finder looks through folders.
type finder struct {
	request    Request
	id         string // 32 digits; empty: not known
	candidates []*candidate
	backups    []backup // of Medusa, without data of their own
	skipped    []Skipped
	seen       map[string][]string // tables by keyspace, for hints
	others     int                 // folders with SSTables of an unknown table
}

// backup is a differential backup of Medusa.
type backup struct {
	folder   string
	explicit bool
}

// skip notes that something was passed over.
func (f *finder) skip(path, format string, args ...any) {
	f.skipped = append(f.skipped, Skipped{path, fmt.Sprintf(format, args...)})
}

// look goes through what a path that was given leads to.
func (f *finder) look(path string) error {
	given, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	stat, err := os.Stat(given)
	switch {
	case err != nil:
		return err
	case !stat.IsDir():
		return fmt.Errorf("%s is a file: a folder is wanted", path)
	}
	return f.walk(given, given, make(map[inode]bool))
}

// inode identifies a file, whatever path leads to it.
type inode struct{ device, number uint64 }

// inodeOf is the inode of a file.
func inodeOf(path string) (inode, int64, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return inode{}, 0, err
	}
	sys := stat.Sys().(*syscall.Stat_t)
	// Darwin has it in 32 bits
	return inode{uint64(sys.Dev), sys.Ino}, stat.Size(), nil //nolint:unconvert
}

// walk goes through a folder and those inside, links to folders too, but no folder twice.
func (f *finder) walk(folder, given string, visited map[inode]bool) error {
	self, _, err := inodeOf(folder)
	if err == nil && visited[self] {
		return nil
	}
	var entries []os.DirEntry
	if err == nil {
		visited[self] = true
		entries, err = os.ReadDir(folder)
	}
	if err != nil {
		return f.unreadable(folder, given, err)
	}
	c := &candidate{place: placeOf(folder, given)}
	var folders []string
	for _, e := range entries {
		name := e.Name()
		switch path := join(folder, name); {
		case fsync.IsFolder(path, e):
			folders = append(folders, name)
		case name == schemaFile:
			c.schema = path
		case strings.HasSuffix(name, "-"+string(component.DataDB)):
			c.data = true
		}
	}
	ours, err := f.consider(c)
	if err != nil {
		return err
	}
	if isMedusa(folder) && !slices.Contains(folders, "data") {
		f.backups = append(f.backups, backup{folder, folder == given})
	}
	for _, name := range folders {
		path := join(folder, name)
		reason, beside := besides[name]
		m := tableFolder.FindStringSubmatch(name)
		switch {
		case strings.HasPrefix(name, "."): // an index, or what a program has not finished
		case beside && (ours || c.table == f.request.Table && c.within == ""):
			if hasData(path) {
				f.skip(path, "%s", reason)
			}
		case m != nil && m[1] != f.request.Table:
			f.see(filepath.Base(folder), m[1])
		default:
			if err := f.walk(path, given, visited); err != nil {
				return err
			}
		}
	}
	return nil
}

// LostAndFound is the folder in which a file system has what a repair found. Only root can read it.
const LostAndFound = "lost+found"

// unreadable passes over a folder that cannot be read where it cannot have the table's SSTables.
// Any other is an error, since rows may be missing without it.
func (f *finder) unreadable(folder, given string, err error) error {
	if folder == given || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	parent := filepath.Dir(folder)
	switch name := filepath.Base(folder); {
	case name == LostAndFound:
	case isDataDirectory(parent) && name != f.request.Keyspace:
	case isDataDirectory(filepath.Dir(parent)) && name != f.request.Table && !strings.HasPrefix(name, f.request.Table+"-"):
	default:
		return fmt.Errorf("%w: it may have SSTables of %s", err, f.name())
	}
	f.skip(folder, "it cannot be read, and by its path it is not of %s", f.name())
	return nil
}

// hasData says whether a folder has files of data.
func hasData(folder string) bool {
	entries, err := os.ReadDir(folder)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasSuffix(e.Name(), "-"+string(component.DataDB))
	})
}

// see notes a table of another name.
func (f *finder) see(keyspace, table string) {
	if !slices.Contains(f.seen[keyspace], table) {
		f.seen[keyspace] = append(f.seen[keyspace], table)
	}
}

// consider adds a folder if it belongs to the table. A folder without an id whose name says nothing
// counts if it has SSTables or a schema.
func (f *finder) consider(c *candidate) (ours bool, err error) {
	if !c.data && c.id == "" {
		return false, nil
	}
	if c.within != "" {
		if c.data && c.table == f.request.Table {
			f.skip(c.folder, "it is a folder inside that of the table, and no snapshot")
		}
		return false, nil
	}
	declared := unknown
	if c.schema != "" {
		if declared, err = f.declares(c); err != nil {
			return false, err
		}
	}
	switch {
	case declared == other && c.data:
		f.skip(
			c.folder,
			"%s beside does not make %s.%s",
			schemaFile,
			f.request.Keyspace,
			f.request.Table,
		)
		return false, nil
	case declared == other:
		return false, nil
	case c.table == f.request.Table && c.keyspace == f.request.Keyspace:
	case c.table == f.request.Table && (declared == same || c.id != "" && c.id == f.id || c.given && !isDataDirectory(c.node)):
		// The folder above is none of a keyspace: it stands for the node.
		c.node = join(c.node, c.keyspace)
	case c.table == f.request.Table:
		f.see(c.keyspace, c.table)
		if c.data && !isDataDirectory(c.node) { // in a data directory it is just another table
			f.skip(c.folder, "by its path it is of keyspace %q", c.keyspace)
		}
		return false, nil
	case c.id == "" && (declared == same || c.given):
		c.node = c.folder
	default:
		if c.id != "" {
			f.see(c.keyspace, c.table)
		} else {
			f.others++
		}
		return false, nil
	}
	f.take(c)
	return true, nil
}

// take adds a folder, or adds to a known one what another path says about it.
func (f *finder) take(c *candidate) {
	for _, have := range f.candidates {
		if have.folder == c.folder && have.tag == c.tag {
			have.explicit = have.explicit || c.explicit
			return
		}
	}
	f.candidates = append(f.candidates, c)
}

// What a schema.cql says of the table.
const (
	unknown = iota
	same    // it makes it
	other   // it makes others
)

// declares reads the schema.cql in a folder.
func (f *finder) declares(c *candidate) (int, error) {
	text, err := component.ReadFile(c.schema)
	if err != nil {
		return unknown, err
	}
	s, err := cqlschema.Parse(string(text), f.request.Keyspace)
	if err != nil { // said when the schema is wanted
		return unknown, nil
	}
	if t, v := tableIn(s, f.request.Keyspace, f.request.Table); t != nil || v != nil {
		return same, nil
	}
	if len(s.Tables) == 0 { // that of another view, say
		return unknown, nil
	}
	for _, t := range s.Tables {
		f.see(t.Keyspace, t.Name)
	}
	return other, nil
}
