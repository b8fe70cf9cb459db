package store

import (
	"fmt"
	"io"
	"os"
)

// file is what an open file can do here.
type file interface {
	io.Writer
	io.Seeker
	io.Closer
	Stat() (os.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// openFile opens a file that is there, for writing.
func openFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// cutFile opens a file, cuts it off after size bytes, and seeks to its end.
func cutFile(path string, size int64, open func(path string) (file, error)) (file, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := cut(f, there, size); err != nil {
		_ = f.Close() // the first error has the reason
		return nil, err
	}
	return f, nil
}

func cut(f file, there os.FileInfo, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// Not through a link that was made since, and never longer than it was.
	if !there.Mode().IsRegular() || !os.SameFile(info, there) || info.Size() < size {
		return fmt.Errorf(
			"has %d bytes instead of the %d vouched for, or is another file: another run may be writing it",
			info.Size(),
			size,
		)
	}
	if err := f.Truncate(size); err != nil {
		return err
	}
	_, err = f.Seek(size, io.SeekStart)
	return err
}
