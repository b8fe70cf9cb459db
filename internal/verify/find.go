package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
	"github.com/cqlbulk/cqlbulk/internal/store"
	"github.com/cqlbulk/cqlbulk/internal/store/stores"
)

// largest is the size of the largest file that is tried as a manifest. One with a
// hundred thousand failed ranges has a fifth of that.
const largest = 128 << 20

// files are the files of a check, wherever they are.
type files struct{ stores *stores.Stores }

func (in files) stat(ctx context.Context, name string) (store.Info, error) {
	at, err := in.stores.Of(name)
	if err != nil {
		return store.Info{}, err
	}
	return at.Stat(ctx, name)
}

func (in files) open(ctx context.Context, name string) (store.Reader, error) {
	at, err := in.stores.Of(name)
	if err != nil {
		return nil, err
	}
	return at.Open(ctx, name)
}

func (in files) list(ctx context.Context, folder string) ([]store.Info, error) {
	at, err := in.stores.Of(folder)
	if err != nil {
		return nil, err
	}
	return at.List(ctx, folder)
}

func (in files) exists(ctx context.Context, name string) bool {
	_, err := in.stat(ctx, name)
	return err == nil
}

// find reads the manifests that the paths lead to, each once. Its error has all paths that lead to
// none.
func (in files) find(ctx context.Context, paths []string) ([]*account, error) {
	if len(paths) == 0 {
		return nil, errors.New("no manifest given")
	}
	var accounts []*account
	var infos []store.Info
	var failures []error
next:
	for _, path := range paths {
		a, info, err := in.read(ctx, path)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for _, other := range infos {
			if same(info, other) {
				continue next
			}
		}
		accounts, infos = append(accounts, a), append(infos, info)
	}
	return accounts, errors.Join(failures...)
}

// same reports whether two are one file: the version of a file on the disk has its inode. In
// object storage, two objects with the same bytes may have the same version.
func same(a, b store.Info) bool {
	onDisk := !stores.Remote(a.Name) && !stores.Remote(b.Name)
	return a.Name == b.Name || onDisk && a.Version == b.Version
}

// read reads the manifest that a path leads to.
func (in files) read(ctx context.Context, path string) (*account, store.Info, error) {
	at, err := in.locate(ctx, path)
	if err != nil {
		return nil, store.Info{}, err
	}
	info, err := in.stat(ctx, at)
	switch {
	case err != nil:
		return nil, info, fmt.Errorf("no manifest %s: %w", at, bare(err))
	case info.Kind != store.Object:
		return nil, info, fmt.Errorf("no manifest %s: it is no plain file", at)
	case info.Size > largest:
		return nil, info, fmt.Errorf("no manifest %s: a file of %d bytes is none", at, info.Size)
	}
	m, err := in.manifest(ctx, at)
	switch {
	case err != nil && at == path && !named(path):
		return nil, info, fmt.Errorf(
			"no manifest beside %s (%s): %w",
			path,
			manifest.Path(path, false),
			fs.ErrNotExist,
		)
	case err != nil:
		return nil, info, err
	case m.Command != "scan":
		return nil, info, fmt.Errorf(
			"manifest %s: it is of %q, and only those of scan have an output",
			at,
			m.Command,
		)
	case at == manifest.Path(path, false) && in.exists(ctx, path) && !lists(m, filepath.Base(path)):
		return nil, info, fmt.Errorf(
			"manifest %s is not of %s, but of %s: to check that one, name the manifest; "+
				"a file that was renamed needs the name that it had",
			at,
			path,
			names(m),
		)
	}
	return &account{path: at, m: m}, info, nil
}

// lists reports whether a manifest has a file of that name.
func lists(m manifest.Manifest, name string) bool {
	return slices.ContainsFunc(m.Files, func(f manifest.File) bool { return f.Name == name })
}

// names returns the names of the first files of a manifest.
func names(m manifest.Manifest) string {
	switch len(m.Files) {
	case 0:
		return "no file"
	case 1:
		return m.Files[0].Name
	default:
		return fmt.Sprintf("%s and %d more", m.Files[0].Name, len(m.Files)-1)
	}
}

// locate says where the manifest of a path is: in the folder, beside the file, or
// the file itself.
func (in files) locate(ctx context.Context, path string) (string, error) {
	info, err := in.stat(ctx, path)
	if err == nil && info.Kind == store.Folder {
		at := manifest.Path(path, true)
		if !in.exists(ctx, at) {
			return "", fmt.Errorf(
				"no manifest in folder %s: it holds no %s",
				path,
				filepath.Base(at),
			)
		}
		return at, nil
	}
	if named(path) {
		return path, nil
	}
	if beside := manifest.Path(path, false); in.exists(ctx, beside) {
		return beside, nil
	}
	folder := store.Dir(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("no manifest at %s: %w", path, bare(err))
	case in.exists(ctx, manifest.Path(folder, true)):
		return "", fmt.Errorf(
			"no manifest beside %s: there is one for the whole folder %s",
			path,
			folder,
		)
	}
	return path, nil
}

// named says whether a path has the name of a manifest.
func named(path string) bool {
	base := filepath.Base(path)
	return base == manifest.FolderName || strings.HasSuffix(base, manifest.Ending)
}

// manifest reads a manifest.
func (in files) manifest(ctx context.Context, at string) (m manifest.Manifest, err error) {
	r, err := in.open(ctx, at)
	if err != nil {
		return m, fmt.Errorf("manifest %s: %w", at, bare(err))
	}
	defer func() { _ = r.Close() }() // it was only read
	text, err := io.ReadAll(r)
	if err != nil {
		return m, fmt.Errorf("manifest %s: %w", at, bare(err))
	}
	return manifest.Decode(at, text)
}

// bare is an error of the file system without the operation and the path, which
// the message has already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return stores.Reason(err)
}
