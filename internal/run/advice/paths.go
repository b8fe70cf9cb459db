package advice

import "path/filepath"

// Paths returns the paths of files in a folder.
func Paths(dir string, names []string) []string {
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths
}
