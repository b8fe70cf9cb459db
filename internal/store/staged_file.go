package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Claim checks that a file may be created at a path.
func (Disk) Claim(_ context.Context, name string, over bool) (string, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return "", err
	case info.IsDir():
		return "", ErrFolder
	case !info.Mode().IsRegular():
		return "", ErrNotPlain
	case !over:
		return "", fs.ErrExist
	}
	if _, err := os.Lstat(name + PartSuffix); err == nil && !over {
		return "", ErrUnfinished
	}
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return filepath.EvalSymlinks(name)
	}
	return name, nil
}

// Create begins a new file at NAME.part, and refuses a name that is taken at once.
func (d Disk) Create(ctx context.Context, name string, options CreateOptions) (Writer, error) {
	claimed, err := d.Claim(ctx, name, options.Over)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	return d.Stage(ctx, claimed, options)
}

// Stage begins an unfinished file. While it has no mode, only its owner can read it.
func (Disk) Stage(_ context.Context, name string, options CreateOptions) (StagedWriter, error) {
	part := name + PartSuffix
	if options.Over {
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if options.Mode != 0 {
		if err := f.Chmod(options.Mode); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return &diskWriter{file: f, name: name, over: options.Over}, nil
}

// Restage opens an unfinished file again.
func (Disk) Restage(_ context.Context, name string, size int64) (StagedWriter, error) {
	f, err := cutFile(name+PartSuffix, size, openFile)
	if err != nil {
		return nil, err
	}
	return &diskWriter{file: f, name: name}, nil
}

// Publish renames an unfinished file.
func (Disk) Publish(_ context.Context, name string) error {
	return os.Rename(name+PartSuffix, name)
}

// diskWriter writes an unfinished file.
type diskWriter struct {
	file file
	name string // the final one
	over bool

	mu    sync.Mutex
	err   error // the first, of Write or Sync
	ended bool
}

func (w *diskWriter) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	w.keep(err)
	return n, err
}

// keep remembers the first error.
func (w *diskWriter) keep(err error) {
	if err == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

func (w *diskWriter) Sync() error {
	err := w.file.Sync()
	w.keep(err)
	return err
}

func (w *diskWriter) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	return w.file.Close()
}

// end has each later call of Commit, Abort and Close fail.
func (w *diskWriter) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return &fs.PathError{Op: "write", Path: w.name, Err: ErrEnded}
	}
	w.ended = true
	return nil
}

// Commit syncs the file, and gives it its name, and syncs that.
func (w *diskWriter) Commit(ctx context.Context) error {
	if err := w.end(); err != nil {
		return err
	}
	_ = w.Sync() // which keeps its error
	written, err := w.file.Stat()
	w.mu.Lock()
	err = errors.Join(w.err, err)
	w.mu.Unlock()
	if err = errors.Join(err, w.file.Close()); err != nil {
		return err
	}
	if err := w.ready(written); err != nil {
		return err
	}
	if err := (Disk{}).Publish(ctx, w.name); err != nil {
		return err
	}
	return Disk{}.SyncNames(ctx, filepath.Dir(w.name))
}

// ready returns an error if the file cannot get its name: another run has replaced it, or has made
// a file of that name.
func (w *diskWriter) ready(written fs.FileInfo) error {
	part := w.name + PartSuffix
	there, err := os.Lstat(part)
	if err != nil {
		return err
	}
	if !os.SameFile(there, written) || there.Size() != written.Size() {
		return fmt.Errorf("%s is another file now: another run may be writing it", part)
	}
	if w.over {
		return nil
	}
	if _, err := os.Lstat(w.name); err == nil {
		return &fs.PathError{Op: "create", Path: w.name, Err: fs.ErrExist}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Abort removes the unfinished file, unless another run has replaced it.
func (w *diskWriter) Abort(context.Context) error {
	if err := w.end(); err != nil {
		return err
	}
	written, err := w.file.Stat()
	if err = errors.Join(err, w.file.Close()); err != nil {
		return err
	}
	part := w.name + PartSuffix
	if there, err := os.Lstat(part); err != nil || !os.SameFile(there, written) {
		return nil
	}
	return os.Remove(part)
}
