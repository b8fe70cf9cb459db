package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// InUseError reports that another process has the run directory.
type InUseError struct {
	Dir    string
	Holder Holder // empty if that process has not written its name yet
}

// Error names the folder and the process.
func (e *InUseError) Error() string {
	return fmt.Sprintf("run directory %s is in use by %s", e.Dir, e.Holder)
}

// Holder is a process that has a run directory.
type Holder struct {
	PID  int    // 0: not known
	Host string // where that process runs
}

// String names the process.
func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s", h.PID, h.Host)
}

// readerTries is the number of times that a writer tries to get the lock while readers have it. A
// reader holds the lock, shared, only while it checks whether a process writes. Between two tries
// the writer waits for pause.
const readerTries = 1000

func pause() { time.Sleep(time.Millisecond) }

// take locks the journal f for this process and writes the lock file. If another process writes the
// journal, take returns an InUseError. It calls wait before it tries again because of a reader.
func take(dir string, root *os.Root, f *os.File, wait func()) error {
	for range readerTries {
		taken, err := try(f, unix.LOCK_EX)
		if err != nil {
			return fmt.Errorf("run directory %s: cannot lock the journal: %w", dir, err)
		}
		if taken {
			return note(dir, root)
		}
		live, err := held(f)
		if err != nil {
			return fmt.Errorf("run directory %s: cannot lock the journal: %w", dir, err)
		}
		if live {
			break
		}
		wait()
	}
	return &InUseError{Dir: dir, Holder: holder(dir, root)}
}

// held reports whether a process writes the journal f.
func held(f *os.File) (bool, error) {
	taken, err := try(f, unix.LOCK_SH)
	if err != nil || !taken {
		return err == nil, err
	}
	_, err = try(f, unix.LOCK_UN)
	return false, err
}

// try locks f with the flags how. It returns false if another process has the lock.
func try(f *os.File, how int) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// note writes to the lock file that this process has the lock. An older lock file is from a process
// that has ended.
func note(dir string, root *os.Root) error {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	if err = root.Remove(lockName); err == nil || errors.Is(err, fs.ErrNotExist) {
		err = writeNew(root, lockName, fmt.Appendf(nil, "%d %s\n", os.Getpid(), host))
	}
	if err != nil {
		return fmt.Errorf("run directory %s: %w", dir, err)
	}
	return nil
}

// holder returns the process in the lock file, or an empty Holder.
func holder(dir string, root *os.Root) Holder {
	text, err := readFile(dir, root, lockName)
	if err != nil {
		return Holder{}
	}
	var h Holder
	if _, err := fmt.Sscan(string(text), &h.PID, &h.Host); err != nil || h.PID <= 0 {
		return Holder{}
	}
	return h
}
