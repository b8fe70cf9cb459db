package account

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"slices"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/sink"
	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// Beside is the place of the manifest beside an output. A manifest there must not describe other
// files than those of the output.
type Beside struct {
	In    *stores.Stores // has the manifest; nil: the disk alone
	Path  string         // of the manifest; empty: none is written
	Dir   string         // folder of the output; empty: the output is a file
	Force bool           // an earlier manifest may be replaced
}

// CheckFree returns an error if there is a manifest, which the output would replace or make untrue.
func (b Beside) CheckFree() error {
	if b.Path == "" || b.Force {
		return nil
	}
	there, err := b.there()
	if err != nil {
		return err
	}
	if there {
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
	if there, err := b.there(); err != nil || !there {
		return err
	}
	if m, err := b.read(); err == nil && own(m) {
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
	in, err := b.In.Of(b.Path)
	if err != nil {
		return err
	}
	if err := in.Remove(context.Background(), b.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// there reports whether there is a manifest, or anything else in its place.
func (b Beside) there() (bool, error) {
	in, err := b.In.Of(b.Path)
	if err != nil {
		return false, err
	}
	if disk, ok := in.(store.Disk); ok { // a link that leads nowhere is in its place
		_, err = disk.Lstat(context.Background(), b.Path)
		return err == nil, nil
	}
	_, err = in.Stat(context.Background(), b.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// read reads the manifest.
func (b Beside) read() (manifest.Manifest, error) {
	in, err := b.In.Of(b.Path)
	if err != nil {
		return manifest.Manifest{}, err
	}
	r, err := in.Open(context.Background(), b.Path)
	if err != nil {
		return manifest.Manifest{}, err
	}
	defer func() { _ = r.Close() }() // it was only read
	text, err := io.ReadAll(r)
	if err != nil {
		return manifest.Manifest{}, err
	}
	return manifest.Decode(b.Path, text)
}

// Write writes the manifest. A place other than the disk ignores the mode.
func (b Beside) Write(m manifest.Manifest, files []sink.File, mode fs.FileMode) error {
	in, err := b.In.Of(b.Path)
	if err != nil {
		return err
	}
	if _, ok := in.(store.Disk); ok {
		return manifest.WriteEach(b.Path, m, InManifest(files), mode)
	}
	ctx := context.Background()
	w, err := in.Create(ctx, b.Path, store.CreateOptions{Over: b.Force})
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	if err := manifest.Encode(w, m, InManifest(files)); err != nil {
		return errors.Join(fmt.Errorf("manifest: %w", err), w.Abort(ctx))
	}
	if err := w.Commit(ctx); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return nil
}

// EarlierFiles returns a function that reports whether a file is of an earlier scan: the manifest
// names it. The file is in an output folder, or has the name of an output file and a number.
// Without a manifest it reports true for a folder, since a scan that was killed at its end leaves
// none. For a numbered file it reports false, because other programs number files, too.
func (b Beside) EarlierFiles() func(name string) bool {
	m, err := b.read()
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
