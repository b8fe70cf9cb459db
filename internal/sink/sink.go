// Package sink takes the text that a scan makes and puts it where it belongs: a
// file, written under another name until it is whole, or the standard output.
//
// Start with [File] or [Stream]. A sink keeps nothing of what it is given.
package sink

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Sink takes the output's bytes. It is not safe for concurrent use.
type Sink interface {
	io.Writer
	// Commit makes the output final; Abort leaves none behind under its final
	// name. Exactly one of them must be called, once.
	Commit() error
	Abort() error
}

// partSuffix is added to the name of a file that is not whole yet.
const partSuffix = ".part"

// Stream is a sink on a stream that somebody else owns, such as the standard output.
func Stream(w io.Writer) Sink { return stream{w} }

type stream struct{ io.Writer }

func (stream) Commit() error { return nil }
func (stream) Abort() error  { return nil }

// File makes a sink that writes path+".part" and renames it to path on Commit. An
// existing file of that name is refused unless force is set, at once and again on
// Commit; a leftover part file is written over. What is no regular file, such as a
// folder or a device, is refused always. The file is readable by its owner alone.
func File(path string, force bool) (Sink, error) {
	f := &file{path: path, force: force}
	if err := f.check(); err != nil {
		return nil, err
	}
	var err error
	if f.File, err = os.OpenFile(path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, fmt.Errorf("output %s: %w", path, err)
	}
	// A leftover part file keeps the mode it was made with.
	if err := f.Chmod(0o600); err != nil {
		return nil, fmt.Errorf("output %s: %w", path, errors.Join(err, f.Close()))
	}
	return f, nil
}

type file struct {
	*os.File
	path  string
	force bool
}

// check says whether the file may get its name.
func (f *file) check() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("output %s: %w", f.path, err)
	case info.IsDir():
		return fmt.Errorf("output %s is a folder", f.path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("output %s is not a regular file: write to the standard output and redirect it there", f.path)
	case !f.force:
		return fmt.Errorf("output %s exists already: name another file, or write over it with --force", f.path)
	default:
		return nil
	}
}

// Commit flushes the file to the disk before it gets its name. When it fails the
// part file stays.
func (f *file) Commit() error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("output %s: %w", f.path, err)
	}
	if err := f.check(); err != nil {
		return fmt.Errorf("%w; what was written is in %s", err, f.path+partSuffix)
	}
	if err := os.Rename(f.path+partSuffix, f.path); err != nil {
		return fmt.Errorf("output %s: %w", f.path, err)
	}
	return nil
}

// Abort keeps the part file, since it may hold hours of work.
func (f *file) Abort() error {
	if err := f.Close(); err != nil {
		return fmt.Errorf("output %s: %w", f.path, err)
	}
	return nil
}
