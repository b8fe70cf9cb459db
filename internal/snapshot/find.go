package snapshot

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/schema"
	"github.com/cqlbulk/cqlbulk/pkg/levenshtein"
)

// Find finds the SSTables of a table. Errors name the file or the folder that they are of; some are
// a *ChoiceError or a
// *MissingError.
func Find(r Request) (*Found, error) {
	f := &finder{request: r, seen: make(map[string][]string)}
	if r.ID != "" {
		f.id = strings.ToLower(strings.ReplaceAll(r.ID, "-", ""))
		if b, err := hex.DecodeString(f.id); err != nil || len(b) != 16 {
			return nil, fmt.Errorf("table id %.50q: must be a UUID", r.ID)
		}
	}
	if len(r.Paths) == 0 {
		return nil, errors.New("no folder given")
	}
	for _, path := range r.Paths {
		if err := f.look(path); err != nil {
			return nil, err
		}
	}
	if err := f.fillMedusa(); err != nil {
		return nil, err
	}
	all := len(f.candidates)
	if err := f.chooseTag(); err != nil {
		return nil, err
	}
	out := &Found{}
	if err := f.chooseID(out); err != nil {
		return nil, err
	}
	if err := f.files(out); err != nil {
		return nil, err
	}
	slices.SortFunc(f.skipped, func(a, b Skipped) int {
		return strings.Compare(a.Path+"\x00"+a.Reason, b.Path+"\x00"+b.Reason)
	})
	out.Skipped = slices.Compact(f.skipped)
	if len(out.SSTables) == 0 {
		return nil, f.nothing(all)
	}
	return out, nil
}

// name is that of the table.
func (f *finder) name() string { return f.request.Keyspace + "." + f.request.Table }

// automatic are what the names of snapshots begin with that servers take by themselves, of what is
// no more in the table.
var automatic = []string{"truncated-", "dropped-"}

// chooseTag leaves what is to be read: of each node, live data or one snapshot.
func (f *finder) chooseTag() error {
	explicit := make(map[string]string) // the snapshots that paths chose, by node
	for _, c := range f.candidates {
		if !c.explicit {
			continue
		}
		if tag, ok := explicit[c.node]; ok && tag != c.tag {
			return f.tagChoice(
				[]string{tag, c.tag},
				fmt.Sprintf("they are of one node, %s: name one of them", c.node),
			)
		}
		explicit[c.node] = c.tag
	}
	tag, err := f.wantedTag(explicit)
	if err != nil {
		return err
	}
	nodes := make(map[string]bool) // that have what is wanted
	var kept []*candidate
	for _, c := range f.candidates {
		want, of := explicit[c.node]
		if !of {
			want = tag
		}
		if c.tag == want {
			nodes[c.node] = true
			kept = append(kept, c)
			continue
		}
		switch has := c.data; {
		case !has:
		case want == "":
			f.skip(c.folder, "snapshot %q is left out, since there are live data", c.tag)
		case c.tag == "":
			f.skip(c.folder, "live data are left out, since snapshot %q was chosen", want)
		default:
			f.skip(c.folder, "snapshot %q is left out, since %q was chosen", c.tag, want)
		}
	}
	for _, c := range f.candidates {
		if _, of := explicit[c.node]; !nodes[c.node] && !of && tag != "" {
			f.skip(c.node, "it has no snapshot %q", tag)
		}
	}
	f.candidates = kept
	return nil
}

// wantedTag is what is read of nodes for which no path says it.
func (f *finder) wantedTag(explicit map[string]string) (string, error) {
	have := make(map[string]bool)
	live, any := false, false
	for _, c := range f.candidates {
		if _, of := explicit[c.node]; of {
			continue
		}
		any = true
		if c.tag != "" {
			have[c.tag] = true
		} else if c.data {
			live = true
		}
	}
	tags := slices.Sorted(maps.Keys(have))
	const choose = "choose one by its name, or by its folder"
	switch want := f.request.Tag; {
	case want != "" && any && !have[want]:
		if len(tags) == 0 {
			return "", fmt.Errorf("%s has no snapshot %q, nor any other", f.name(), want)
		}
		return "", fmt.Errorf(
			"%s has no snapshot %q, but %s%s",
			f.name(),
			want,
			strings.Join(tags, ", "),
			schema.DidYouMean(want, tags),
		)
	case want != "" || live || len(tags) == 0:
		return want, nil
	case len(tags) > 1:
		return "", f.tagChoice(tags, choose)
	}
	for _, begin := range automatic {
		if strings.HasPrefix(tags[0], begin) {
			return "", fmt.Errorf(
				"%s has no live SSTables, and one snapshot, %s, which the server took when it removed them. To read it, give its name or its folder",
				f.name(),
				tags[0],
			)
		}
	}
	return tags[0], nil
}

func (f *finder) tagChoice(tags []string, hint string) error {
	slices.Sort(tags)
	return &ChoiceError{What: "snapshots", Of: f.name(), Have: tags, Hint: hint}
}

