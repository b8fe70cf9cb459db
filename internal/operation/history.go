package operation

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
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
	"github.com/cqlbulk/cqlbulk/internal/run"
	"github.com/cqlbulk/cqlbulk/internal/version"
)

// HistoryName is the file in which loads that are done are recorded, a line of JSON each. It is in
// the folder in which their run directories were.
const HistoryName = ".cqlbulk-history.jsonl"

// pastLoad is a line of the history.
type pastLoad struct {
	Tool     string    `json:"tool"`
	Table    string    `json:"table"`
	Cluster  string    `json:"cluster,omitempty"` // its name
	Hosts    []string  `json:"hosts,omitempty"`   // contact points
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Seconds  float64   `json:"seconds"` // of the last process of the load
	Rows     int64     `json:"rows"`
	Rate     float64   `json:"rows_per_second"`
	Inputs   []string  `json:"inputs"` // no more than inputsRemembered
	More     int       `json:"more_inputs,omitempty"`
}

// inputsRemembered bounds a line of the history, whatever a load reads.
const inputsRemembered = 10

// remember records a load that is done. The run of a retry is recorded by the run that it retries.
func (l *Load) remember(r *LoadReport) error {
	if l.journal == nil || l.retriedRun != nil || r.Outcome != run.Done {
		return nil
	}
	target := l.target()
	past := pastLoad{
		Tool:     version.Tool + " " + l.env.Build.Version,
		Table:    l.Table(),
		Cluster:  target.Cluster,
		Hosts:    target.Hosts,
		Started:  l.journal.Manifest().Started.UTC(),
		Finished: time.Now().UTC(),
		Seconds:  r.Duration.Seconds(),
		Rows:     r.Rows,
		Rate:     r.RowsPerSecond(),
		Inputs:   []string{},
	}
	past.More = max(len(l.job.Inputs)-inputsRemembered, 0)
	for _, in := range l.job.Inputs[:len(l.job.Inputs)-past.More] {
		name := in.Name
		if _, err := os.Lstat(name); err == nil { // the standard input is no file
			if name, err = filepath.Abs(name); err != nil {
				return err
			}
		}
		past.Inputs = append(past.Inputs, name)
	}
	line, err := json.Marshal(past)
	if err != nil {
		return err
	}
	return appendLine(filepath.Dir(l.run.path), append(line, '\n'))
}

// appendLine adds a line to the history of a folder.
func appendLine(folder string, line []byte) error {
	return withHistory(folder, os.O_CREATE|os.O_APPEND|os.O_RDWR, func(f *os.File) error {
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

// openHistory opens a history, which must be a file: a FIFO would hold the caller up, and a link
// may be another user's.
func openHistory(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no file", path), err, f.Close())
	}
	return f, nil
}

// withHistory opens the history of a folder, and calls do while no other process changes it.
func withHistory(folder string, flag int, do func(*os.File) error) error {
	path := filepath.Join(folder, HistoryName)
	for {
		f, err := openHistory(path, flag)
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
	if err := lockSoon(f, path); err != nil {
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

// lockTime is how long another process is waited for: a load that is done must not hang for its
// record.
const lockTime = 2 * time.Second

// lockSoon locks a history, or says who holds it up.
func lockSoon(f *os.File, path string) error {
	for end := time.Now().Add(lockTime); ; time.Sleep(10 * time.Millisecond) {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: another process has it locked", path)
		}
	}
}

// eachPast calls each for the lines of a history; known says whether a line is a load. Other lines
// may have been written while the machine went down, or by another version.
func eachPast(text []byte, each func(line []byte, past pastLoad, known bool)) {
	for line := range bytes.Lines(text) {
		var past pastLoad
		known := json.Unmarshal(line, &past) == nil && past.Table != ""
		each(bytes.TrimSuffix(line, []byte{'\n'}), past, known)
	}
}

// appendPast adds the loads that the history of a folder records.
func appendPast(runs []Run, folder string) []Run {
	f, err := openHistory(filepath.Join(folder, HistoryName), os.O_RDONLY)
	if err != nil {
		return runs
	}
	defer func() { _ = f.Close() }() // it was read
	text, err := io.ReadAll(f)
	if err != nil {
		return runs
	}
	eachPast(text, func(_ []byte, past pastLoad, known bool) {
		if !known {
			return
		}
		whole := 1.0
		runs = append(runs, Run{
			Path: nameOfInputs(
				folder,
				past.Inputs,
			),
			Command:       commandLoad,
			Table:         past.Table,
			Target:        RunTarget{past.Cluster, past.Hosts},
			State:         RunComplete,
			Past:          true,
			Started:       past.Started,
			Seen:          past.Finished,
			Share:         &whole,
			Rows:          past.Rows,
			RowsPerSecond: past.Rate,
		})
	})
	return runs
}

// nameOfInputs names the first input, relative to the folder if it is below it.
func nameOfInputs(folder string, inputs []string) string {
	if len(inputs) == 0 {
		return "-"
	}
	name := inputs[0]
	if absolute, err := filepath.Abs(folder); err == nil && filepath.IsAbs(name) {
		if below, err := filepath.Rel(
			absolute,
			name,
		); err == nil &&
			!strings.HasPrefix(below, "..") {
			name = filepath.Join(folder, below)
		}
	}
	return name
}

// prunePast drops the loads of a history that ended before a moment, and returns their number.
func prunePast(folder string, before time.Time, dryRun bool) (dropped int, err error) {
	path := filepath.Join(folder, HistoryName)
	err = withHistory(folder, os.O_RDONLY, func(f *os.File) error {
		text, err := io.ReadAll(f)
		if err != nil {
			return err
		}
		var kept []byte
		eachPast(text, func(line []byte, past pastLoad, known bool) {
			if known && past.Finished.Before(before) {
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
