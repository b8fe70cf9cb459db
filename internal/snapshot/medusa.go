package snapshot

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// medusaSection is what the manifest of a backup of Medusa has of a table, or of an index of one.
type medusaSection struct {
	Keyspace     string `json:"keyspace"`
	ColumnFamily string `json:"columnfamily"` // the table's folder
	Objects      []struct {
		Path string `json:"path"`
	} `json:"objects"`
}

// data are the files of data of a section. Those of indexes stand in hidden folders.
func (s *medusaSection) data() []string {
	names := []string{}
	for _, o := range s.Objects {
		name := path.Base(o.Path)
		if strings.HasSuffix(name, "-"+string(component.DataDB)) &&
			!strings.HasPrefix(path.Base(path.Dir(o.Path)), ".") {
			names = append(names, name)
		}
	}
	return names
}

// readMedusa reads the sections of the table in a backup's manifest.
func (f *finder) readMedusa(folder string) (all []medusaSection, manifest string, err error) {
	manifest = join(folder, "meta", manifestFile)
	text, err := component.ReadFile(manifest)
	if err != nil {
		return nil, manifest, err
	}
	var sections []medusaSection
	if err := json.Unmarshal(text, &sections); err != nil {
		return nil, manifest, fmt.Errorf("%s: %w", manifest, err)
	}
	for _, s := range sections {
		table := s.ColumnFamily
		if m := tableFolder.FindStringSubmatch(table); m != nil {
			table = m[1]
		}
		switch {
		case s.ColumnFamily != filepath.Base(s.ColumnFamily),
			s.Keyspace != filepath.Base(s.Keyspace):
			return nil, manifest, fmt.Errorf(
				"%s: %.80q, %.80q is no keyspace and table",
				manifest,
				s.Keyspace,
				s.ColumnFamily,
			)
		case s.Keyspace == f.request.Keyspace && table == f.request.Table:
			all = append(all, s)
		default:
			f.see(s.Keyspace, table)
		}
	}
	return all, manifest, nil
}

// fillMedusa reads from the manifests of Medusa's backups which files belong to them. Full backups
// were found as folders. Differential ones share the folder <node>/data, and the manifest of each
// lists its files.
func (f *finder) fillMedusa() error {
	for _, c := range f.candidates {
		if c.backup == "" {
			continue
		}
		sections, manifest, err := f.readMedusa(c.backup)
		if err != nil {
			return err
		}
		c.named, c.namedBy = []string{}, manifest
		for _, s := range sections {
			if s.ColumnFamily == filepath.Base(c.folder) {
				c.named = append(c.named, s.data()...)
			}
		}
		c.addSchema()
	}
	shared := make(map[string]bool) // folders whose files several backups share
	for _, c := range slices.Clone(f.candidates) {
		if filepath.Base(c.node) != "data" || c.tag != "" {
			continue
		}
		manifests, err := filepath.Glob(
			join(globbed(filepath.Dir(c.node)), "*", "meta", manifestFile),
		)
		if err != nil {
			return err
		}
		for _, m := range manifests {
			folder := filepath.Dir(filepath.Dir(m))
			if _, err := os.Stat(join(folder, "data")); err != nil {
				shared[c.folder] = true
				f.backups = append(f.backups, backup{folder, false})
			}
		}
	}
	f.candidates = slices.DeleteFunc(
		f.candidates,
		func(c *candidate) bool { return shared[c.folder] && c.tag == "" },
	)
	for _, b := range f.backups {
		if err := f.takeDifferential(b); err != nil {
			return err
		}
	}
	return nil
}

// globbed is a path that a pattern begins with.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// takeDifferential adds the files of a differential backup.
func (f *finder) takeDifferential(b backup) error {
	sections, manifest, err := f.readMedusa(b.folder)
	if err != nil {
		return err
	}
	node := filepath.Dir(b.folder)
	for _, s := range sections {
		p := placeOf(join(node, "data", s.Keyspace, s.ColumnFamily), b.folder)
		p.backup, p.tag, p.node, p.explicit = b.folder, filepath.Base(b.folder), node, b.explicit
		c := &candidate{place: p, named: s.data(), namedBy: manifest}
		c.data = len(c.named) > 0
		c.addSchema()
		f.take(c)
	}
	return nil
}

// addSchema finds the schema of Medusa's backup.
func (c *candidate) addSchema() {
	file := join(c.backup, "meta", schemaFile)
	if _, err := os.Stat(file); err == nil {
		c.schema = file
	}
}
