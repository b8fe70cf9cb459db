package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// Disk is the local file system. Names are paths. It implements [StagedStore]: an unfinished object
// is the file NAME.part beside the final one. The zero value is ready. It ignores contexts, because
// its calls do not wait for a server.
type Disk struct{}

var _ StagedStore = Disk{}

// Can returns that a disk can do all but send parts.
func (Disk) Can() Abilities {
	return Abilities{Atomic: true, Ranged: true, Rename: true, Append: true, Truncate: true}
}

// Open opens a file, a named pipe or a device.
func (Disk) Open(_ context.Context, name string) (Reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &diskReader{File: f, info: infoOf(name, info)}, nil
}

// diskReader reads an open file.
type diskReader struct {
	*os.File
	info Info
}

func (r *diskReader) Info() Info { return r.info }

func (r *diskReader) Changed() (bool, error) {
	if r.info.Kind != Object {
		return false, nil
	}
	now, err := r.Stat()
	if err != nil {
		return false, err
	}
	return versionOf(now) != r.info.Version, nil
}

func (r *diskReader) Interrupt() bool {
	return r.info.Kind == Object || r.SetReadDeadline(time.Unix(1, 0)) == nil
}

// List returns the files, links and folders in a folder. It does not ask for their sizes.
func (Disk) List(_ context.Context, folder string) ([]Info, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	all := make([]Info, len(entries))
	for i, e := range entries {
		all[i] = Info{Name: filepath.Join(folder, e.Name()), Kind: kindOf(e.Type()), Size: -1}
	}
	return all, nil
}

// Stat returns what a path leads to.
func (Disk) Stat(_ context.Context, name string) (Info, error) {
	info, err := os.Stat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(name, info), nil
}

// Lstat returns what stands at a path.
func (Disk) Lstat(_ context.Context, name string) (Info, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return Info{}, err
	}
	return infoOf(name, info), nil
}

// Remove removes a file, or a folder that is empty.
func (Disk) Remove(_ context.Context, name string) error { return os.Remove(name) }

// Match returns the names that match a pattern of [filepath.Match], in their order.
func (Disk) Match(_ context.Context, pattern string) ([]string, error) {
	return filepath.Glob(pattern)
}

// SyncNames has the names in a folder on the disk.
func (Disk) SyncNames(_ context.Context, folder string) error { return fsync.Folder(folder) }

// MakeFolder makes a folder.
func (Disk) MakeFolder(_ context.Context, folder string, mode fs.FileMode) error {
	if err := fsync.MkdirAll(folder); err != nil || mode == 0 {
		return err
	}
	return os.Chmod(folder, mode)
}

// CheckWritable reports whether files can be created in a folder. The error of a folder that is
// not there is [fs.ErrNotExist].
func (Disk) CheckWritable(folder string) error { return unix.Access(folder, unix.W_OK|unix.X_OK) }

func infoOf(name string, info fs.FileInfo) Info {
	i := Info{Name: name, Kind: kindOf(info.Mode()), Size: -1}
	if i.Kind == Object {
		i.Size, i.Version = info.Size(), versionOf(info)
	}
	return i
}

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return Object
	case mode.IsDir():
		return Folder
	case mode&fs.ModeSymlink != 0:
		return Link
	default:
		return Pipe
	}
}

// versionOf is made of size, time and inode. Two files of one size may have been written within one
// tick of the file system's clock. Then their inodes differ.
func versionOf(info fs.FileInfo) string {
	var inode uint64
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = stat.Ino
	}
	return fmt.Sprintf("%d-%d-%d", info.Size(), info.ModTime().UnixNano(), inode)
}
