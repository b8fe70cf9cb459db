// Package sink takes the text that a scan makes and puts it where it belongs: a
// file, written under another name until it is whole, or the standard output.
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
// existing file of that name is refused unless force is set; a leftover part file
// is written over. The file is readable by its owner alone.
func File(path string, force bool) (Sink, error) {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("output %s is a folder", path)
		}
		if !force {
			return nil, fmt.Errorf("output %s exists already: name another file, or write over it with --force", path)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("output %s: %w", path, err)
	}
	f, err := os.OpenFile(path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("output %s: %w", path, err)
	}
	return &file{File: f, path: path}, nil
}

type file struct {
	*os.File
	path string
}

// Commit flushes the file to the disk before it gets its name.
func (f *file) Commit() error {
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("output %s: %w", f.path, err)
	}
	if err := os.Rename(f.path+partSuffix, f.path); err != nil {
		return fmt.Errorf("output %s: %w", f.path, err)
	}
	return nil
}

// Abort keeps the part file, since it may hold hours of work.
func (f *file) Abort() error { return f.Close() }
