// Package history keeps the loads that are done and have no run directory any more. The file is in
// the folder in which their run directories were, and has a line of JSON for each load. A lock of
// the file (flock) lets one process at a time change it.
package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// FileName is the name of a history.
const FileName = ".cqlbulk-history.jsonl"

// Load is a load that is done: a line of a history.
type Load struct {
	Tool     string    `json:"tool"`
	Table    string    `json:"table"`
	Cluster  string    `json:"cluster,omitempty"` // its name
	Hosts    []string  `json:"hosts,omitempty"`   // contact points
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Seconds  float64   `json:"seconds"` // of the last process of the load
	Rows     int64     `json:"rows"`
	Rate     float64   `json:"rows_per_second"`
	Inputs   []string  `json:"inputs"` // the first MaxInputs
	More     int       `json:"more_inputs,omitempty"`
}

// MaxInputs bounds a line of a history, whatever a load reads.
const MaxInputs = 10

// AddInput adds an input of the load. The path of a file becomes absolute. Inputs after the first
// MaxInputs are only counted.
func (l *Load) AddInput(name string) error {
	if len(l.Inputs) == MaxInputs {
		l.More++
		return nil
	}
	if _, err := os.Lstat(name); err == nil { // the standard input is no file
		if name, err = filepath.Abs(name); err != nil {
			return err
		}
	}
	l.Inputs = append(l.Inputs, name)
	return nil
}

// Append adds a load to the history of a folder. It waits for other processes, but for no longer
// than lockTimeout.
func Append(folder string, load Load) error {
	line, err := json.Marshal(load)
	if err != nil {
		return err
	}
	return appendLine(folder, append(line, '\n'))
}

// appendLine adds a line to the history of a folder.
func appendLine(folder string, line []byte) error {
	return whileOpen(folder, os.O_CREATE|os.O_APPEND|os.O_RDWR, func(f *os.File) error {
		if whole, err := endsInALine(f); err != nil {
			return err
		} else if !whole { // the machine went down while the last line was written
			line = slices.Concat([]byte{'\n'}, line)
		}
		_, err := f.Write(line)
		return err
	})
}

// endsInALine reports whether a file is empty or its last line is whole.
func endsInALine(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return true, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return last[0] == '\n', err
}

// openFile opens a history, which must be a file: a FIFO would hold the caller up, and a link
// may be another user's.
func openFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no file", path), err, f.Close())
	}
	return f, nil
}

// whileOpen opens the history of a folder, and calls do while no other process changes it.
func whileOpen(folder string, flag int, do func(*os.File) error) error {
	path := filepath.Join(folder, FileName)
	for {
		f, err := openFile(path, flag)
		if err != nil {
			return err
		}
		done, err := whileLocked(f, path, do)
		if err = errors.Join(err, f.Close()); done || err != nil {
			return err
		}
	}
}

// whileLocked calls do if the file is still the one at path once it is locked: a prune may have
// replaced it.
func whileLocked(f *os.File, path string, do func(*os.File) error) (done bool, err error) {
	if err := lockInTime(f, path); err != nil {
		return false, err
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err != nil || !os.SameFile(mine, there) {
		return false, nil
	}
	return true, do(f)
}

// lockTimeout is how long another process is waited for: a load that is done must not hang for its
// record.
const lockTimeout = 2 * time.Second

// lockInTime locks a history, or says who holds it up.
func lockInTime(f *os.File, path string) error {
	for end := time.Now().Add(lockTimeout); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: another process has it locked", path)
		}
	}
}

// eachLine calls each for the lines of a history; known says whether a line is a load. Other lines
// may have been written while the machine went down, or by another version.
func eachLine(text []byte, each func(line []byte, load Load, known bool)) {
	for line := range bytes.Lines(text) {
		var load Load
		known := json.Unmarshal(line, &load) == nil && load.Table != ""
		each(bytes.TrimSuffix(line, []byte{'\n'}), load, known)
	}
}

// Read returns the loads of a folder's history, in the order in which they ended. Of a history that
// is missing or cannot be read it returns none, and of one with torn lines the others.
func Read(folder string) []Load {
	f, err := openFile(filepath.Join(folder, FileName), os.O_RDONLY)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was read
	text, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	var loads []Load
	eachLine(text, func(_ []byte, load Load, known bool) {
		if known {
			loads = append(loads, load)
		}
	})
	return loads
}

// Prune drops the loads of a folder's history that ended before a moment, and returns their number.
// A dry run only counts them. Lines that are no loads stay.
func Prune(folder string, before time.Time, dryRun bool) (dropped int, err error) {
	path := filepath.Join(folder, FileName)
	err = whileOpen(folder, os.O_RDONLY, func(f *os.File) error {
		text, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		var kept []byte
		eachLine(text, func(line []byte, load Load, known bool) {
			if known && load.Finished.Before(before) {
				dropped++
				return
			}
			kept = slices.Concat(kept, line, []byte("\n"))
		})
		switch {
		case dryRun || dropped == 0:
			return nil
		case len(kept) == 0:
			return os.Remove(path)
		default:
			return fsync.Replace(path, kept)
		}
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return dropped, nil
	case err != nil:
		return dropped, fmt.Errorf("history %s: %w", path, err)
	}
	return dropped, nil
}
