package files

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/run/records"
	"github.com/cqlbulk/cqlbulk/internal/snapshot"
	"github.com/cqlbulk/cqlbulk/pkg/sstable/component"
)

// Account lists the SSTables that are read, by their folders. Of a table that is read by CQL it is
// nil.
func (f *Files) Account() (folders []records.Folder) {
	if f == nil || f.Found == nil {
		return nil
	}
	for _, t := range f.Found.SSTables { // which are ordered by their folders
		if n := len(folders); n == 0 || folders[n-1].Path != t.Folder {
			folders = append(folders, records.Folder{Path: t.Folder, Snapshot: t.Tag})
		}
		of := &folders[len(folders)-1]
		of.SSTables = append(of.SSTables, t.Name(component.DataDB))
	}
	return folders
}

// missingShown is how many files are named that are missing.
const missingShown = 5

// RefuseMissing refuses to resume a scan when SSTables are gone whose rows may be nowhere else.
//
// A snapshot never changes, so nothing of one may be missing. A live folder changes: a compaction
// leaves what it was made of in a new SSTable. So there, SSTables may be missing if others came,
// which is warned of.
func (f *Files) RefuseMissing(begun []records.Folder) error {
	var gone []string
	for _, of := range begun {
		var now []snapshot.SSTable
		for _, t := range f.Found.SSTables {
			if t.Folder == of.Path {
				now = append(now, t)
			}
		}
		there := func(name string) bool {
			return slices.ContainsFunc(
				now,
				func(t snapshot.SSTable) bool { return t.Name(component.DataDB) == name },
			)
		}
		came := slices.ContainsFunc(now, func(t snapshot.SSTable) bool {
			return !slices.Contains(of.SSTables, t.Name(component.DataDB))
		})
		if of.Snapshot == "" && came {
			continue
		}
		if len(now) == 0 {
			gone = append(gone, of.Path)
			continue
		}
		for _, name := range of.SSTables {
			if !there(name) {
				gone = append(gone, filepath.Join(of.Path, name))
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	named := strings.Join(gone[:min(len(gone), missingShown)], ", ")
	if more := len(gone) - missingShown; more > 0 {
		named += fmt.Sprintf(", and %d more", more)
	}
	return fmt.Errorf(
		"SSTables that the scan began with are not there any more: %s: rows would be missing in the output; "+
			"put them back, or start over",
		named,
	)
}
