package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/human"
	cqlschema "github.com/cqlbulk/cqlbulk/pkg/cqlparse/schema"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// chooseSchema finds the schema beside the files, and the table's id in it.
func (f *finder) chooseSchema(out *Found) error {
	out.ID = f.id
	ids := make(map[string]string) // paths by id
	for _, c := range f.candidates {
		if c.schema == "" {
			continue
		}
		text, err := component.ReadFile(c.schema)
		if err != nil {
			return err
		}
		s, err := cqlschema.Parse(string(text), f.request.Keyspace)
		if err != nil {
			f.skip(c.schema, "%v", err)
			continue
		}
		t, v := tableIn(s, f.request.Keyspace, f.request.Table)
		if t == nil && v == nil {
			f.skip(c.schema, "%s", f.reason(string(text)))
			continue
		}
		var id string
		if t != nil {
			id = strings.ReplaceAll(t.ID, "-", "")
		} else {
			id = strings.ReplaceAll(v.ID, "-", "")
		}
		switch {
		case id != "" && f.id != "" && id != f.id:
			f.skip(c.schema, "its table has the id %s, not %s", id, f.id)
			continue
		case t == nil:
			out.ViewPath = c.schema
		case out.Schema == "":
			out.Schema, out.SchemaPath = string(text), c.schema
		case out.Schema != string(text):
			f.skip(c.schema, "it is another than %s", out.SchemaPath)
		}
		if id != "" {
			ids[id] = c.schema
		}
	}
	if f.id != "" || len(ids) == 0 {
		return nil
	}
	var have []string
	for id := range ids {
		have, out.ID = append(have, id), id
	}
	if slices.Sort(have); len(have) > 1 {
		return &ChoiceError{
			What: "table ids",
			Of:   f.name(),
			Have: have,
			Hint: "it was dropped and made again, and there is a schema.cql of each: name its folder, or give a schema that has its id",
		}
	}
	return nil
}

// reason says why a schema without the table is passed over. Servers write a table of COMPACT
// STORAGE into a comment (TableMetadata.CompactTableMetadata.appendCqlTo).
func (f *finder) reason(schema string) string {
	if strings.Contains(schema, "omitted because it has constructs not compatible with CQL") {
		return fmt.Sprintf("it has %s in a comment, as a table of COMPACT STORAGE", f.name())
	}
	return "it does not make " + f.name()
}

// tableIn finds what a schema makes of a name: a table, or a view with the types of its columns, or
// else a view without.
func tableIn(s *cqlschema.Schema, keyspace, name string) (*cqlschema.Table, *cqlschema.Dependent) {
	if t := s.Table(keyspace, name); t != nil {
		return t, nil
	}
	if t := s.View(keyspace, name); t != nil {
		return t, nil
	}
	return nil, s.MakesView(keyspace, name)
}

// snapshotManifest is the manifest.json of a snapshot: of Cassandra, and of ScyllaDB (files, or
// sstables from 2026 on).
type snapshotManifest struct {
	Files    []string `json:"files"`
	SSTables []struct {
		TOC string `json:"toc_name"`
	} `json:"sstables"`
}

// checkManifest looks whether all files of data are there that the manifest of a candidate names. A
// node with several data directories has the manifest of a snapshot in one of them, for all.
func (f *finder) checkManifest(i int, lists []*listing) error {
	c := f.candidates[i]
	if c.namedBy != "" {
		for _, name := range c.named {
			if lists[i] == nil || !slices.Contains(lists[i].names, name) {
				return &MissingError{join(c.folder, name), c.namedBy}
			}
		}
		return nil
	}
	path := join(c.folder, manifestFile)
	names, err := readManifest(path)
	if err != nil {
		return err
	}
	for _, name := range names {
		if lists[i] != nil && slices.Contains(lists[i].names, name) {
			continue
		}
		elsewhere := false
		for n, o := range f.candidates {
			if o.tag == c.tag && o.id == c.id && lists[n] != nil &&
				!slices.Contains(lists[n].names, manifestFile) &&
				slices.Contains(lists[n].names, name) {
				elsewhere = true
			}
		}
		if !elsewhere {
			return &MissingError{join(c.folder, name), path}
		}
	}
	return nil
}

