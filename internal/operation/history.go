package operation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/cqlbulk/cqlbulk/internal/fsync"
)

// HistoryName is the file in which loads that are done are recorded, a line of JSON each. It is in the
// folder in which their run directories were.
const HistoryName = ".cqlbulk-history.jsonl"

// pastLoad is a line of the history.
type pastLoad struct {
	Tool     string    `json:"tool"`
	Table    string    `json:"table"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	Seconds  float64   `json:"seconds"` // of the last process of the load
	Rows     int64     `json:"rows"`
	Rate     float64   `json:"rows_per_second"`
	Inputs   []string  `json:"inputs"`
}

// remember records a load that is done. The run of a retry is recorded by the run that it retries.
func (l *Load) remember(r *LoadReport) error {
	if l.journal == nil || l.outer != nil || r.Outcome != Done {
		return nil
	}
	past := pastLoad{
		Tool: tool + " " + l.env.Build.Version, Table: l.Table(), Started: l.journal.Manifest().Started.UTC(), Finished: time.Now().UTC(),
		Seconds: r.Duration.Seconds(), Rows: r.Rows, Rate: float64(r.Rows-r.Earlier) / max(r.Duration.Seconds(), 0.001), Inputs: []string{},
	}
	for _, in := range l.job.Inputs {
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
	return withHistory(filepath.Dir(l.run.path), os.O_CREATE|os.O_APPEND|os.O_WRONLY, func(f *os.File) error {
		_, err := f.Write(append(line, '\n'))
		return err
	})
}

// withHistory opens the history of a folder, and calls do while no other process changes it.
func withHistory(folder string, flag int, do func(*os.File) error) error {
	path := filepath.Join(folder, HistoryName)
	for {
		f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return err
		}
		done, err := whileLocked(f, path, do)
		if err = errors.Join(err, f.Close()); done || err != nil {
			return err
		}
	}
}

// whileLocked calls do if the file is still the one at path once it is locked: a prune may have replaced it.
func whileLocked(f *os.File, path string, do func(*os.File) error) (done bool, err error) {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
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

// longestLine bounds a line of the history.
const longestLine = 1 << 20

// eachPast calls each for the lines of a history. Lines that are no load are passed over: the machine may have gone
// down while one was written.
func eachPast(text []byte, each func(line []byte, past pastLoad)) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var past pastLoad
		if json.Unmarshal(lines.Bytes(), &past) == nil && past.Table != "" {
			each(lines.Bytes(), past)
		}
	}
}

// appendPast adds the loads that the history of a folder records.
func appendPast(runs []Run, folder string) []Run {
	text, err := os.ReadFile(filepath.Join(folder, HistoryName))
	if err != nil {
		return runs
	}
	eachPast(text, func(_ []byte, past pastLoad) {
		whole := 1.0
		runs = append(runs, Run{
			Path: nameOfInputs(folder, past.Inputs), Command: commandLoad, Table: past.Table, State: RunComplete, Past: true,
			Started: past.Started, Seen: past.Finished, Share: &whole, Rows: past.Rows, RowsPerSecond: past.Rate,
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
		if below, err := filepath.Rel(absolute, name); err == nil && !strings.HasPrefix(below, "..") {
			name = filepath.Join(folder, below)
		}
	}
	return name
}

// prunePast drops the loads of a history that ended before a moment, and returns their number.
func prunePast(folder string, before time.Time, dryRun bool) (dropped int, err error) {
	err = withHistory(folder, os.O_RDONLY, func(*os.File) error {
		path := filepath.Join(folder, HistoryName)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var kept []byte
		eachPast(text, func(line []byte, past pastLoad) {
			if past.Finished.Before(before) {
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
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return dropped, err
}
