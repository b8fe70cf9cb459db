package account

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Beside is the place of the manifest beside an output. A manifest there must not describe other
// files than those of the output.
type Beside struct {
	Path  string // of the manifest; empty: none is written
	Dir   string // folder of the output; empty: the output is a file
	Force bool   // an earlier manifest may be replaced
}

// CheckFree returns an error if there is a manifest, which the output would replace or make untrue.
func (b Beside) CheckFree() error {
	if b.Path == "" || b.Force {
		return nil
	}
	if _, err := os.Lstat(b.Path); err == nil {
		if b.Dir != "" {
			return fmt.Errorf(
				"output folder %s has the manifest of another output: "+
					"name another folder, or write over it with --force",
				b.Dir,
			)
		}
		return sink.ExistsError(b.Path)
	}
	return nil
}

// CheckOwn returns an error if there is a manifest, unless own reports that it is of this run.
func (b Beside) CheckOwn(own func(manifest.Manifest) bool) error {
	if b.Path == "" || b.Force {
		return nil
	}
	if _, err := os.Lstat(b.Path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if m, err := manifest.Read(b.Path); err == nil && own(m) {
		return nil
	}
	return sink.TakenError(b.Path)
}

// Remove removes an earlier manifest, before files are named that it does not describe. It does not
// remove one that CheckOwn refuses.
func (b Beside) Remove(own func(manifest.Manifest) bool) error {
	if b.Path == "" {
		return nil
	}
	if err := b.CheckOwn(own); err != nil {
		return err
	}
	if err := os.Remove(b.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// EarlierFiles returns a function that reports whether a file is of an earlier scan: the manifest
// names it. The file is in an output folder, or has the name of an output file and a number.
// Without a manifest it reports true for a folder, since a scan that was killed at its end leaves
// none. For a numbered file it reports false, because other programs number files, too.
func (b Beside) EarlierFiles() func(name string) bool {
	m, err := manifest.Read(b.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return func(string) bool { return b.Dir != "" }
	case err != nil || m.Tool != version.Tool || m.Command != run.CommandScan:
		return func(string) bool { return false }
	}
	return func(name string) bool {
		return slices.ContainsFunc(m.Files, func(f manifest.File) bool { return f.Name == name })
	}
}

// InManifest returns the files of an output as a manifest has them, one by one.
func InManifest(files []sink.File) iter.Seq[manifest.File] {
	return func(yield func(manifest.File) bool) {
		for _, f := range files {
			one := manifest.File{
				Name:      f.Name,
				Rows:      f.Rows,
				TextBytes: f.TextBytes,
				Bytes:     f.Bytes,
				Sum:       f.Sum,
			}
			if !yield(one) {
				return
			}
		}
	}
}
