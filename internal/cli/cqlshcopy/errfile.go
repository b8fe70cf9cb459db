package cqlshcopy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// MoveAside renames an error file of an earlier copy as cqlsh does: to its name and the time. If
// there is no such file, it does nothing. It replaces no file.
func MoveAside(name string, now time.Time) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file", name)
	}
	to := name + now.Format(".20060102_150405")
	for i := 2; ; i++ {
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(name, to)
		} else if err != nil {
			return err
		}
		to = fmt.Sprintf("%s-%d", name+now.Format(".20060102_150405"), i)
	}
}

// WriteErrorFile makes a file, which must not be there, of what write writes. Only its owner can
// read it: it has rows.
func WriteErrorFile(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
