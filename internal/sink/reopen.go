package sink

import (
	"fmt"
	"io"
	"os"
)

// file is what an open file can do here.
type file interface {
	target
	io.Seeker
	Stat() (os.FileInfo, error)
	Truncate(size int64) error
}

// openPart opens a part file that is there, for writing.
func openPart(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// cutPart opens a part file, cuts it off after size bytes, and stands at its end.
func cutPart(path string, size int64, open func(path string) (file, error)) (target, error) {
	there, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := cutFile(f, there, size); err != nil {
		_ = f.Close() // the first error has the reason
		return nil, err
	}
	return f, nil
}

func cutFile(f file, there os.FileInfo, size int64) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// Not through a link that has come up since, and never longer than it was.
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