// readManifest reads which files of data a snapshot has, without those of indexes.
func readManifest(path string) ([]string, error) {
	text, err := component.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m snapshotManifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	names := slices.DeleteFunc(m.Files, func(name string) bool {
		return strings.ContainsAny(name, `/\`) ||
			!strings.HasSuffix(name, "-"+string(component.DataDB))
	})
	for _, s := range m.SSTables {
		if base, ok := strings.CutSuffix(
			s.TOC,
			string(component.TOCTxt),
		); ok &&
			base == filepath.Base(base) {
			names = append(names, base+string(component.DataDB))
		}
	}
	return names, nil
}

// taken are the SSTables that were found.
type taken struct {
	inodes map[inode]string  // paths
	names  map[string]string // paths, by node, id and name
}

// sstables gives those of a folder that count.
func (f *finder) sstables(c *candidate, l *listing, t *taken) (all []SSTable, err error) {
	unnamed := 0 // those of Medusa's other backups, as a rule
	for _, name := range l.names {
		base, ok := strings.CutSuffix(name, "-"+string(component.DataDB))
		if !ok {
			if err := l.checkData(c, name); err != nil {
				return nil, err
			}
			continue
		}
		path := join(c.folder, name)
		if c.namedBy != "" && !slices.Contains(c.named, name) {
			unnamed++
			continue
		}
		if reason := l.gone[base+"-"]; reason != "" {
			f.skip(path, "%s", reason)
			continue
		}
		if strings.Contains(name, "-tmp-") || strings.Contains(name, "-tmplink-") {
			f.skip(path, "it is not finished")
			continue
		}
		d, _, err := component.ParseName(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		has := func(c component.Kind) bool { return slices.Contains(l.names, d.Name(c)) }
		if !has(component.TOCTxt) && has(component.TOCTxt+".tmp") {
			f.skip(path, "it is not finished, or is being removed")
			continue
		}
		if has(component.TOCTxt) {
			if err := checkComponents(c.folder, d, has); err != nil {
				return nil, err
			}
		}
		if other, err := t.twice(c, d, path); err != nil {
			return nil, err
		} else if other != "" {
			f.skip(path, "it is the same as %s", other)
			continue
		}
		all = append(all, SSTable{Descriptor: d, Folder: c.folder, Node: c.node, Tag: c.tag})
	}
	if unnamed > 0 {
		f.skip(
			c.folder,
			"%s left out, since %s does not name %s",
			human.Of(unnamed, "SSTable")+human.Verb(unnamed, " is", " are"),
			c.namedBy,
			human.Verb(unnamed, "it", "them"),
		)
	}
	return all, nil
}

// checkData refuses a TOC.txt whose Data.db is missing: the SSTable was copied only in part, and
// would be passed over. While a server removes an SSTable, its TOC.txt goes too.
func (l *listing) checkData(c *candidate, name string) error {
	base, ok := strings.CutSuffix(name, "-"+string(component.TOCTxt))
	data := base + "-" + string(component.DataDB)
	if !ok || c.namedBy != "" || l.gone[base+"-"] != "" || slices.Contains(l.names, data) {
		return nil
	}
	toc := join(c.folder, name)
	if _, _, err := component.ParseName(name); err != nil {
		return nil
	}
	if _, err := os.Lstat(toc); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return &MissingError{join(c.folder, data), toc}
}

// checkComponents checks that the components for reading are there if TOC.txt lists them. Without
// CompressionInfo.db, compressed data would be read as uncompressed.
func checkComponents(folder string, d component.Descriptor, has func(component.Kind) bool) error {
	toc := join(folder, d.Name(component.TOCTxt))
	text, err := component.ReadFile(toc)
	if err != nil {
		return err
	}
	components, err := component.ParseTOC(text)
	if err != nil {
		return fmt.Errorf("%s: %w", toc, err)
	}
	for _, c := range components {
		if (c == component.StatisticsDB || c == component.CompressionInfoDB) && !has(c) {
			return &MissingError{join(folder, d.Name(c)), toc}
		}
	}
	return nil
}

// twice gives the path by which an SSTable was found before; empty: it was not.
func (t *taken) twice(c *candidate, d component.Descriptor, path string) (string, error) {
	file, size, err := inodeOf(path)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s\x00%s\x00%s\x00%d", c.node, c.id, d.Name(""), size)
	other := t.inodes[file]
	if other == "" {
		other = t.names[name]
	}
	t.inodes[file], t.names[name] = path, path
	return other, nil
}
