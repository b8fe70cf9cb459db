package source

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/run/journal"
)

// folder finds the files below a folder, in the order of their paths (byte by
// byte, with the separators). Links are followed to files, not to folders. Run
// directories below it are left out: their rejects were input once. Of one that is
// named itself the rejects are taken.
func folder(root string) (found []Input, notes []string, err error) {
	var runs []string
	skipped, own := 0, journal.IsRun(root)
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
			return nil
		case entry.IsDir() && hidden(entry.Name()):
			skipped++
			return fs.SkipDir
		case entry.IsDir() && isRun(filepath.Join(root, filepath.FromSlash(path))):
			runs = append(runs, filepath.Join(root, filepath.FromSlash(path)))
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case companion(entry.Name()) || own && journal.Keeps(path):
			skipped++
			return nil
		}
		name := filepath.Join(root, filepath.FromSlash(path))
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			skipped++
			return nil
		}
		found = append(found, file(name, info))
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("folder %s: %w", root, err)
	case len(found) == 0 && len(runs) > 0:
		return nil, nil, fmt.Errorf(
			"folder %s: no files to load in it, but for %s",
			root,
			noteOfRuns(runs, ""),
		)
	case len(found) == 0 && skipped == 0:
		return nil, nil, fmt.Errorf("folder %s: no files in it", root)
	case len(found) == 0:
		return nil, nil, fmt.Errorf(
			"folder %s: no files to load in it, %d passed over (%s)",
			root,
			skipped,
			passedOver,
		)
	case skipped > 0:
		notes = append(
			notes,
			fmt.Sprintf("folder %s: %d passed over (%s)", root, skipped, passedOver),
		)
	}
	if len(runs) > 0 {
		notes = append(notes, fmt.Sprintf("folder %s: %s", root, noteOfRuns(runs, " left out")))
	}
	slices.SortFunc(found, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	return found, notes, nil
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
	if info, err := os.Lstat(
		filepath.Join(path, journal.ErrorsFile),
	); err != nil ||
		!info.Mode().IsRegular() {
		return false
	}
	rejects, err := fs.Glob(os.DirFS(path), "rejects*.*")
	return err == nil && len(rejects) > 0
}

const passedOver = "what is hidden, unfinished, a manifest, a list of errors, or no file"

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// companion reports whether a file lies beside data and is none: what a scan has not finished, and
// what a run writes about itself.
func companion(name string) bool {
	return hidden(name) || strings.HasSuffix(name, ".part") ||
		strings.HasPrefix(name, "in-doubt.") || strings.HasPrefix(name, "in-doubt-") ||
		name == manifest.FolderName || strings.HasSuffix(name, manifest.Ending) ||
		name == journal.ErrorsFile
}
