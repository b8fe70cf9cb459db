package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cqlbulk/cqlbulk/internal/manifest"
)

// largest is the size of the largest file that is tried as a manifest. One with a
// hundred thousand failed ranges has a fifth of that.
const largest = 128 << 20

// find reads the manifests that the paths lead to, each once. Its error has all paths that lead to
// none.
func find(paths []string) ([]*account, error) {
	if len(paths) == 0 {
		return nil, errors.New("no manifest given")
	}
	var accounts []*account
	var infos []fs.FileInfo
	var failures []error
next:
	for _, path := range paths {
		a, info, err := open(path)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for _, other := range infos {
			if os.SameFile(info, other) {
				continue next
			}
		}
		accounts, infos = append(accounts, a), append(infos, info)
	}
	return accounts, errors.Join(failures...)
}

// open reads the manifest that a path leads to.
func open(path string) (*account, fs.FileInfo, error) {
	at, err := locate(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("no manifest %s: %w", at, bare(err))
	case !info.Mode().IsRegular():
		return nil, nil, fmt.Errorf("no manifest %s: it is no plain file", at)
	case info.Size() > largest:
		return nil, nil, fmt.Errorf("no manifest %s: a file of %d bytes is none", at, info.Size())
	}
	m, err := manifest.Read(at)
	switch {
	case err != nil && at == path && !named(path):
		return nil, nil, fmt.Errorf(
			"no manifest beside %s (%s): %w",
			path,
			manifest.Path(path, false),
			fs.ErrNotExist,
		)
	case err != nil:
		return nil, nil, err
	case m.Command != "scan":
		return nil, nil, fmt.Errorf(
			"manifest %s: it is of %q, and only those of scan have an output",
			at,
			m.Command,
		)
	case at == manifest.Path(path, false) && exists(path) && !lists(m, filepath.Base(path)):
		return nil, nil, fmt.Errorf(
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
func locate(path string) (string, error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		at := manifest.Path(path, true)
		if !exists(at) {
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
	if beside := manifest.Path(path, false); exists(beside) {
		return beside, nil
	}
	folder := filepath.Dir(path)
	switch {
	case err != nil:
		return "", fmt.Errorf("no manifest at %s: %w", path, bare(err))
	case exists(manifest.Path(folder, true)):
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// bare is an error of the file system without the operation and the path, which
// the message has already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
