package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Inside is the path of the file of that name in the run directory dir, for names
// that come out of a file. It refuses all that is not a plain name: the empty one,
// ".", "..", absolute ones and any with a separator (of whatever system); and it
// refuses a symbolic link. A file that is not there is fine. The link is looked
// for now, so this does not hold off somebody who is changing the folder at the
// same time.
func Inside(dir, name string) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, `/\`+"\x00") || !filepath.IsLocal(name) {
		return "", fmt.Errorf("run directory %s: %q is not the name of a file in it", dir, name)
	}
	path := filepath.Join(dir, name)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", fmt.Errorf("run directory %s: %w", dir, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return "", fmt.Errorf("run directory %s: %s is a symbolic link", dir, name)
	}
	return path, nil
}
