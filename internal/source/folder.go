package source

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// folder finds the files below a folder, in the order of their paths (byte by
// byte, with the separators). Links are followed to files, not to folders.
func folder(root string) (found []Input, note string, err error) {
	skipped := 0
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".":
			return nil
		case entry.IsDir() && hidden(entry.Name()):
			skipped++
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case companion(entry.Name()):
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
		return nil, "", fmt.Errorf("folder %s: %w", root, err)
	case len(found) == 0 && skipped == 0:
		return nil, "", fmt.Errorf("folder %s: no files in it", root)
	case len(found) == 0:
		return nil, "", fmt.Errorf("folder %s: no files to load in it, %d passed over (%s)", root, skipped, passedOver)
	case skipped > 0:
		note = fmt.Sprintf("folder %s: %d passed over (%s)", root, skipped, passedOver)
	}
	slices.SortFunc(found, func(a, b Input) int { return strings.Compare(a.Name, b.Name) })
	return found, note, nil
}

const passedOver = "what is hidden, unfinished, a manifest, a list of errors, or no file"

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// companion tells the files that lie beside data and are none: what a scan has
// not finished, and what a run tells about itself.
func companion(name string) bool {
	return hidden(name) || strings.HasSuffix(name, ".part") ||
		strings.HasPrefix(name, "in-doubt.") || strings.HasPrefix(name, "in-doubt-") ||
		name == "manifest.json" || strings.HasSuffix(name, ".manifest.json") || name == "errors.jsonl"
}