// chooseID leaves the folders of one table: a name may have been that of several, one after the
// other.
func (f *finder) chooseID(out *Found) error {
	if err := f.chooseSchema(out); err != nil {
		return err
	}
	have := make(map[string]bool)
	for _, c := range f.candidates {
		if c.data && c.id != "" {
			have[c.id] = true
		}
	}
	ids := slices.Sorted(maps.Keys(have))
	switch {
	case out.ID != "":
	case len(ids) > 1:
		return &ChoiceError{
			What: "table ids",
			Of:   f.name(),
			Have: ids,
			Hint: "it was dropped and created again, and no schema.cql has its present id. Name its folder, or give a schema that has its id",
		}
	case len(ids) == 1:
		out.ID = ids[0]
	}
	f.candidates = slices.DeleteFunc(f.candidates, func(c *candidate) bool {
		if c.id == "" || out.ID == "" || c.id == out.ID {
			return false
		}
		if c.data {
			f.skip(
				c.folder,
				"it is of a table of the same name with the id %s, not %s",
				c.id,
				out.ID,
			)
		}
		return true
	})
	return nil
}

// files lists the SSTables.
func (f *finder) files(out *Found) error {
	lists := make([]*listing, len(f.candidates))
	for i, c := range f.candidates {
		if !c.data {
			if err := f.checkManifest(i, lists); err != nil {
				return err
			}
			continue
		}
		var err error
		if lists[i], err = list(c.folder); err != nil {
			return err
		}
	}
	t := &taken{inodes: make(map[inode]string), names: make(map[string]string)}
	nodes, tags := make(map[string]bool), make(map[string]bool)
	live := make(map[string]bool)
	for i, c := range f.candidates {
		if c.tag == "" && c.table == f.request.Table && c.node != c.folder {
			live[c.node] = true
		}
		if !c.data {
			continue
		}
		if err := f.checkManifest(i, lists); err != nil {
			return err
		}
		found, err := f.sstables(c, lists[i], t)
		if err != nil {
			return err
		}
		nodes[c.node] = true
		if out.SSTables = append(out.SSTables, found...); len(found) > 0 && c.tag != "" {
			tags[c.tag] = true
		}
	}
	slices.SortFunc(out.SSTables, func(a, b SSTable) int {
		return strings.Compare(a.Folder+"\x00"+a.Name(""), b.Folder+"\x00"+b.Name(""))
	})
	out.Live = slices.Sorted(maps.Keys(live))
	out.Nodes, out.Tags = slices.Sorted(maps.Keys(nodes)), slices.Sorted(maps.Keys(tags))
	return nil
}

// namesShown is how many tables are named where one is not found.
const namesShown = 10

// nothing says that there are no SSTables of the table, and what there is instead.
func (f *finder) nothing(candidates int) error {
	where := strings.Join(f.request.Paths, ", ")
	is := fmt.Sprintf("no SSTables of %s in %s", f.name(), where)
	tables := f.seen[f.request.Keyspace]
	slices.Sort(tables)
	var elsewhere []string
	for _, keyspace := range slices.Sorted(maps.Keys(f.seen)) {
		if slices.Contains(f.seen[keyspace], f.request.Table) {
			elsewhere = append(elsewhere, fmt.Sprintf("%q", keyspace))
		}
	}
	switch {
	case len(f.skipped) > 0:
		return fmt.Errorf("%s: %s%s", is, f.skipped[0], more(len(f.skipped)-1))
	case candidates > 0:
		return fmt.Errorf(
			"%s: its folder is there, and none are in it; has the node flushed it?",
			is,
		)
	case levenshtein.Nearest(f.request.Table, tables) != "":
		return fmt.Errorf(
			"%s%s",
			is,
			schema.DidYouMeanTable(f.request.Keyspace, f.request.Table, tables),
		)
	case len(elsewhere) > 0:
		return fmt.Errorf(
			"%s: a table of that name is in what looks like keyspace %s",
			is,
			strings.Join(elsewhere, ", "),
		)
	case len(tables) > 0:
		return fmt.Errorf(
			"%s: the keyspace has %s%s",
			is,
			strings.Join(tables[:min(len(tables), namesShown)], ", "),
			more(len(tables)-namesShown),
		)
	case len(f.seen) > 0:
		keyspaces := slices.Sorted(maps.Keys(f.seen))
		return fmt.Errorf(
			"%s: there are tables of %s%s%s",
			is,
			strings.Join(keyspaces[:min(len(keyspaces), namesShown)], ", "),
			more(len(keyspaces)-namesShown),
			schema.DidYouMean(f.request.Keyspace, keyspaces),
		)
	case f.others > 0:
		return fmt.Errorf(
			"%s: there are SSTables, but neither names of folders nor a %s say which table they belong to: name their folder",
			is,
			schemaFile,
		)
	default:
		return fmt.Errorf("%s, nor of any other table", is)
	}
}

// more says how many there are besides those that were named.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}
