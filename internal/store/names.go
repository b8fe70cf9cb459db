package store

import (
	"path"
	"path/filepath"
	"strings"
)

// schemeEnd ends the scheme of a name that is no path.
const schemeEnd = "://"

// IsURL reports whether a name has a scheme, and is no path.
func IsURL(name string) bool {
	scheme, _, found := strings.Cut(name, schemeEnd)
	return found && scheme != "" && !strings.ContainsAny(scheme, `/\`)
}

// Join returns the name of an object in a folder.
func Join(folder, base string) string {
	if IsURL(folder) {
		return strings.TrimSuffix(folder, "/") + "/" + base
	}
	return filepath.Join(folder, base)
}

// Dir returns the folder of a name.
func Dir(name string) string {
	if !IsURL(name) {
		return filepath.Dir(name)
	}
	return strings.TrimSuffix(name[:len(name)-len(path.Base(name))], "/")
}

// Clean returns the shortest name of the same file; other names stay as they are.
func Clean(name string) string {
	if IsURL(name) {
		return name
	}
	return filepath.Clean(name)
}
