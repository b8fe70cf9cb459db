package safetext

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// partEnding is the ending that a file of ours has until it is whole.
const partEnding = ".part"

// Error returns the text of an error with the names of files, without the operating system's call.
// The text "open /x/out.csv.part: permission denied" becomes "/x/out.csv: permission denied". A
// path that the text has named before is not repeated.
func Error(err error) string {
	text := err.Error()
	for _, p := range pathErrors(err) {
		before, after, found := strings.Cut(text, p.Error())
		if !found {
			continue
		}
		reason := p.Err.Error()
		path := strings.TrimSuffix(p.Path, partEnding)
		if strings.HasPrefix(filepath.Base(path), ".") && len(filepath.Base(path)) > 2 {
			path = filepath.Dir(path) // the file is ours, and goes by itself
		}
		if !strings.Contains(before, path) {
			reason = path + ": " + reason
		}
		text = before + reason + after
	}
	return text
}

// pathErrors lists the errors of files that an error wraps.
func pathErrors(err error) []*fs.PathError {
	var several interface{ Unwrap() []error }
	if !errors.As(err, &several) {
		var p *fs.PathError
		if errors.As(err, &p) {
			return []*fs.PathError{p}
		}
		return nil
	}
	var all []*fs.PathError
	for _, one := range several.Unwrap() {
		all = append(all, pathErrors(one)...)
	}
	return all
}
