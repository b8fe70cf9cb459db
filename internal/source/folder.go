package source

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// walk collects the files below a folder.
type walk struct {
	in      store.Store
	root    string
	own     bool // root is itself a run directory, whose rejects are input
	found   []Input
	runs    []string // run directories that were left out
	skipped int
}

// folder finds the files below a folder, in the order of their paths (byte by byte, with the
// separators). Links are followed to files, not to folders. Run directories below it are left out,
// because their rejects were input once. If the folder is itself a run directory, its rejects are
// taken.
func folder(in store.Store, root string) (found []Input, notes []string, err error) {
	w := walk{in: in, root: root, own: !stores.Remote(root) && journal.IsRun(root)}
	err = w.below(root)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("folder %s: %w", root, err)
	case len(w.found) == 0 && len(w.runs) > 0:
		return nil, nil, fmt.Errorf(
			"folder %s: no files to load in it, but for %s",
			root,
			noteOfRuns(w.runs, ""),
		)
	case len(w.found) == 0 && w.skipped == 0:
		return nil, nil, fmt.Errorf("folder %s: no files in it", root)
	case len(w.found) == 0:
		return nil, nil, fmt.Errorf(
			"folder %s: no files to load in it, %d passed over (%s)",
			root,
			w.skipped,
			passedOver,
		)
	case w.skipped > 0:
		notes = append(
			notes,
			fmt.Sprintf("folder %s: %d passed over (%s)", root, w.skipped, passedOver),
		)
	}
	if len(w.runs) > 0 {
		notes = append(notes, fmt.Sprintf("folder %s: %s", root, noteOfRuns(w.runs, " left out")))
	}
	slices.SortFunc(w.found, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	return w.found, notes, nil
}

// below looks at what is in a folder, and in the folders of it.
func (w *walk) below(folder string) error {
	entries, err := w.in.List(context.Background(), folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.look(e); err != nil {
			return err
		}
	}
	return nil
}

// look takes an entry as input, enters it, or passes it over.
func (w *walk) look(e store.Info) error {
	switch {
	case stores.Remote(e.Name) && strings.HasPrefix(e.Base(), "_"):
		w.skipped++ // Spark, Hive and others write what is no data there
		return nil
	case e.Kind == store.Folder && hidden(e.Base()):
		w.skipped++
		return nil
	case e.Kind == store.Folder && !stores.Remote(e.Name) && isRun(e.Name):
		w.runs = append(w.runs, e.Name)
		return nil
	case e.Kind == store.Folder:
		return w.below(e.Name)
	case companion(e.Base()) || w.keeps(e):
		w.skipped++
		return nil
	}
	if e.Size < 0 {
		var err error
		if e, err = w.in.Stat(context.Background(), e.Name); err != nil {
			return err
		}
	}
	if e.Kind != store.Object {
		w.skipped++
		return nil
	}
	w.found = append(w.found, file(w.in, e))
	return nil
}

// keeps reports whether a file is one that a run directory keeps about its run.
func (w *walk) keeps(e store.Info) bool {
	if !w.own {
		return false
	}
	path, err := filepath.Rel(w.root, e.Name)
	return err == nil && journal.Keeps(filepath.ToSlash(path))
}

// noteOfRuns returns the note about run directories, and what was done with them.
func noteOfRuns(runs []string, what string) string {
	number, first := "1 run directory", runs[0]
	if len(runs) > 1 {
		number, first = fmt.Sprintf("%d run directories", len(runs)), runs[0]+" first"
	}
	return fmt.Sprintf(
		"%s%s, %s (the folders of loads and scans, whose files are loaded where they are named)",
		number,
		what,
		first,
	)
}

// isRun reports whether a folder is the run directory of a load or a scan. It has a journal, or
// without one (--no-journal) rejects and their reasons.
func isRun(path string) bool {
	if journal.IsRun(path) {
		return true
	}
	ctx := context.Background()
	var disk store.Disk
	errorList, err := disk.Lstat(ctx, filepath.Join(path, journal.ErrorsFile))
	if err != nil || errorList.Kind != store.Object {
		return false
	}
	entries, _ := disk.List(ctx, path) // without a list there are no rejects
	return slices.ContainsFunc(entries, func(e store.Info) bool {
		match, err := filepath.Match("rejects*.*", e.Base())
		return match && err == nil
	})
}

const passedOver = "what is hidden, unfinished, a manifest, a list of errors, or no file"

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// companion reports whether a file lies beside data and is no data: an unfinished file of a scan,
// or what a run writes about itself.
func companion(name string) bool {
	return hidden(name) || strings.HasSuffix(name, store.PartSuffix) ||
		strings.HasPrefix(name, "in-doubt.") || strings.HasPrefix(name, "in-doubt-") ||
		name == manifest.FolderName || strings.HasSuffix(name, manifest.Ending) ||
		name == journal.ErrorsFile
}
