package sink

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/human"
)

// partSuffix is added to the name of a file until the output is whole.
const partSuffix = ".part"

// place is where a file stands; the zero place is the stream.
type place struct {
	folder string
	file   string // in the folder
	name   string // as it is called for the user: a link's own name
}

func (p place) isStream() bool   { return p == place{} }
func (p place) path() string     { return filepath.Join(p.folder, p.file) }
func (p place) partPath() string { return p.path() + partSuffix }

// String names the place in errors.
func (p place) String() string {
	if p.isStream() {
		return "stream"
	}
	return p.path()
}

// part is a file of the output and what is known of it.
type part struct {
	place
	File
	named bool // has its final name
}

// String is that of the place.
func (p *part) String() string { return p.place.String() }

// createPart creates a part file that only its owner can read. If a file is in its place,
// createPart refuses, or with over removes it first. A process that may still write to that one
// then writes to a file without a name, and never into this one.
func createPart(path string, over bool) (target, error) {
	if over {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

// cannotMake says what to do when a file of the output cannot be made.
func (o *Output) cannotMake(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("folder %s does not exist", o.folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, unix.EROFS):
		return fmt.Errorf("%w; %s", err, o.options.another())
	default:
		return err
	}
}

// another says by which flag the output goes elsewhere.
func (o *Options) another() string {
	if o.Dir {
		return "--dir names another folder"
	}
	return "--output names another file"
}

// claimFile says where one output file goes. A link leads to the file it names.
func claimFile(path string, force bool) (place, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return place{}, fmt.Errorf("output %s: %w", path, err)
	case info.IsDir():
		return place{}, fmt.Errorf("output %s is a folder: --dir %[1]s writes files into it", path)
	case !info.Mode().IsRegular():
		return place{}, fmt.Errorf(
			"output %s is no plain file: send the standard output there instead",
			path,
		)
	case !force:
		return place{}, ExistsError(path)
	}
	if _, err := os.Lstat(path + partSuffix); err == nil && !force {
		return place{}, fmt.Errorf(
			"output %s exists already, of a scan that was stopped or is under way: resume that one, or overwrite its output with --force",
			path+partSuffix,
		)
	}
	final := path
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if final, err = filepath.EvalSymlinks(path); err != nil {
			return place{}, fmt.Errorf("output %s: %w", path, err)
		}
	}
	return place{
		folder: filepath.Dir(final),
		file:   filepath.Base(final),
		name:   filepath.Base(path),
	}, nil
}

// claimFolder makes the folder, or sees to it that it is empty.
func claimFolder(o *Options) error {
	there, err := folderThere(o.Path, o.Force)
	if err != nil || there {
		return err
	}
	if err = fsync.MkdirAll(o.Path); err == nil && o.FolderMode != 0 {
		err = os.Chmod(o.Path, o.FolderMode)
	}
	if err != nil {
		return fmt.Errorf("output folder %s: %w; --dir names another one", o.Path, err)
	}
	return nil
}

// setMode gives a file that was just made the mode that was asked for, whatever the umask is.
func (o *Options) setMode(made target) error {
	if f, ok := made.(interface{ Chmod(fs.FileMode) error }); ok && o.Mode != 0 {
		return f.Chmod(o.Mode)
	}
	return nil
}

// folderThere says whether the folder is there, and refuses one that is not empty.
func folderThere(path string, force bool) (bool, error) {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("output folder %s: %w", path, err)
	}
	files := 0
	for _, e := range entries {
		if !e.IsDir() {
			files++
		}
	}
	if files > 0 && !force {
		return true, fmt.Errorf(
			"output folder %s is not empty (%s): name another folder, or write over it with --force",
			path,
			human.Of(files, "file"),
		)
	}
	return true, nil
}

// ExistsError is for a file that must not be there.
func ExistsError(path string) error {
	return fmt.Errorf(
		"output %s exists already: name another file, or write over it with --force",
		path,
	)
}

// TakenError is for a file that was not there when the output was begun.
func TakenError(path string) error {
	return fmt.Errorf(
		"output %s exists now, and did not when the run began: move it away, and resume",
		path,
	)
}

// Check says what Open would refuse, and makes nothing.
func Check(o Options) error {
	if _, err := o.check(); err != nil {
		return err
	}
	at := o.Path
	switch {
	case o.Path == "":
		return nil
	case o.Dir:
		if _, err := folderThere(o.Path, o.Force); err != nil {
			return err
		}
	default:
		if _, err := claimFile(o.Path, o.Force); err != nil {
			return err
		}
		at = filepath.Dir(o.Path)
	}
	for o.Dir { // the first folder that is there
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	if err := unix.Access(at, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf(
			"output %s: nothing can be written in %s: %w; %s",
			o.Path,
			at,
			err,
			o.another(),
		)
	}
	return nil
}
